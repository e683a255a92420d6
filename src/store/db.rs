//! The two ways to the database: [`Db`] reads, [`Tx`] writes, and a `Tx` cannot commit without saying its events.

pub(crate) mod advisory_lock;
pub(crate) mod batches;
mod changes;
pub(crate) mod edition;
pub mod file_lock;
pub(crate) mod listed;
pub mod listening;
pub(crate) mod memory;
mod opening;
pub(crate) mod options;
pub(crate) mod packed;
mod pool;
mod pools;
pub(crate) mod queue;
pub(crate) mod reach;
mod read_only;
pub(crate) mod readers;
pub(crate) mod remembered;
mod replica;
pub(crate) mod sql_text;
mod statement_log;
pub(crate) mod text;
mod transaction;
pub mod value;
pub(crate) mod writing;

use std::{sync::Arc, time::Duration};

use flagstone_domain::{event::NewEvent, event_kind::Concerns, time::Timestamp};
use sea_orm::{
    ConnectionTrait, DatabaseBackend, DatabaseConnection, DbErr, ExecResult, QueryResult, Statement, sea_query::Expr,
};
use tokio::sync::watch;

use self::replica::Replica;
pub use self::{
    options::{is_postgres, pool, sqlite_path},
    pools::PoolFigures,
    reach::shown,
    replica::{HeavyReads, Mismatch, ReplicaFigures, Standing},
    statement_log::STATEMENT_LOG,
};
use crate::{
    StoreError,
    db::{
        advisory_lock::AdvisoryLock,
        changes::{Announcement, Changes},
        edition::{Edition, Watch},
        listening::Listener,
        memory::Memory,
        queue::WritePermit,
        readers::Readers,
        statement_log::{log_statement, trace_step},
        transaction::PooledTransaction,
        value::askable,
        writing::{WriteTransaction, Writers},
    },
    events::{self, revisions::News},
    features::search,
};

/// Connections to SQLite that read at the same time.
const READERS: u32 = 4;
/// Connections to PostgreSQL for each of the two, single reads and transactions.
const POSTGRES: u32 = 12;
/// Transactions on SQLite that only read, at the same time.
const SNAPSHOTS: u32 = 2;
/// Longest wait of a statement for a lock of the database, and of a request for a connection or a permit to write.
const WAIT: Duration = Duration::from_secs(10);

/// An open database. Reads go to it directly; writes go through [`Db::begin`].
#[derive(Debug, Clone)]
pub struct Db {
    readers: Readers,
    /// Connections for transactions that only read.
    snapshots: Readers,
    writers: Arc<Writers>,
    /// Connection for work on the database as a whole.
    upkeep: DatabaseConnection,
    changes: Arc<Changes>,
    memory: Arc<Memory>,
    /// Sees changes of the file; PostgreSQL announces them on any connection.
    watch: Option<Arc<Watch>>,
    replica: Option<Arc<Replica>>,
    /// Id that distinguishes this node from others that use the database.
    node: Arc<str>,
}

impl Db {
    /// Closes every connection after the statements under way; on SQLite this also folds the log into the file.
    pub async fn close(self) -> Result<(), StoreError> {
        if let Some(replica) = &self.replica {
            replica.close().await;
        }
        self.readers.close().await;
        if let Some(watch) = &self.watch {
            watch.close().await;
        }
        self.snapshots.close().await;
        self.upkeep.close().await?;
        // Last, since the last connection folds SQLite's log.
        self.writers.close().await
    }

    /// Starts a write. On SQLite it waits for the one before it to end, on PostgreSQL for one of many to; in either
    /// case not for ever, and first come, first served.
    pub async fn begin(&self) -> Result<Tx, StoreError> {
        self.begin_as(false).await
    }

    /// Begins a write that takes long: it is no part of a group commit, so that no other waits for its end. See
    /// [`Db::begin`].
    pub async fn begin_exclusive(&self) -> Result<Tx, StoreError> {
        self.begin_as(true).await
    }

    /// Begins a change of the feature with this name: it waits for another change of it before the transaction begins.
    /// See [`Db::begin`].
    pub async fn begin_change_of(&self, feature: &str) -> Result<Tx, StoreError> {
        let turn = self.writers.turn_to_change(feature).await?;
        Ok(Tx { _turn: turn, ..self.begin().await? })
    }

