//! Columns for the rules on who may change whose account, and come in by it: the origin of what a directory manages, who
//! ended an account, whether its root role is that of a newcomer, the settings under which an identity last signed in,
//! the only email of a sign-up link, and the end of the time in which an account may be linked to a new identity, of which
//! protocol.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Statements of the schema, then those of its rows: the origin of what a directory manages already is `found`, or `made`
/// where the log has its creation by the directory. Root roles count as given by a person.
const STATEMENTS: [&str; 12] = [
    "ALTER TABLE \"app_user\" ADD COLUMN \"scim_origin\" text",
    "ALTER TABLE \"app_user\" ADD COLUMN \"ended_by_directory\" boolean NOT NULL DEFAULT FALSE",
    "ALTER TABLE \"app_user\" ADD COLUMN \"has_newcomer_role\" boolean NOT NULL DEFAULT FALSE",
    "ALTER TABLE \"app_user\" ADD COLUMN \"relinked_until\" bigint",
    "ALTER TABLE \"app_user\" ADD COLUMN \"relinked_provider\" text",
    "ALTER TABLE \"user_group\" ADD COLUMN \"scim_origin\" text",
    "ALTER TABLE \"user_identity\" ADD COLUMN \"settings_hash\" text",
    "ALTER TABLE \"signup_link\" ADD COLUMN \"email\" text",
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
        // The directory's names are compared by the case of ASCII letters alone.
        let keys =
            format!("UPDATE app_user SET scim_key = {key} WHERE scim_key IS NOT NULL AND scim_names IS NOT NULL");
        connection.execute_unprepared(&keys).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
