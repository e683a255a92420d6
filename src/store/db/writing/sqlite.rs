//! The only connection to `SQLite` that writes, and its group commits.

use std::sync::{Arc, Mutex, PoisonError};

use flagstone_domain::opaque_debug;
use sea_orm::{
    DbErr, Statement,
    sqlx::{
        self, ConnectOptions as _, Connection as _, Row as _,
        sqlite::{SqliteConnectOptions, SqliteConnection},
    },
};
use tokio::{runtime::Handle, sync::oneshot};

use super::{failed, lost, not_done, unreachable};
use crate::{
    StoreError,
    db::{
        PoolFigures,
        queue::{Queue, WritePermit},
        readers::query,
    },
};

/// Changes that are committed together, at most.
const MOST_IN_GROUP: usize = 64;

/// The only connection to `SQLite` that writes.
pub(crate) struct SqliteWriter {
    options: SqliteConnectOptions,
    queue: Queue,
    /// The connection between two transactions.
    idle: Mutex<Option<WriterConnection>>,
}

opaque_debug!(SqliteWriter { queue, .. });

/// A connection, and the group: those whose changes are in its open transaction and wait for the commit. While the
/// group is empty, no transaction is open.
struct WriterConnection {
    sqlite: SqliteConnection,
    group: Vec<oneshot::Sender<()>>,
}

/// Stage of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Fresh,
    Begun,
    Ended,
}

/// A transaction with the permit to write.
pub(crate) struct SqliteTransaction {
    writer: Arc<SqliteWriter>,
    /// Connection; `None` once it has broken.
    connection: Option<WriterConnection>,
    permit: Option<WritePermit>,
    stage: Stage,
    exclusive: bool,
}

opaque_debug!(SqliteTransaction { stage, exclusive, .. });

impl SqliteWriter {
    /// Opens the connection. Writers wait as `queue` says.
    pub(crate) async fn open(options: SqliteConnectOptions, queue: Queue) -> Result<Arc<Self>, DbErr> {
        let sqlite = options.connect().await.map_err(unreachable)?;
        let idle = Mutex::new(Some(WriterConnection { sqlite, group: Vec::new() }));
        Ok(Arc::new(Self { options, queue, idle }))
    }

    /// Returns figures about the use of the connection.
    pub(crate) fn figures(&self) -> PoolFigures {
        let idle = usize::from(self.lock().is_some());
        PoolFigures { name: "writer", open: 1, idle, limit: 1 }
    }

    /// Starts a transaction, after those that came before; see [`super::Writers::begin`].
    pub(super) async fn begin(self: &Arc<Self>, exclusive: bool) -> Result<SqliteTransaction, StoreError> {
        let permit = self.queue.acquire().await?;
        let mut transaction = SqliteTransaction::take(self, permit, exclusive);
        if exclusive {
            transaction.commit_group().await;
        }
        if transaction.connection.is_none() {
            let sqlite = self.options.connect().await.map_err(unreachable)?;
            transaction.connection = Some(WriterConnection { sqlite, group: Vec::new() });
        }
        Ok(transaction)
    }

    /// Commits the group once those who wait now have written.
    async fn commit_group_after_others(self: Arc<Self>) {
        if let Ok(permit) = self.queue.acquire_patiently().await {
            SqliteTransaction::take(&self, permit, true).commit_group().await;
        }
    }

    /// Commits the group and closes the connection.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        self.queue.close().await;
        let idle = self.lock().take();
        let Some(mut connection) = idle else { return Ok(()) };
        connection.commit_group().await?;
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

    /// Commits the group, if there is one, and notifies those who wait for it.
    async fn commit_group(&mut self) -> Result<(), DbErr> {
        if self.group.is_empty() {
            return Ok(());
        }
        self.run("COMMIT").await.map_err(failed)?;
        for waiting in std::mem::take(&mut self.group) {
            let _ = waiting.send(());
        }
        Ok(())
    }

