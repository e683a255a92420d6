# A private PostgreSQL server in a temporary directory, gone afterwards. Needs common.sh.
# shellcheck shell=bash disable=SC2154 # common.sh sets them

# Prints the directory of PostgreSQL's server programs; Debian keeps them off the search path, one per version.
postgres_programs() {
    local directory
    while read -r directory; do
        [[ -x $directory/initdb && -x $directory/pg_ctl && -x $directory/psql ]] && echo "$directory" && return
    done < <(
        find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort --version-sort --reverse
        pg_config --bindir 2>/dev/null || true
        dirname "$(command -v initdb || echo /nowhere/initdb)"
    )
    return 1
}

# Sets `programs` to that directory; installs them when they are missing.
need_postgres() {
    programs=$(postgres_programs) || { install_package postgresql && programs=$(postgres_programs); } ||
        give_up "PostgreSQL's initdb is not to be found"
}

# PostgreSQL refuses to run as root. Without settings of OpenSSL each of the thousands of connections of tests costs a
# fifth less.
unprivileged() {
    local -x OPENSSL_CONF=/dev/null
    if [[ $EUID -eq 0 ]]; then
        (cd / && runuser --user "$postgres_user" -- "$@")
    else
        (cd / && "$@")
    fi
}

# Prints a directory in memory if there are 2 GiB, enough for many small databases, or else that of temporary files.
quick_directory() {
    local available
    available=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)
    if ((${available:-0} > 2 << 20)); then
        echo /dev/shm
    else
        echo "${TMPDIR:-/tmp}"
    fi
}

# start_postgres [DIRECTORY] has its files there, or among the temporary ones.
start_postgres() {
    local password superuser_password port options initdb_options
    password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    superuser_password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    cluster=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/flagstone-postgres.XXXXXX")
    at_exit stop_postgres
    (umask 077 && echo "$superuser_password" >"$cluster/password")
    if [[ $EUID -eq 0 ]]; then
        postgres_user=$(id -un postgres 2>/dev/null || echo nobody)
        chown -R "$postgres_user" "$cluster"
    fi

    # Plain passwords, on loopback only, and kept by the old hash: the server takes longer over the new one than over all
    # else of a connection, of which tests open thousands.
    initdb_options=(--pgdata "$cluster/data" --username superuser --pwfile "$cluster/password" --auth password
        --encoding UTF8 --locale C.UTF-8 --no-sync)
    # Sort as a language does, like most servers in use, not by bytes: what relies on the latter then fails here.
    if [[ $("$programs/initdb" --help) == *--locale-provider* ]]; then
        initdb_options+=(--locale-provider icu --icu-locale en-US)
    fi
    unprivileged "$programs/initdb" "${initdb_options[@]}" >"$scratch/initdb.log" 2>&1 ||
        { cat "$scratch/initdb.log" && give_up "cannot make a PostgreSQL cluster in $cluster"; }

    # Nothing here outlives the run, so nothing needs to reach the disk.
    options="-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=300 -c shared_buffers=64MB"
    options+=" -c fsync=off -c full_page_writes=off -c max_wal_size=256MB"
    for _ in {1..5}; do
        port=$(free_port) || give_up "no free port"
        if unprivileged "$programs/pg_ctl" --pgdata "$cluster/data" --log "$cluster/log" --silent --wait \
            --options "$options -p $port" start >/dev/null 2>&1; then
            PGPASSWORD=$superuser_password "$programs/psql" --quiet --no-psqlrc --set ON_ERROR_STOP=1 \
                --host 127.0.0.1 --port "$port" --username superuser --dbname postgres \
                --command "SET password_encryption = md5" \
                --command "CREATE ROLE flagstone LOGIN CREATEDB PASSWORD '$password'" \
                --command "CREATE DATABASE flagstone OWNER flagstone" || give_up "cannot prepare PostgreSQL"
            export FLAGSTONE_TEST_DATABASE="postgres://flagstone:$password@127.0.0.1:$port/flagstone"
            return
        fi
    done
    tail -n 20 "$cluster/log"
    give_up "PostgreSQL does not start"
}

