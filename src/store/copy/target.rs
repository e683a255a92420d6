//! The PostgreSQL database that receives everything, in one transaction: a target that is dropped before its commit
//! keeps nothing.

mod admission;

use futures_util::{TryStreamExt as _, stream::BoxStream};
use sea_orm::sqlx::{self, AssertSqlSafe, Connection as _, postgres::PgConnection, sqlite::SqliteRow};

use super::{
    row::{self, Sum},
    table::{Column, Kind, MIGRATIONS, Table},
};
use crate::{
    copy::CopyError,
    db::{options::postgres, reach},
};

/// Bytes that are sent at a time.
const PORTION: usize = 256 * 1024;
/// Rows between two reports of progress.
const STEP: u64 = 1000;
/// Longest wait of the copy for tables that are locked by others.
const LOCK_WAIT: &str = "10s";

/// An index or reference that rows are loaded without: to make it at the end takes half of what it takes to keep it up
/// with each row.
pub(super) struct DeferredIndex {
    pub(super) name: String,
    pub(super) table: String,
    remove: String,
    make: String,
}

pub(super) struct Target {
    connection: PgConnection,
}

impl Target {
    pub(super) async fn connect(url: &str) -> Result<Self, CopyError> {
        // Bounds that an operator sets for requests are none for a copy.
        let options = postgres(url).map_err(CopyError::Unreachable)?.options([
            ("synchronous_commit", "on"),
            ("lock_timeout", LOCK_WAIT),
            ("statement_timeout", "0"),
            ("idle_in_transaction_session_timeout", "0"),
        ]);
        let connection = reach::connect(&options).await.map_err(CopyError::Unreachable)?;
        Ok(Self { connection })
    }

    /// Begins to write, and returns the tables that there are.
    pub(super) async fn begin(&mut self) -> Result<Vec<Table>, CopyError> {
        self.execute("BEGIN").await?;
        self.tables().await
    }

    /// Locks the tables, makes sure once more that they are unused, and empties them.
    pub(super) async fn empty(&mut self, tables: &[Table]) -> Result<(), CopyError> {
        let names = names(tables);
        let locked = self.execute(&format!("LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE")).await;
        locked.map_err(|error| match error {
            CopyError::Target(sqlx::Error::Database(error)) if error.code().as_deref() == Some("55P03") => {
                CopyError::Busy
            }
            error => error,
        })?;
        self.refuse_used().await?;
        self.execute(&format!("TRUNCATE {names}")).await
    }

    /// Removes the indexes and references that no rule about rows needs before the end.
    pub(super) async fn defer_indexes(&mut self) -> Result<Vec<DeferredIndex>, CopyError> {
        let statements = "\
            SELECT c.relname::text AS name, t.relname::text, format('DROP INDEX %s', i.indexrelid::regclass), \
                   pg_get_indexdef(i.indexrelid), 1 AS turn \
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid \
            WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace \
              AND NOT EXISTS (SELECT FROM pg_constraint o WHERE o.conindid = i.indexrelid AND o.contype <> 'f') \
            UNION ALL \
            SELECT o.conname::text, t.relname::text, \
                   format('ALTER TABLE %s DROP CONSTRAINT %I', o.conrelid::regclass, o.conname), \
                   format('ALTER TABLE %s ADD CONSTRAINT %I %s', \
                          o.conrelid::regclass, o.conname, pg_get_constraintdef(o.oid)), 2 \
            FROM pg_constraint o JOIN pg_class t ON t.oid = o.conrelid \
            WHERE o.contype = 'f' AND o.connamespace = current_schema()::regnamespace \
            ORDER BY turn, name";
        let rows: Vec<(String, String, String, String, i32)> =
            sqlx::query_as(statements).fetch_all(&mut self.connection).await.map_err(CopyError::Target)?;
        let each = rows.into_iter().map(|(name, table, remove, make, _)| DeferredIndex { name, table, remove, make });
        let deferred: Vec<_> = each.collect();
        // References need the indexes of what they refer to: they go first and come last.
        for index in deferred.iter().rev() {
            self.execute(&index.remove).await?;
        }
        Ok(deferred)
    }

    /// Makes one that was deferred, which fails where rows break a rule.
    pub(super) async fn make_index(&mut self, index: &DeferredIndex) -> Result<(), CopyError> {
        self.execute(&index.make).await
    }

