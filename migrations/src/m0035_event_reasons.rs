//! The reason that was given for a change, kept by its events, and the search for events of an environment, in the
//! order of their ids. It comes before changes of `feature`: nodes of the version before read events with their
//! features, and lock the tables in that order.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const REASON: &str = "ALTER TABLE \"event\" ADD COLUMN \"reason\" text";

/// Index for the filter by environment, without the events that are in none, which most are.
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
