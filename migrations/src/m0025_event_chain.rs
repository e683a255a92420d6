//! The chain of hashes over the log of events, and its checkpoints.
//!
//! The hashes stand beside the events, so that a change pays nothing for them, and a log of before needs no change:
//! whatever has no hash yet is given one in the background.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

use crate::table::{NewTable, create_all, id, instant, number, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Written out since SQLite keeps the id for nothing only where its type is this very word.
const HASHES_ON_SQLITE: &str =
    "CREATE TABLE \"event_hash\" (\"event_id\" integer NOT NULL PRIMARY KEY, \"hash\" blob NOT NULL)";
const HASHES_ON_POSTGRES: &str = "CREATE TABLE \"event_hash\" (\"event_id\" bigint NOT NULL, \"hash\" bytea NOT NULL, \
                                  CONSTRAINT \"pk_event_hash\" PRIMARY KEY (\"event_id\"))";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let hashes = match manager.get_database_backend() {
            DatabaseBackend::Postgres => HASHES_ON_POSTGRES,
            _ => HASHES_ON_SQLITE,
        };
        manager.get_connection().execute_unprepared(hashes).await?;
        create_all(manager, vec![checkpoint()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// The hash in digits, as it was signed.
fn checkpoint() -> NewTable {
    NewTable::new(
        "event_checkpoint",
        [
            id(),
            number("event_id"),
            text("hash"),
            text("kind"),
            text("instance"),
            instant("created_at"),
            text("public_key"),
            text("signature"),
        ],
    )
    .index(&["event_id"])
    .index_where(&["id"], "kind = 'beginning'")
}
