//! Figures over time, which jobs compute and which outlive what they count.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, fraction, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![user_day(), flag_day(), project_week(), metrics_week(), environment_type_week()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn user_day() -> NewTable {
    NewTable::new("insight_user_day", [instant("day"), number("total"), number("active"), number("inactive")])
        .key(&["day"])
}

fn flag_day() -> NewTable {
    NewTable::new(
        "insight_flag_day",
        [instant("day"), number("total"), number("active"), number("stale"), number("potentially_stale")],
    )
    .key(&["day"])
}

fn project_week() -> NewTable {
    NewTable::new(
        "insight_project_week",
        [
            text("week"),
            text("project"),
            instant("date"),
            number("health"),
            optional(fraction("time_to_production")),
            number("total"),
            number("active"),
            number("stale"),
            number("potentially_stale"),
            optional(number("users")),
        ],
    )
    .key(&["week", "project"])
}

fn metrics_week() -> NewTable {
    NewTable::new(
        "insight_metrics_week",
        [
            text("week"),
            text("project"),
            instant("date"),
            number("total_requests"),
            number("total_yes"),
            number("total_no"),
            number("total_apps"),
            number("total_flags"),
            number("total_environments"),
        ],
    )
    .key(&["week", "project"])
}

fn environment_type_week() -> NewTable {
    NewTable::new(
        "insight_environment_type_week",
        [text("week"), text("environment_type"), instant("date"), number("total_updates")],
    )
    .key(&["week", "environment_type"])
}
