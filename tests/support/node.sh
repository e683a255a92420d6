# Tests that run in Node's own test runner. Needs common.sh.
# shellcheck shell=bash disable=SC2154 # common.sh sets them

# node_tests FILE… runs them one after the other and ends the program with what they counted.
node_tests() {
    local status=0 counts tap
    tap=$(mktemp "$scratch/tap.XXXXXX")
    node --test --test-concurrency=1 \
        --test-reporter=spec --test-reporter-destination=stdout \
        --test-reporter=tap --test-reporter-destination="$tap" "$@" || status=$?
    mapfile -t counts < <(sed -nE 's/^# (pass|fail) ([0-9]+)$/\2/p' "$tap")
    printf '%d passed, %d failed\n' "${counts[0]:-0}" "${counts[1]:-1}"
    exit "$status"
}
