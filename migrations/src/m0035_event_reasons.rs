//! Events keep the reason that was given for a change, and those of an environment are found by it, in the order of
//! their ids. It comes before changes of `feature`: nodes of the version before read events with their features, and lock
//! the tables in that order.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const REASON: &str = "ALTER TABLE \"event\" ADD COLUMN \"reason\" text";

/// Like those of the other filters; most events are in no environment.
const EVENTS_OF_ENVIRONMENT: &str = "CREATE INDEX \"ix_event__environment_id_project\" \
    ON \"event\" (\"environment\", \"id\", \"project\") WHERE \"environment\" IS NOT NULL";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in [REASON, EVENTS_OF_ENVIRONMENT] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
