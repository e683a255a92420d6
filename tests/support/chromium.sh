# Chromium for the tests of pages. Needs common.sh.
# shellcheck shell=bash

# Sets CHROMIUM to a browser: the one without windows, which takes half of the processor's time, or else the usual one.
need_chromium() {
    local program=chromium-headless-shell
    if ! command -v "$program" >/dev/null && ! (install_package "$program") >/dev/null 2>&1; then
        program=chromium
        need "$program" "$program"
    fi
    CHROMIUM=$(command -v "$program")
    export CHROMIUM
}
