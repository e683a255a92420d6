//! Transactions on pooled connections.

use std::sync::Arc;

use flagstone_domain::opaque_debug;
use sea_orm::{
    ConnectionTrait, DatabaseBackend, DbErr, ExecResult, QueryResult, Statement,
    sqlx::{self, AssertSqlSafe},
};
use tokio::{runtime::Handle, sync::Mutex};

use super::{
    pool::{Pool, PooledConnection},
    readers::query,
    writing::{failed, lost, not_done, unreachable},
};

/// A transaction under way. Dropping it rolls it back.
pub(super) struct PooledTransaction {
    backend: DatabaseBackend,
    /// Connection; `None` once the transaction has ended.
    connection: Mutex<Option<Connection>>,
}

enum Connection {
    Sqlite(PooledConnection<sqlx::Sqlite>),
    Postgres(PooledConnection<sqlx::Postgres>),
}

/// Does the same on a connection of either kind.
macro_rules! on {
    ($connection:expr, $pooled:ident => $done:expr) => {
        match $connection {
            Connection::Sqlite($pooled) => $done,
            Connection::Postgres($pooled) => $done,
        }
    };
}

opaque_debug!(PooledTransaction { backend, .. });

impl Connection {
    async fn run(&mut self, sql: &'static str) -> Result<(), sqlx::Error> {
        on!(self, pooled => sqlx::raw_sql(sql).execute(pooled.get()).await.map(drop))
    }

    async fn begin(&mut self, statement: &'static str) -> Result<(), DbErr> {
        let mut outcome = self.run(statement).await;
        if let Err(error) = &outcome
            && on!(self, pooled => pooled.is_renewed_after(error).await?)
        {
            outcome = self.run(statement).await;
        }
        outcome.map_err(unreachable)
    }

    fn release(self) {
        on!(self, pooled => pooled.release());
    }
}

impl PooledTransaction {
    /// Begins with this statement.
    pub(super) async fn on_sqlite(pool: &Arc<Pool<sqlx::Sqlite>>, statement: &'static str) -> Result<Self, DbErr> {
        Self::begin(DatabaseBackend::Sqlite, Connection::Sqlite(pool.acquire().await?), statement).await
    }

    /// Begins with this statement.
    pub(super) async fn on_postgres(pool: &Arc<Pool<sqlx::Postgres>>, statement: &'static str) -> Result<Self, DbErr> {
        Self::begin(DatabaseBackend::Postgres, Connection::Postgres(pool.acquire().await?), statement).await
    }

    async fn begin(
        backend: DatabaseBackend,
        mut connection: Connection,
        statement: &'static str,
    ) -> Result<Self, DbErr> {
        connection.begin(statement).await?;
        Ok(Self { backend, connection: Mutex::new(Some(connection)) })
    }

    pub(super) async fn commit(mut self) -> Result<(), DbErr> {
        let kept = self.connection.get_mut();
        kept.as_mut().ok_or_else(lost)?.run("COMMIT").await.map_err(not_done)?;
        if let Some(connection) = kept.take() {
            connection.release();
        }
        Ok(())
    }
}

impl Drop for PooledTransaction {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.get_mut().take() else { return };
        // Without anybody to run this, the connection closes, which takes everything back as well.
        if let Ok(handle) = Handle::try_current() {
            handle.spawn(async move {
                if connection.run("ROLLBACK").await.is_ok() {
                    connection.release();
                }
            });
        }
    }
}

/// Does the same on the connection of a transaction, of either kind.
macro_rules! within {
    ($transaction:expr, $pooled:ident => $done:expr) => {
        on!($transaction.connection.lock().await.as_mut().ok_or_else(lost)?, $pooled => Ok($done))
    };
}

#[async_trait::async_trait]
impl ConnectionTrait for PooledTransaction {
    fn get_database_backend(&self) -> DatabaseBackend {
        self.backend
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        within!(self, pooled => query(&statement).execute(pooled.get()).await.map_err(not_done)?.into())
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        within!(self, pooled => {
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(pooled.get()).await.map_err(not_done)?.into()
        })
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        within!(self, pooled => {
            query(&statement).fetch_optional(pooled.get()).await.map_err(failed)?.map(Into::into)
        })
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        within!(self, pooled => {
            query(&statement).fetch_all(pooled.get()).await.map_err(failed)?.into_iter().map(Into::into).collect()
        })
    }
}
