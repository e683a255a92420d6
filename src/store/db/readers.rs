//! Single reads, each on a pooled connection. Where a kept connection turns out to be dead, the statement, which only
//! reads, is run again on a new one.

use std::{sync::Arc, time::Duration};

use sea_orm::{
    DatabaseBackend, DbErr, QueryResult, RuntimeErr, Statement,
    sea_query::Values,
    sqlx::{
        self, AssertSqlSafe, Database,
        postgres::{PgConnectOptions, PgConnection},
        sqlite::SqliteConnectOptions,
    },
};
use sea_query_sqlx::SqlxValues;

use crate::db::{PoolFigures, pool::Pool, transaction::PooledTransaction};

/// The connections to a database that read.
#[derive(Debug, Clone)]
pub(crate) enum Readers {
    Sqlite(Arc<Pool<sqlx::Sqlite>>),
    Postgres(Arc<Pool<sqlx::Postgres>>),
}

/// Runs a statement on a pooled connection, with the method of sqlx that is named.
macro_rules! run {
    ($pool:expr, $statement:expr, $fetch:ident) => {{
        let mut pooled = $pool.acquire().await?;
        let mut outcome = query($statement).$fetch(pooled.get()).await;
        if let Err(error) = &outcome
            && pooled.is_renewed_after(error).await?
        {
            outcome = query($statement).$fetch(pooled.get()).await;
        }
        match outcome {
            Ok(found) => {
                pooled.release();
                Ok(found)
            }
            Err(error) => {
                pooled.release_after(&error);
                Err(DbErr::Query(RuntimeErr::SqlxError(error.into())))
            }
        }
    }};
}

impl Readers {
    /// Opens a first connection of at most so many; when all of them are in use, callers wait for `wait`.
    pub(crate) async fn sqlite(options: SqliteConnectOptions, most: u32, wait: Duration) -> Result<Self, DbErr> {
        let pool = Pool::new(options, most, wait);
        pool.acquire().await?.release();
        Ok(Self::Sqlite(pool))
    }

    /// Readers of PostgreSQL, with a first connection that has been opened with these options.
    pub(crate) fn postgres(first: PgConnection, options: PgConnectOptions, most: u32, wait: Duration) -> Self {
        let pool = Pool::new(options, most, wait);
        pool.keep(first);
        Self::Postgres(pool)
    }

    pub(crate) const fn backend(&self) -> DatabaseBackend {
        match self {
            Self::Sqlite(_) => DatabaseBackend::Sqlite,
            Self::Postgres(_) => DatabaseBackend::Postgres,
        }
    }

    /// Returns figures about the use of the connections, under the name of their purpose.
    pub(crate) fn figures(&self, name: &'static str) -> PoolFigures {
        match self {
            Self::Sqlite(pool) => pool.figures(name),
            Self::Postgres(pool) => pool.figures(name),
        }
    }

    /// Closes all connections, those in use once they are released.
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool) => pool.close().await,
        }
    }

    pub(crate) async fn all(&self, statement: &Statement) -> Result<Vec<QueryResult>, DbErr> {
        Ok(match self {
            Self::Sqlite(pool) => run!(pool, statement, fetch_all)?.into_iter().map(Into::into).collect(),
            Self::Postgres(pool) => run!(pool, statement, fetch_all)?.into_iter().map(Into::into).collect(),
        })
    }

    pub(crate) async fn one(&self, statement: &Statement) -> Result<Option<QueryResult>, DbErr> {
        Ok(match self {
            Self::Sqlite(pool) => run!(pool, statement, fetch_optional)?.map(Into::into),
            Self::Postgres(pool) => run!(pool, statement, fetch_optional)?.map(Into::into),
        })
    }

    /// Begins several reads that all see the database as it is at the first of them.
    pub(super) async fn begin(&self) -> Result<PooledTransaction, DbErr> {
        match self {
            Self::Sqlite(pool) => PooledTransaction::on_sqlite(pool, "BEGIN").await,
            Self::Postgres(pool) => {
                PooledTransaction::on_postgres(pool, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await
            }
        }
    }
}

/// A statement as sqlx takes it.
pub(crate) fn query<D: Database>(statement: &Statement) -> sqlx::query::Query<'_, D, SqlxValues>
where
    SqlxValues: sqlx::IntoArguments<D>,
{
    let values = statement.values.clone().unwrap_or_else(|| Values(Vec::new()));
    sqlx::query_with(AssertSqlSafe(&*statement.sql), SqlxValues(values))
}