    /// Rolls back what this transaction did. Returns whether the connection is of use.
    async fn undo(&mut self) -> bool {
        if self.group.is_empty() {
            // Where nothing had begun that is no failure.
            let _ = self.run("ROLLBACK").await;
            return true;
        }
        if self.run("ROLLBACK TO turn; RELEASE turn").await.is_ok() {
            return true;
        }
        // Either this one did nothing, or the transaction of the whole group is gone: then another one can begin.
        self.run("BEGIN").await.is_err()
    }
}

impl SqliteTransaction {
    fn take(writer: &Arc<SqliteWriter>, permit: WritePermit, exclusive: bool) -> Self {
        let connection = writer.lock().take();
        Self { writer: Arc::clone(writer), connection, permit: Some(permit), stage: Stage::Fresh, exclusive }
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

    /// Returns the text that has to go before a statement, and the connection.
    pub(super) fn prepare(&mut self) -> Result<(&'static str, &mut SqliteConnection), DbErr> {
        let connection = self.connection.as_mut().ok_or_else(lost)?;
        let opening = match (self.stage, connection.group.is_empty()) {
            (Stage::Fresh, true) => "BEGIN IMMEDIATE; ",
            (Stage::Fresh, false) => "SAVEPOINT turn; ",
            _ => "",
        };
        self.stage = Stage::Begun;
        Ok((opening, &mut connection.sqlite))
    }

    /// The end of a transaction that is to be kept. Returns the ids of the last statement.
    pub(super) async fn finish(mut self, last: Option<Statement>) -> Result<Vec<i64>, DbErr> {
        if self.stage == Stage::Fresh && last.is_none() {
            return Ok(Vec::new());
        }
        let others_wait = self.writer.queue.is_waited_for();
        let is_in_group = self.connection.as_ref().is_some_and(|connection| !connection.group.is_empty());
        let is_left_open = is_in_group || (others_wait && !self.exclusive);
        let ending = match (is_in_group, is_left_open) {
            (true, _) => "RELEASE turn",
            (false, true) => "",
            (false, false) => "COMMIT",
        };
        let ids = self.end_with(last, ending).await?;
        self.stage = Stage::Ended;
        if !is_left_open {
            return Ok(ids);
        }
        let (told, committed) = oneshot::channel();
        let size = self.connection.as_mut().map_or(0, |connection| {
            connection.group.push(told);
            connection.group.len()
        });
        if size >= MOST_IN_GROUP {
            self.commit_group().await;
        } else if size == 1 {
            tokio::spawn(Arc::clone(&self.writer).commit_group_after_others());
        }
        drop(self);
        committed.await.map(|()| ids).map_err(|_| lost())
    }

    async fn end_with(&mut self, last: Option<Statement>, ending: &'static str) -> Result<Vec<i64>, DbErr> {
        let (opening, connection) = self.prepare()?;
        let Some(mut last) = last else {
            if !ending.is_empty() {
                sqlx::query(ending).execute(connection).await.map_err(failed)?;
            }
            return Ok(Vec::new());
        };
        last.sql = format!("{opening}{}; {ending}", last.sql);
        let rows = query(&last).fetch_all(connection).await.map_err(failed)?;
        rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>().map_err(failed)
    }

    /// Commits the group. Where that fails, closing the connection rolls everything back, and those who wait learn that
    /// it is lost.
    async fn commit_group(&mut self) {
        let Some(connection) = &mut self.connection else { return };
        if let Err(error) = connection.commit_group().await {
            tracing::error!(
                target: "flagstone::store::db::writing::sqlite",
                %error,
                changes = connection.group.len(),
                "a group commit failed"
            );
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
        let (writer, permit) = (Arc::clone(&self.writer), self.permit.take());
        // Without anybody to run this, the connection closes, which takes everything back as well.
        if let Ok(handle) = Handle::try_current() {
            handle.spawn(async move {
                if connection.undo().await {
                    *writer.lock() = Some(connection);
                }
                drop(permit);
            });
        }
    }
}
