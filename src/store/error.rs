//! Errors of statements, and their conversion into errors of the API.

use std::time::Duration;

use flagstone_error::Error;
use sea_orm::{
    DbErr, RuntimeErr, SqlErr,
    sqlx::{self, error::DatabaseError},
};

use crate::{db::reach::grant, migrate::Newer};

/// A failure of the database. Its text may hold SQL: it goes to the log, never into an answer.
#[derive(Debug)]
pub struct StoreError(Cause);

#[derive(Debug)]
enum Cause {
    Database(DbErr),
    /// The server at this place cannot be reached, for this reason.
    Unreachable(String, String),
    /// The database cannot be opened, for this reason, which names it and holds no secret.
    Unopened(String),
    /// Too many writes wait for a permit; their number.
    QueueFull(usize),
    /// No permit to write was free within this time.
    QueueTimeout(Duration),
    /// Something else failed that the work needed, for this reason.
    External(String),
    /// The schema is of a newer program, which this says.
    Newer(Box<Newer>),
}

impl StoreError {
    pub(super) const fn unreachable(place: String, reason: String) -> Self {
        Self(Cause::Unreachable(place, reason))
    }

    pub(super) const fn unopened(reason: String) -> Self {
        Self(Cause::Unopened(reason))
    }

    pub(super) const fn queue_full(waiting: usize) -> Self {
        Self(Cause::QueueFull(waiting))
    }

    pub(super) const fn queue_timeout(waited: Duration) -> Self {
        Self(Cause::QueueTimeout(waited))
    }

    /// Something else failed that work on the database needed.
    pub const fn external(reason: String) -> Self {
        Self(Cause::External(reason))
    }

    pub(super) fn newer(found: Newer) -> Self {
        Self(Cause::Newer(Box::new(found)))
    }

    /// Whether a row with the same unique key exists.
    pub fn is_duplicate(&self) -> bool {
        matches!(self.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
    }

    /// Whether there was no room left on the disk.
    pub fn is_disk_full(&self) -> bool {
        match self.of_statement() {
            Some(sqlx::Error::Io(error)) => error.kind() == std::io::ErrorKind::StorageFull,
            // SQLITE_FULL, and what PostgreSQL calls so.
            Some(sqlx::Error::Database(error)) => {
                error.code().is_some_and(|code| sqlite_code(&code) == Some(13) || code == "53100")
            }
            _ => false,
        }
    }

    /// Whether a row refers to one that does not exist, or is referred to by one that does.
    pub fn is_dangling(&self) -> bool {
        matches!(self.sql_err(), Some(SqlErr::ForeignKeyConstraintViolation(_)))
    }

    fn sql_err(&self) -> Option<SqlErr> {
        match &self.0 {
            Cause::Database(error) => error.sql_err(),
            _ => None,
        }
    }

    /// Message of the server about a missing right, with the grant that gives it.
    fn missing_right(&self) -> Option<String> {
        let error = self.of_driver()?.as_database_error()?;
        grant(&error.code()?, error.message())
    }

    /// Error of the driver for a statement that failed.
    fn of_statement(&self) -> Option<&sqlx::Error> {
        match &self.0 {
            Cause::Database(DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error))) => {
                Some(error)
            }
            _ => None,
        }
    }

    /// Error of the driver, for a statement or a connection.
    pub(super) fn of_driver(&self) -> Option<&sqlx::Error> {
        match &self.0 {
            Cause::Database(DbErr::Conn(RuntimeErr::SqlxError(error))) => Some(error),
            _ => self.of_statement(),
        }
    }

    /// Whether concurrent writes were in the way: too many at once, one that takes long, or one that was faster, so
    /// that what this transaction had read is no longer so. A new try gets through, or has another error.
    fn is_contention(&self) -> bool {
        if matches!(self.0, Cause::QueueFull(_) | Cause::QueueTimeout(_)) || self.is_duplicate() || self.is_dangling() {
            return true;
        }
        let code = self.of_statement().and_then(sqlx::Error::as_database_error).and_then(DatabaseError::code);
        // Of PostgreSQL: serialization failure, deadlock, and a lock that did not come in time.
        code.is_some_and(|code| matches!(&*code, "40001" | "40P01" | "55P03") || is_sqlite_locked(&code))
    }

    /// Whether the database could not be reached.
    fn is_unavailable(&self) -> bool {
        let is_unopened = matches!(self.0, Cause::Unreachable(..) | Cause::Unopened(_));
        if is_unopened || matches!(self.0, Cause::Database(DbErr::ConnectionAcquire(_) | DbErr::Conn(_))) {
            return true;
        }
        match self.of_statement() {
            Some(sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_)) => true,
            Some(sqlx::Error::Database(error)) => error.code().is_some_and(|code| is_out_of_service(&code)),
            _ => false,
        }
    }
}

/// Whether the database cannot do at the moment what it could do later.
fn is_out_of_service(code: &str) -> bool {
    // SQLITE_NOMEM, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN.
    sqlite_code(code).is_some_and(|code| matches!(code, 7 | 8 | 10 | 13 | 14)) || is_out_of_service_of_postgres(code)
}

/// Whether others hold a SQLite file: `SQLITE_BUSY` and `SQLITE_LOCKED`.
pub(super) fn is_sqlite_locked(code: &str) -> bool {
    sqlite_code(code).is_some_and(|code| matches!(code, 5 | 6))
}

/// Primary error code of SQLite; the particulars are in the higher bits. PostgreSQL's codes have five places.
pub(super) fn sqlite_code(code: &str) -> Option<u32> {
    if code.len() < 5 { code.parse::<u32>().ok().map(|code| code & 0xff) } else { None }
}

fn is_out_of_service_of_postgres(code: &str) -> bool {
    // An operator's bound on idle transactions; a server that takes no writes, as after another was promoted.
    matches!(code, "25P03" | "25006")
        // No connection; not enough memory, disk or connections; shutdown, restart, or a statement's time is over.
        || ["08", "53", "57"].iter().any(|class| code.starts_with(class))
}

impl From<DbErr> for StoreError {
    fn from(error: DbErr) -> Self {
        Self(Cause::Database(error))
    }
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Cause::Database(DbErr::Custom(reason)) | Cause::External(reason) | Cause::Unopened(reason) => {
                f.write_str(reason)
            }
            Cause::Database(error) => match self.missing_right() {
                Some(told) => write!(f, "PostgreSQL: {told}"),
                None => error.fmt(f),
            },
            Cause::Unreachable(place, reason) => write!(f, "PostgreSQL at {place} cannot be reached: {reason}"),
            Cause::QueueFull(waiting) => write!(f, "{waiting} changes wait to write already"),
            Cause::Newer(found) => found.fmt(f),
            Cause::QueueTimeout(waited) => write!(f, "a change waited {} s to write in vain", waited.as_secs()),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        if error.is_contention() {
            Self::Busy(Box::new(error))
        } else if error.is_disk_full() {
            Self::DiskFull(Box::new(error))
        } else if error.is_unavailable() {
            Self::Unavailable(Box::new(error))
        } else {
            Self::Internal(Box::new(error))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_store_says_itself_comes_without_an_introduction() {
        let error = StoreError::from(DbErr::Custom("sealed with another key".to_owned()));
        assert_eq!(error.to_string(), "sealed with another key");
    }
}
