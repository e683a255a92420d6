//! Data that the server keeps for itself: settings, and when its jobs ran.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, instant, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![setting(), job_run()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn setting() -> NewTable {
    NewTable::new("setting", [text("id"), text("content"), instant("created_at"), instant("updated_at")]).key(&["id"])
}

fn job_run() -> NewTable {
    NewTable::new(
        "job_run",
        [text("name"), instant("last_started_at"), optional(instant("last_finished_at")), optional(text("last_error"))],
    )
    .key(&["name"])
}
