# The compose files, as an archive to unpack where they are to run. Sourced by packaging/run.
# shellcheck shell=bash disable=SC2154 # packaging/run and tests/support set them

make_compose() {
    local name=flagstone-$version-compose
    local place=$scratch/compose/$name
    mkdir -p "$place"
    cp -r packaging/compose packaging/monitoring "$place"
    pack "$scratch/compose" "$name" "$packages/$name.tar.gz"
    du --apparent-size --human-readable "$packages/$name.tar.gz"
}
