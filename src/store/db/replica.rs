//! Heavy reads on a read replica of PostgreSQL, as long as it is known to be recent.
//!
//! A node looks at both servers again and again: what the primary's log held at a moment, and how much of it the
//! replica has. The replica is as old as the newest such moment that it has reached. It is read while that is within
//! the bound and it has every change that this node has noticed, its own above all; otherwise, and where it fails, the
//! primary is.

mod server;
mod trail;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use sea_orm::{
    ConnectionTrait, DatabaseBackend, DbErr, ExecResult, QueryResult, RuntimeErr, Statement,
    sqlx::{self, postgres::PgConnectOptions},
};
use tokio::{sync::watch, time::timeout};

pub use self::server::Mismatch;
use self::{
    server::Server,
    trail::{Mark, Trail},
};
use super::{Db, POSTGRES, PoolFigures, log_statement, options::reading_postgres};
use crate::{
    StoreError,
    db::{edition::Edition, memory::Memory, pool::Pool, readers::Readers, value::askable},
};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::store::db::replica";

/// Longest time that the replica may take to connect, or to say how far it is. Requests do not wait longer for it
/// either.
const PATIENCE: Duration = Duration::from_secs(1);
/// Least looks within the time of the bound.
const LOOKS: u32 = 4;
/// Shortest time from one look to the next, while the replica lacks a change.
const HASTE: Duration = Duration::from_millis(10);

/// State of a replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The replica was not looked at yet.
    Unknown,
    /// The replica is within the bound.
    Recent,
    /// The replica is further behind than the bound, or the primary does not say where it is.
    Behind,
    /// The replica does not answer.
    Away,
    /// The server is no replica of this database.
    Foreign(Mismatch),
}

/// Figures of a replica.
#[derive(Debug, Clone, Copy)]
pub struct ReplicaFigures {
    /// State of the replica.
    pub standing: Standing,
    /// Greatest possible age of its data, if that is known.
    pub age: Option<Duration>,
    /// Heavy requests that it was chosen for.
    pub chosen: u64,
    /// Heavy requests that went to the primary.
    pub passed_over: u64,
    /// Statements that it failed at and the primary was asked.
    pub retried: u64,
}

/// The connections to a replica, and what is known about it.
#[derive(Debug)]
pub(super) struct Replica {
    readers: Readers,
    /// Connections of their own, so that looks do not wait behind what is heavy.
    primary_probe: Readers,
    own_probe: Readers,
    bound: Duration,
    observation: Mutex<Observation>,
    /// Holds false while statements under way there are given up.
    answers: watch::Sender<bool>,
    chosen: AtomicU64,
    passed_over: AtomicU64,
    retried: AtomicU64,
}

#[derive(Debug)]
struct Observation {
    trail: Trail,
    standing: Standing,
}

impl Replica {
    fn new(primary: PgConnectOptions, replica: PgConnectOptions, bound: Duration) -> Self {
        let probe = |options| Readers::Postgres(Pool::new(options, 1, PATIENCE));
        Self {
            readers: Readers::Postgres(Pool::new(replica.clone(), POSTGRES, PATIENCE)),
            primary_probe: probe(primary),
            own_probe: probe(replica),
            bound,
            observation: Mutex::new(Observation { trail: Trail::default(), standing: Standing::Unknown }),
            answers: watch::Sender::new(false),
            chosen: AtomicU64::default(),
            passed_over: AtomicU64::default(),
            retried: AtomicU64::default(),
        }
    }

    pub(super) async fn close(&self) {
        for connections in [&self.readers, &self.primary_probe, &self.own_probe] {
            connections.close().await;
        }
    }

    pub(super) fn pool(&self) -> PoolFigures {
        self.readers.figures("replica")
    }

    /// Whether it may be read by a caller who is to see this generation.
    fn serves(&self, generation: u64) -> bool {
        let trail = &self.observation().trail;
        trail.has(generation) && trail.age(Instant::now()).is_some_and(|age| age < self.bound)
    }

    /// Time from one look to the next while nothing changes.
    fn period(&self) -> Duration {
        if self.observation().standing == Standing::Away { PATIENCE } else { PATIENCE.min(self.bound / LOOKS) }
    }

