//! Transactions on PostgreSQL. What those of this node would make each other wait for in the database, they wait for
//! here: a wait there occupies a connection, and its end costs the database more than the change that was waited for.

use std::sync::Arc;

use sea_orm::{
    ConnectionTrait as _, Statement,
    sqlx::{self, postgres::PgConnectOptions},
};
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    StoreError,
    db::{
        POSTGRES, WAIT,
        pool::Pool,
        queue::{Queue, WritePermit},
        transaction::PooledTransaction,
    },
};

/// Queues for changes of features. Two features may share one, which is no harm but a short wait.
const FEATURE_QUEUES: usize = 1024;

/// Source of transactions: as many at a time as the pool has connections.
#[derive(Debug)]
pub(crate) struct PostgresWriters {
    pub pool: Arc<Pool<sqlx::Postgres>>,
    queue: Queue,
    features: Vec<Queue>,
    log: Arc<Queue>,
}

/// A transaction under way. Dropping it rolls it back.
#[derive(Debug)]
pub(crate) struct PostgresTransaction {
    pub(super) transaction: PooledTransaction,
    log: Arc<Queue>,
    _permit: WritePermit,
}

impl PostgresWriters {
    /// Connects as these options say when the first transaction begins.
    pub(crate) fn new(options: PgConnectOptions) -> Self {
        let pool = Pool::new(options, POSTGRES, WAIT);
        let turns = || Queue::new(1, WAIT);
        let features = std::iter::repeat_with(turns).take(FEATURE_QUEUES).collect();
        Self { pool, queue: Queue::new(POSTGRES, WAIT), features, log: turns().into() }
    }

    pub(super) async fn begin(&self) -> Result<PostgresTransaction, StoreError> {
        let permit = self.queue.acquire().await?;
        let transaction = PooledTransaction::on_postgres(&self.pool, "BEGIN").await?;
        Ok(PostgresTransaction { transaction, log: Arc::clone(&self.log), _permit: permit })
    }

    /// The turn to change a feature, which is taken before the transaction begins.
    pub(super) async fn turn_to_change(&self, feature: &str) -> Result<WritePermit, StoreError> {
        let queue = xxh3_64(feature.as_bytes()) % FEATURE_QUEUES as u64;
        self.features[usize::try_from(queue).unwrap_or_default()].acquire().await
    }

    /// Closes the connections, after what is under way.
    pub(super) async fn close(&self) {
        self.queue.close().await;
        self.pool.close().await;
    }
}

impl PostgresTransaction {
    /// The turn to add to the log of events, which is kept until the transaction has ended.
    pub(super) async fn turn_to_log(&self) -> Result<WritePermit, StoreError> {
        self.log.acquire().await
    }

    /// Runs the last statement and commits, like the transactions of SQLite.
    pub(super) async fn commit(self, last: Option<Statement>) -> Result<Vec<i64>, StoreError> {
        let rows = match last {
            Some(last) => self.transaction.query_all_raw(last).await?,
            None => Vec::new(),
        };
        self.transaction.commit().await?;
        Ok(rows.iter().map(|row| row.try_get_by_index(0)).collect::<Result<_, _>>()?)
    }
}
