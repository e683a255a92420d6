# Packages of Node and Python for a test, in the versions that it names. Needs common.sh.
# shellcheck shell=bash disable=SC2154,SC2034 # common.sh sets some, who sources this reads others

readonly node_major=20

# node_packages DIRECTORY installs what its package-lock.json names, once for each state of that file.
node_packages() {
    local directory=$1
    need node nodejs
    need npm npm
    local major
    major=$(node --print 'process.versions.node.split(".")[0]')
    ((major >= node_major)) || give_up "Node $node_major or newer is needed; this is $(node --version)"
    cmp --silent "$directory/package-lock.json" "$directory/node_modules/.installed" && return
    say "installing the Node packages of ${directory#"$repository"/}"
    (cd "$directory" && npm ci --no-audit --no-fund --loglevel=error) >"$scratch/npm.log" 2>&1 ||
        { tail -n 20 "$scratch/npm.log" && give_up "cannot install the Node packages of $directory"; }
    cp "$directory/package-lock.json" "$directory/node_modules/.installed"
}

# python_packages DIRECTORY installs what its requirements.txt names; `python` is then the interpreter that knows them.
python_packages() {
    local directory=$1 environment
    environment=${CARGO_TARGET_DIR:-$repository/target}/python/$(basename "$directory")
    need python3 python3
    python=$environment/bin/python
    cmp --silent "$directory/requirements.txt" "$environment/installed" && return
    say "installing the Python packages of ${directory#"$repository"/}"
    install_for_python "$directory" "$environment" >"$scratch/pip.log" 2>&1 ||
        { tail -n 20 "$scratch/pip.log" && give_up "cannot install the Python packages of $directory"; }
    cp "$directory/requirements.txt" "$environment/installed"
}

install_for_python() {
    python3 -m venv --clear "$2" || { install_package python3-venv && python3 -m venv --clear "$2"; } || return 1
    "$2/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$1/requirements.txt"
}
