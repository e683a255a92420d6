//! Opening a database for reads and writes.

use std::{path::Path, sync::Arc};

use flagstone_clock as clock;
use flagstone_files as files;
use sea_orm::{
    Database, DatabaseConnection,
    sqlx::{postgres::PgConnectOptions, sqlite::SqliteConnectOptions},
};

use super::{
    Db, POSTGRES, READERS, SNAPSHOTS, WAIT, Watch, options,
    options::{is_postgres, sqlite_path},
    pool::Pool,
    queue::Queue,
    reach,
    readers::Readers,
    writing::{PostgresWriters, SqliteWriter, Writers},
};
use crate::StoreError;

impl Db {
    /// Opens the database that a URL names: `sqlite://path` (created when absent) or `postgres://…`. What is said where
    /// that fails names the file or the server, and never the password.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        if is_postgres(url) {
            Box::pin(Self::open_server(url)).await
        } else if let Some(path) = sqlite_path(url) {
            Box::pin(Self::open_file(url, path)).await.map_err(|error| reach::of_file(path, error))
        } else {
            Err(options::unknown_kind())
        }
    }

    async fn open_file(url: &str, path: &Path) -> Result<Self, StoreError> {
        options::make_if_absent(path).map_err(|error| StoreError::unopened(files::reason(&error)))?;
        Self::connect_to_file(options::sqlite(url, true)?, options::sqlite(url, false)?).await
    }

    pub(super) async fn connect_to_file(
        reading: SqliteConnectOptions,
        writing: SqliteConnectOptions,
    ) -> Result<Self, StoreError> {
        let writer = SqliteWriter::open(writing.clone(), Queue::new(1, WAIT)).await?;
        let snapshots = Readers::Sqlite(Pool::new(reading.clone(), SNAPSHOTS, WAIT));
        let upkeep = Database::connect(options::sqlite_upkeep(writing)).await?;
        let readers = Readers::sqlite(reading.clone(), READERS, WAIT).await?;
        let watch = Some(Arc::new(Watch::new(reading)));
        Ok(Self { watch, ..Self::of(readers, snapshots, Writers::Sqlite(writer), upkeep) })
    }

    async fn open_server(url: &str) -> Result<Self, StoreError> {
        let reading = options::reading_postgres(url)?;
        Self::connect_to_server(reading, options::writing_postgres(url)?).await
    }

    pub(super) async fn connect_to_server(
        reading: PgConnectOptions,
        writing: PgConnectOptions,
    ) -> Result<Self, StoreError> {
        let first = reach::connect(&reading).await?;
        let upkeep = Database::connect(options::postgres_upkeep(writing.clone())).await?;
        let writers = PostgresWriters::new(writing);
        let snapshots = Readers::Postgres(Arc::clone(&writers.pool));
        let readers = Readers::postgres(first, reading, POSTGRES, WAIT);
        Ok(Self::of(readers, snapshots, Writers::Postgres(writers), upkeep))
    }

    /// A database by its connections.
    fn of(readers: Readers, snapshots: Readers, writers: Writers, upkeep: DatabaseConnection) -> Self {
        Self {
            readers,
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
