//! The text table of events takes them in by the batch. One by one, each costs more than everything else that a change
//! writes. `PostgreSQL` does the like by itself.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Every event whose id this divides has the text table take in those up to itself.
const BATCH: u8 = 64;

/// Columns that are searched.
const COLUMNS: &str = "search_payload, search_origin";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        if connection.get_database_backend() != DatabaseBackend::Sqlite {
            return Ok(());
        }
        for statement in statements() {
            connection.execute_unprepared(&statement).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// The text table has a row of sizes for each event that it knows; those after the last of them it does not know.
fn statements() -> Vec<String> {
    let is_known = "EXISTS (SELECT 1 FROM event_fts_docsize WHERE id = old.id)";
    let remove = format!(
        "INSERT INTO event_fts (event_fts, rowid, {COLUMNS}) \
         VALUES ('delete', old.id, old.search_payload, old.search_origin);"
    );
    let drop = ["insert", "update", "delete"].map(|event| format!("DROP TRIGGER tr_event__fts_{event}"));
    let create = [
        format!(
            "CREATE TRIGGER tr_event__fts_insert AFTER INSERT ON event WHEN new.id % {BATCH} = 0 BEGIN \
             INSERT INTO event_fts (rowid, {COLUMNS}) SELECT id, {COLUMNS} FROM event \
             WHERE id > coalesce((SELECT max(id) FROM event_fts_docsize), 0); END"
        ),
        format!(
            "CREATE TRIGGER tr_event__fts_update AFTER UPDATE OF {COLUMNS} ON event \
             WHEN (new.search_payload, new.search_origin) IS NOT (old.search_payload, old.search_origin) \
             AND {is_known} BEGIN {remove} INSERT INTO event_fts (rowid, {COLUMNS}) \
             VALUES (new.id, new.search_payload, new.search_origin); END"
        ),
        format!("CREATE TRIGGER tr_event__fts_delete AFTER DELETE ON event WHEN {is_known} BEGIN {remove} END"),
    ];
    drop.into_iter().chain(create).collect()
}