    /// Looks at both servers. This node has noticed every change up to `generation`.
    async fn look(&self, generation: u64) {
        let at = Instant::now();
        // The primary first: what the replica has afterwards may be all of it.
        let primary = self.ask(&self.primary_probe).await;
        let replica = self.ask(&self.own_probe).await;
        let mut error = None;
        let mut observation = self.observation();
        let standing = match (primary, replica) {
            (_, Err(failure)) => {
                error = Some(failure);
                Standing::Away
            }
            (Ok(primary), Ok(replica)) => {
                if let Some(mismatch) = replica.mismatch(&primary) {
                    Standing::Foreign(mismatch)
                } else {
                    observation.trail.observe(Mark { at, generation, position: primary.position });
                    observation.trail.replayed(replica.position);
                    self.distance(&observation.trail)
                }
            }
            (Err(_), Ok(replica)) if !replica.is_replica() => Standing::Foreign(Mismatch::NoReplica),
            (Err(failure), Ok(replica)) => {
                error = Some(failure);
                observation.trail.replayed(replica.position);
                self.distance(&observation.trail)
            }
        };
        self.turn(observation, standing, error);
    }

    async fn ask(&self, connection: &Readers) -> Result<Server, DbErr> {
        timeout(PATIENCE, Server::ask(connection)).await.unwrap_or_else(|_| Err(gone()))
    }

    fn distance(&self, trail: &Trail) -> Standing {
        let is_recent = trail.age(Instant::now()).is_some_and(|age| age < self.bound);
        if is_recent { Standing::Recent } else { Standing::Behind }
    }

    /// Notes its state from now on, and logs a change of it.
    fn turn(&self, mut observation: MutexGuard<'_, Observation>, standing: Standing, error: Option<DbErr>) {
        let answers = matches!(standing, Standing::Recent | Standing::Behind);
        if !answers {
            observation.trail.lose();
        }
        let before = std::mem::replace(&mut observation.standing, standing);
        let age_ms = observation.trail.age(Instant::now()).map(|age| age.as_millis());
        drop(observation);
        self.answers.send_if_modified(|value| std::mem::replace(value, answers) != answers);
        if before == standing {
            return;
        }
        let error = error.map(tracing::field::display);
        match standing {
            Standing::Unknown => {}
            Standing::Recent => {
                tracing::info!(target: LOG, "heavy reads go to the read replica");
            }
            Standing::Behind => {
                tracing::warn!(
                    target: LOG,
                    age_ms,
                    error,
                    "heavy reads go to the primary: the read replica is too far behind"
                );
            }
            Standing::Away => {
                tracing::warn!(target: LOG, error, "heavy reads go to the primary: the read replica does not answer");
            }
            Standing::Foreign(mismatch) => tracing::error!(
                target: LOG,
                "heavy reads go to the primary: DATABASE_READ_URL names no replica of the database: {mismatch}"
            ),
        }
    }

    /// Asks the replica, until it is known to be of no use.
    async fn read<T>(&self, outcome: impl Future<Output = Result<T, DbErr>> + Send) -> Result<T, DbErr> {
        let mut answers = self.answers.subscribe();
        let outcome = tokio::select! {
            biased;
            outcome = outcome => outcome,
            _ = answers.wait_for(|answers| !answers) => Err(gone()),
        };
        outcome.inspect_err(|error| {
            self.retried.fetch_add(1, Ordering::Relaxed);
            tracing::debug!(target: LOG, %error, "the read replica failed at a statement; the primary is asked");
        })
    }

    /// Notes that the replica does not answer, so that no request tries before the next look.
    fn miss(&self, error: DbErr) {
        if matches!(&error, DbErr::Conn(RuntimeErr::SqlxError(cause)) if matches!(**cause, sqlx::Error::Io(_))) {
            self.turn(self.observation(), Standing::Away, Some(error));
        }
    }

    fn observation(&self) -> MutexGuard<'_, Observation> {
        self.observation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn gone() -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()).into()))
}

impl Db {
    /// Has heavy reads go to the replica that a URL names, as long as its data is known to be less than `bound` old. It
    /// need not be there: [`Db::follow_replica`] finds out, and nothing goes there before.
    pub fn with_replica(mut self, url: &str, bound: Duration) -> Result<Self, StoreError> {
        if self.get_database_backend() != DatabaseBackend::Postgres {
            return Err(DbErr::Custom("only a PostgreSQL database has replicas".to_owned()).into());
        }
        let primary = PgConnectOptions::clone(&self.upkeep.get_postgres_connection_pool().connect_options());
        let replica = reading_postgres(url)?;
        self.replica = Some(Arc::new(Replica::new(primary, replica, bound)));
        Ok(self)
    }

