//! Events of an environment are found by it, in the order of their ids.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Like those of the other filters; most events are in no environment.
const EVENTS_OF_ENVIRONMENT: &str = "CREATE INDEX \"ix_event__environment_id_project\" \
    ON \"event\" (\"environment\", \"id\", \"project\") WHERE \"environment\" IS NOT NULL";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared(EVENTS_OF_ENVIRONMENT).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
