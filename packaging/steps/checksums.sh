# One list of what was made. Sourced by packaging/run.
# shellcheck shell=bash disable=SC2154,SC2164 # packaging/run and tests/support set them, and -e

make_checksums() {
    (
        cd "$packages"
        find . -maxdepth 1 -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs --no-run-if-empty sha256sum \
            >SHA256SUMS
        cat SHA256SUMS
    )
}
