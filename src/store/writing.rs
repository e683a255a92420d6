//! Transactions that write. On `SQLite` there is one at a time, and those that wait for each other share a commit.
//!
//! What a commit costs is mostly waiting for the disk. So whoever is done while others wait leaves the transaction open
//! for the next, who works in a savepoint of it, and is told of the end when all of them are committed together. What
//! one of them takes back it takes back to its savepoint.

use std::sync::{Arc, Mutex, PoisonError};

use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseBackend, DatabaseConnection, DatabaseTransaction, DbErr, ExecResult,
    QueryResult, RuntimeErr, Statement, TransactionTrait,
    sqlx::{
        self, AssertSqlSafe, ConnectOptions as _, Connection as _,
        sqlite::{SqliteConnectOptions, SqliteConnection},
    },
};
use tokio::{runtime::Handle, sync::oneshot};

use crate::store::{
    StoreError,
    db::Pool,
    queue::{Queue, Turn},
    readers::query,
};

/// Changes that share a commit, at most.
const SHARED: usize = 64;

/// Where transactions that write come from.
#[derive(Debug)]
pub(super) enum Writers {
    Sqlite(Arc<SqliteWriter>),
    Postgres { pool: DatabaseConnection, queue: Queue },
}

/// A transaction under way. Dropping it takes everything back.
#[derive(Debug)]
pub(super) enum Writing {
    Sqlite(tokio::sync::Mutex<Seat>),
    Postgres { transaction: DatabaseTransaction, _turn: Turn },
}

/// The one connection to `SQLite` that writes.
pub(super) struct SqliteWriter {
    options: SqliteConnectOptions,
    queue: Queue,
    /// Where it lies between two turns.
    desk: Mutex<Option<Desk>>,
}

impl std::fmt::Debug for SqliteWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteWriter").field("queue", &self.queue).finish_non_exhaustive()
    }
}

/// A connection, and those whose changes are in its open transaction and wait for the commit. Without any, no
/// transaction is open.
struct Desk {
    connection: SqliteConnection,
    sharing: Vec<oneshot::Sender<()>>,
}

/// How far the transaction of a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Fresh,
    Begun,
    Ended,
}

/// Whoever has the turn sits here, with the connection.
pub(super) struct Seat {
    writer: Arc<SqliteWriter>,
    /// Nothing once it has proved useless.
    desk: Option<Desk>,
    turn: Option<Turn>,
    stage: Stage,
    alone: bool,
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat").field("stage", &self.stage).field("alone", &self.alone).finish_non_exhaustive()
    }
}

impl Writers {
    /// Starts a transaction, when its turn comes. One that is `alone` shares no commit with others: what takes long
    /// must not keep them waiting.
    #[expect(clippy::disallowed_methods, reason = "`Db::begin` and `Db::begin_alone` are the only callers")]
    pub(super) async fn begin(&self, alone: bool) -> Result<Writing, StoreError> {
        match self {
            Self::Sqlite(writer) => Ok(Writing::Sqlite(writer.sit_down(alone).await?.into())),
            Self::Postgres { pool, queue } => {
                let turn = queue.turn().await?;
                Ok(Writing::Postgres { transaction: pool.begin().await?, _turn: turn })
            }
        }
    }

