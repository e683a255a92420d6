//! Opening a database for reading alone: nothing is made, upgraded or written.

use std::{path::Path, sync::Arc};

use sea_orm::{
    Database,
    sqlx::{ConnectOptions as _, sqlite::SqliteConnectOptions},
};

use super::{
    Db, READERS, SNAPSHOTS, WAIT, Watch, Writers, is_postgres, options, pool::Pool, queue::Queue, reach,
    readers::Readers, sqlite_path, writing::SqliteWriter,
};
use crate::{files, store::StoreError};

impl Db {
    /// Opens a database for reading alone. A file that nobody has open stays as it is, and nothing is made beside it.
    pub async fn open_read_only(url: &str) -> Result<Self, StoreError> {
        if is_postgres(url) {
            Box::pin(Self::open_server_read_only(url)).await
        } else if let Some(path) = sqlite_path(url) {
            Self::open_file_read_only(path).await
        } else {
            Err(options::unknown_kind())
        }
    }

    /// The same for a file.
    pub async fn open_file_read_only(path: &Path) -> Result<Self, StoreError> {
        Self::connect_to_file(path).await.map_err(|error| StoreError::unopened(reach::reason_of_file(&error)))
    }

    async fn connect_to_file(path: &Path) -> Result<Self, StoreError> {
        // Without a log beside it, everything is in the file, and no lock needs to be kept in another.
        let is_whole = !files::beside(path, "-wal").exists();
        let reading = SqliteConnectOptions::new()
            .filename(path)
            .read_only(true)
            .immutable(is_whole)
            .busy_timeout(WAIT)
            .pragma("temp_store", "memory")
            .disable_statement_logging();
        let writer = SqliteWriter::open(reading.clone(), Queue::new(1, WAIT)).await?;
        let snapshots = Readers::Sqlite(Pool::new(reading.clone(), SNAPSHOTS, WAIT));
        let upkeep = Database::connect(options::sqlite_upkeep(reading.clone())).await?;
        let readers = Readers::sqlite(reading.clone(), READERS, WAIT).await?;
        let watch = Some(Arc::new(Watch::new(reading)));
        Ok(Self { watch, ..Self::of(readers, snapshots, Writers::Sqlite(writer), upkeep) })
    }

    async fn open_server_read_only(url: &str) -> Result<Self, StoreError> {
        const READ_ONLY: [(&str, &str); 1] = [("default_transaction_read_only", "on")];
        let reading = options::reading_postgres(url)?.options(READ_ONLY);
        Self::connect_to_server(reading.clone(), reading).await
    }
}