    async fn begin_as(&self, exclusive: bool) -> Result<Tx, StoreError> {
        // The wait for the permit is part of it.
        let span = trace_step(self.readers.backend(), "BEGIN");
        let transaction = span.ended(self.writers.begin(exclusive).await)?;
        Ok(Tx { transaction, changes: Arc::clone(&self.changes), node: Arc::clone(&self.node), _turn: None })
    }

    /// Starts several reads that all see the database as it is at the first of them.
    pub async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        Ok(Snapshot { tx: self.snapshots.begin().await? })
    }

    /// A number that rises with every change that this node commits, after which the change can be read, and with
    /// every one of another node that was noticed. Rises without a change do no harm.
    pub fn generation(&self) -> u64 {
        self.changes.generation()
    }

    /// Returns the changes after the event with the id `seen`, which was the newest at a generation, and the generation
    /// now; `None` where only the log of events has them, since not all were committed by this node.
    pub fn committed_since(&self, generation: u64, seen: i64) -> Option<(u64, News)> {
        self.changes.since(generation, seen)
    }

    /// Subscribes to rises of [`Db::generation`].
    pub fn watch_changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Makes [`Db::generation`] rise because another node changed something, or this one did without an event.
    pub fn note_change(&self) {
        self.changes.note();
    }

    /// A connection that is notified of changes on other nodes; `None` where there can be no others.
    pub async fn listen(&self) -> Result<Option<Listener>, StoreError> {
        Listener::open(&self.upkeep, Arc::clone(&self.node)).await
    }

    /// Whether other nodes may use the database.
    pub fn is_shared(&self) -> bool {
        self.readers.backend() == DatabaseBackend::Postgres
    }

    /// Returns figures about the use of the connections.
    pub fn pools(&self) -> Vec<PoolFigures> {
        let readers = self.readers.figures("readers");
        match &*self.writers {
            Writers::Postgres(_) => {
                let transactions = self.snapshots.figures("transactions");
                [readers, transactions].into_iter().chain(self.replica.as_ref().map(|one| one.pool())).collect()
            }
            Writers::Sqlite(writer) => {
                // The name is published: it is a label of the metrics.
                let snapshots = self.snapshots.figures("moments");
                vec![readers, snapshots, writer.figures()]
            }
        }
    }

    /// Cached results.
    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Numbers of features that matched what was asked before.
    pub fn feature_totals(&self) -> &search::Totals {
        &self.memory.feature_totals
    }

    /// The state that the database is in now.
    pub(super) async fn edition(&self) -> Result<Edition, StoreError> {
        match &self.watch {
            Some(watch) => {
                let span = log_statement(DatabaseBackend::Sqlite, edition::SQLITE);
                span.ended(watch.edition().await)
            }
            None => Edition::of_postgres(self).await,
        }
    }

    /// The connection for what is done to the database as a whole, such as migrations.
    pub(super) const fn upkeep(&self) -> &DatabaseConnection {
        &self.upkeep
    }
}

/// Reason why a change leaves no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoEvent {
    /// Reports of programs about themselves and their use of features.
    Usage,
    /// Upkeep: the server counts, notes and tidies away by itself.
    Upkeep,
    /// A user signs in or out, or tries to, or a sign-in is prepared.
    SignIn,
    /// A personal matter of the person who does it.
    Personal,
}

/// A write under way. Dropping it undoes everything. [`Tx::commit`] keeps it with its events, and
/// [`Tx::commit_without_event`] without, for one of few reasons.
#[derive(Debug)]
pub struct Tx {
    transaction: WriteTransaction,
    changes: Arc<Changes>,
    node: Arc<str>,
    /// The turn of a change of one feature, which others have when the transaction has ended.
    _turn: Option<WritePermit>,
}

/// Several reads of the same state: what is committed meanwhile they do not see. See [`Db::snapshot`].
#[derive(Debug)]
pub struct Snapshot {
    tx: PooledTransaction,
}

