# The program with the data of the console's tests. Needs common.sh and server.sh.
# shellcheck shell=bash disable=SC2154 # server.sh sets them

# start_webshop starts it as start_flagstone does, and imports the flags of a web shop.
start_webshop() {
    local environment
    # shellcheck disable=SC2119 # it needs no variables besides
    start_flagstone
    for environment in development production; do
        (cd "$(dirname "$server_log")" && "$flagstone" import "$repository/tests/data/webshop.$environment.json" \
            --project webshop --environment "$environment" --create-missing) >"$scratch/import.log" 2>&1 ||
            { tail -n 20 "$scratch/import.log" && give_up "the data cannot be imported"; }
    done
}
