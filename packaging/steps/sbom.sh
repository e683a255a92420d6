# What each package holds, as CycloneDX beside it. Sourced by packaging/run.
# shellcheck shell=bash disable=SC2154 # packaging/run and tests/support set them

readonly cyclonedx_version=0.5.9

# The target whose crates are listed where there is no choice: that of the first architecture.
sbom_target() {
    target_of "${1:-${architectures[0]}}"
}

make_sbom() {
    local architecture file list
    cargo_tool cargo-cyclonedx "$cyclonedx_version"
    for architecture in "${architectures[@]}"; do
        list=$scratch/sbom.$architecture.json
        write_sbom "$(sbom_target "$architecture")" "$list"
        for file in $(artefacts_of "$architecture"); do
            python3 packaging/steps/sbom.py beside "$list" "$file" >"$file.cdx.json"
            echo "${file##*/}.cdx.json"
        done
    done
}

# The artefacts that hold the program of an architecture.
artefacts_of() {
    local debian
    debian=$(debian_architecture "$1")
    find "$packages" -maxdepth 1 \( -name "flagstone-*-$1-linux.tar.gz" -o -name "flagstone_*_$debian.deb" \
        -o -name "flagstone-*-$debian.docker.tar.gz" \) | sort
}

# write_sbom TARGET FILE. cargo-cyclonedx writes beside each manifest, so it gets a copy of the sources. It lists what any
# member of the workspace could ask for; what is in the program is what `cargo tree` says.
write_sbom() {
    local copy=$scratch/sbom.sources
    mkdir -p "$copy"
    git ls-files -z | tar --create --null --files-from - | tar --extract --directory "$copy"
    (cd "$copy" && "$target/packaging-tools/bin/cargo-cyclonedx" cyclonedx --quiet --format json --spec-version 1.5 \
        --target "$1" --override-filename listed)
    python3 packaging/steps/sbom.py complete "$copy/listed.json" "$copy" "$1" >"$2"
    rm -rf "$copy"
}

# cargo_tool NAME VERSION installs a program of crates.io into the target directory. Unoptimised: it runs for seconds.
cargo_tool() {
    [[ $("$target/packaging-tools/bin/$1" --version 2>/dev/null) == *"$2"* ]] && return
    grep --quiet "^\"$1 $2 " "$target/packaging-tools/.crates.toml" 2>/dev/null && return
    say "installing $1 $2"
    CARGO_TARGET_DIR=$target/packaging-tools/build cargo install --quiet --locked --debug \
        --root "$target/packaging-tools" "$1@$2"
    rm -rf "$target/packaging-tools/build"
}
