# The real program as an edge before a server, and the field's. Needs server.sh; the field's edge needs packages.sh.
# shellcheck shell=bash disable=SC2154 # common.sh sets them

# Where the edge that was started last listens, also in the environment of what is run.
export EDGE_URL=

readonly field_edge_version=19.15.1
# Its build puts this version of Swagger UI into the program.
readonly field_edge_swagger=5.17.14

# start_edge UPSTREAM [NAME=VALUE…] starts one with these variables besides, and waits until it is ready.
start_edge() {
    launch_edge "$flagstone" "$@"
}

# start_field_edge UPSTREAM [NAME=VALUE…] does so with the edge of the field: the program FLAGSTONE_FIELD_EDGE, or one
# that is built for it, in a quarter of an hour on two cores.
start_field_edge() {
    local program=${FLAGSTONE_FIELD_EDGE:-}
    if [[ -z $program ]]; then
        program=${CARGO_TARGET_DIR:-$repository/target}/tools/unleash-edge/bin/unleash-edge
        grep --quiet --fixed-strings "unleash-edge $field_edge_version" "${program%/bin/*}/.crates.toml" 2>/dev/null ||
            build_field_edge "${program%/bin/*}"
    fi
    launch_edge "$program" "$@"
}

# build_field_edge ROOT installs it there.
build_field_edge() {
    local swagger=swagger-ui-$field_edge_swagger archive=$scratch/swagger.zip
    need npm npm
    need python3 python3
    say "building the field's edge $field_edge_version"
    (
        cd "$scratch"
        npm pack --silent "swagger-ui-dist@$field_edge_swagger" >/dev/null
        mkdir --parents "$swagger/dist"
        tar --extract --gzip --strip-components=1 --directory="$swagger/dist" --file="swagger-ui-dist-$field_edge_swagger.tgz"
        python3 -m zipfile --create "$archive" "$swagger/"
    ) || give_up "npm's swagger-ui-dist $field_edge_swagger cannot be had"
    SWAGGER_UI_DOWNLOAD_URL=file://$archive CARGO_TARGET_DIR=$scratch/field-edge cargo install --quiet --locked \
        --no-default-features --root "$1" --version "$field_edge_version" unleash-edge ||
        give_up "the field's edge does not build"
}

# launch_edge PROGRAM UPSTREAM [NAME=VALUE…]: what is set works for both programs.
launch_edge() {
    local program=$1 upstream=$2 directory port
    shift 2
    directory=$(mktemp -d "$scratch/edge.XXXXXX")
    port=$(free_port) || give_up "no free port"
    EDGE_URL=http://127.0.0.1:$port
    (
        cd "$directory" && exec env UPSTREAM_URL="$upstream" INTERFACE=127.0.0.1 PORT="$port" RUST_LOG=warn \
            "$@" "$program" edge
    ) >"$directory/log" 2>&1 &
    local edge=$!
    at_exit "kill $edge 2>/dev/null; wait $edge"
    for _ in {1..2400}; do
        # Both answer there.
        "$flagstone" check ready --url "$EDGE_URL/internal-backstage" >/dev/null 2>&1 && return
        kill -0 "$edge" 2>/dev/null || break
        sleep 0.05
    done
    tail -n 20 "$directory/log"
    give_up "the edge does not start"
}
