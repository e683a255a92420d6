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
    local architecture triple place variant manifest release=${FLAGSTONE_DEB_VERSION:-$version-1}
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
        manifest=$(debian_manifest "$place/flagstone")
        CARGO_TARGET_DIR=$scratch/debian "$target/packaging-tools/bin/cargo-deb" --quiet --no-build --no-strip --locked \
            --manifest-path "$manifest" --target "$triple" "${variant[@]}" --deb-version "$release" \
            --output "$packages/flagstone_${release}_$(debian_architecture "$architecture").deb"
        du --apparent-size --human-readable "$packages/flagstone_${release}_$(debian_architecture "$architecture").deb"
    done
}

# debian_manifest PROGRAM prints the path of a Cargo.toml that declares the packages which the program needs, beside links to
# everything else that is beside ours.
debian_manifest() {
    local place=$scratch/debian/manifest packages_needed
    packages_needed=$(needed_packages "$1")
    mkdir -p "$place"
    ln -s "$repository"/* "$place"
    rm "$place/Cargo.toml"
    sed "s/\$auto/$packages_needed/" "$repository/Cargo.toml" >"$place/Cargo.toml"
    echo "$place/Cargo.toml"
}

# needed_packages PROGRAM prints the packages with the libraries that a program is linked to, at least of the versions that the
# symbols it uses are from: as dpkg-shlibdeps does, but for every architecture.
needed_packages() {
    local library packages_needed=()
    need readelf binutils
    while read -r library; do
        case $library in
        libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | ld-linux*)
            packages_needed+=("libc6 (>= $(newest_symbol GLIBC "$1"))")
            ;;
        libgcc_s.so.1) packages_needed+=("libgcc-s1 (>= $(newest_symbol GCC "$1"))") ;;
        *) give_up "$1 needs $library, and it is not known which package has it" ;;
        esac
    done < <(readelf --dynamic "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]$/\1/p')
    ((${#packages_needed[@]})) || return 0
    printf '%s\n' "${packages_needed[@]}" | sort --unique | paste --serial --delimiters=, | sed 's/,/, /g'
}

# newest_symbol PREFIX PROGRAM prints the newest version of symbols like GLIBC_2.34 that a program uses, without zeros at its end.
newest_symbol() {
    readelf --version-info "$2" | sed -nE "s/.*\b$1_([0-9.]+).*/\1/p" | sort --version-sort | tail -n 1 | sed -E 's/(\.0)+$//'
}

# debian_changelog RELEASE prints the one entry that Debian's tools ask for.
debian_changelog() {
    local maintainer
    maintainer=$(sed -nE 's/^maintainer = "(.*)"$/\1/p' Cargo.toml)
    printf 'flagstone (%s) stable; urgency=medium\n\n' "$1"
    printf '  * What changed: the changelog of version %s, among the sources.\n\n' "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(date --utc --date "@$SOURCE_DATE_EPOCH" --rfc-email)"
}
