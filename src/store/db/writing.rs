//! Transactions that write. On `SQLite` there is one at a time, with group commit: those that queue up are committed
//! together, as a commit is mostly a wait for the disk.
//!
//! A transaction that ends while others wait leaves the transaction of the database open. The next one works in a
//! savepoint of it, and rolls back to that savepoint where it fails. Each learns of its commit when the group is
//! committed.

mod postgres;
mod sqlite;

use std::sync::Arc;

use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseBackend, DbErr, ExecResult, QueryResult, RuntimeErr, Statement,
    sqlx::{self, AssertSqlSafe},
};

use self::{postgres::PostgresTransaction, sqlite::SqliteTransaction};
pub(crate) use self::{postgres::PostgresWriters, sqlite::SqliteWriter};
use crate::{
    StoreError,
    db::{queue::WritePermit, readers::query},
};

/// Source of transactions that write.
#[derive(Debug)]
pub(crate) enum Writers {
    Sqlite(Arc<SqliteWriter>),
    Postgres(PostgresWriters),
}

/// A transaction under way. Dropping it rolls it back.
#[derive(Debug)]
pub(crate) enum WriteTransaction {
    Sqlite(tokio::sync::Mutex<SqliteTransaction>),
    Postgres(PostgresTransaction),
}

impl Writers {
    /// Starts a transaction, after those that came before. One that is `exclusive` is committed by itself: in a group
    /// commit, what takes long would keep the others waiting.
    pub(crate) async fn begin(&self, exclusive: bool) -> Result<WriteTransaction, StoreError> {
        match self {
            Self::Sqlite(writer) => Ok(WriteTransaction::Sqlite(writer.begin(exclusive).await?.into())),
            Self::Postgres(writers) => Ok(WriteTransaction::Postgres(writers.begin().await?)),
        }
    }

    /// The turn to change a feature, until it is dropped; `None` on SQLite, where all writes take turns.
    pub(crate) async fn turn_to_change(&self, feature: &str) -> Result<Option<WritePermit>, StoreError> {
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(writers) => writers.turn_to_change(feature).await.map(Some),
        }
    }

    /// Closes the connections that write, after what is under way.
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(writer) => writer.close().await,
            Self::Postgres(writers) => {
                writers.close().await;
                Ok(())
            }
        }
    }
}

impl WriteTransaction {
    /// The turn to add to the log of events, which is to be kept until the transaction has ended; `None` on SQLite,
    /// where there is no other.
    pub(crate) async fn turn_to_log(&self) -> Result<Option<WritePermit>, StoreError> {
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(transaction) => transaction.turn_to_log().await.map(Some),
        }
    }

    /// Runs a last statement, if any, and keeps everything. Returns the ids of the statement.
    pub(crate) async fn commit(self, last: Option<Statement>) -> Result<Vec<i64>, StoreError> {
        match self {
            // In a task of its own: the group must not stop half way when the caller does not wait any more.
            Self::Sqlite(transaction) => match tokio::spawn(transaction.into_inner().finish(last)).await {
                Ok(outcome) => Ok(outcome?),
                Err(_) => Err(lost().into()),
            },
            Self::Postgres(transaction) => transaction.commit(last).await,
        }
    }
}

/// Runs a statement that gives rows, with the method of sqlx that is named.
macro_rules! run {
    ($transaction:expr, $statement:expr, $fetch:ident) => {{
        let mut transaction = $transaction.lock().await;
        let (opening, connection) = transaction.prepare()?;
        let mut statement = $statement;
        if !opening.is_empty() {
            statement.sql = format!("{opening}{}", statement.sql);
        }
        query(&statement).$fetch(connection).await
    }};
}

#[async_trait::async_trait]
impl ConnectionTrait for WriteTransaction {
    fn get_database_backend(&self) -> DatabaseBackend {
        match self {
            Self::Sqlite(_) => DatabaseBackend::Sqlite,
            Self::Postgres(_) => DatabaseBackend::Postgres,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match self {
            Self::Sqlite(transaction) => {
                let mut transaction = transaction.lock().await;
                let connection = transaction.begun().await?;
                Ok(query(&statement).execute(connection).await.map_err(not_done)?.into())
            }
            Self::Postgres(postgres) => postgres.transaction.execute_raw(statement).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match self {
            Self::Sqlite(transaction) => {
                let mut transaction = transaction.lock().await;
                let connection = transaction.begun().await?;
                Ok(sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.map_err(not_done)?.into())
            }
            Self::Postgres(postgres) => postgres.transaction.execute_unprepared(sql).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self {
            Self::Sqlite(transaction) => {
                Ok(run!(transaction, statement, fetch_optional).map_err(failed)?.map(Into::into))
            }
            Self::Postgres(postgres) => postgres.transaction.query_one_raw(statement).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self {
            Self::Sqlite(transaction) => {
                Ok(run!(transaction, statement, fetch_all).map_err(failed)?.into_iter().map(Into::into).collect())
            }
            Self::Postgres(postgres) => postgres.transaction.query_all_raw(statement).await,
        }
    }
}

pub(super) fn not_done(error: sqlx::Error) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(error.into()))
}

pub(super) fn failed(error: sqlx::Error) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(error.into()))
}

pub(super) fn unreachable(error: sqlx::Error) -> DbErr {
    DbErr::Conn(RuntimeErr::SqlxError(error.into()))
}

/// The connection, and what had not been committed on it, are no more.
pub(super) fn lost() -> DbErr {
    DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)
}
