//! A pool of connections that read, each acquired for one statement.
//!
//! An ordinary pool asks a connection before and after each statement whether it still lives, which makes three trips
//! of one; most statements here are shorter than a trip. These are kept unasked: where one turns out to be dead, the
//! statement, which only reads, is run again on a new one.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use sea_orm::{
    ConnAcquireErr, DatabaseBackend, DbErr, QueryResult, RuntimeErr, Statement,
    sea_query::Values,
    sqlx::{
        self, AssertSqlSafe, ConnectOptions, Connection, Database,
        postgres::{PgConnectOptions, PgConnection},
        sqlite::SqliteConnectOptions,
    },
};
use sea_query_sqlx::SqlxValues;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::store::db::PoolFigures;

/// How long a connection that nobody needs is kept.
const KEPT: Duration = Duration::from_mins(10);

/// The connections to a database that read.
#[derive(Debug)]
pub(in crate::store) enum Readers {
    Sqlite(Pool<sqlx::Sqlite>),
    Postgres(Pool<sqlx::Postgres>),
}

/// Connections of one kind, at most so many.
pub(in crate::store) struct Pool<D: Database> {
    options: <D::Connection as Connection>::Options,
    /// The one that was used last comes last.
    idle: Mutex<Vec<(Instant, D::Connection)>>,
    turns: Semaphore,
    most: u32,
    wait: Duration,
}

impl<D: Database> std::fmt::Debug for Pool<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("most", &self.most).finish_non_exhaustive()
    }
}

/// A connection for one statement. It is kept afterwards only if it is released, which the statement's end allows.
struct PooledConnection<'s, D: Database> {
    pool: &'s Pool<D>,
    connection: D::Connection,
    is_new: bool,
    _turn: SemaphorePermit<'s>,
}

/// Runs a statement on a pooled connection, with the method of sqlx that is named.
macro_rules! run {
    ($pool:expr, $statement:expr, $fetch:ident) => {{
        let mut pooled = $pool.acquire().await?;
        let mut outcome = query($statement).$fetch(&mut pooled.connection).await;
        if !pooled.is_new && outcome.as_ref().is_err_and(is_dead) {
            pooled.renew().await?;
            outcome = query($statement).$fetch(&mut pooled.connection).await;
        }
        match outcome {
            Ok(found) => {
                pooled.release();
                Ok(found)
            }
            Err(error) => {
                if !is_dead(&error) {
                    pooled.release();
                }
                Err(DbErr::Query(RuntimeErr::SqlxError(error.into())))
            }
        }
    }};
}

impl Readers {
    /// Opens a first connection of at most so many; whoever finds all of them in use waits for `wait`.
    pub(in crate::store) async fn sqlite(
        options: SqliteConnectOptions,
        most: u32,
        wait: Duration,
    ) -> Result<Self, DbErr> {
        Ok(Self::Sqlite(Pool::open(options, most, wait).await?))
    }

    /// As for `SQLite`, with a first connection that has been opened with these options.
    pub(in crate::store) fn postgres(
        first: PgConnection,
        options: PgConnectOptions,
        most: u32,
        wait: Duration,
    ) -> Self {
        let pool = Pool::empty(options, most, wait);
        pool.idle().push((Instant::now(), first));
        Self::Postgres(pool)
    }

    /// As for `SQLite`, but the first connection is opened when somebody needs it.
    pub(in crate::store) fn postgres_when_needed(options: PgConnectOptions, most: u32, wait: Duration) -> Self {
        Self::Postgres(Pool::empty(options, most, wait))
    }

    pub(in crate::store) const fn backend(&self) -> DatabaseBackend {
        match self {
            Self::Sqlite(_) => DatabaseBackend::Sqlite,
            Self::Postgres(_) => DatabaseBackend::Postgres,
        }
    }

    pub(in crate::store) fn figures(&self) -> PoolFigures {
        match self {
            Self::Sqlite(connections) => connections.figures(),
            Self::Postgres(connections) => connections.figures(),
        }
    }

    /// Closes all connections, those in use once they are released.
    pub(in crate::store) async fn close(&self) {
        match self {
            Self::Sqlite(kept) => kept.close().await,
            Self::Postgres(kept) => kept.close().await,
        }
    }