    /// The database for the reads of a request that are much work and lead to no write, and for no others: they may
    /// miss what another node committed within the bound. They all go to the replica, or all to the primary, unless the
    /// replica fails on the way.
    pub fn heavy(&self) -> HeavyReads<'_> {
        let replica = self.replica.as_deref().filter(|replica| {
            let serves = replica.serves(self.generation());
            let count = if serves { &replica.chosen } else { &replica.passed_over };
            count.fetch_add(1, Ordering::Relaxed);
            serves
        });
        HeavyReads { db: self, replica, has_failed: AtomicBool::new(false) }
    }

    /// Looks at the replica, if there is one, again and again; most often while it lacks a change. Ends at once without
    /// one, and otherwise never.
    pub async fn follow_replica(&self) {
        let Some(replica) = &self.replica else { return };
        let mut changes = self.watch_changes();
        let mut wait = HASTE;
        loop {
            self.look_at_replica().await;
            wait = if replica.observation().trail.has(self.generation()) {
                replica.period()
            } else {
                (wait * 2).min(replica.period())
            };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _ = changes.changed() => {
                    wait = HASTE;
                    tokio::time::sleep(HASTE).await;
                }
            }
        }
    }

    /// Looks at the replica once, if there is one.
    pub async fn look_at_replica(&self) {
        if let Some(replica) = &self.replica {
            // Read before the primary is asked: what this node has noticed by now is in its log.
            replica.look(self.generation()).await;
        }
    }

    /// Figures of the replica, if there is one.
    pub fn replica_figures(&self) -> Option<ReplicaFigures> {
        let replica = self.replica.as_ref()?;
        let observation = replica.observation();
        Some(ReplicaFigures {
            standing: observation.standing,
            age: observation.trail.age(Instant::now()),
            chosen: replica.chosen.load(Ordering::Relaxed),
            passed_over: replica.passed_over.load(Ordering::Relaxed),
            retried: replica.retried.load(Ordering::Relaxed),
        })
    }
}

/// The database for the heavy reads of one request. See [`Db::heavy`].
#[derive(Debug)]
pub struct HeavyReads<'a> {
    db: &'a Db,
    replica: Option<&'a Replica>,
    /// Whether it failed: it is not asked again by the same request.
    has_failed: AtomicBool,
}

impl HeavyReads<'_> {
    /// Cached results, of either server: each entry has the state for which it is valid.
    pub(crate) fn memory(&self) -> &Memory {
        self.db.memory()
    }

    /// The state that the database is in now, on the server that is read.
    pub(crate) async fn edition(&self) -> Result<Edition, StoreError> {
        match self.get_database_backend() {
            DatabaseBackend::Postgres => Edition::of_postgres(self).await,
            _ => self.db.edition().await,
        }
    }

    fn replica(&self) -> Option<&Replica> {
        self.replica.filter(|_| !self.has_failed.load(Ordering::Relaxed))
    }

    fn leave(&self, replica: &Replica, error: DbErr) {
        self.has_failed.store(true, Ordering::Relaxed);
        replica.miss(error);
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for HeavyReads<'_> {
    fn get_database_backend(&self) -> DatabaseBackend {
        self.db.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.db.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.db.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let statement = askable(statement);
        if let Some(replica) = self.replica() {
            let span = log_statement(self.get_database_backend(), &statement.sql);
            match span.ended(replica.read(replica.readers.one(&statement)).await) {
                Ok(row) => return Ok(row),
                Err(error) => self.leave(replica, error),
            }
        }
        self.db.query_one_raw(statement).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let statement = askable(statement);
        if let Some(replica) = self.replica() {
            let span = log_statement(self.get_database_backend(), &statement.sql);
            match span.ended(replica.read(replica.readers.all(&statement)).await) {
                Ok(rows) => return Ok(rows),
                Err(error) => self.leave(replica, error),
            }
        }
        self.db.query_all_raw(statement).await
    }
}
