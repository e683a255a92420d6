# The image. Sourced by packaging/run.
# shellcheck shell=bash disable=SC2154 # packaging/run and tests/support set them

# In Docker's format: that of OCI has no room for the health check. `docker load` reads the archive.
#
# Lays out what the container file copies, and builds the images where `buildah` is there to do it.
make_container() {
    local architecture debian place=$packages/container image
    rm -rf "$place"
    mkdir -p "$place/data"
    cp packaging/container/Containerfile LICENSE-APACHE LICENSE-MIT "$place"
    for architecture in "${architectures[@]}"; do
        need_program "$architecture"
        [[ $(linkage "$(program_of "$architecture")") == static* ]] ||
            echo "note: the program for $architecture is not static, so an image from scratch cannot run it" >&2
        debian=$(debian_architecture "$architecture")
        install -D -m 755 "$(program_of "$architecture")" "$place/$debian/flagstone"
        python3 packaging/steps/licences.py "$(sbom_target "$architecture")" >"$place/$debian/THIRD-PARTY-LICENCES.txt"
    done
    find "$place" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
    if ! command -v buildah >/dev/null; then
        echo "the context is in ${place#"$repository"/}; without buildah no image is built here"
        return
    fi
    for architecture in "${architectures[@]}"; do
        debian=$(debian_architecture "$architecture")
        image=$packages/flagstone-$version-$debian.docker.tar.gz
        images build --quiet --isolation chroot --format docker --platform "linux/$debian" \
            --timestamp "$SOURCE_DATE_EPOCH" --build-arg "VERSION=$version" --build-arg "TARGETARCH=$debian" \
            --tag "flagstone:$version-$debian" --file "$place/Containerfile" "$place" >/dev/null
        rm -f "$scratch/image.tar"
        images push --quiet "flagstone:$version-$debian" "docker-archive:$scratch/image.tar:flagstone:$version"
        gzip --no-name --best <"$scratch/image.tar" >"$image"
        du --apparent-size --human-readable "$image"
    done
}

# Buildah with a store of its own, which needs no daemon and goes away.
images() {
    buildah --storage-driver vfs --root "$scratch/images" --runroot "$scratch/images-run" "$@"
}
