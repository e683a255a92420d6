//! Features, what hangs on them, and the lists that they choose from.

use sea_orm_migration::prelude::{
    DbErr, DeriveMigrationName, ForeignKeyAction, MigrationTrait, SchemaManager, async_trait,
};

use crate::table::{NewTable, create_all, flag, id, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let tables = vec![
            feature_type(),
            strategy_type(),
            context_field(),
            tag_type(),
            tag(),
            segment(),
            feature(),
            feature_environment(),
            feature_strategy(),
            strategy_segment(),
            feature_tag(),
            feature_dependency(),
            feature_lifecycle(),
            favorite_feature(),
        ];
        create_all(manager, tables).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn feature_type() -> NewTable {
    NewTable::new("feature_type", [text("id"), text("name"), text("description"), optional(number("lifetime_days"))])
        .key(&["id"])
}

fn strategy_type() -> NewTable {
    NewTable::new(
        "strategy_type",
        [
            text("name"),
            optional(text("title")),
            text("description"),
            text("parameters"),
            flag("built_in"),
            flag("deprecated"),
            number("sort_order"),
        ],
    )
    .key(&["name"])
}

fn context_field() -> NewTable {
    NewTable::new(
        "context_field",
        [
            text("name"),
            optional(text("description")),
            flag("stickiness"),
            number("sort_order"),
            text("legal_values"),
            instant("created_at"),
        ],
    )
    .key(&["name"])
}

fn tag_type() -> NewTable {
    NewTable::new("tag_type", [text("name"), text("description"), optional(text("icon"))]).key(&["name"])
}

fn tag() -> NewTable {
    NewTable::new("tag", [id(), text("type"), text("value")])
        .belongs_to("type", "tag_type", "name")
        .unique(&["type", "value"])
        .index(&["value"])
}

fn segment() -> NewTable {
    NewTable::new(
        "segment",
        [
            id(),
            text("name"),
            optional(text("description")),
            optional(text("project")),
            text("constraints"),
            optional(text("created_by")),
            instant("created_at"),
        ],
    )
    .belongs_to("project", "project", "id")
    .unique(&["name"])
    .index(&["project"])
}

/// Lists show features that are not archived unless asked otherwise, so each order of a list is an index of those.
fn feature() -> NewTable {
    let in_use = "archived_at IS NULL";
    let mut potentially_stale = flag("potentially_stale");
    potentially_stale.default(false);
    NewTable::new(
        "feature",
        [
            id(),
            text("name"),
            text("project"),
            text("type"),
            optional(text("description")),
            flag("stale"),
            flag("impression_data"),
            potentially_stale,
            instant("created_at"),
            optional(number("created_by_user_id")),
            optional(instant("archived_at")),
            optional(instant("last_seen_at")),
            optional(text("dependency_kind")),
            text("search_text"),
        ],
    )
    .refers_to("project", "project", "id")
    .refers_to("created_by_user_id", "app_user", "id")
    .unique(&["name"])
    .index(&["project", "archived_at"])
    .index_where(&["created_at", "name"], in_use)
    .index_where(&["name"], in_use)
    .index_on("lower_name", "lower(name), created_at, name", in_use)
    // Ties ascend also where the main key descends, which no index serves when read backwards.
    .index_on("created_at_desc", "created_at DESC, name", in_use)
    .index_on("lower_name_desc", "lower(name) DESC, created_at, name", in_use)
    .index_on("type_desc", "type DESC, created_at, name", in_use)
    .index_on("project_desc", "project DESC, created_at, name", in_use)
    .index_where(&["type", "created_at", "name"], in_use)
    .index_where(&["project", "created_at", "name"], in_use)
    .index_where(&["project", "stale"], in_use)
    .index_where(&["stale", "created_at", "name"], in_use)
    .index_where(&["last_seen_at", "created_at", "name"], in_use)
    .index_where(&["created_by_user_id", "created_at", "name"], in_use)
    .index_where(&["potentially_stale"], in_use)
}

/// Carries its feature's sort key, so that a page filtered by environment is read from one index.
fn feature_environment() -> NewTable {
    let mut variants = text("variants");
    variants.default("[]");
    NewTable::new(
        "feature_environment",
        [
            number("feature_id"),
            text("environment"),
            flag("enabled"),
            optional(instant("last_seen_at")),
            variants,
            flag("has_strategies"),
            flag("has_enabled_strategies"),
            number("variant_count"),
            text("feature_name"),
            instant("feature_created_at"),
            flag("live"),
        ],
    )
    .key(&["feature_id", "environment"])
    .belongs_to("feature_id", "feature", "id")
    .belongs_to("environment", "environment", "name")
    .index_where(&["environment", "enabled", "feature_created_at", "feature_name"], "live")
}

fn feature_strategy() -> NewTable {
    NewTable::new(
        "feature_strategy",
        [
            text("id"),
            number("feature_id"),
            text("environment"),
            text("name"),
            optional(text("title")),
            flag("disabled"),
            number("sort_order"),
            text("parameters"),
            text("constraints"),
            text("variants"),
            instant("created_at"),
        ],
    )
    .key(&["id"])
    .foreign_key(
        &["feature_id", "environment"],
        "feature_environment",
        &["feature_id", "environment"],
        ForeignKeyAction::Cascade,
    )
    .index(&["feature_id", "environment", "sort_order"])
}

fn strategy_segment() -> NewTable {
    NewTable::new("strategy_segment", [text("strategy_id"), number("segment_id"), number("feature_id")])
        .key(&["strategy_id", "segment_id"])
        .belongs_to("strategy_id", "feature_strategy", "id")
        .refers_to("segment_id", "segment", "id")
        .belongs_to("feature_id", "feature", "id")
        .index(&["segment_id", "feature_id"])
        .index(&["feature_id"])
}

fn feature_tag() -> NewTable {
    NewTable::new(
        "feature_tag",
        [number("feature_id"), number("tag_id"), instant("created_at"), optional(number("created_by_user_id"))],
    )
    .key(&["feature_id", "tag_id"])
    .belongs_to("feature_id", "feature", "id")
    .belongs_to("tag_id", "tag", "id")
    .index(&["tag_id", "feature_id"])
}

fn feature_dependency() -> NewTable {
    NewTable::new("feature_dependency", [number("child_id"), number("parent_id"), flag("enabled"), text("variants")])
        .key(&["child_id", "parent_id"])
        .belongs_to("child_id", "feature", "id")
        .refers_to("parent_id", "feature", "id")
        .index(&["parent_id"])
}

fn feature_lifecycle() -> NewTable {
    NewTable::new(
        "feature_lifecycle",
        [
            number("feature_id"),
            text("stage"),
            optional(text("status")),
            optional(text("status_value")),
            instant("entered_stage_at"),
        ],
    )
    .key(&["feature_id", "stage"])
    .belongs_to("feature_id", "feature", "id")
}

fn favorite_feature() -> NewTable {
    NewTable::new("favorite_feature", [number("user_id"), number("feature_id"), instant("created_at")])
        .key(&["user_id", "feature_id"])
        .belongs_to("user_id", "app_user", "id")
        .belongs_to("feature_id", "feature", "id")
        .index(&["feature_id"])
}
