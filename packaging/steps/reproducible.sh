# Whether the same sources give the same program. Sourced by packaging/run.
# shellcheck shell=bash disable=SC2154 # packaging/run and tests/support set them

# Builds in two directories whose paths differ in length, each with a target directory of its own. CARGO_PROFILE_DIST_…
# in the environment make it quick, for who tries the script and not the release.
make_reproducible() {
    local architecture triple first=$target/reproducible/one second=$target/reproducible/another/one/further/down
    for architecture in "${architectures[@]}"; do
        triple=$(target_of "$architecture")
        rm -rf "$target/reproducible"
        # Both before either is built: the sources may change meanwhile.
        copy_sources "$first"
        copy_sources "$second"
        build_apart "$triple" "$first"
        build_apart "$triple" "$second"
        sha256sum "$first/flagstone" "$second/flagstone"
        if ! cmp "$first/flagstone" "$second/flagstone"; then
            give_up "two builds for $triple differ; both are kept: compare them with diffoscope"
        fi
        say "two builds for $triple are the same, byte for byte"
        rm -rf "$target/reproducible"
    done
}

# copy_sources PLACE copies what is known to git, or new.
copy_sources() {
    mkdir -p "$1/sources"
    git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from - |
        tar --extract --directory "$1/sources"
}

# build_apart TRIPLE PLACE builds the sources there, and leaves the program alone.
build_apart() {
    build "$2/sources" "$2/target" "$1"
    mv "$2/target/$1/dist/flagstone" "$2/flagstone"
    rm -rf "$2/target"
}
