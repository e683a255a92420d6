//! Links of features to tickets, dashboards and documents, and the links that new features of a project get.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Column for the links of a feature: a few, which are always read and written together.
const LINKS: &str = "ALTER TABLE \"feature\" ADD COLUMN \"links\" text";

const TEMPLATES: &str = "ALTER TABLE \"project\" ADD COLUMN \"link_templates\" text";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in [LINKS, TEMPLATES] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
