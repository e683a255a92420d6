//! Options of connections to a database.

use std::path::Path;

use flagstone_files as files;
use sea_orm::{
    ConnectOptions,
    sqlx::{
        self, ConnectOptions as _,
        postgres::PgConnectOptions,
        sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
    },
};

use url::form_urlencoded;

use super::WAIT;
use crate::StoreError;

/// Longest wait of a statement of PostgreSQL for a lock: as long as [`WAIT`].
const LOCK_WAIT: &str = "10s";
/// Settings of PostgreSQL's planner. Its own guess at the price of reading here and there is one for disks that turn:
/// it would read tables whole for a page of fifty features. And it would compile statements for longer than they run.
const PLANNING: [(&str, &str); 2] = [("random_page_cost", "1.1"), ("jit", "off")];
/// Pages that a connection which writes keeps, in KiB; negative, as SQLite distinguishes KiB from pages. The rest is
/// the system's cache's business: a mapped file would count once for every connection.
const CACHE: &str = "-4096";
/// Pages that a connection keeps which only reads, of which there are several: the data of a search page among 5,000
/// features fits, in half of that the dearest of them takes twice as long.
const READING_CACHE: &str = "-2048";
/// Name of the database's URL in error messages.
const THE_URL: &str = "the database's URL (DATABASE_URL)";
/// Advice about reserved characters in a URL.
const ENCODE: &str = "a `#`, `/`, `?`, `@` or `%` in a user name or password is written %23, %2F, %3F, %40 or %25";
/// The parameters that the driver reads in a URL of PostgreSQL, by each of their names, except for `options[…]`.
const PARAMETERS: [&str; 18] = [
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
    "statement-cache-capacity",
    "ssl-mode",
    "ssl-root-cert",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
];
/// Statements that a connection keeps prepared.
const STATEMENTS: usize = 128;

/// Makes the file readable by its owner alone, since it holds password hashes; its log inherits that. One that exists
/// stays as it is.
pub(super) fn make_if_absent(path: &Path) -> std::io::Result<()> {
    match files::create_private(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// A pool of at most so many connections, which are kept until it is closed. With a timeout, sqlx 0.9.0 would start a
/// task to look after them that, rarely, goes on for ever: it takes a processor, and a program never ends
/// (transact-rs/sqlx#3645).
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub fn pool(url: impl Into<String>, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .idle_timeout(None)
        .max_lifetime(None)
        .acquire_timeout(WAIT)
        .connect_timeout(WAIT)
        .sqlx_logging(false);
    options
}

/// A database in memory, which is empty.
pub(crate) fn in_memory() -> ConnectOptions {
    pool("sqlite::memory:", 1)
}

/// Returns the options of the one connection to SQLite for what is done to the database as a whole.
pub(super) fn sqlite_upkeep(connection: SqliteConnectOptions) -> ConnectOptions {
    // The options of the connection say what is opened.
    let mut options = pool("sqlite::memory:", 1);
    options
        // A file does not go away.
        .test_before_acquire(false)
        .map_sqlx_sqlite_opts(move |_| connection.clone());
    options
}

/// Returns the options of single connections to SQLite.
pub(super) fn sqlite(url: &str, read_only: bool) -> Result<SqliteConnectOptions, StoreError> {
    Ok(sqlite_connection(url.parse().map_err(unreadable)?, read_only).disable_statement_logging())
}

fn sqlite_connection(options: SqliteConnectOptions, read_only: bool) -> SqliteConnectOptions {
    let options = options
        .create_if_missing(!read_only)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(WAIT)
        .foreign_keys(true)
        .statement_cache_capacity(STATEMENTS)
        .pragma("cache_size", if read_only { READING_CACHE } else { CACHE })
        .pragma("temp_store", "memory");
    if read_only { options.pragma("query_only", "true") } else { options }
}

/// Returns the options of the one connection to PostgreSQL for what is done to the database as a whole, which is opened
/// when it is needed.
pub(super) fn postgres_upkeep(connection: PgConnectOptions) -> ConnectOptions {
    // The options of the connection say what is opened.
    let mut options = pool("postgres://", 1);
    options.connect_lazy(true).map_sqlx_postgres_opts(move |_| connection.clone());
    options
}

/// Returns the options of connections to PostgreSQL for transactions.
pub(super) fn writing_postgres(url: &str) -> Result<PgConnectOptions, StoreError> {
    Ok(reading_postgres(url)?.options([("synchronous_commit", "on"), ("lock_timeout", LOCK_WAIT)]))
}

/// Returns the options of connections to PostgreSQL that read.
pub(super) fn reading_postgres(url: &str) -> Result<PgConnectOptions, StoreError> {
    Ok(postgres(url)?.options(PLANNING))
}

/// Returns the options of a connection to the PostgreSQL server that a URL names.
pub(crate) fn postgres(url: &str) -> Result<PgConnectOptions, StoreError> {
    if url.contains('#') {
        return Err(StoreError::unopened(format!("{THE_URL} holds a `#`, which would end it: {ENCODE}")));
    }
    if ends_within_password(url) {
        return Err(StoreError::unopened(format!("{THE_URL} has an `@` where none can be: {ENCODE}")));
    }
    let options = url.parse().map_err(unreadable)?;
    refuse_unknown_parameters(url)?;
    Ok(without_brackets(options).disable_statement_logging())
}

/// Refuses what the driver would pass over, such as `sslmod=require`, with which it would connect without TLS.
fn refuse_unknown_parameters(url: &str) -> Result<(), StoreError> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let mut is_behind_password = false;
    for (key, _) in form_urlencoded::parse(query.as_bytes()) {
        let is_known = PARAMETERS.contains(&&*key) || (key.starts_with("options[") && key.ends_with(']'));
        if !is_known {
            if is_behind_password {
                // It may be the rest of the password.
                let reason = "has a parameter behind `password` that is none; a `&` in a password is written %26";
                return Err(StoreError::unopened(format!("{THE_URL} {reason}")));
            }
            let known = PARAMETERS.join(", ");
            return Err(StoreError::unopened(format!(
                "{THE_URL} has no parameter \"{key}\"; those that it can have are {known}"
            )));
        }
        is_behind_password |= key == "password";
    }
    Ok(())
}

/// Whether what is left of the `@` before the host has a sign that ends this part of a URL, so that a piece of the
/// password would be taken for the host's port.
fn ends_within_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, behind) = rest.split_at(end);
    let path = behind.split('?').next().unwrap_or_default();
    let names_host_later = behind.split_once('@').is_some_and(|(_, later)| later.contains('/'));
    !authority.contains('@') && (path.contains('@') || names_host_later)
}

