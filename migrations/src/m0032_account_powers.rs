//! How accounts and groups came to a directory, who ended an account, and whether a person gave it its root role.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// What a directory manages already was found by it, unless the log says that it was made by it. Nobody knows who gave
/// a root role, so a person did. The directory's names are compared by the case of ASCII letters alone from now on.
const STATEMENTS: [&str; 8] = [
    "ALTER TABLE \"app_user\" ADD COLUMN \"scim_origin\" text",
    "ALTER TABLE \"app_user\" ADD COLUMN \"ended_by_directory\" boolean NOT NULL DEFAULT FALSE",
    "ALTER TABLE \"app_user\" ADD COLUMN \"has_newcomer_role\" boolean NOT NULL DEFAULT FALSE",
    "ALTER TABLE \"user_group\" ADD COLUMN \"scim_origin\" text",
    "UPDATE app_user SET scim_origin = 'found' WHERE scim_key IS NOT NULL",
    "UPDATE app_user SET scim_origin = 'made' WHERE scim_key IS NOT NULL AND id IN (SELECT CASE \
     WHEN type = 'user-created' AND created_by = 'scim' AND created_by_user_id = -1337 THEN {id} END FROM event \
     WHERE type = 'user-created' AND created_by = 'scim' AND created_by_user_id = -1337)",
    "UPDATE app_user SET ended_by_directory = TRUE \
     WHERE scim_origin = 'made' AND (deactivated_at IS NOT NULL OR deleted_at IS NOT NULL)",
    "UPDATE user_group SET scim_origin = CASE WHEN created_by = 'scim' THEN 'made' ELSE 'found' END WHERE is_scim",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        let (id, key) = if connection.get_database_backend() == DatabaseBackend::Postgres {
            (
                "CAST(CAST(data AS json)->>'id' AS bigint)",
                "lower((CAST(scim_names AS json)->>'userName') COLLATE \"C\")",
            )
        } else {
            ("json_extract(data, '$.id')", "lower(json_extract(scim_names, '$.userName'))")
        };
        for statement in STATEMENTS {
            connection.execute_unprepared(&statement.replace("{id}", id)).await?;
        }
        let keys =
            format!("UPDATE app_user SET scim_key = {key} WHERE scim_key IS NOT NULL AND scim_names IS NOT NULL");
        connection.execute_unprepared(&keys).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
