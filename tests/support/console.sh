# The console of the reference, from npm in the version that README.md names, kept in target/console. Needs common.sh.
# shellcheck shell=bash disable=SC2154 # common.sh sets them

# Sets CONSOLE to the directory of its files: the server that they come with is not installed.
fetch_console() {
    local version
    version=$(sed -nE 's/^npm pack unleash-server@([0-9.]+).*/\1/p' "$repository/README.md")
    CONSOLE=${CARGO_TARGET_DIR:-$repository/target}/console/$version/package/frontend/build
    export CONSOLE
    [[ ! -f $CONSOLE/index.html ]] || return 0
    say "fetching the console of unleash-server $version"
    (cd "$scratch" && npm pack --silent "unleash-server@$version" >/dev/null) || give_up "cannot fetch the console"
    mkdir -p "${CONSOLE%/package/*}"
    tar --extract --gzip --file "$scratch/unleash-server-$version.tgz" --directory "${CONSOLE%/package/*}" \
        package/frontend/build package/LICENSE
}
