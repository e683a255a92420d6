# What the test programs in bash share: words to the reader, packages of the system, a directory that goes away.
# Source it first; `scratch` is that directory, and at_exit COMMAND… has a command run at the end, latest first.
# shellcheck shell=bash

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
leaving=()

at_exit() {
    leaving=("$*" "${leaving[@]}")
}

leave() {
    local command
    for command in "${leaving[@]}"; do
        eval "$command" || true
    done
    rm -rf "$scratch"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() {
    printf '\n>>> %s\n' "$*"
}

give_up() {
    printf '%s: %s\n' "${0#"$repository"/}" "$*" >&2
    exit 1
}

# The lines of the comment that a program begins with.
usage() {
    sed -n '2,/^[^#]/{s/^# \{0,1\}//p;}' "$0"
    exit 2
}

# need PROGRAM PACKAGE makes sure that PROGRAM is there, or says what to install.
need() {
    command -v "$1" >/dev/null && return
    install_package "$2"
    command -v "$1" >/dev/null || give_up "$1 is still missing after installing $2"
}

# install_package NAME… installs packages of the system, after whoever else does.
install_package() {
    if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
        give_up "the package '$*' is missing: on Debian or Ubuntu, 'sudo apt-get install $*'; elsewhere install what it holds"
    fi
    say "installing $*"
    # A service that a package starts must not inherit the lock, or nobody could install anything any more.
    { flock 9 && apt-get update 9>&- && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@" 9>&-; } \
        9>"${TMPDIR:-/tmp}/flagstone-tests.install" >"$scratch/install.log" 2>&1 || { tail -n 20 "$scratch/install.log" && give_up "cannot install $*"; }
}

# hash_of PLACE… prints a hash of the files there, but for what is installed or generated, and of the languages'
# versions: while it is the same, what was checked need not be checked again.
hash_of() {
    local program
    {
        for program in node python3 rustc javac; do "$program" --version || true; done 2>/dev/null
        find "$@" \( -path '*/node_modules' -o -path '*/src/api/generated' \) -prune -o -type f -print0 |
            sort --zero-terminated | xargs --null sha256sum
    } | sha256sum
}

free_port() {
    local port
    for _ in {1..50}; do
        port=$((20000 + RANDOM % 12000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
    return 1
}