    /// Closes the connection that writes, after what is under way.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
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
    pub(super) async fn commit(self, last: Option<Statement>) -> Result<(), StoreError> {
        match self {
            // By itself, since others may share what must not stop half way when nobody waits for it any more.
            Self::Sqlite(seat) => match tokio::spawn(seat.into_inner().finish(last)).await {
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

impl SqliteWriter {
    /// Opens the connection. Whoever wants to write waits as `queue` says.
    pub(super) async fn open(options: SqliteConnectOptions, queue: Queue) -> Result<Arc<Self>, DbErr> {
        let connection = options.connect().await.map_err(unreachable)?;
        let desk = Mutex::new(Some(Desk { connection, sharing: Vec::new() }));
        Ok(Arc::new(Self { options, queue, desk }))
    }

    /// How the connection is used.
    pub(super) fn figures(&self) -> Pool {
        let idle = usize::from(self.lock().is_some());
        Pool { name: "writer", open: 1, idle, limit: 1 }
    }

    async fn sit_down(self: &Arc<Self>, alone: bool) -> Result<Seat, StoreError> {
        let turn = self.queue.turn().await?;
        let mut seat = Seat::take(self, turn, alone);
        if alone {
            seat.end_shared().await;
        }
        if seat.desk.is_none() {
            let connection = self.options.connect().await.map_err(unreachable)?;
            seat.desk = Some(Desk { connection, sharing: Vec::new() });
        }
        Ok(seat)
    }

    /// Commits what is shared once those who wait now have had their turn.
    async fn end_shared_after_others(self: Arc<Self>) {
        if let Ok(turn) = self.queue.patient_turn().await {
            Seat::take(&self, turn, true).end_shared().await;
        }
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.queue.close().await;
        let desk = self.lock().take();
        let Some(mut desk) = desk else { return Ok(()) };
        desk.end_shared().await?;
        Ok(desk.connection.close().await.map_err(failed)?)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Desk>> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Desk {
    async fn run(&mut self, sql: &'static str) -> Result<(), sqlx::Error> {
        sqlx::query(sql).execute(&mut self.connection).await.map(drop)
    }

    /// Commits what is shared, if anything is, and tells those who wait for it.
    async fn end_shared(&mut self) -> Result<(), DbErr> {
        if self.sharing.is_empty() {
            return Ok(());
        }
        self.run("COMMIT").await.map_err(failed)?;
        for sharing in std::mem::take(&mut self.sharing) {
            let _ = sharing.send(());
        }
        Ok(())
    }

    /// Takes back what this turn did. Tells whether the connection is of use.
    async fn undo(&mut self) -> bool {
        if self.sharing.is_empty() {
            // Where nothing had begun that is no failure.
            let _ = self.run("ROLLBACK").await;
            return true;
        }
        if self.run("ROLLBACK TO turn; RELEASE turn").await.is_ok() {
            return true;
        }
        // Either this turn came to nothing, or the whole transaction is gone: then another one can begin.
        self.run("BEGIN").await.is_err()
    }
}

impl Seat {
    fn take(writer: &Arc<SqliteWriter>, turn: Turn, alone: bool) -> Self {
        let desk = writer.lock().take();
        Self { writer: Arc::clone(writer), desk, turn: Some(turn), stage: Stage::Fresh, alone }
    }

    /// The connection, after the transaction has begun: for statements that count the rows they change, since a count
    /// includes what goes before in the same trip.
    async fn begun(&mut self) -> Result<&mut SqliteConnection, DbErr> {
        let (opening, connection) = self.prepare()?;
        if !opening.is_empty() {
            sqlx::query(opening).execute(&mut *connection).await.map_err(not_done)?;
        }
        Ok(connection)
    }

    /// What has to go before a statement, and the connection.
    fn prepare(&mut self) -> Result<(&'static str, &mut SqliteConnection), DbErr> {
        let desk = self.desk.as_mut().ok_or_else(lost)?;
        let opening = match (self.stage, desk.sharing.is_empty()) {
            (Stage::Fresh, true) => "BEGIN IMMEDIATE; ",
            (Stage::Fresh, false) => "SAVEPOINT turn; ",
            _ => "",
        };
        self.stage = Stage::Begun;
        Ok((opening, &mut desk.connection))
    }

    /// The end of a turn that shall be kept.
    async fn finish(mut self, last: Option<Statement>) -> Result<(), DbErr> {
        if self.stage == Stage::Fresh && last.is_none() {
            return Ok(());
        }
        let others_wait = self.writer.queue.is_waited_for();
        let is_shared = self.desk.as_ref().is_some_and(|desk| !desk.sharing.is_empty());
        let is_left_open = is_shared || (others_wait && !self.alone);
        let ending = match (is_shared, is_left_open) {
            (true, _) => "RELEASE turn",
            (false, true) => "",
            (false, false) => "COMMIT",
        };
        self.end_with(last, ending).await?;
        self.stage = Stage::Ended;
        if !is_left_open {
            return Ok(());
        }
        let (told, committed) = oneshot::channel();
        let sharing = self.desk.as_mut().map_or(0, |desk| {
            desk.sharing.push(told);
            desk.sharing.len()
        });
        if sharing >= SHARED {
            self.end_shared().await;
        } else if sharing == 1 {
            tokio::spawn(Arc::clone(&self.writer).end_shared_after_others());
        }
        drop(self);
        committed.await.map_err(|_| lost())
    }

    async fn end_with(&mut self, last: Option<Statement>, ending: &'static str) -> Result<(), DbErr> {
        let (opening, connection) = self.prepare()?;
        let Some(mut last) = last else {
            return if ending.is_empty() {
                Ok(())
            } else {
                sqlx::query(ending).execute(connection).await.map(drop).map_err(failed)
            };
        };
        last.sql = format!("{opening}{}; {ending}", last.sql);
        query(&last).execute(connection).await.map(drop).map_err(failed)
    }

    /// Commits what is shared. Where that fails, closing the connection takes everything back, and those who wait learn
    /// that it is lost.
    async fn end_shared(&mut self) {
        let Some(desk) = &mut self.desk else { return };
        if let Err(error) = desk.end_shared().await {
            tracing::error!(%error, changes = desk.sharing.len(), "a shared commit failed");
            self.desk = None;
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let Some(mut desk) = self.desk.take() else { return };
        if self.stage != Stage::Begun {
            *self.writer.lock() = Some(desk);
            return;
        }
        let (writer, turn) = (Arc::clone(&self.writer), self.turn.take());
        // Without anybody to run this, the connection closes, which takes everything back as well.
        if let Ok(handle) = Handle::try_current() {
            handle.spawn(async move {
                if desk.undo().await {
                    *writer.lock() = Some(desk);
                }
                drop(turn);
            });
        }
    }
}

/// Runs a statement that gives rows, with the method of sqlx that is named.
macro_rules! run {
    ($seat:expr, $statement:expr, $fetch:ident) => {{
        let mut seat = $seat.lock().await;
        let (opening, connection) = seat.prepare()?;
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
            Self::Sqlite(seat) => {
                let mut seat = seat.lock().await;
                let connection = seat.begun().await?;
                Ok(query(&statement).execute(connection).await.map_err(not_done)?.into())
            }
            Self::Postgres { transaction, .. } => transaction.execute_raw(statement).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match self {
            Self::Sqlite(seat) => {
                let mut seat = seat.lock().await;
                let connection = seat.begun().await?;
                Ok(sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.map_err(not_done)?.into())
            }
            Self::Postgres { transaction, .. } => transaction.execute_unprepared(sql).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self {
            Self::Sqlite(seat) => Ok(run!(seat, statement, fetch_optional).map_err(failed)?.map(Into::into)),
            Self::Postgres { transaction, .. } => transaction.query_one_raw(statement).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self {
            Self::Sqlite(seat) => {
                Ok(run!(seat, statement, fetch_all).map_err(failed)?.into_iter().map(Into::into).collect())
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
