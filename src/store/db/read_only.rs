//! Opening a database for reading alone: nothing is made, upgraded or written.

use std::path::Path;

use flagstone_files as files;
use sea_orm::sqlx::{ConnectOptions as _, sqlite::SqliteConnectOptions};

use super::{Db, WAIT, is_postgres, options, reach, sqlite_path};
use crate::StoreError;

impl Db {
    /// Opens a database for reading alone. A file that no program has open stays as it is, and no other file is made.
    pub async fn open_read_only(url: &str) -> Result<Self, StoreError> {
        if is_postgres(url) {
            Box::pin(Self::open_server_read_only(url)).await
        } else if let Some(path) = sqlite_path(url) {
            Self::open_file_read_only(path).await
        } else {
            Err(options::unknown_kind())
        }
    }

    /// Opens a file for reading alone.
    pub async fn open_file_read_only(path: &Path) -> Result<Self, StoreError> {
        // Without a log, everything is in the file, and no lock needs to be kept in another.
        let is_whole = !files::beside(path, "-wal").exists();
        let reading = SqliteConnectOptions::new()
            .filename(path)
            .read_only(true)
            .immutable(is_whole)
            .busy_timeout(WAIT)
            .pragma("temp_store", "memory")
            .disable_statement_logging();
        let opened = Box::pin(Self::connect_to_file(reading.clone(), reading)).await;
        opened.map_err(|error| StoreError::unopened(reach::reason_of_file(&error)))
    }

    async fn open_server_read_only(url: &str) -> Result<Self, StoreError> {
        const READ_ONLY: [(&str, &str); 1] = [("default_transaction_read_only", "on")];
        let reading = options::reading_postgres(url)?.options(READ_ONLY);
        Self::connect_to_server(reading.clone(), reading).await
    }
}
