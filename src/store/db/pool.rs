//! Connections that are kept from one use to the next.
//!
//! An ordinary pool asks a connection before and after each use whether it still lives: two trips more, where most uses
//! are one trip or a few. These are kept unasked. A caller that finds out that a kept one is dead takes a new one and
//! begins again.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use sea_orm::{
    ConnAcquireErr, DbErr, RuntimeErr,
    sqlx::{self, ConnectOptions, Connection, Database},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::db::PoolFigures;

/// Time for which an idle connection is kept.
const KEPT: Duration = Duration::from_mins(10);
/// Lifetime of a connection: what the database keeps for it is given back at its end.
const LIFETIME: Duration = Duration::from_mins(30);

/// Connections of one kind, at most so many.
pub(crate) struct Pool<D: Database> {
    options: <D::Connection as Connection>::Options,
    /// Idle connections, the one that was used last at the end.
    idle: Mutex<Vec<Idle<D>>>,
    turns: Arc<Semaphore>,
    most: u32,
    wait: Duration,
}

struct Idle<D: Database> {
    connection: D::Connection,
    opened: Instant,
    since: Instant,
}

/// A connection in use. It is kept afterwards only if it is released; dropped, it is closed.
pub(crate) struct PooledConnection<D: Database> {
    pool: Arc<Pool<D>>,
    connection: D::Connection,
    opened: Instant,
    is_new: bool,
    _turn: OwnedSemaphorePermit,
}

impl<D: Database> std::fmt::Debug for Pool<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("most", &self.most).finish_non_exhaustive()
    }
}

impl<D: Database> Pool<D> {
    /// A pool that connects on demand, at most `most` times. When all connections are in use, callers wait for `wait`.
    pub(crate) fn new(options: <D::Connection as Connection>::Options, most: u32, wait: Duration) -> Arc<Self> {
        let turns = Arc::new(Semaphore::new(most as usize));
        Arc::new(Self { options, idle: Mutex::default(), turns, most, wait })
    }

    /// Keeps a connection that has just been opened with the options of this pool.
    pub(crate) fn keep(&self, connection: D::Connection) {
        let now = Instant::now();
        self.idle().push(Idle { connection, opened: now, since: now });
    }

    pub(crate) async fn acquire(self: &Arc<Self>) -> Result<PooledConnection<D>, DbErr> {
        let turn = match tokio::time::timeout(self.wait, Arc::clone(&self.turns).acquire_owned()).await {
            Ok(Ok(turn)) => turn,
            Ok(Err(_)) => return Err(DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)),
            Err(_) => return Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)),
        };
        let kept = self.idle().pop();
        let is_new = kept.is_none();
        let (connection, opened) = match kept {
            Some(kept) => (kept.connection, kept.opened),
            None => (self.connect().await?, Instant::now()),
        };
        Ok(PooledConnection { pool: Arc::clone(self), connection, opened, is_new, _turn: turn })
    }

    async fn connect(&self) -> Result<D::Connection, DbErr> {
        let failed = |error: sqlx::Error| DbErr::Conn(RuntimeErr::SqlxError(error.into()));
        match tokio::time::timeout(self.wait, self.options.connect()).await {
            Ok(connected) => connected.map_err(failed),
            Err(_) => Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)),
        }
    }

    /// Returns figures about the use of the connections, under the name of their purpose.
    pub(crate) fn figures(&self, name: &'static str) -> PoolFigures {
        let idle = self.idle().len();
        let used = self.most as usize - self.turns.available_permits().min(self.most as usize);
        PoolFigures { name, open: u32::try_from(idle + used).unwrap_or(u32::MAX), idle, limit: self.most }
    }

    /// Closes all connections, those in use once they are released.
    pub(crate) async fn close(&self) {
        // Connections that do not come back in time are not waited for.
        let _all = tokio::time::timeout(self.wait, self.turns.acquire_many(self.most)).await;
        self.turns.close();
        let idle = std::mem::take(&mut *self.idle());
        for kept in idle {
            if let Err(error) = kept.connection.close().await {
                tracing::debug!(
                    target: "flagstone::store::db::pool",
                    %error,
                    "a connection did not close as it should"
                );
            }
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle<D>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Database> PooledConnection<D> {
    pub(crate) const fn get(&mut self) -> &mut D::Connection {
        &mut self.connection
    }

    /// Takes a new connection if the error shows that a kept one is dead, and returns whether it did. The others that
    /// are kept are likely to be as dead.
    pub(crate) async fn is_renewed_after(&mut self, error: &sqlx::Error) -> Result<bool, DbErr> {
        if self.is_new || !is_dead(error) {
            return Ok(false);
        }
        self.pool.idle().clear();
        self.connection = self.pool.connect().await?;
        self.opened = Instant::now();
        self.is_new = true;
        Ok(true)
    }

    /// Lets others have the connection.
    pub(crate) fn release(self) {
        let now = Instant::now();
        let mut idle = self.pool.idle();
        let unused = idle.first().is_some_and(|kept| now.duration_since(kept.since) > KEPT);
        let ended = unused.then(|| idle.remove(0));
        if now.duration_since(self.opened) < LIFETIME {
            idle.push(Idle { connection: self.connection, opened: self.opened, since: now });
        }
        drop(idle);
        drop(ended);
    }

    /// Lets others have the connection after an error, if it is still of use.
    pub(crate) fn release_after(self, error: &sqlx::Error) {
        if !is_dead(error) {
            self.release();
        }
    }
}

/// Whether the connection is of no use any more.
fn is_dead(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => true,
        // PostgreSQL announces that it is going.
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| code.starts_with("57P") || code.starts_with("08"))
        }
        _ => false,
    }
}
