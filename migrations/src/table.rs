//! The shapes that tables are made of: columns, keys and indexes, with names that follow one rule on both databases.

use sea_orm_migration::{
    prelude::{
        ColumnDef, ColumnType, ConnectionTrait, DbErr, ForeignKey, ForeignKeyAction, Index, SchemaManager, Table,
        TableCreateStatement,
    },
    sea_orm::DatabaseBackend,
};

/// Longest name that PostgreSQL keeps whole.
const LONGEST_NAME: usize = 63;

/// Number that the database gives; never used twice, also not after the row is gone.
pub(crate) fn id() -> ColumnDef {
    let mut column = ColumnDef::new("id");
    column.big_integer().not_null().auto_increment().primary_key();
    column
}

/// Text that must be there. JSON is text too, so that both databases give back the bytes that were stored.
pub(crate) fn text(name: &'static str) -> ColumnDef {
    let mut column = ColumnDef::new(name);
    column.text().not_null();
    column
}

/// Whole number that must be there.
pub(crate) fn number(name: &'static str) -> ColumnDef {
    let mut column = ColumnDef::new(name);
    column.big_integer().not_null();
    column
}

/// Instant in milliseconds since 1970, UTC, that must be there.
pub(crate) fn instant(name: &'static str) -> ColumnDef {
    number(name)
}

/// Fraction that must be there.
pub(crate) fn fraction(name: &'static str) -> ColumnDef {
    let mut column = ColumnDef::new(name);
    column.double().not_null();
    column
}

/// Truth value that must be there.
pub(crate) fn flag(name: &'static str) -> ColumnDef {
    let mut column = ColumnDef::new(name);
    column.boolean().not_null();
    column
}

/// Returns the column, but it may be absent.
pub(crate) fn optional(mut column: ColumnDef) -> ColumnDef {
    column.null();
    column
}

/// A table to be created, with everything that belongs to it.
pub(crate) struct NewTable {
    name: &'static str,
    statement: TableCreateStatement,
    indexes: Vec<String>,
}

impl NewTable {
    pub(crate) fn new(name: &'static str, columns: impl IntoIterator<Item = ColumnDef>) -> Self {
        let mut statement = Table::create();
        statement.table(name);
        for column in columns {
            statement.col(column);
        }
        Self { name, statement, indexes: Vec::new() }
    }

    /// Primary key.
    pub(crate) fn key(mut self, columns: &[&'static str]) -> Self {
        let mut key = Index::create();
        key.name(short(format!("pk_{}", self.name)));
        for column in columns {
            key.col(*column);
        }
        self.statement.primary_key(&mut key);
        self
    }

    /// Foreign key to a row without which this one has no meaning: deleting that row deletes this one.
    pub(crate) fn belongs_to(self, column: &'static str, table: &'static str, key: &'static str) -> Self {
        self.foreign_key(&[column], table, &[key], ForeignKeyAction::Cascade)
    }

    /// Foreign key to a row that cannot be deleted while this one names it. The check waits for the end of the
    /// statement, so one statement may delete both.
    pub(crate) fn refers_to(self, column: &'static str, table: &'static str, key: &'static str) -> Self {
        self.foreign_key(&[column], table, &[key], ForeignKeyAction::NoAction)
    }

    /// Foreign key of several columns.
    pub(crate) fn foreign_key(
        mut self,
        columns: &[&'static str],
        table: &'static str,
        key: &[&'static str],
        on_delete: ForeignKeyAction,
    ) -> Self {
        let mut foreign_key = ForeignKey::create();
        foreign_key.name(short(format!("fk_{}__{}", self.name, columns.join("_"))));
        foreign_key.from_tbl(self.name).to_tbl(table).on_delete(on_delete);
        for column in columns {
            foreign_key.from_col(*column);
        }
        for column in key {
            foreign_key.to_col(*column);
        }
        self.statement.foreign_key(&mut foreign_key);
        self
    }

    /// Index.
    pub(crate) fn index(self, columns: &[&str]) -> Self {
        self.any_index("INDEX", "ix", columns, "")
    }

    /// Index of the rows that satisfy a condition.
    pub(crate) fn index_where(self, columns: &[&str], condition: &str) -> Self {
        self.any_index("INDEX", "ix", columns, &format!(" WHERE {condition}"))
    }

    /// Index that lets no two rows be equal in all the columns. `NULL` equals nothing.
    pub(crate) fn unique(self, columns: &[&str]) -> Self {
        self.any_index("UNIQUE INDEX", "ux", columns, "")
    }

    /// Index that lets no two rows that satisfy a condition be equal in all the columns.
    pub(crate) fn unique_where(self, columns: &[&str], condition: &str) -> Self {
        self.any_index("UNIQUE INDEX", "ux", columns, &format!(" WHERE {condition}"))
    }

    /// Index of an expression, which must be written the same way where it is to be used.
    pub(crate) fn index_on(mut self, name: &str, expressions: &str, condition: &str) -> Self {
        let name = short(format!("ix_{}__{name}", self.name));
        self.indexes.push(format!("CREATE INDEX \"{name}\" ON \"{}\" ({expressions}) WHERE {condition}", self.name));
        self
    }

    /// The statement is written out because the builder knows no partial indexes; both databases read it.
    fn any_index(mut self, kind: &str, prefix: &str, columns: &[&str], condition: &str) -> Self {
        let name = short(format!("{prefix}_{}__{}", self.name, columns.join("_")));
        let columns: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
        let columns = columns.join(", ");
        self.indexes.push(format!("CREATE {kind} \"{name}\" ON \"{}\" ({columns}){condition}", self.name));
        self
    }

    /// PostgreSQL would sort text as its database's language does, so that the same data came in another order on
    /// another server, and on SQLite.
    fn sort_by_bytes(&self) -> String {
        let text =
            self.statement.get_columns().iter().filter(|column| column.get_column_type() == Some(&ColumnType::Text));
        let clauses: Vec<String> =
            text.map(|column| format!("ALTER \"{0}\" TYPE text COLLATE \"C\"", column.get_column_name())).collect();
        if clauses.is_empty() { String::new() } else { format!("ALTER TABLE \"{}\" {}", self.name, clauses.join(", ")) }
    }

    /// Creates the table, then its indexes.
    pub(crate) async fn create(self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let sort_by_bytes = self.sort_by_bytes();
        manager.create_table(self.statement).await?;
        if manager.get_database_backend() == DatabaseBackend::Postgres {
            manager.get_connection().execute_unprepared(&sort_by_bytes).await?;
        }
        for index in &self.indexes {
            manager.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }
}

/// Creates tables in order: a table comes after those that it refers to.
pub(crate) async fn create_all(manager: &SchemaManager<'_>, tables: Vec<NewTable>) -> Result<(), DbErr> {
    for table in tables {
        table.create(manager).await?;
    }
    Ok(())
}

/// PostgreSQL would cut a longer name in silence; cut here, it is the same on both databases.
fn short(mut name: String) -> String {
    name.truncate(LONGEST_NAME);
    name
}