/// An address of IPv6 stands in brackets in a URL alone.
fn without_brackets(options: PgConnectOptions) -> PgConnectOptions {
    let bare = options.get_host().strip_prefix('[').and_then(|host| host.strip_suffix(']')).map(str::to_owned);
    match bare {
        Some(host) => options.host(&host),
        None => options,
    }
}

/// The URL of a database names none that there is a driver for.
pub(super) fn unknown_kind() -> StoreError {
    StoreError::unopened(format!("{THE_URL} must begin with sqlite:// or postgres://"))
}

/// The URL of a database cannot be read.
fn unreadable(error: sqlx::Error) -> StoreError {
    let reason = match error {
        sqlx::Error::Configuration(error) => error.to_string(),
        error => error.to_string(),
    };
    StoreError::unopened(format!("{THE_URL} cannot be read: {reason}; {ENCODE}"))
}

/// Whether a URL names a PostgreSQL database.
pub fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

/// The file of a `sqlite:` URL, or `None` for another database.
pub fn sqlite_path(url: &str) -> Option<&Path> {
    let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:"))?;
    Some(Path::new(path.split('?').next().unwrap_or(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_ipv6_is_connected_to_without_its_brackets() {
        for (url, host) in [
            ("postgres://ada@[::1]:6543/flagstone", "::1"),
            ("postgres://ada@127.0.0.1/flagstone", "127.0.0.1"),
            ("postgres://ada@db.example.com/flagstone", "db.example.com"),
        ] {
            assert_eq!(postgres(url).expect("a URL").get_host(), host);
        }
    }

    #[test]
    fn no_task_looks_after_a_pool() {
        let server = writing_postgres("postgres://ada@localhost/flagstone").expect("a URL");
        let file = sqlite("sqlite://flagstone.db", true).expect("a URL");
        for pool in [pool("sqlite://flagstone.db", 1), sqlite_upkeep(file), postgres_upkeep(server)] {
            assert_eq!((pool.get_idle_timeout(), pool.get_max_lifetime()), (Some(None), Some(None)));
        }
    }

    #[test]
    fn a_parameter_that_nobody_reads_is_refused_by_its_name() {
        let refused = |url: &str| postgres(url).expect_err(url).to_string();
        let told = refused("postgres://ada:hunter2@db.example.com/flagstone?sslmod=require");
        assert!(
            told.contains("(DATABASE_URL) has no parameter \"sslmod\"; those that it can have are sslmode, "),
            "{told}"
        );
        let told = refused("postgres://db.example.com/flagstone?user=ada&password=hun&ter2");
        assert!(told.contains("behind `password`") && !told.contains("ter2"), "{told}");
        for parameters in
            ["ssl-mode=require&options[search_path]=flags", "options=-c%20jit%3Doff&application_name=flags"]
        {
            postgres(&format!("postgres://ada@db.example.com/flagstone?{parameters}")).expect(parameters);
        }
    }

    #[test]
    fn a_url_that_cannot_be_meant_is_refused_without_a_piece_of_its_password() {
        for url in [
            "postgres://ada:12#34hunter2@db.example.com/flagstone",
            "postgres://ada:12/34hunter2@db.example.com/flagstone",
            "postgres://ada:12?34hunter2@db.example.com/flagstone",
            "postgres://ada:hunter2/34@db.example.com/flagstone",
            "postgres://ada:12%hunter2@db.example.com:99999/flagstone",
        ] {
            let complaint = postgres(url).expect_err(url).to_string();
            assert!(complaint.starts_with("the database's URL (DATABASE_URL) "), "{complaint}");
            assert!(!complaint.contains("hunter2") && !complaint.contains("12"), "{complaint}");
        }
        for url in [
            "postgres://ada:hunter2%23@db.example.com/flagstone?sslmode=require",
            "postgres://db.example.com:6543/flagstone?user=ada@example.com",
            "postgresql:///flagstone?host=/run/postgresql&user=ada@example.com",
        ] {
            postgres(url).expect(url);
        }
    }
}
