# The test programs, built once for whatever runs them. Needs common.sh.
# shellcheck shell=bash disable=SC2154 # common.sh sets them

# Builds what `cargo test --workspace` runs, and the program. Always that selection of packages: for another one Cargo
# chooses other features of what they share, and builds all of it anew.
build_tests() {
    need cargo cargo
    need cc build-essential
    (cd "$repository" && cargo test --quiet --locked --workspace --no-run) || give_up "the tests do not build"
    (cd "$repository" && cargo test --locked --workspace --no-run) >"$scratch/programs" 2>&1
}

# test_program NAME [ARGUMENT…] runs one of them as Cargo would: in the directory of its package.
test_program() {
    local name=$1 package=$repository program
    shift
    [[ $name != flagstone_fuzz ]] || package=$repository/tests/fuzz
    program=$(sed -nE "s#^ *Executable .* \((.*/$name-[0-9a-f]+)\)\$#\1#p" "$scratch/programs")
    [[ $program == /* ]] || program=$repository/$program
    [[ -x $program ]] || give_up "there is no test program $name"
    (cd "$package" && CARGO_MANIFEST_DIR=$package "$program" "$@")
}