stop_postgres() {
    if [[ -f $cluster/data/postmaster.pid ]]; then
        unprivileged "$programs/pg_ctl" --pgdata "$cluster/data" --mode immediate --silent stop >/dev/null 2>&1 || true
    fi
    rm -rf "$cluster"
}

# halt_postgres MODE stops the server as pg_ctl's MODE says and keeps what it holds; resume_postgres starts it again.
halt_postgres() {
    unprivileged "$programs/pg_ctl" --pgdata "$cluster/data" --mode "$1" --wait --silent stop >/dev/null
}

# `restart` is the one that remembers the options of the first start.
resume_postgres() {
    unprivileged "$programs/pg_ctl" --pgdata "$cluster/data" --log "$cluster/log" --wait --silent restart \
        >/dev/null 2>&1
}

# as_superuser PORT SQL has it done on the server of the port, and prints what it answers.
as_superuser() {
    PGPASSWORD=$(cat "$cluster/password") "$programs/psql" --quiet --no-psqlrc --no-align --tuples-only \
        --set ON_ERROR_STOP=1 --host 127.0.0.1 --port "$1" --username superuser --dbname postgres --command "$2"
}

# Starts a second server that follows the first, as user `superuser`; sets `replica` to its URL.
start_replica() {
    local options
    primary_port=${FLAGSTONE_TEST_DATABASE##*:}
    primary_port=${primary_port%%/*}
    at_exit stop_replica
    PGPASSWORD=$(cat "$cluster/password") unprivileged "$programs/pg_basebackup" --host 127.0.0.1 \
        --port "$primary_port" --username superuser --pgdata "$cluster/replica" --checkpoint fast \
        --write-recovery-conf --no-sync >"$scratch/replica.log" 2>&1 || give_up "cannot copy PostgreSQL's cluster"
    options="-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=300 -c shared_buffers=64MB"
    for _ in {1..5}; do
        replica_port=$(free_port) || give_up "no free port"
        if unprivileged "$programs/pg_ctl" --pgdata "$cluster/replica" --log "$cluster/replica.log" --silent --wait \
            --options "$options -c fsync=off -p $replica_port" start >/dev/null 2>&1; then
            replica=${FLAGSTONE_TEST_DATABASE/":$primary_port/"/":$replica_port/"}
            return
        fi
    done
    give_up "the replica does not start"
}

stop_replica() {
    signal_replica CONT
    unprivileged "$programs/pg_ctl" --pgdata "$cluster/replica" --mode immediate --wait --silent stop >/dev/null 2>&1 ||
        true
}

resume_replica() {
    unprivileged "$programs/pg_ctl" --pgdata "$cluster/replica" --log "$cluster/replica.log" --wait --silent restart \
        >/dev/null 2>&1
}

promote_replica() {
    unprivileged "$programs/pg_ctl" --pgdata "$cluster/replica" --wait --silent promote >/dev/null
}

# Signals the replica and all its processes: STOP lets it hang as one does whose machine is cut off, CONT ends that.
signal_replica() {
    local postmaster
    if [[ -f $cluster/replica/postmaster.pid ]]; then
        postmaster=$(head -n 1 "$cluster/replica/postmaster.pid")
        kill -s "$1" "$postmaster" || true
        pkill --signal "$1" --parent "$postmaster" || true
    fi
}

# Has the server speak TLS too, with a certificate of its own for localhost in $cluster/server.crt.
offer_tls() {
    need openssl openssl
    unprivileged openssl req -new -x509 -nodes -days 2 -subj /CN=localhost -out "$cluster/server.crt" \
        -addext "subjectAltName = DNS:localhost, IP:127.0.0.1" \
        -addext "basicConstraints = critical, CA:FALSE" -keyout "$cluster/server.key" >/dev/null 2>&1
    unprivileged chmod 600 "$cluster/server.key"
    printf "ssl = on\nssl_cert_file = '%s'\nssl_key_file = '%s'\n" "$cluster/server.crt" "$cluster/server.key" \
        >>"$cluster/data/postgresql.auto.conf"
    halt_postgres fast
    resume_postgres
}
