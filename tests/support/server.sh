# The real program, started on an empty database of its own. Needs common.sh.
# shellcheck shell=bash disable=SC2154 # common.sh sets them

# Where it listens and the secrets that it starts with, also in the environment of what is run.
export FLAGSTONE_URL=
export FLAGSTONE_ADMIN_TOKEN='*:*.tests-admin-of-this-server'
export FLAGSTONE_CLIENT_TOKEN='*:development.tests-client-of-this-server'
export FLAGSTONE_FRONTEND_TOKEN='*:development.tests-frontend-of-this-server'

# Sets `flagstone` to the program; builds it unless FLAGSTONE_BINARY names one.
build_flagstone() {
    flagstone=${FLAGSTONE_BINARY:-}
    [[ -n $flagstone ]] && return
    need cargo cargo
    need cc build-essential
    (cd "$repository" && cargo build --quiet --locked) || give_up "Flagstone does not build"
    flagstone=${CARGO_TARGET_DIR:-$repository/target}/debug/flagstone
}

# start_flagstone [NAME=VALUE…] starts it with these variables besides; the log goes to `server_log`.
start_flagstone() {
    local directory port
    [[ -n ${flagstone:-} ]] || build_flagstone
    directory=$(mktemp -d "$scratch/server.XXXXXX")
    port=$(free_port) || give_up "no free port"
    server_log=$directory/log
    FLAGSTONE_URL=http://127.0.0.1:$port
    (
        cd "$directory" && exec env -u DATABASE_URL \
            FLAGSTONE_LISTEN="127.0.0.1:$port" RUST_LOG=warn \
            INIT_ADMIN_API_TOKENS="$FLAGSTONE_ADMIN_TOKEN" \
            INIT_CLIENT_API_TOKENS="$FLAGSTONE_CLIENT_TOKEN" \
            INIT_FRONTEND_API_TOKENS="$FLAGSTONE_FRONTEND_TOKEN" \
            UNLEASH_DEFAULT_ADMIN_USERNAME=admin UNLEASH_DEFAULT_ADMIN_PASSWORD=Tests-Admin-1 \
            "$@" "$flagstone"
    ) >"$server_log" 2>&1 &
    server=$!
    at_exit "kill $server 2>/dev/null; wait $server"
    for _ in {1..2400}; do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
        kill -0 "$server" 2>/dev/null || break
        sleep 0.05
    done
    tail -n 20 "$server_log"
    give_up "Flagstone does not start"
}
