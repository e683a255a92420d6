//! Integrations, and what is to be delivered to them.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, flag, id, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![integration(), delivery()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// The log itself is the queue of what is to be looked at: each integration is somewhere in it.
fn integration() -> NewTable {
    NewTable::new(
        "integration",
        [
            id(),
            text("provider"),
            flag("enabled"),
            optional(text("description")),
            text("sealed"),
            text("events"),
            text("projects"),
            text("environments"),
            flag("instance_events"),
            number("last_event_id"),
            optional(instant("failing_since")),
            instant("created_at"),
            number("version"),
        ],
    )
}

/// Entries outlive the events that they name, which retention may remove.
fn delivery() -> NewTable {
    NewTable::new(
        "delivery",
        [
            id(),
            number("integration_id"),
            number("event_id"),
            text("message_id"),
            text("state"),
            instant("created_at"),
            instant("due_at"),
            optional(instant("claimed_until")),
            number("attempts"),
            text("state_details"),
            text("details"),
        ],
    )
    .belongs_to("integration_id", "integration", "id")
    .unique(&["integration_id", "event_id"])
    .index(&["integration_id", "id"])
    .index_where(&["integration_id", "due_at"], "state = 'waiting'")
}
