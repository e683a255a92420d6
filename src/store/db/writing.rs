//! Transactions that write. On `SQLite` there is one at a time, and those that wait for each other share a commit.
//!
//! What a commit costs is mostly waiting for the disk. So whoever is done while others wait leaves the transaction open
//! for the next, who works in a savepoint of it, and is told of the end when all of them are committed together. What
//! one of them takes back it takes back to its savepoint.

mod sqlite;

use std::sync::Arc;

use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseBackend, DatabaseConnection, DatabaseTransaction, DbErr, ExecResult,
    QueryResult, RuntimeErr, Statement, TransactionTrait,
    sqlx::{self, AssertSqlSafe},
};

use self::sqlite::SqliteTransaction;
pub(in crate::store) use self::sqlite::SqliteWriter;
use crate::store::{
    StoreError,
    db::{
        queue::{Queue, Turn},
        readers::query,
    },
};

/// Where transactions that write come from.
#[derive(Debug)]
pub(in crate::store) enum Writers {
    Sqlite(Arc<SqliteWriter>),
    Postgres { pool: DatabaseConnection, queue: Queue },
}

/// A transaction under way. Dropping it takes everything back.
#[derive(Debug)]
pub(in crate::store) enum Writing {
    Sqlite(tokio::sync::Mutex<SqliteTransaction>),
    Postgres { transaction: DatabaseTransaction, _turn: Turn },
}

impl Writers {
    /// Starts a transaction, when its turn comes. One that is `alone` shares no commit with others: what takes long
    /// must not keep them waiting.
    #[expect(clippy::disallowed_methods, reason = "`Db::begin` and `Db::begin_alone` are the only callers")]
    pub(in crate::store) async fn begin(&self, alone: bool) -> Result<Writing, StoreError> {
        match self {
            Self::Sqlite(writer) => Ok(Writing::Sqlite(writer.begin(alone).await?.into())),
            Self::Postgres { pool, queue } => {
                let turn = queue.turn().await?;
                Ok(Writing::Postgres { transaction: pool.begin().await?, _turn: turn })
            }
        }
    }

    /// Closes the connection that writes, after what is under way.
    pub(in crate::store) async fn close(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(writer) => writer.close().await,
            // The pool belongs to others, too.
            Self::Postgres { queue, .. } => {
                queue.close().await;
                Ok(())
            }
        }
    }
}

impl Writing {
    /// Runs a last statement, if any, and keeps everything.
    #[expect(clippy::disallowed_methods, reason = "`Tx::commit` is the only caller")]
    pub(in crate::store) async fn commit(self, last: Option<Statement>) -> Result<(), StoreError> {
        match self {
            // By itself, since others may share what must not stop half way when nobody waits for it any more.
            Self::Sqlite(transaction) => match tokio::spawn(transaction.into_inner().finish(last)).await {
                Ok(outcome) => Ok(outcome?),
                Err(_) => Err(lost().into()),
            },
            Self::Postgres { transaction, .. } => {
                if let Some(last) = last {
                    transaction.execute_raw(last).await?;
                }
                Ok(transaction.commit().await?)
            }
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
impl ConnectionTrait for Writing {
    fn get_database_backend(&self) -> DatabaseBackend {
        match self {
            Self::Sqlite(_) => DatabaseBackend::Sqlite,
            Self::Postgres { .. } => DatabaseBackend::Postgres,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match self {
            Self::Sqlite(transaction) => {
                let mut transaction = transaction.lock().await;
                let connection = transaction.begun().await?;
                Ok(query(&statement).execute(connection).await.map_err(not_done)?.into())
            }
            Self::Postgres { transaction, .. } => transaction.execute_raw(statement).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match self {
            Self::Sqlite(transaction) => {
                let mut transaction = transaction.lock().await;
                let connection = transaction.begun().await?;
                Ok(sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.map_err(not_done)?.into())
            }
            Self::Postgres { transaction, .. } => transaction.execute_unprepared(sql).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self {
            Self::Sqlite(transaction) => {
                Ok(run!(transaction, statement, fetch_optional).map_err(failed)?.map(Into::into))
            }
            Self::Postgres { transaction, .. } => transaction.query_one_raw(statement).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self {
            Self::Sqlite(transaction) => {
                Ok(run!(transaction, statement, fetch_all).map_err(failed)?.into_iter().map(Into::into).collect())
            }
            Self::Postgres { transaction, .. } => transaction.query_all_raw(statement).await,
        }
    }
}

fn not_done(error: sqlx::Error) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(error.into()))
}

fn failed(error: sqlx::Error) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(error.into()))
}

fn unreachable(error: sqlx::Error) -> DbErr {
    DbErr::Conn(RuntimeErr::SqlxError(error.into()))
}

/// The connection, and what had not been committed on it, are no more.
fn lost() -> DbErr {
    DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)
}
