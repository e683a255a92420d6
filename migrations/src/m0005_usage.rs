//! Reports of SDKs: evaluations, applications, and their running copies.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![hourly(), variant_hourly(), daily(), client_application(), client_instance()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// SDKs may count features that do not exist, so the name is no foreign key.
fn hourly() -> NewTable {
    NewTable::new(
        "client_metrics_hourly",
        [
            text("feature_name"),
            text("app_name"),
            text("environment"),
            instant("timestamp"),
            number("yes"),
            number("no"),
        ],
    )
    .key(&["feature_name", "app_name", "environment", "timestamp"])
    .index(&["timestamp"])
    .index(&["feature_name", "environment", "timestamp"])
}

fn variant_hourly() -> NewTable {
    NewTable::new(
        "client_metrics_variant_hourly",
        [
            text("feature_name"),
            text("app_name"),
            text("environment"),
            instant("timestamp"),
            text("variant"),
            number("count"),
        ],
    )
    .key(&["feature_name", "app_name", "environment", "timestamp", "variant"])
    .index(&["timestamp"])
}

fn daily() -> NewTable {
    NewTable::new(
        "client_metrics_daily",
        [text("feature_name"), text("app_name"), text("environment"), instant("date"), number("yes"), number("no")],
    )
    .key(&["feature_name", "app_name", "environment", "date"])
    .index(&["date"])
}

fn client_application() -> NewTable {
    NewTable::new(
        "client_application",
        [
            text("app_name"),
            optional(text("description")),
            optional(text("url")),
            optional(text("color")),
            optional(text("icon")),
            text("strategies"),
            optional(text("created_by")),
            instant("created_at"),
            instant("updated_at"),
            instant("seen_at"),
        ],
    )
    .key(&["app_name"])
}

fn client_instance() -> NewTable {
    NewTable::new(
        "client_instance",
        [
            text("app_name"),
            text("instance_id"),
            text("environment"),
            optional(text("sdk_version")),
            instant("last_seen_at"),
            instant("created_at"),
        ],
    )
    .key(&["app_name", "instance_id", "environment"])
    .belongs_to("app_name", "client_application", "app_name")
}
