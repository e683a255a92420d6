//! Login providers of SAML that follow their metadata, each its own.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Columns of the wanted refresh and of the outcome of the last attempt, as JSON.
const STATEMENTS: [&str; 2] = [
    "ALTER TABLE \"sign_in_provider\" ADD COLUMN \"metadata_refresh\" text",
    "ALTER TABLE \"sign_in_provider\" ADD COLUMN \"metadata_outcome\" text",
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
