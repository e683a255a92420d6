//! The two ways to the database: [`Db`] reads, [`Tx`] writes, and a `Tx` cannot commit without saying its events.

pub(in crate::store) mod advisory_lock;
pub(in crate::store) mod edition;
pub(in crate::store) mod listed;
pub mod listening;
mod looking;
pub(in crate::store) mod memory;
pub mod occupancy;
mod options;
pub(in crate::store) mod packed;
mod pools;
pub(in crate::store) mod queue;
pub(in crate::store) mod reach;
pub(in crate::store) mod readers;
pub(in crate::store) mod remembered;
mod replica;
mod telling;
pub(in crate::store) mod text;
pub mod value;
pub(in crate::store) mod writing;

use std::{sync::Arc, time::Duration};

use sea_orm::{
    AccessMode, ConnectionTrait, Database, DatabaseBackend, DatabaseConnection, DatabaseTransaction, DbErr, ExecResult,
    IsolationLevel, QueryResult, Statement, TransactionOptions, TransactionTrait, sea_query::Expr,
    sqlx::Connection as _,
};
use tokio::sync::watch;

use self::replica::Replica;
pub use self::{
    options::{is_postgres, sqlite_path},
    pools::PoolFigures,
    replica::{HeavyReads, Mismatch, ReplicaFigures, Standing},
    telling::STATEMENT_LOG,
};
use crate::{
    clock,
    domain::{event::NewEvent, time::Timestamp},
    store::{
        StoreError,
        db::{
            advisory_lock::AdvisoryLock,
            edition::{Edition, Watch},
            listening::Listener,
            memory::Memory,
            pools::figures,
            queue::Queue,
            readers::Readers,
            telling::{tell, tell_step},
            value::askable,
            writing::{SqliteWriter, Writers, Writing},
        },
        events,
        features::search,
    },
};

/// Connections to SQLite that read at the same time.
const READERS: u32 = 4;
/// Connections to PostgreSQL for each of the two, single reads and transactions.
const POSTGRES: u32 = 12;
/// Transactions on SQLite that only read, at the same time.
const MOMENTS: u32 = 2;
/// How long a statement waits for a lock of the database, and a request for a connection or its turn to write.
const WAIT: Duration = Duration::from_secs(10);
/// How long the connection for upkeep is kept after its use.
const UPKEEP: Duration = Duration::from_secs(1);

/// An open database. Reads go to it directly; writes go through [`Db::begin`].
#[derive(Debug, Clone)]
pub struct Db {
    readers: Arc<Readers>,
    /// For transactions that only read.
    moments: DatabaseConnection,
    writers: Arc<Writers>,
    /// For what is done to the database as a whole.
    upkeep: DatabaseConnection,
    changes: Arc<watch::Sender<u64>>,
    memory: Arc<Memory>,
    /// Sees changes of the file; PostgreSQL tells of them on any connection.
    watch: Option<Arc<Watch>>,
    replica: Option<Arc<Replica>>,
    /// What tells this node from others that use the database.
    node: Arc<str>,
}

