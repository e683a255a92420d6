//! Whether anything was committed since, so that what was read before need not be read again.

use std::sync::atomic::{AtomicU64, Ordering};

use flagstone_domain::opaque_debug;
use sea_orm::{
    ConnectionTrait, DatabaseBackend, DbErr, RuntimeErr, Statement,
    sqlx::{self, ConnectOptions as _, sqlite::SqliteConnectOptions, sqlite::SqliteConnection},
};
use tokio::sync::Mutex;

use super::{StoreError, remembered::Remembered};

/// Query for the edition of PostgreSQL: on a primary the transactions that it sees, on a replica the position in the
/// log that it has reached.
const POSTGRES: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text \
                        ELSE pg_current_snapshot()::text END";
/// Query for the edition of SQLite: a number of the connection that changes when another one has committed.
pub(crate) const SQLITE: &str = "PRAGMA data_version";

/// A state of the database. Of two that are equal nothing was committed between the first and the second, so what was
/// read after the first was seen still holds when the second is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Edition {
    Sqlite { connection: u64, version: i64 },
    Postgres(String),
}

impl Edition {
    pub(crate) async fn of_postgres(db: &impl ConnectionTrait) -> Result<Self, StoreError> {
        let statement = Statement::from_string(DatabaseBackend::Postgres, POSTGRES);
        let row = db.query_one_raw(statement).await?;
        let row = row.ok_or_else(|| DbErr::RecordNotFound("edition".to_owned()))?;
        Ok(Self::Postgres(row.try_get_by_index(0)?))
    }
}

/// Cache of answers at an edition, by the question. An answer is valid as long as its edition lasts.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    answers: Remembered<(Edition, T)>,
    /// Size of an answer in bytes; `None` for one that is not worth keeping.
    bytes: fn(&T) -> Option<usize>,
}

impl<T: Clone> Recent<T> {
    /// A cache of so many bytes of questions and answers.
    pub(crate) fn new(most_bytes: usize, bytes: fn(&T) -> Option<usize>) -> Self {
        Self { answers: Remembered::new(most_bytes), bytes }
    }

    /// Returns the cached answer at an edition, or the result of `read` from now on: a commit after the edition was
    /// asked for makes another one.
    pub(crate) async fn find_or(
        &self,
        question: String,
        edition: Edition,
        read: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        if let Some(answer) = self.find(&question, &edition) {
            return Ok(answer);
        }
        let answer = read.await?;
        self.keep(question, edition, answer.clone());
        Ok(answer)
    }

    /// Returns the cached answer at an edition.
    pub(crate) fn find(&self, question: &str, edition: &Edition) -> Option<T> {
        let (read_at, answer) = self.answers.find(question)?;
        (read_at == *edition).then_some(answer)
    }

    /// Keeps what was read at an edition or since, as far as there is room.
    pub(crate) fn keep(&self, question: String, edition: Edition, answer: T) {
        if let Some(bytes) = (self.bytes)(&answer) {
            self.answers.keep(question, (edition, answer), bytes);
        }
    }

    /// Whether what is kept takes half of the room.
    pub(crate) fn is_half_full(&self) -> bool {
        self.answers.is_half_full()
    }
}

/// A connection to SQLite that never writes: it sees what all others commit, those of other programs included.
pub(crate) struct Watch {
    options: SqliteConnectOptions,
    opened: AtomicU64,
    /// Connection that asks for the edition; `None` while a statement is under way: one that is given up takes its
    /// connection along.
    connection: Mutex<Option<(u64, SqliteConnection)>>,
}

opaque_debug!(Watch { opened, .. });

impl Watch {
    /// Connects when it is first asked.
    pub(crate) const fn new(options: SqliteConnectOptions) -> Self {
        Self { options, opened: AtomicU64::new(0), connection: Mutex::const_new(None) }
    }

    pub(crate) async fn edition(&self) -> Result<Edition, StoreError> {
        let failed = |error: sqlx::Error| DbErr::Query(RuntimeErr::SqlxError(error.into()));
        let mut kept = self.connection.lock().await;
        let (number, mut connection) = if let Some(kept) = kept.take() {
            kept
        } else {
            let connection = self.options.connect().await.map_err(failed)?;
            (self.opened.fetch_add(1, Ordering::Relaxed), connection)
        };
        let version = sqlx::query_scalar(SQLITE).fetch_one(&mut connection).await.map_err(failed)?;
        *kept = Some((number, connection));
        Ok(Edition::Sqlite { connection: number, version })
    }

    pub(crate) async fn close(&self) {
        let kept = self.connection.lock().await.take();
        if let Some((_, connection)) = kept
            && let Err(error) = sqlx::Connection::close(connection).await
        {
            tracing::debug!(target: "flagstone::store::db::edition", %error, "a connection did not close as it should");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: i64 = 0;

    async fn ask(recent: &Recent<i64>, version: i64, found: i64) -> i64 {
        let edition = Edition::Sqlite { connection: 1, version };
        recent.find_or("how many".to_owned(), edition, async { Ok(found) }).await.expect("an answer")
    }

    #[tokio::test]
    async fn an_answer_is_told_again_in_its_edition_and_read_again_in_another() {
        let recent = Recent::new(10_000, |_| Some(8));
        assert_eq!(ask(&recent, 1, 10).await, 10);
        assert_eq!(ask(&recent, 1, 11).await, 10);
        assert_eq!(ask(&recent, 2, 12).await, 12);
        assert_eq!(ask(&recent, 2, 13).await, 12);
    }

    #[tokio::test]
    async fn what_is_not_worth_keeping_is_read_each_time() {
        let recent = Recent::new(10_000, |found| (*found != NOTHING).then_some(8));
        assert_eq!(ask(&recent, 1, NOTHING).await, NOTHING);
        assert_eq!(ask(&recent, 1, 10).await, 10);
    }
}
