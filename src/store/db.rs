//! The two ways to the database: [`Db`] reads, [`Tx`] writes, and a `Tx` cannot commit without saying its events.

use std::{path::Path, sync::Arc, time::Duration};

use sea_orm::{
    AccessMode, ConnectOptions, ConnectionTrait, Database, DatabaseBackend, DatabaseConnection, DatabaseTransaction,
    DbErr, ExecResult, IsolationLevel, QueryResult, Statement, TransactionOptions, TransactionTrait,
    sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous},
};
use tokio::sync::watch;

use crate::{
    domain::{event::NewEvent, time::Timestamp},
    store::{StoreError, events},
};

/// Connections that read at the same time.
const READERS: u32 = 4;
/// How long a statement waits for SQLite's lock, and a request for a connection.
const WAIT: Duration = Duration::from_secs(10);
/// Pages that a connection keeps, in KiB; negative, as SQLite tells KiB from pages. The rest is the system's cache's
/// business: a mapped file would count once for every connection.
const CACHE: &str = "-8192";
/// Statements that a connection keeps prepared.
const STATEMENTS: usize = 256;
/// Number of the PostgreSQL advisory lock under which events get their ids, so that ids rise in commit order.
const EVENT_LOCK: i64 = 0x0046_4c41_4745_0001;

/// An open database. Reads go to it directly; writes go through [`Db::begin`].
#[derive(Debug, Clone)]
pub struct Db {
    readers: DatabaseConnection,
    writer: DatabaseConnection,
    changes: Arc<watch::Sender<u64>>,
}

impl Db {
    /// Opens the database that a URL names: `sqlite://path` (created when absent) or `postgres://…`.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        if url.starts_with("sqlite:") {
            if let Some(path) = sqlite_path(url) {
                create_private(path).map_err(|error| DbErr::Custom(format!("{}: {error}", path.display())))?;
            }
            let writer = Database::connect(sqlite_options(url, 1, false)).await?;
            let readers = Database::connect(sqlite_options(url, READERS, true)).await?;
            Ok(Self { readers, writer, changes: Arc::default() })
        } else {
            let mut options = ConnectOptions::new(url);
            options
                .max_connections(READERS * 4)
                .acquire_timeout(WAIT)
                .connect_timeout(WAIT)
                .sqlx_logging(false)
                .map_sqlx_postgres_opts(|options| options.options([("synchronous_commit", "on")]));
            let pool = Database::connect(options).await?;
            Ok(Self { readers: pool.clone(), writer: pool, changes: Arc::default() })
        }
    }

    /// Closes every connection after the statements under way; on SQLite this also folds the log into the file.
    pub async fn close(self) -> Result<(), StoreError> {
        self.readers.close().await?;
        self.writer.close().await?;
        Ok(())
    }

    /// Starts a write. On SQLite it waits for the one before it to end.
    #[expect(clippy::disallowed_methods, reason = "this is the one place where transactions begin")]
    pub async fn begin(&self) -> Result<Tx, StoreError> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(sea_orm::SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        Ok(Tx { tx: self.writer.begin_with_options(options).await?, changes: Arc::clone(&self.changes) })
    }

    /// Starts several reads that all see the database as it is at the first of them.
    #[expect(clippy::disallowed_methods, reason = "reads of one moment need a transaction; it never commits")]
    pub async fn moment(&self) -> Result<Moment, StoreError> {
        let options = if self.readers.get_database_backend() == DatabaseBackend::Postgres {
            TransactionOptions {
                isolation_level: Some(IsolationLevel::RepeatableRead),
                access_mode: Some(AccessMode::ReadOnly),
                ..TransactionOptions::default()
            }
        } else {
            TransactionOptions::default()
        };
        Ok(Moment { tx: self.readers.begin_with_options(options).await? })
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

    /// Makes [`Db::generation`] rise because another node changed something.
    pub fn note_change(&self) {
        self.changes.send_modify(|generation| *generation += 1);
    }

    /// The connection that migrations run on.
    pub(super) const fn writer(&self) -> &DatabaseConnection {
        &self.writer
    }
}

/// Makes the file readable by its owner alone, since it holds password hashes; its log inherits that. One that exists
/// stays as it is.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn sqlite_options(url: &str, connections: u32, read_only: bool) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .min_connections(1)
        .acquire_timeout(WAIT)
        .sqlx_logging(false)
        .map_sqlx_sqlite_opts(move |options| {
            let options = options
                .create_if_missing(!read_only)
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Full)
                .busy_timeout(WAIT)
                .foreign_keys(true)
                .statement_cache_capacity(STATEMENTS)
                .pragma("cache_size", CACHE)
                .pragma("temp_store", "memory");
            if read_only { options.pragma("query_only", "true") } else { options }
        });
    options
}

/// The file of a `sqlite:` URL, or `None` for another database.
pub fn sqlite_path(url: &str) -> Option<&Path> {
    let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:"))?;
    Some(Path::new(path.split('?').next().unwrap_or(path)))
}

/// A write under way. Dropping it undoes everything; [`Tx::commit`] is the only way to keep it.
#[derive(Debug)]
pub struct Tx {
    tx: DatabaseTransaction,
    changes: Arc<watch::Sender<u64>>,
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
    #[expect(clippy::disallowed_methods, reason = "this is the one place where transactions commit")]
    pub async fn commit<I>(self, now: Timestamp, new_events: I) -> Result<(), StoreError>
    where
        I: IntoIterator<Item = NewEvent> + Send,
        I::IntoIter: Send,
    {
        let mut new_events = new_events.into_iter().peekable();
        // What leaves no event is nothing that anybody keeps in memory.
        let mut announcing = None;
        if new_events.peek().is_some() {
            self.lock_event_log().await?;
            events::append(&self, now, new_events).await?;
            announcing = Some(Announcing(Arc::clone(&self.changes)));
        }
        self.tx.commit().await?;
        drop(announcing);
        Ok(())
    }

    /// Keeps other writers of events out until this transaction ends.
    async fn lock_event_log(&self) -> Result<(), StoreError> {
        self.lock_on_postgres(EVENT_LOCK).await
    }

    /// Keeps other writers with the same number out until this transaction ends. SQLite has one writer anyway.
    pub(super) async fn lock_on_postgres(&self, number: i64) -> Result<(), StoreError> {
        if self.tx.get_database_backend() == DatabaseBackend::Postgres {
            let sql = format!("SELECT pg_advisory_xact_lock({number})");
            self.tx.execute_unprepared(&sql).await?;
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
                self.$field.execute_raw(statement).await
            }

            async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
                self.$field.execute_unprepared(sql).await
            }

            async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
                self.$field.query_one_raw(statement).await
            }

            async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
                self.$field.query_all_raw(statement).await
            }
        }
    };
}

forward_connection!(Db, readers);
forward_connection!(Tx, tx);
forward_connection!(Moment, tx);
