//! Databases that are only looked at: nothing is made, upgraded or written.

use std::{path::Path, sync::Arc};

use sea_orm::{
    ConnectOptions, Database,
    sqlx::{ConnectOptions as _, sqlite::SqliteConnectOptions},
};

use super::{
    Db, POSTGRES, READERS, WAIT, Watch, Writers, options, queue::Queue, reach, readers::Readers, sqlite_path,
    writing::SqliteWriter,
};
use crate::{files, store::StoreError};

impl Db {
    /// Opens a database for reading alone. A file that nobody has open stays as it is, and nothing is made beside it.
    pub async fn open_to_look(url: &str) -> Result<Self, StoreError> {
        match sqlite_path(url) {
            Some(path) if url.starts_with("sqlite:") => Self::look_at_file(path).await,
            _ => Self::look_at_server(url).await,
        }
    }

    /// The same for a file.
    pub async fn look_at_file(path: &Path) -> Result<Self, StoreError> {
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
        let mut pool = ConnectOptions::new("sqlite::memory:");
        let options = reading.clone();
        pool.max_connections(2)
            .acquire_timeout(WAIT)
            .sqlx_logging(false)
            .map_sqlx_sqlite_opts(move |_| options.clone());
        let moments = Database::connect(pool).await?;
        let readers = Readers::sqlite(reading.clone(), READERS, WAIT).await?;
        let watch = Some(Arc::new(Watch::new(reading)));
        Ok(Self { watch, ..Self::of(readers, moments.clone(), Writers::Sqlite(writer), moments) })
    }

    async fn look_at_server(url: &str) -> Result<Self, StoreError> {
        const READ_ONLY: [(&str, &str); 1] = [("default_transaction_read_only", "on")];
        let reading = options::reading_postgres(url)?.options(READ_ONLY);
        let first = reach::connect(&reading).await?;
        sea_orm::sqlx::Connection::close(first).await.map_err(options::unusable)?;
        let mut pool = ConnectOptions::new(url);
        pool.max_connections(2)
            .acquire_timeout(WAIT)
            .connect_timeout(WAIT)
            .sqlx_logging(false)
            .map_sqlx_postgres_opts(|options| options.options(READ_ONLY));
        let pool = Database::connect(pool).await?;
        let writers = Writers::Postgres { pool: pool.clone(), queue: Queue::new(POSTGRES, WAIT) };
        Ok(Self::of(Readers::postgres(reading, POSTGRES, WAIT).await?, pool.clone(), writers, pool))
    }
}
