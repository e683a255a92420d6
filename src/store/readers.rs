//! Connections that read, lent for one statement each.
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
        self, AssertSqlSafe, ConnectOptions, Connection, Database, postgres::PgConnectOptions,
        sqlite::SqliteConnectOptions,
    },
};
use sea_query_sqlx::SqlxValues;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::store::db::Pool;

/// How long a connection that nobody needs is kept.
const KEPT: Duration = Duration::from_mins(10);

/// The connections to a database that read.
#[derive(Debug)]
pub(super) enum Readers {
    Sqlite(Shelf<sqlx::Sqlite>),
    Postgres(Shelf<sqlx::Postgres>),
}

/// Connections that nobody uses at the moment.
pub(super) struct Shelf<D: Database> {
    options: <D::Connection as Connection>::Options,
    /// The one that was used last comes last.
    idle: Mutex<Vec<(Instant, D::Connection)>>,
    turns: Semaphore,
    most: u32,
    wait: Duration,
}

impl<D: Database> std::fmt::Debug for Shelf<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shelf").field("most", &self.most).finish_non_exhaustive()
    }
}

/// A connection for one statement. It is kept afterwards only if it is given back, which the statement's end allows.
struct Lent<'s, D: Database> {
    shelf: &'s Shelf<D>,
    connection: D::Connection,
    is_new: bool,
    _turn: SemaphorePermit<'s>,
}

/// Runs a statement on a lent connection, with the method of sqlx that is named.
macro_rules! run {
    ($shelf:expr, $statement:expr, $fetch:ident) => {{
        let mut lent = $shelf.lend().await?;
        let mut outcome = query($statement).$fetch(&mut lent.connection).await;
        if !lent.is_new && outcome.as_ref().is_err_and(is_dead) {
            lent.renew().await?;
            outcome = query($statement).$fetch(&mut lent.connection).await;
        }
        match outcome {
            Ok(found) => {
                lent.give_back();
                Ok(found)
            }
            Err(error) => {
                if !is_dead(&error) {
                    lent.give_back();
                }
                Err(DbErr::Query(RuntimeErr::SqlxError(error.into())))
            }
        }
    }};
}

impl Readers {
    /// Opens a first connection of at most so many; whoever finds all of them lent waits for `wait`.
    pub(super) async fn sqlite(options: SqliteConnectOptions, most: u32, wait: Duration) -> Result<Self, DbErr> {
        Ok(Self::Sqlite(Shelf::open(options, most, wait).await?))
    }

    /// As for `SQLite`.
    pub(super) async fn postgres(options: PgConnectOptions, most: u32, wait: Duration) -> Result<Self, DbErr> {
        Ok(Self::Postgres(Shelf::open(options, most, wait).await?))
    }

    /// As for `SQLite`, but the first connection is opened when somebody needs it.
    pub(super) fn postgres_when_needed(options: PgConnectOptions, most: u32, wait: Duration) -> Self {
        Self::Postgres(Shelf::empty(options, most, wait))
    }

    pub(super) const fn backend(&self) -> DatabaseBackend {
        match self {
            Self::Sqlite(_) => DatabaseBackend::Sqlite,
            Self::Postgres(_) => DatabaseBackend::Postgres,
        }
    }

    pub(super) fn figures(&self) -> Pool {
        match self {
            Self::Sqlite(connections) => connections.figures(),
            Self::Postgres(connections) => connections.figures(),
        }
    }

    /// Closes all connections, those that are lent once they are given back.
    pub(super) async fn close(&self) {
        match self {
            Self::Sqlite(kept) => kept.close().await,
            Self::Postgres(kept) => kept.close().await,
        }
    }

    pub(super) async fn all(&self, statement: &Statement) -> Result<Vec<QueryResult>, DbErr> {
        Ok(match self {
            Self::Sqlite(kept) => run!(kept, statement, fetch_all)?.into_iter().map(Into::into).collect(),
            Self::Postgres(kept) => run!(kept, statement, fetch_all)?.into_iter().map(Into::into).collect(),
        })
    }

    pub(super) async fn one(&self, statement: &Statement) -> Result<Option<QueryResult>, DbErr> {
        Ok(match self {
            Self::Sqlite(kept) => run!(kept, statement, fetch_optional)?.map(Into::into),
            Self::Postgres(kept) => run!(kept, statement, fetch_optional)?.map(Into::into),
        })
    }
}

impl<D: Database> Shelf<D> {
    fn empty(options: <D::Connection as Connection>::Options, most: u32, wait: Duration) -> Self {
        Self { options, idle: Mutex::default(), turns: Semaphore::new(most as usize), most, wait }
    }

    async fn open(options: <D::Connection as Connection>::Options, most: u32, wait: Duration) -> Result<Self, DbErr> {
        let shelf = Self::empty(options, most, wait);
        shelf.lend().await?.give_back();
        Ok(shelf)
    }

    async fn lend(&self) -> Result<Lent<'_, D>, DbErr> {
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
        Ok(Lent { shelf: self, connection, is_new, _turn: turn })
    }

    async fn connect(&self) -> Result<D::Connection, DbErr> {
        let failed = |error: sqlx::Error| DbErr::Conn(RuntimeErr::SqlxError(error.into()));
        match tokio::time::timeout(self.wait, self.options.connect()).await {
            Ok(connected) => connected.map_err(failed),
            Err(_) => Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)),
        }
    }

    fn figures(&self) -> Pool {
        let idle = self.idle().len();
        let lent = self.most as usize - self.turns.available_permits().min(self.most as usize);
        Pool { name: "readers", open: u32::try_from(idle + lent).unwrap_or(u32::MAX), idle, limit: self.most }
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

impl<D: Database> Lent<'_, D> {
    /// Takes a new connection instead. Those that are kept are likely to be as dead as this one.
    async fn renew(&mut self) -> Result<(), DbErr> {
        self.shelf.idle().clear();
        self.connection = self.shelf.connect().await?;
        self.is_new = true;
        Ok(())
    }

    fn give_back(self) {
        let now = Instant::now();
        let mut idle = self.shelf.idle();
        let unused = idle.first().is_some_and(|(since, _)| now.duration_since(*since) > KEPT);
        let ended = unused.then(|| idle.remove(0));
        idle.push((now, self.connection));
        drop(idle);
        drop(ended);
    }
}

/// A statement as sqlx takes it.
pub(super) fn query<D: Database>(statement: &Statement) -> sqlx::query::Query<'_, D, SqlxValues>
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