    pub(in crate::store) async fn all(&self, statement: &Statement) -> Result<Vec<QueryResult>, DbErr> {
        Ok(match self {
            Self::Sqlite(kept) => run!(kept, statement, fetch_all)?.into_iter().map(Into::into).collect(),
            Self::Postgres(kept) => run!(kept, statement, fetch_all)?.into_iter().map(Into::into).collect(),
        })
    }

    pub(in crate::store) async fn one(&self, statement: &Statement) -> Result<Option<QueryResult>, DbErr> {
        Ok(match self {
            Self::Sqlite(kept) => run!(kept, statement, fetch_optional)?.map(Into::into),
            Self::Postgres(kept) => run!(kept, statement, fetch_optional)?.map(Into::into),
        })
    }
}

impl<D: Database> Pool<D> {
    fn empty(options: <D::Connection as Connection>::Options, most: u32, wait: Duration) -> Self {
        Self { options, idle: Mutex::default(), turns: Semaphore::new(most as usize), most, wait }
    }

    async fn open(options: <D::Connection as Connection>::Options, most: u32, wait: Duration) -> Result<Self, DbErr> {
        let pool = Self::empty(options, most, wait);
        pool.acquire().await?.release();
        Ok(pool)
    }

    async fn acquire(&self) -> Result<PooledConnection<'_, D>, DbErr> {
        let turn = match tokio::time::timeout(self.wait, self.turns.acquire()).await {
            Ok(Ok(turn)) => turn,
            Ok(Err(_)) => return Err(DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)),
            Err(_) => return Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)),
        };
        let kept = self.idle().pop();
        let is_new = kept.is_none();
        let connection = match kept {
            Some((_, connection)) => connection,
            None => self.connect().await?,
        };
        Ok(PooledConnection { pool: self, connection, is_new, _turn: turn })
    }

    async fn connect(&self) -> Result<D::Connection, DbErr> {
        let failed = |error: sqlx::Error| DbErr::Conn(RuntimeErr::SqlxError(error.into()));
        match tokio::time::timeout(self.wait, self.options.connect()).await {
            Ok(connected) => connected.map_err(failed),
            Err(_) => Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)),
        }
    }

    fn figures(&self) -> PoolFigures {
        let idle = self.idle().len();
        let used = self.most as usize - self.turns.available_permits().min(self.most as usize);
        PoolFigures { name: "readers", open: u32::try_from(idle + used).unwrap_or(u32::MAX), idle, limit: self.most }
    }

    async fn close(&self) {
        // Whoever does not come back in time is not waited for.
        let _all = tokio::time::timeout(self.wait, self.turns.acquire_many(self.most)).await;
        self.turns.close();
        let idle = std::mem::take(&mut *self.idle());
        for (_, connection) in idle {
            if let Err(error) = connection.close().await {
                tracing::debug!(%error, "a connection did not close as it should");
            }
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<(Instant, D::Connection)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Database> PooledConnection<'_, D> {
    /// Takes a new connection instead. Those that are kept are likely to be as dead as this one.
    async fn renew(&mut self) -> Result<(), DbErr> {
        self.pool.idle().clear();
        self.connection = self.pool.connect().await?;
        self.is_new = true;
        Ok(())
    }

    fn release(self) {
        let now = Instant::now();
        let mut idle = self.pool.idle();
        let unused = idle.first().is_some_and(|(since, _)| now.duration_since(*since) > KEPT);
        let ended = unused.then(|| idle.remove(0));
        idle.push((now, self.connection));
        drop(idle);
        drop(ended);
    }
}

/// A statement as sqlx takes it.
pub(in crate::store) fn query<D: Database>(statement: &Statement) -> sqlx::query::Query<'_, D, SqlxValues>
where
    SqlxValues: sqlx::IntoArguments<D>,
{
    let values = statement.values.clone().unwrap_or_else(|| Values(Vec::new()));
    sqlx::query_with(AssertSqlSafe(&*statement.sql), SqlxValues(values))
}

/// Whether the connection is of no use any more.
fn is_dead(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => true,
        // PostgreSQL tells that it is going.
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| code.starts_with("57P") || code.starts_with("08"))
        }
        _ => false,
    }
}
