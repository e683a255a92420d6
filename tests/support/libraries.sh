# The field's client libraries, ready to be asked. Needs common.sh and packages.sh.
# shellcheck shell=bash disable=SC2154 # they set them

# Installs the libraries of tests/libraries in their pinned versions, and tells libraries.mjs where they are.
prepare_libraries() {
    local libraries=$repository/tests/libraries asker=${CARGO_TARGET_DIR:-$repository/target}/libraries
    node_packages "$libraries"
    python_packages "$libraries"
    need cargo cargo
    need cc build-essential
    say "building what asks through the library for Rust"
    (cd "$libraries/rust" && cargo build --quiet --locked --target-dir "$asker") ||
        give_up "the program in tests/libraries/rust does not build"
    export LIBRARIES_PYTHON=$python LIBRARIES_RUST=$asker/debug/ask LIBRARIES_SCRATCH=$scratch
}
