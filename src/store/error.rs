//! What a statement can fail with, and what the caller of the API is told.

use sea_orm::{DbErr, RuntimeErr, SqlErr, sqlx};

use crate::error::Error;

/// A failure of the database. Its text may hold SQL: it goes to the log, never into an answer.
#[derive(Debug)]
pub struct StoreError(DbErr);

impl StoreError {
    /// Whether a row with the same unique key exists.
    pub fn is_duplicate(&self) -> bool {
        matches!(self.0.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
    }

    /// Whether a row refers to one that does not exist, or is referred to by one that does.
    pub fn is_dangling(&self) -> bool {
        matches!(self.0.sql_err(), Some(SqlErr::ForeignKeyConstraintViolation(_)))
    }

    /// Whether somebody else was faster, so that what this transaction had looked at is no longer so. Whoever tries again
    /// is told what is.
    fn is_lost_race(&self) -> bool {
        let code = match &self.0 {
            DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error)) => {
                error.as_database_error().and_then(sqlx::error::DatabaseError::code)
            }
            _ => None,
        };
        // Serialization failure and deadlock of PostgreSQL.
        self.is_duplicate() || self.is_dangling() || code.is_some_and(|code| matches!(&*code, "40001" | "40P01"))
    }

    /// Whether the database could not be reached or did not find the time.
    fn is_unavailable(&self) -> bool {
        match &self.0 {
            DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => true,
            DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error)) => {
                match error.as_ref() {
                    sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_) => true,
                    // SQLITE_BUSY and SQLITE_LOCKED; shutdown and connection classes of PostgreSQL.
                    sqlx::Error::Database(error) => error.code().is_some_and(|code| {
                        matches!(&*code, "5" | "6" | "261" | "517" | "55P03") || is_out_of_service(&code)
                    }),
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

/// Whether PostgreSQL cannot do at the moment what it could do later.
fn is_out_of_service(code: &str) -> bool {
    // An operator's bound on idle transactions; a server that takes no writes, as after another was promoted.
    matches!(code, "25P03" | "25006")
        // No connection; not enough memory, disk or connections; shutdown, restart, or a statement's time is over.
        || ["08", "53", "57"].iter().any(|class| code.starts_with(class))
}

impl From<DbErr> for StoreError {
    fn from(error: DbErr) -> Self {
        Self(error)
    }
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for StoreError {}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        if error.is_unavailable() || error.is_lost_race() {
            Self::Unavailable(Box::new(error))
        } else {
            Self::Internal(Box::new(error))
        }
    }
}
