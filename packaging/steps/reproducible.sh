# Whether the same sources give the same program. Sourced by packaging/run.
# shellcheck shell=bash disable=SC2154 # packaging/run and tests/support set them

# Builds in two directories whose paths differ in length, each with a target directory of its own. CARGO_PROFILE_RELEASE_…
# in the environment make it quick, for who tries the script and not the release.
make_reproducible() {
    local architecture triple first second
    for architecture in "${architectures[@]}"; do
        triple=$(target_of "$architecture")
        first=$(build_apart "$triple" one)
        second=$(build_apart "$triple" another/one/further/down)
        sha256sum "$first" "$second"
        if ! cmp "$first" "$second"; then
            give_up "two builds for $triple differ; both are kept: compare them with diffoscope"
        fi
        say "two builds for $triple are the same, byte for byte"
        rm -rf "$target/reproducible"
    done
}

# build_apart TRIPLE NAME builds a copy of the sources and prints where the program is.
build_apart() {
    local place=$target/reproducible/$2
    rm -rf "$place"
    mkdir -p "$place/sources"
    git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from - |
        tar --extract --directory "$place/sources"
    build "$place/sources" "$place/target" "$1" >&2
    mv "$place/target/$1/release/flagstone" "$place/flagstone"
    rm -rf "$place/target"
    echo "$place/flagstone"
}
