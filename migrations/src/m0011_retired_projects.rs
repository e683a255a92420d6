//! Private projects that are gone.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, instant, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![retired_project()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// Events outlive their project, and those of a private one must not come to light when it is deleted.
fn retired_project() -> NewTable {
    NewTable::new("retired_project", [text("id"), instant("retired_at")]).key(&["id"])
}
