//! Opening a database for reads and writes.

use std::{path::Path, sync::Arc};

use sea_orm::{Database, DatabaseConnection};

use super::{
    Db, POSTGRES, READERS, SNAPSHOTS, WAIT, Watch, options,
    options::{is_postgres, sqlite_path},
    queue::Queue,
    reach,
    readers::Readers,
    writing::{PostgresWriters, SqliteWriter, Writers},
};
use crate::{clock, store::StoreError};

impl Db {
    /// Opens the database that a URL names: `sqlite://path` (created when absent) or `postgres://…`. What is said where
    /// that fails names the file or the server, and never the password.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        if is_postgres(url) {
            Self::open_server(url).await
        } else if let Some(path) = sqlite_path(url) {
            Self::open_file(url, path).await.map_err(|error| reach::of_file(path, error))
        } else {
            Err(options::unknown_kind())
        }
    }

    async fn open_file(url: &str, path: &Path) -> Result<Self, StoreError> {
        options::make_if_absent(path).map_err(|error| StoreError::unopened(error.to_string()))?;
        let reading = options::sqlite(url, true)?;
        let writer = SqliteWriter::open(options::sqlite(url, false)?, Queue::new(1, WAIT)).await?;
        let snapshots = Database::connect(options::sqlite_pool(url, SNAPSHOTS, true)).await?;
        let upkeep = Database::connect(options::sqlite_pool(url, 1, false)).await?;
        let readers = Readers::sqlite(reading.clone(), READERS, WAIT).await?;
        let watch = Some(Arc::new(Watch::new(reading)));
        Ok(Self { watch, ..Self::of(readers, snapshots, Writers::Sqlite(writer), upkeep) })
    }

    async fn open_server(url: &str) -> Result<Self, StoreError> {
        let reading = options::reading_postgres(url)?;
        let first = reach::connect(&reading).await?;
        let pool = Database::connect(options::postgres_pool(url, POSTGRES)).await?;
        let writers = Writers::Postgres(PostgresWriters::new(pool.clone()));
        Ok(Self::of(Readers::postgres(first, reading, POSTGRES, WAIT), pool.clone(), writers, pool))
    }

    /// A database by its connections.
    pub(super) fn of(
        readers: Readers,
        snapshots: DatabaseConnection,
        writers: Writers,
        upkeep: DatabaseConnection,
    ) -> Self {
        Self {
            readers: Arc::new(readers),
            snapshots,
            writers: Arc::new(writers),
            upkeep,
            changes: Arc::default(),
            memory: Arc::default(),
            watch: None,
            replica: None,
            node: clock::new_uuid().simple().to_string().into(),
        }
    }
}
