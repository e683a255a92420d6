# The chart. Sourced by packaging/run.
# shellcheck shell=bash disable=SC2154 # packaging/run and tests/support set them

# The chart has the version of the program that it installs.
make_helm() {
    local place=$scratch/helm
    mkdir -p "$place"
    cp -r packaging/helm/flagstone "$place/"
    sed -i -E "s/^(version|appVersion): .*/\1: \"$version\"/" "$place/flagstone/Chart.yaml"
    cp LICENSE-APACHE LICENSE-MIT "$place/flagstone"
    pack "$place" flagstone "$packages/flagstone-chart-$version.tgz"
    du --apparent-size --human-readable "$packages/flagstone-chart-$version.tgz"
}