impl Db {
    /// Opens the database that a URL names: `sqlite://path` (created when absent) or `postgres://…`.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        if url.starts_with("sqlite:") {
            if let Some(path) = sqlite_path(url) {
                options::make_if_absent(path).map_err(|error| DbErr::Custom(format!("{}: {error}", path.display())))?;
            }
            let reading = options::sqlite(url, true)?;
            let writer = SqliteWriter::open(options::sqlite(url, false)?, Queue::new(1, WAIT)).await?;
            let moments = Database::connect(options::sqlite_pool(url, MOMENTS, true)).await?;
            let upkeep = options::sqlite_pool(url, 1, false).connect_lazy(true).idle_timeout(UPKEEP).to_owned();
            let upkeep = Database::connect(upkeep).await?;
            let readers = Readers::sqlite(reading.clone(), READERS, WAIT).await?;
            let watch = Some(Arc::new(Watch::new(reading)));
            Ok(Self { watch, ..Self::of(readers, moments, Writers::Sqlite(writer), upkeep) })
        } else {
            let reading = options::reading_postgres(url)?;
            reach::connect(&reading).await?.close().await.map_err(options::unusable)?;
            let pool = Database::connect(options::postgres_pool(url, POSTGRES)).await?;
            let writers = Writers::Postgres { pool: pool.clone(), queue: Queue::new(POSTGRES, WAIT) };
            Ok(Self::of(Readers::postgres(reading, POSTGRES, WAIT).await?, pool.clone(), writers, pool))
        }
    }

    fn of(readers: Readers, moments: DatabaseConnection, writers: Writers, upkeep: DatabaseConnection) -> Self {
        Self {
            readers: Arc::new(readers),
            moments,
            writers: Arc::new(writers),
            upkeep,
            changes: Arc::default(),
            memory: Arc::default(),
            watch: None,
            replica: None,
            node: clock::new_uuid().simple().to_string().into(),
        }
    }

    /// Closes every connection after the statements under way; on SQLite this also folds the log into the file.
    pub async fn close(self) -> Result<(), StoreError> {
        if let Some(replica) = &self.replica {
            replica.close().await;
        }
        self.readers.close().await;
        if let Some(watch) = &self.watch {
            watch.close().await;
        }
        self.moments.close().await?;
        self.upkeep.close().await?;
        // Last, since whoever goes last folds SQLite's log.
        self.writers.close().await
    }

    /// Starts a write. On SQLite it waits for the one before it to end, on PostgreSQL for one of many to; in either case
    /// not for ever, and first come, first served.
    pub async fn begin(&self) -> Result<Tx, StoreError> {
        self.begin_as(false).await
    }

    /// Like [`Db::begin`], for a write that takes long: nobody else's commit waits for its end.
    pub async fn begin_alone(&self) -> Result<Tx, StoreError> {
        self.begin_as(true).await
    }

    async fn begin_as(&self, alone: bool) -> Result<Tx, StoreError> {
        // The wait for the turn is part of it.
        let span = tell_step(self.readers.backend(), "BEGIN");
        let transaction = span.ended(self.writers.begin(alone).await)?;
        Ok(Tx { transaction, changes: Arc::clone(&self.changes), node: Arc::clone(&self.node) })
    }

    /// Starts several reads that all see the database as it is at the first of them.
    #[expect(clippy::disallowed_methods, reason = "reads of one moment need a transaction; it never commits")]
    pub async fn moment(&self) -> Result<Moment, StoreError> {
        let options = if self.readers.backend() == DatabaseBackend::Postgres {
            TransactionOptions {
                isolation_level: Some(IsolationLevel::RepeatableRead),
                access_mode: Some(AccessMode::ReadOnly),
                ..TransactionOptions::default()
            }
        } else {
            TransactionOptions::default()
        };
        Ok(Moment { tx: self.moments.begin_with_options(options).await? })
    }

    /// A number that rises with every change that this node commits, after which the change can be read, and with
    /// every one of another node that was noticed. Rises without a change do no harm.
    pub fn generation(&self) -> u64 {
        *self.changes.borrow()
    }

    /// Tells whoever waits for it when [`Db::generation`] rises.
    pub fn watch_changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Makes [`Db::generation`] rise because another node changed something, or this one did without an event.
    pub fn note_change(&self) {
        self.changes.send_modify(|generation| *generation += 1);
    }

    /// A connection that hears what other nodes change; `None` where there can be no others.
    pub async fn listen(&self) -> Result<Option<Listener>, StoreError> {
        Listener::open(&self.upkeep, Arc::clone(&self.node)).await
    }

    /// Whether other nodes may use the database.
    pub fn is_shared(&self) -> bool {
        self.readers.backend() == DatabaseBackend::Postgres
    }

    /// How the connections are used.
    pub fn pools(&self) -> Vec<PoolFigures> {
        let readers = self.readers.figures();
        match &*self.writers {
            Writers::Postgres { pool, .. } => {
                let transactions = figures("transactions", pool.get_postgres_connection_pool());
                [readers, transactions].into_iter().chain(self.replica.as_ref().map(|one| one.pool())).collect()
            }
            Writers::Sqlite(writer) => {
                let moments = figures("moments", self.moments.get_sqlite_connection_pool());
                vec![readers, moments, writer.figures()]
            }
        }
    }

    /// What was found before.
    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// How many features matched what was asked before.
    pub fn feature_totals(&self) -> &search::Totals {
        &self.memory.feature_totals
    }

    /// The state that the database is in now.
    pub(super) async fn edition(&self) -> Result<Edition, StoreError> {
        match &self.watch {
            Some(watch) => {
                let span = tell(DatabaseBackend::Sqlite, edition::SQLITE);
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

/// Why a change leaves no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoEvent {
    /// It is what programs report of themselves and of their use of features.
    Usage,
    /// It is what the server counts, notes and tidies away by itself.
    Upkeep,
    /// Somebody signs in or out, tries to, or is to be let in.
    SignIn,
    /// It concerns nobody but the person who does it.
    Personal,
}

/// A write under way. Dropping it undoes everything; [`Tx::commit`] is the only way to keep it.
#[derive(Debug)]
pub struct Tx {
    transaction: Writing,
    changes: Arc<watch::Sender<u64>>,
    node: Arc<str>,
}

/// Reads of one moment: what is committed meanwhile they do not see. See [`Db::moment`].
#[derive(Debug)]
pub struct Moment {
    tx: DatabaseTransaction,
}

/// Announces a change when it is dropped, be it because the commit ended or because nobody waits for its end any more.
struct Announcing(Arc<watch::Sender<u64>>);

impl Drop for Announcing {
    fn drop(&mut self) {
        self.0.send_modify(|generation| *generation += 1);
    }
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
        let mut new_events = new_events.into_iter().peekable();
        // What leaves no event is nothing that anybody keeps in memory.
        let (mut announcing, mut last) = (None, None);
        if new_events.peek().is_some() {
            last = events::append(&self, now, new_events).await?;
            announcing = Some(Announcing(Arc::clone(&self.changes)));
        }
        if let Some(last) = &last {
            tracing::trace!(target: STATEMENT_LOG, sql = last.sql);
        }
        self.keep(last).await?;
        drop(announcing);
        Ok(())
    }

    /// Commits a change that the log of events does not tell of, for this reason.
    pub async fn commit_without_event(self, reason: NoEvent) -> Result<(), StoreError> {
        tracing::trace!(target: STATEMENT_LOG, ?reason, "committed without events");
        self.keep(None).await
    }

    async fn keep(self, last: Option<Statement>) -> Result<(), StoreError> {
        let span = tell_step(self.transaction.get_database_backend(), "COMMIT");
        span.ended(self.transaction.commit(last).await)
    }

    /// What within a statement has other nodes told of this change once it is committed; `None` where there are none.
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
                let span = tell(self.get_database_backend(), &statement.sql);
                span.ended(self.$field.execute_raw(statement).await)
            }

            async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
                let span = tell(self.get_database_backend(), sql);
                span.ended(self.$field.execute_unprepared(sql).await)
            }

            async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
                let span = tell(self.get_database_backend(), &statement.sql);
                span.ended(self.$field.query_one_raw(askable(statement)).await)
            }

            async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
                let span = tell(self.get_database_backend(), &statement.sql);
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

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let span = tell(self.get_database_backend(), &statement.sql);
        span.ended(self.moments.execute_raw(statement).await)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let span = tell(self.get_database_backend(), sql);
        span.ended(self.moments.execute_unprepared(sql).await)
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let span = tell(self.get_database_backend(), &statement.sql);
        span.ended(self.readers.one(&askable(statement)).await)
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let span = tell(self.get_database_backend(), &statement.sql);
        span.ended(self.readers.all(&askable(statement)).await)
    }
}

forward_connection!(Tx, transaction);
forward_connection!(Moment, tx);
