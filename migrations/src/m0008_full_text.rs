//! Finding any part of a text: the one thing that the two databases do each in their own way.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Tables and their columns that are searched; all hold lower case.
const SEARCHED: [(&str, &[&str]); 2] = [("feature", &["search_text"]), ("event", &["search_payload", "search_origin"])];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        let postgres = connection.get_database_backend() == DatabaseBackend::Postgres;
        if postgres {
            connection.execute_unprepared("CREATE EXTENSION IF NOT EXISTS pg_trgm").await?;
        }
        for (table, columns) in SEARCHED {
            let statements = if postgres { trigram_indexes(table, columns) } else { text_table(table, columns) };
            for statement in &statements {
                connection.execute_unprepared(statement).await?;
            }
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn trigram_indexes(table: &str, columns: &[&str]) -> Vec<String> {
    let index =
        |column: &&str| format!("CREATE INDEX ix_{table}__{column} ON {table} USING gin ({column} gin_trgm_ops)");
    columns.iter().map(index).collect()
}

/// The text table stores trigrams only and reads the text from the table it serves; triggers keep it in step.
/// To remove an entry it must be told the text that was indexed.
fn text_table(table: &str, columns: &[&str]) -> Vec<String> {
    let names = columns.join(", ");
    let of = |row: &str| columns.iter().map(|column| format!("{row}.{column}")).collect::<Vec<_>>().join(", ");
    let (new, old) = (of("new"), of("old"));
    let add = format!("INSERT INTO {table}_fts (rowid, {names}) VALUES (new.id, {new});");
    let remove = format!("INSERT INTO {table}_fts ({table}_fts, rowid, {names}) VALUES ('delete', old.id, {old});");
    vec![
        format!(
            "CREATE VIRTUAL TABLE {table}_fts USING fts5 ({names}, content='{table}', content_rowid='id', \
             tokenize='trigram case_sensitive 1')"
        ),
        format!("CREATE TRIGGER tr_{table}__fts_insert AFTER INSERT ON {table} BEGIN {add} END"),
        format!(
            "CREATE TRIGGER tr_{table}__fts_update AFTER UPDATE OF {names} ON {table} \
             WHEN ({new}) IS NOT ({old}) BEGIN {remove} {add} END"
        ),
        format!("CREATE TRIGGER tr_{table}__fts_delete AFTER DELETE ON {table} BEGIN {remove} END"),
    ]
}