impl Tx {
    /// Appends the events in order and commits them together with the change.
    ///
    /// `now` dates the events; one is never dated before the one with the previous id.
    pub async fn commit<I>(self, now: Timestamp, new_events: I) -> Result<(), StoreError>
    where
        I: IntoIterator<Item = NewEvent> + Send,
        I::IntoIter: Send,
    {
        let mut concerns = Concerns::default();
        let mut new_events = new_events.into_iter().inspect(|event| concerns.add(event.kind.concern())).peekable();
        // What leaves no event is nothing that anybody keeps in memory.
        let (mut announcement, mut last, mut turn) = (None, None, None);
        if new_events.peek().is_some() {
            turn = self.transaction.turn_to_log().await?;
            last = events::append(&self, now, new_events).await?;
            announcement = Some(Announcement::new(Arc::clone(&self.changes), concerns));
        }
        if let Some(last) = &last {
            tracing::trace!(target: STATEMENT_LOG, sql = last.sql);
        }
        let ids = self.keep(last).await?;
        drop(turn);
        if let Some(announcement) = &mut announcement {
            announcement.events.ids = ids;
        }
        Ok(())
    }

    /// Commits a change that leaves no event, for this reason.
    pub async fn commit_without_event(self, reason: NoEvent) -> Result<(), StoreError> {
        tracing::trace!(target: STATEMENT_LOG, ?reason, "committed without events");
        self.keep(None).await.map(drop)
    }

    /// Commits, and returns the ids of the last statement.
    async fn keep(self, last: Option<Statement>) -> Result<Vec<i64>, StoreError> {
        let span = trace_step(self.transaction.get_database_backend(), "COMMIT");
        span.ended(self.transaction.commit(last).await)
    }

    /// Expression within a statement that notifies other nodes of this change once it is committed; `None` where there
    /// are none.
    pub(super) fn announcement(&self) -> Option<Expr> {
        let is_shared = self.transaction.get_database_backend() == DatabaseBackend::Postgres;
        is_shared.then(|| Expr::cust(listening::announcement(&self.node)))
    }

    /// Keeps other writers with the same lock out until this transaction ends. SQLite has one writer anyway.
    pub(super) async fn lock_on_postgres(&self, lock: AdvisoryLock) -> Result<(), StoreError> {
        if self.transaction.get_database_backend() == DatabaseBackend::Postgres {
            self.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({})", lock.key())).await?;
        }
        Ok(())
    }
}

macro_rules! forward_connection {
    ($type:ty, $field:ident) => {
        #[async_trait::async_trait]
        impl ConnectionTrait for $type {
            fn get_database_backend(&self) -> DatabaseBackend {
                self.$field.get_database_backend()
            }

            async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
                let span = log_statement(self.get_database_backend(), &statement.sql);
                span.ended(self.$field.execute_raw(statement).await)
            }

            async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
                let span = log_statement(self.get_database_backend(), sql);
                span.ended(self.$field.execute_unprepared(sql).await)
            }

            async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
                let span = log_statement(self.get_database_backend(), &statement.sql);
                span.ended(self.$field.query_one_raw(askable(statement)).await)
            }

            async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
                let span = log_statement(self.get_database_backend(), &statement.sql);
                span.ended(self.$field.query_all_raw(askable(statement)).await)
            }
        }
    };
}

#[async_trait::async_trait]
impl ConnectionTrait for Db {
    fn get_database_backend(&self) -> DatabaseBackend {
        self.readers.backend()
    }

    async fn execute_raw(&self, _statement: Statement) -> Result<ExecResult, DbErr> {
        Err(no_transaction())
    }

    async fn execute_unprepared(&self, _sql: &str) -> Result<ExecResult, DbErr> {
        Err(no_transaction())
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let span = log_statement(self.get_database_backend(), &statement.sql);
        span.ended(self.readers.one(&askable(statement)).await)
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let span = log_statement(self.get_database_backend(), &statement.sql);
        span.ended(self.readers.all(&askable(statement)).await)
    }
}

/// A write must begin with [`Db::begin`].
fn no_transaction() -> DbErr {
    DbErr::Custom("a statement that gives no rows was run outside a transaction".to_owned())
}

forward_connection!(Tx, transaction);
forward_connection!(Snapshot, tx);
