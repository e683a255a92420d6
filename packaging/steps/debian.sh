# The package for Debian and Ubuntu. Sourced by packaging/run.
# shellcheck shell=bash disable=SC2154 # packaging/run and tests/support set them

readonly cargo_deb_version=3.8.0

debian_architecture() {
    case $1 in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    esac
}

# cargo-deb takes from its target directory what Cargo.toml names below target/release: this lays it there.
make_debian() {
    local architecture triple place variant release=${FLAGSTONE_DEB_VERSION:-$version-1}
    cargo_tool cargo-deb "$cargo_deb_version"
    for architecture in "${architectures[@]}"; do
        need_program "$architecture"
        triple=$architecture-unknown-linux-musl
        place=$scratch/debian/$triple/release
        rm -rf "$scratch/debian"
        mkdir -p "$place"
        cp "$(program_of "$architecture")" "$place/flagstone"
        write_pages "$place/pages"
        gzip --no-name --best "$place"/pages/man1/*.1 "$place/pages/THIRD-PARTY-LICENCES.txt"
        debian_changelog "$release" | gzip --no-name --best >"$place/pages/changelog.Debian.gz"
        variant=()
        [[ $(linkage "$place/flagstone") == static* ]] || variant=(--variant glibc)
        CARGO_TARGET_DIR=$scratch/debian "$target/packaging-tools/bin/cargo-deb" --quiet --no-build --no-strip --locked \
            --target "$triple" "${variant[@]}" --deb-version "$release" \
            --output "$packages/flagstone_${release}_$(debian_architecture "$architecture").deb"
        du --apparent-size --human-readable "$packages/flagstone_${release}_$(debian_architecture "$architecture").deb"
    done
}

# debian_changelog RELEASE prints the one entry that Debian's tools ask for.
debian_changelog() {
    local maintainer
    maintainer=$(sed -nE 's/^maintainer = "(.*)"$/\1/p' Cargo.toml)
    printf 'flagstone (%s) stable; urgency=medium\n\n' "$1"
    printf '  * What changed: the changelog of version %s, among the sources.\n\n' "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(date --utc --date "@$SOURCE_DATE_EPOCH" --rfc-email)"
}
