# The program itself. Sourced by packaging/run.
# shellcheck shell=bash disable=SC2154,SC2164 # packaging/run and tests/support set them, and -e

# The oldest glibc that a program runs with which cannot be static. Rust itself asks for this one.
readonly oldest_glibc=2.17

# Prints the Rust target for an architecture. Not every machine can fetch the one for musl.
target_of() {
    local musl=$1-unknown-linux-musl gnu=$1-unknown-linux-gnu
    if has_target "$musl" || rustup target add "$musl" >/dev/null 2>&1; then
        echo "$musl"
    elif has_target "$gnu" || rustup target add "$gnu" >/dev/null 2>&1; then
        echo "$gnu"
    else
        give_up "Rust's targets $musl and $gnu are missing, and rustup cannot add them"
    fi
}

has_target() {
    [[ -d $(rustc --print sysroot)/lib/rustlib/$1/lib ]]
}

# ready_program ARCH prints the program that was given instead of building one.
ready_program() {
    case $1 in
    x86_64) echo "${FLAGSTONE_BINARY:-}" ;;
    aarch64) echo "${FLAGSTONE_BINARY_AARCH64:-}" ;;
    esac
}

# Where the program of an architecture is kept for the steps after this one.
program_of() {
    echo "$packages/program/$1/flagstone"
}

make_binary() {
    local architecture
    for architecture in "${architectures[@]}"; do
        make_program "$architecture"
    done
}

make_program() {
    local ready triple place
    ready=$(ready_program "$1")
    place=$(program_of "$1")
    if [[ -z $ready ]]; then
        triple=$(target_of "$1")
        say "building $triple" >&2
        build "$repository" "$target" "$triple"
        ready=$target/$triple/dist/flagstone
    fi
    mkdir -p "${place%/*}"
    cmp --silent "$ready" "$place" || install -m 755 "$ready" "$place"
    printf '%s\n' "$(linkage "$place")" | tee "${place%/*}/linkage"
}

# The program as it was made before, or made now.
need_program() {
    [[ -z $(ready_program "$1") && -x $(program_of "$1") ]] || make_program "$1" >/dev/null
}

# build SOURCES TARGET-DIRECTORY TRIPLE. Nothing in the program tells where it was built: the paths of the sources, of
# the crates and of what build scripts write are renamed, in Rust and in C, and no linker leaves an identity of its own.
# C is compiled by Zig, for every target and the same on every machine.
build() {
    local sources=$1 directory=$2 triple=$3 home=${CARGO_HOME:-$HOME/.cargo} from rust='' c='' for_zig=$3
    python_packages "$repository/packaging"
    for from in "$home=/cargo" "$sources=/flagstone" "$directory=/flagstone/target"; do
        rust+="--remap-path-prefix=$from "
        c+="-ffile-prefix-map=$from "
    done
    if [[ $triple == *-musl ]]; then
        # Rust has all that links a static program, on x86_64 at addresses that change with every start; Zig fixes them.
        rust+="-C linker=rust-lld -C link-self-contained=yes"
    else
        for_zig=$triple.$oldest_glibc
        rust+="-C link-arg=-Wl,--build-id=none"
    fi
    (
        cd "$sources"
        # shellcheck disable=SC2154 # python_packages sets it
        PATH=$(dirname "$python"):$PATH CARGO_TARGET_DIR=$directory CARGO_INCREMENTAL=0 \
            RUSTFLAGS="$rust" CFLAGS="$c" \
            cargo-zigbuild zigbuild --quiet --profile dist --locked --target "$for_zig" --bin flagstone
    )
}

# linkage PROGRAM says what the program needs to run.
linkage() {
    local newest
    need readelf binutils
    if ! readelf --program-headers "$1" | grep --quiet INTERP; then
        echo "static: runs on any Linux of this architecture"
        return
    fi
    newest=$(newest_symbol GLIBC "$1")
    echo "dynamic: needs glibc $newest or newer"
}
