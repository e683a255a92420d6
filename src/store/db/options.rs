//! How connections are opened.

use std::{path::Path, time::Duration};

use sea_orm::{
    ConnectOptions, DbErr, RuntimeErr,
    sqlx::{
        self, ConnectOptions as _,
        postgres::PgConnectOptions,
        sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
    },
};

use super::WAIT;
use crate::files;

/// How long a connection must have been idle to be asked whether it still lives before a transaction begins on it.
const DOUBTFUL: Duration = Duration::from_secs(1);
/// How long a statement of PostgreSQL waits for a lock: as long as [`WAIT`].
const LOCK_WAIT: &str = "10s";
/// What PostgreSQL plans with. Its own guess at the price of reading here and there is one for disks that turn: it
/// would read tables whole for a page of fifty features. And it would compile statements for longer than they run.
const PLANNING: [(&str, &str); 2] = [("random_page_cost", "1.1"), ("jit", "off")];
/// Pages that a connection which writes keeps, in KiB; negative, as SQLite tells KiB from pages. The rest is the system's
/// cache's business: a mapped file would count once for every connection.
const CACHE: &str = "-4096";
/// The same where it only reads, of which there are several: what a page of the search among 5,000 features looks at has
/// room, for half of that the dearest of them takes twice as long.
const READING_CACHE: &str = "-2048";
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

/// A pool of connections to SQLite.
pub(super) fn sqlite_pool(url: &str, connections: u32, read_only: bool) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .acquire_timeout(WAIT)
        .sqlx_logging(false)
        // A file does not go away.
        .test_before_acquire(false)
        .map_sqlx_sqlite_opts(move |options| sqlite_connection(options, read_only));
    options
}

/// How single connections to SQLite are opened.
pub(super) fn sqlite(url: &str, read_only: bool) -> Result<SqliteConnectOptions, DbErr> {
    Ok(sqlite_connection(url.parse().map_err(unusable)?, read_only).disable_statement_logging())
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

/// The pool of connections to PostgreSQL that may write.
pub(super) fn postgres_pool(url: &str, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .test_before_acquire_if_idle_for(DOUBTFUL)
        .acquire_timeout(WAIT)
        .connect_timeout(WAIT)
        .sqlx_logging(false)
        .map_sqlx_postgres_opts(|options| {
            options.options([("synchronous_commit", "on"), ("lock_timeout", LOCK_WAIT)]).options(PLANNING)
        });
    options
}

/// How connections to PostgreSQL that read are opened.
pub(super) fn reading_postgres(url: &str) -> Result<PgConnectOptions, DbErr> {
    Ok(url.parse::<PgConnectOptions>().map_err(unusable)?.disable_statement_logging().options(PLANNING))
}

/// The URL of a database cannot be read, or leads to none.
pub(super) fn unusable(error: sqlx::Error) -> DbErr {
    DbErr::Conn(RuntimeErr::SqlxError(error.into()))
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
