//! The SQLite file, as it is at one moment. It is opened for reading alone.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use futures_util::stream::BoxStream;
use sea_orm::sqlx::{
    self, AssertSqlSafe, ConnectOptions as _, Connection as _,
    sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow},
};

use super::table::{Column, Columns, MIGRATIONS, Table, quoted};
use crate::{
    copy::{CopyError, SourceSchema},
    migrate,
};

/// Longest wait of a read where a write to the file keeps it out.
const WAIT: Duration = Duration::from_secs(10);

pub(super) struct Source {
    connection: SqliteConnection,
}

impl Source {
    /// Begins to read. What the server writes from now on is not seen.
    pub(super) async fn open(file: &Path) -> Result<Self, CopyError> {
        let options = SqliteConnectOptions::new().filename(file).read_only(true).busy_timeout(WAIT);
        let connection = SqliteConnection::connect_with(&options.disable_statement_logging())
            .await
            .map_err(CopyError::Unreadable)?;
        let mut source = Self { connection };
        source.execute("BEGIN").await?;
        match source.schema().await? {
            None => Ok(source),
            Some(other) => Err(CopyError::Source(PathBuf::from(file), other)),
        }
    }

    /// Returns the difference of the schema from that of this program, if there is one.
    async fn schema(&mut self) -> Result<Option<SourceSchema>, CopyError> {
        let record = format!("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '{MIGRATIONS}'");
        if self.number(record).await? == 0 {
            return Ok(Some(SourceSchema::Foreign));
        }
        let applied = sqlx::query_scalar(AssertSqlSafe(format!("SELECT version FROM {MIGRATIONS}")))
            .fetch_all(&mut self.connection)
            .await;
        let applied: BTreeSet<String> = applied.map_err(CopyError::Unreadable)?.into_iter().collect();
        let known: BTreeSet<String> = migrate::known().into_iter().collect();
        Ok(if !applied.is_subset(&known) {
            Some(SourceSchema::Newer)
        } else if applied.len() < known.len() {
            Some(SourceSchema::Older)
        } else {
            None
        })
    }

    /// Every table with data that people made; search indexes and computed columns are left to the target, which makes
    /// them again.
    pub(super) async fn columns(&mut self) -> Result<Columns, CopyError> {
        let columns = format!(
            "SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c \
             WHERE t.schema = 'main' AND t.type = 'table' AND c.hidden = 0 \
             AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name <> '{MIGRATIONS}'"
        );
        let rows: Vec<(String, String)> = sqlx::query_as(AssertSqlSafe(columns))
            .fetch_all(&mut self.connection)
            .await
            .map_err(CopyError::Unreadable)?;
        let mut columns = Columns::new();
        for (table, column) in rows {
            columns.entry(table).or_default().insert(column);
        }
        Ok(columns)
    }

    pub(super) async fn count(&mut self, table: &Table) -> Result<u64, CopyError> {
        let rows = self.number(format!("SELECT count(*) FROM {}", table.quoted())).await?;
        Ok(u64::try_from(rows).unwrap_or_default())
    }

    /// All rows of a table.
    pub(super) fn rows(&mut self, table: &Table) -> BoxStream<'_, Result<SqliteRow, sqlx::Error>> {
        let sql = format!("SELECT {} FROM {}", table.list(), table.quoted());
        sqlx::query(AssertSqlSafe(sql)).fetch(&mut self.connection)
    }

    /// The greatest number that was ever given to a row, also to one that is gone; 0 when there was none.
    pub(super) async fn last_number(&mut self, table: &Table, column: &Column) -> Result<i64, CopyError> {
        let given = format!(
            "SELECT max(coalesce((SELECT max({}) FROM {}), 0), \
             coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{}'), 0))",
            quoted(&column.name),
            table.quoted(),
            table.name.replace('\'', "''")
        );
        self.number(given).await
    }

    async fn number(&mut self, sql: String) -> Result<i64, CopyError> {
        sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut self.connection).await.map_err(CopyError::Unreadable)
    }

    async fn execute(&mut self, sql: &'static str) -> Result<(), CopyError> {
        sqlx::raw_sql(sql).execute(&mut self.connection).await.map_err(CopyError::Unreadable)?;
        Ok(())
    }
}
