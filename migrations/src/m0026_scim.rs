//! Users and groups that a company's directory keeps through SCIM, and people who are deactivated.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Nobody was kept by a directory before, and nobody deactivated. The key is the name there in lower case.
const STATEMENTS: [&str; 11] = [
    "ALTER TABLE \"app_user\" ADD COLUMN \"scim_key\" text",
    "ALTER TABLE \"app_user\" ADD COLUMN \"scim_external_id\" text",
    "ALTER TABLE \"app_user\" ADD COLUMN \"scim_names\" text",
    "ALTER TABLE \"app_user\" ADD COLUMN \"deactivated_at\" bigint",
    "ALTER TABLE \"app_user\" ADD COLUMN \"changed_at\" bigint",
    "ALTER TABLE \"user_group\" ADD COLUMN \"is_scim\" boolean NOT NULL DEFAULT FALSE",
    "ALTER TABLE \"user_group\" ADD COLUMN \"scim_external_id\" text",
    "ALTER TABLE \"user_group\" ADD COLUMN \"changed_at\" bigint",
    "CREATE UNIQUE INDEX \"ux_app_user__scim_key\" ON app_user (\"scim_key\") WHERE deleted_at IS NULL",
    "CREATE INDEX \"ix_app_user__scim_external_id\" ON app_user (\"scim_external_id\") WHERE scim_external_id IS NOT NULL",
    "CREATE INDEX \"ix_user_group__scim_external_id\" ON user_group (\"scim_external_id\") \
     WHERE scim_external_id IS NOT NULL",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in STATEMENTS {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
