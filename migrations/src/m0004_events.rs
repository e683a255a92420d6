//! The event log.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, id, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![event()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// Entries outlive the users, projects and features that they name, so none of these is a foreign key.
fn event() -> NewTable {
    let mut tags = text("tags");
    tags.default("[]");
    NewTable::new(
        "event",
        [
            id(),
            instant("created_at"),
            text("type"),
            text("created_by"),
            optional(number("created_by_user_id")),
            optional(text("environment")),
            optional(text("project")),
            optional(text("feature_name")),
            optional(text("data")),
            optional(text("pre_data")),
            tags,
            text("search_payload"),
            text("search_origin"),
        ],
    )
    // Each walks its events by id. The project decides who sees one, so that totals need no look at the rows.
    .index(&["type", "id", "project"])
    .index(&["project", "id"])
    .index(&["feature_name", "id", "project"])
    .index(&["created_by_user_id", "id", "project"])
    .index(&["created_at", "id", "project"])
    .index(&["environment", "created_at"])
    .index(&["project", "created_at"])
    // Time to production asks for the first enabling of each feature, and these events are many.
    .index_where(&["feature_name", "environment", "created_at"], "type = 'feature-environment-enabled'")
}
