# The archive, and what the archive and the Debian package share. Sourced by packaging/run.
# shellcheck shell=bash disable=SC2154 # packaging/run and tests/support set them

# pack DIRECTORY NAME FILE packs DIRECTORY/NAME, the same bytes each time: sorted, nobody's, of the date of the sources.
pack() {
    tar --create --directory "$1" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
        --mtime="@$SOURCE_DATE_EPOCH" "$2" | gzip --no-name --best >"$3"
}

# A program of this architecture that writes pages: another one cannot run here.
writer() {
    local architecture
    architecture=$(uname --machine)
    need_program "$architecture" >&2
    program_of "$architecture"
}

# write_pages DIRECTORY writes the manual pages below man1, the completions below completions, and the licences.
write_pages() {
    local program
    program=$(writer)
    mkdir -p "$1/man1" "$1/completions"
    "$program" manual --write "$1/man1" >/dev/null
    "$program" completions bash >"$1/completions/flagstone.bash"
    "$program" completions fish >"$1/completions/flagstone.fish"
    "$program" completions zsh >"$1/completions/_flagstone"
    python3 packaging/steps/licences.py "$(sbom_target)" >"$1/THIRD-PARTY-LICENCES.txt"
}

make_archive() {
    local architecture name place
    for architecture in "${architectures[@]}"; do
        need_program "$architecture"
        name=flagstone-$version-$architecture-linux
        place=$scratch/archive/$name
        mkdir -p "$place/docs" "$place/monitoring"
        install -m 755 "$(program_of "$architecture")" "$place/flagstone"
        write_pages "$place"
        cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$place"
        cp docs/*.md "$place/docs"
        cp packaging/monitoring/flagstone.{dashboard.json,rules.yml} "$place/monitoring"
        pack "$scratch/archive" "$name" "$packages/$name.tar.gz"
        du --apparent-size --human-readable "$packages/$name.tar.gz"
    done
}
