//! Projects in which tags and applications are known, and figures by project: so that what belongs to a hidden project
//! can be told from what belongs to all.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

use crate::table::{NewTable, create_all, instant, number, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Tags of projects are known where they are carried now, all others to everybody, as they were. Figures are taken once
/// more, from history.
const BEFORE: [&str; 3] = [
    "DROP TABLE insight_flag_day",
    "DROP TABLE insight_environment_type_week",
    "DELETE FROM job_run WHERE name IN ('insights', 'insights-history')",
];
const AFTER: [&str; 2] = [
    "INSERT INTO tag_project (tag_id, project) \
     SELECT DISTINCT feature_tag.tag_id, feature.project FROM feature_tag \
     INNER JOIN feature ON feature.id = feature_tag.feature_id",
    "INSERT INTO tag_project (tag_id, project) SELECT id, '*' FROM tag \
     WHERE NOT EXISTS (SELECT 1 FROM feature_tag WHERE feature_tag.tag_id = tag.id)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in BEFORE {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        create_all(manager, vec![tag_project(), application_project(), flag_day(), environment_type_week()]).await?;
        for statement in AFTER {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn tag_project() -> NewTable {
    NewTable::new("tag_project", [number("tag_id"), text("project")])
        .key(&["tag_id", "project"])
        .belongs_to("tag_id", "tag", "id")
}

fn application_project() -> NewTable {
    NewTable::new("client_application_project", [text("app_name"), text("project")])
        .key(&["app_name", "project"])
        .belongs_to("app_name", "client_application", "app_name")
}

fn flag_day() -> NewTable {
    NewTable::new(
        "insight_flag_day",
        [
            instant("day"),
            text("project"),
            number("total"),
            number("active"),
            number("stale"),
            number("potentially_stale"),
        ],
    )
    .key(&["day", "project"])
}

fn environment_type_week() -> NewTable {
    NewTable::new(
        "insight_environment_type_week",
        [text("week"), text("environment_type"), text("project"), instant("date"), number("total_updates")],
    )
    .key(&["week", "environment_type", "project"])
}
