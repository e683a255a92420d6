# Consoles of the reference, from npm, kept in target/console. Needs common.sh.
# shellcheck shell=bash disable=SC2154 # common.sh sets them

readonly newest_console=8.2.0

# Sets CONSOLE to the directory of the files of the console that README.md names.
fetch_console() {
    CONSOLE=$(console_of "$(sed -nE 's/^npm pack unleash-server@([0-9.]+).*/\1/p' "$repository/README.md")") || exit
    export CONSOLE
}

# Sets NEWEST_CONSOLE likewise.
fetch_newest_console() {
    NEWEST_CONSOLE=$(console_of "$newest_console") || exit
    export NEWEST_CONSOLE
}

# Prints the directory of the files of a version: the server that they come with is not installed.
console_of() {
    local version=$1 files
    files=${CARGO_TARGET_DIR:-$repository/target}/console/$version/package/frontend/build
    if [[ ! -f $files/index.html ]]; then
        say "fetching the console of unleash-server $version" >&2
        (cd "$scratch" && npm pack --silent "unleash-server@$version" >/dev/null) || give_up "cannot fetch the console"
        mkdir -p "${files%/package/*}"
        tar --extract --gzip --file "$scratch/unleash-server-$version.tgz" --directory "${files%/package/*}" \
            package/frontend/build package/LICENSE
    fi
    echo "$files"
}
