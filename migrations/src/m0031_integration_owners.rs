//! Owners of integrations, whose sight bounds what these are told, and integrations that are told of their end.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const COLUMNS: [&str; 4] = [
    "ALTER TABLE \"integration\" ADD COLUMN \"owner_id\" bigint",
    "ALTER TABLE \"integration\" ADD COLUMN \"owner_name\" text",
    "ALTER TABLE \"integration\" ADD COLUMN \"departed_from\" bigint",
    "ALTER TABLE \"integration\" ADD COLUMN \"hears_of_change\" boolean NOT NULL DEFAULT FALSE",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for statement in COLUMNS {
            connection.execute_unprepared(statement).await?;
        }
        // What the log still tells of whoever made or changed one last; the others stay the instance's.
        let id = if connection.get_database_backend() == DatabaseBackend::Postgres {
            "CAST(event.data AS jsonb) ->> 'id'"
        } else {
            "CAST(event.data ->> '$.id' AS text)"
        };
        for (column, value) in [("owner_id", "created_by_user_id"), ("owner_name", "created_by")] {
            let statement = format!(
                "UPDATE integration SET {column} = (SELECT event.{value} FROM event \
                 WHERE event.type IN ('addon-config-created', 'addon-config-updated') AND event.data IS NOT NULL \
                 AND {id} = CAST(integration.id AS text) ORDER BY event.id DESC LIMIT 1)"
            );
            connection.execute_unprepared(&statement).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
