//! Projects, environments, and which project uses which environment.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, flag, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![project(), environment(), project_environment()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn project() -> NewTable {
    let mut mode = text("mode");
    mode.default("open");
    let mut default_stickiness = text("default_stickiness");
    default_stickiness.default("default");
    NewTable::new(
        "project",
        [
            text("id"),
            text("name"),
            optional(text("description")),
            mode,
            default_stickiness,
            optional(number("feature_limit")),
            optional(text("naming_pattern")),
            optional(text("naming_example")),
            optional(text("naming_description")),
            instant("created_at"),
            instant("updated_at"),
            optional(instant("archived_at")),
        ],
    )
    .key(&["id"])
    // Private projects are few, and every request of somebody who is no administrator asks which they are.
    .index_where(&["id"], "mode = 'private'")
}

fn environment() -> NewTable {
    NewTable::new("environment", [text("name"), text("type"), flag("enabled"), flag("protected"), number("sort_order")])
        .key(&["name"])
}

fn project_environment() -> NewTable {
    NewTable::new("project_environment", [text("project"), text("environment"), optional(text("default_strategy"))])
        .key(&["project", "environment"])
        .belongs_to("project", "project", "id")
        .belongs_to("environment", "environment", "name")
        .index(&["environment"])
}