    /// Has the planner know the rows.
    pub(super) async fn analyze(&mut self, tables: &[Table]) -> Result<(), CopyError> {
        self.execute(&format!("ANALYZE {}", names(tables))).await
    }

    /// Sends rows, and returns their checksum as they were sent.
    pub(super) async fn load(
        &mut self,
        table: &Table,
        mut rows: BoxStream<'_, Result<SqliteRow, sqlx::Error>>,
        told: &dyn Fn(u64),
    ) -> Result<Sum, CopyError> {
        let statement = format!("COPY {} ({}) FROM STDIN", table.quoted(), table.list());
        let mut copy = self.connection.copy_in_raw(&statement).await.map_err(CopyError::Target)?;
        let mut lines = String::with_capacity(PORTION + PORTION / 4);
        let mut sum = Sum::default();
        while let Some(found) = rows.try_next().await.map_err(CopyError::Unreadable)? {
            let cells = row::read(&found, table).map_err(|(column, error)| CopyError::Value {
                place: row::place(table, column),
                reason: error.to_string(),
            })?;
            row::write(&cells, table, &mut lines)?;
            sum.add(&cells);
            if lines.len() >= PORTION {
                copy.send(lines.as_bytes()).await.map_err(CopyError::Target)?;
                lines.clear();
            }
            if sum.rows.is_multiple_of(STEP) {
                told(STEP);
            }
        }
        copy.send(lines.as_bytes()).await.map_err(CopyError::Target)?;
        copy.finish().await.map_err(CopyError::Target)?;
        told(sum.rows % STEP);
        Ok(sum)
    }

    /// Checksum of the rows that a table holds now.
    pub(super) async fn read_back(&mut self, table: &Table, told: &dyn Fn(u64)) -> Result<Sum, CopyError> {
        let sql = format!("SELECT {} FROM {}", table.list(), table.quoted());
        let mut rows = sqlx::query(AssertSqlSafe(sql)).fetch(&mut self.connection);
        let mut sum = Sum::default();
        while let Some(found) = rows.try_next().await.map_err(CopyError::Target)? {
            sum.add(&row::read(&found, table).map_err(|(_, error)| CopyError::Target(error))?);
            if sum.rows.is_multiple_of(STEP) {
                told(STEP);
            }
        }
        told(sum.rows % STEP);
        Ok(sum)
    }

    /// Has a sequence go on after the last number that was given.
    pub(super) async fn continue_after(&mut self, sequence: &str, last: i64) -> Result<(), CopyError> {
        sqlx::query("SELECT setval($1::regclass, greatest($2, 1), $2 > 0)")
            .bind(sequence)
            .bind(last)
            .execute(&mut self.connection)
            .await
            .map_err(CopyError::Target)?;
        Ok(())
    }

    /// Keeps everything.
    pub(super) async fn commit(mut self) -> Result<(), CopyError> {
        self.execute("COMMIT").await?;
        // All is kept; how the connection ends does not matter.
        let _ended = self.connection.close().await;
        Ok(())
    }

    /// Every table, by name.
    async fn tables(&mut self) -> Result<Vec<Table>, CopyError> {
        let columns = "\
            SELECT c.table_name::text, c.column_name::text, c.data_type::text, \
                   pg_get_serial_sequence(quote_ident(c.table_name), c.column_name) \
            FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name) \
            WHERE table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER' \
              AND c.table_name <> $1 \
            ORDER BY c.table_name, c.ordinal_position";
        let rows: Vec<(String, String, String, Option<String>)> = sqlx::query_as(columns)
            .bind(MIGRATIONS)
            .fetch_all(&mut self.connection)
            .await
            .map_err(CopyError::Target)?;
        let mut tables: Vec<Table> = Vec::new();
        for (table, name, kind, sequence) in rows {
            let kind = Kind::parse(&kind).ok_or_else(|| CopyError::UnknownType(format!("{table}.{name}, {kind},")))?;
            let column = Column { name, kind, sequence };
            match tables.last_mut().filter(|last| last.name == table) {
                Some(last) => last.columns.push(column),
                None => tables.push(Table { name: table, columns: vec![column] }),
            }
        }
        Ok(tables)
    }

    async fn execute(&mut self, sql: &str) -> Result<(), CopyError> {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.connection).await.map_err(CopyError::Target)?;
        Ok(())
    }
}

/// The tables, as a statement lists them.
fn names(tables: &[Table]) -> String {
    tables.iter().map(Table::quoted).collect::<Vec<_>>().join(", ")
}
