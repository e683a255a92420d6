//! Passkeys among the second factors: their names, their own ids, and their last use.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const STATEMENTS: [&str; 4] = [
    "ALTER TABLE \"second_factor\" ADD COLUMN \"name\" text",
    "ALTER TABLE \"second_factor\" ADD COLUMN \"credential_hash\" text",
    "ALTER TABLE \"second_factor\" ADD COLUMN \"used_at\" bigint",
    "CREATE UNIQUE INDEX \"ux_second_factor__credential_hash\" ON \"second_factor\" (\"credential_hash\") \
     WHERE \"credential_hash\" IS NOT NULL",
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
