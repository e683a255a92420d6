//! The one connection to `SQLite` that writes, and the turns of those who share its commits.

use std::sync::{Arc, Mutex, PoisonError};

use sea_orm::{
    DbErr, Statement,
    sqlx::{
        self, ConnectOptions as _, Connection as _,
        sqlite::{SqliteConnectOptions, SqliteConnection},
    },
};
use tokio::{runtime::Handle, sync::oneshot};

use super::{failed, lost, not_done, unreachable};
use crate::store::{
    StoreError,
    db::{
        PoolFigures,
        queue::{Queue, Turn},
        readers::query,
    },
};

/// Changes that share a commit, at most.
const SHARED: usize = 64;

/// The one connection to `SQLite` that writes.
pub(in crate::store) struct SqliteWriter {
    options: SqliteConnectOptions,
    queue: Queue,
    /// The connection between two turns.
    idle: Mutex<Option<WriterConnection>>,
}

impl std::fmt::Debug for SqliteWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteWriter").field("queue", &self.queue).finish_non_exhaustive()
    }
}

/// A connection, and those whose changes are in its open transaction and wait for the commit. Without any, no
/// transaction is open.
struct WriterConnection {
    sqlite: SqliteConnection,
    sharing: Vec<oneshot::Sender<()>>,
}

/// How far the transaction of a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Fresh,
    Begun,
    Ended,
}

/// The transaction of whoever has the turn.
pub(in crate::store) struct SqliteTransaction {
    writer: Arc<SqliteWriter>,
    /// Nothing once it has proved useless.
    connection: Option<WriterConnection>,
    turn: Option<Turn>,
    stage: Stage,
    alone: bool,
}

impl std::fmt::Debug for SqliteTransaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteTransaction")
            .field("stage", &self.stage)
            .field("alone", &self.alone)
            .finish_non_exhaustive()
    }
}

impl SqliteWriter {
    /// Opens the connection. Whoever wants to write waits as `queue` says.
    pub(in crate::store) async fn open(options: SqliteConnectOptions, queue: Queue) -> Result<Arc<Self>, DbErr> {
        let sqlite = options.connect().await.map_err(unreachable)?;
        let idle = Mutex::new(Some(WriterConnection { sqlite, sharing: Vec::new() }));
        Ok(Arc::new(Self { options, queue, idle }))
    }

    /// How the connection is used.
    pub(in crate::store) fn figures(&self) -> PoolFigures {
        let idle = usize::from(self.lock().is_some());
        PoolFigures { name: "writer", open: 1, idle, limit: 1 }
    }

    /// Starts a transaction when its turn comes; see [`super::Writers::begin`].
    pub(super) async fn begin(self: &Arc<Self>, alone: bool) -> Result<SqliteTransaction, StoreError> {
        let turn = self.queue.turn().await?;
        let mut transaction = SqliteTransaction::take(self, turn, alone);
        if alone {
            transaction.end_shared().await;
        }
        if transaction.connection.is_none() {
            let sqlite = self.options.connect().await.map_err(unreachable)?;
            transaction.connection = Some(WriterConnection { sqlite, sharing: Vec::new() });
        }
        Ok(transaction)
    }

    /// Commits what is shared once those who wait now have had their turn.
    async fn end_shared_after_others(self: Arc<Self>) {
        if let Ok(turn) = self.queue.patient_turn().await {
            SqliteTransaction::take(&self, turn, true).end_shared().await;
        }
    }

    /// Commits what is shared and closes the connection.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        self.queue.close().await;
        let idle = self.lock().take();
        let Some(mut connection) = idle else { return Ok(()) };
        connection.end_shared().await?;
        Ok(connection.sqlite.close().await.map_err(failed)?)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<WriterConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WriterConnection {
    async fn run(&mut self, sql: &'static str) -> Result<(), sqlx::Error> {
        sqlx::query(sql).execute(&mut self.sqlite).await.map(drop)
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

impl SqliteTransaction {
    fn take(writer: &Arc<SqliteWriter>, turn: Turn, alone: bool) -> Self {
        let connection = writer.lock().take();
        Self { writer: Arc::clone(writer), connection, turn: Some(turn), stage: Stage::Fresh, alone }
    }

    /// The connection, after the transaction has begun: for statements that count the rows they change, since a count
    /// includes what goes before in the same trip.
    pub(super) async fn begun(&mut self) -> Result<&mut SqliteConnection, DbErr> {
        let (opening, connection) = self.prepare()?;
        if !opening.is_empty() {
            sqlx::query(opening).execute(&mut *connection).await.map_err(not_done)?;
        }
        Ok(connection)
    }

    /// What has to go before a statement, and the connection.
    pub(super) fn prepare(&mut self) -> Result<(&'static str, &mut SqliteConnection), DbErr> {
        let connection = self.connection.as_mut().ok_or_else(lost)?;
        let opening = match (self.stage, connection.sharing.is_empty()) {
            (Stage::Fresh, true) => "BEGIN IMMEDIATE; ",
            (Stage::Fresh, false) => "SAVEPOINT turn; ",
            _ => "",
        };
        self.stage = Stage::Begun;
        Ok((opening, &mut connection.sqlite))
    }

    /// The end of a turn that shall be kept.
    pub(super) async fn finish(mut self, last: Option<Statement>) -> Result<(), DbErr> {
        if self.stage == Stage::Fresh && last.is_none() {
            return Ok(());
        }
        let others_wait = self.writer.queue.is_waited_for();
        let is_shared = self.connection.as_ref().is_some_and(|connection| !connection.sharing.is_empty());
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
        let sharing = self.connection.as_mut().map_or(0, |connection| {
            connection.sharing.push(told);
            connection.sharing.len()
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
        let Some(connection) = &mut self.connection else { return };
        if let Err(error) = connection.end_shared().await {
            tracing::error!(%error, changes = connection.sharing.len(), "a shared commit failed");
            self.connection = None;
        }
    }
}

impl Drop for SqliteTransaction {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        if self.stage != Stage::Begun {
            *self.writer.lock() = Some(connection);
            return;
        }
        let (writer, turn) = (Arc::clone(&self.writer), self.turn.take());
        // Without anybody to run this, the connection closes, which takes everything back as well.
        if let Ok(handle) = Handle::try_current() {
            handle.spawn(async move {
                if connection.undo().await {
                    *writer.lock() = Some(connection);
                }
                drop(turn);
            });
        }
    }
}
