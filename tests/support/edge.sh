# The real program as an edge before a server. Needs server.sh.
# shellcheck shell=bash disable=SC2154 # common.sh sets them

# Where the edge that was started last listens, also in the environment of what is run.
export EDGE_URL=

# start_edge UPSTREAM [NAME=VALUE…] starts one with these variables besides, and waits until it is ready.
start_edge() {
    local upstream=$1 directory port
    shift
    directory=$(mktemp -d "$scratch/edge.XXXXXX")
    port=$(free_port) || give_up "no free port"
    EDGE_URL=http://127.0.0.1:$port
    (
        cd "$directory" && exec env UPSTREAM_URL="$upstream" FLAGSTONE_LISTEN="127.0.0.1:$port" RUST_LOG=warn \
            "$@" "$flagstone" edge
    ) >"$directory/log" 2>&1 &
    local edge=$!
    at_exit "kill $edge 2>/dev/null; wait $edge"
    for _ in {1..300}; do
        "$flagstone" check ready --url "$EDGE_URL" >/dev/null 2>&1 && return
        kill -0 "$edge" 2>/dev/null || break
        sleep 0.05
    done
    tail -n 20 "$directory/log"
    give_up "the edge does not start"
}
