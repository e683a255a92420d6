//! A role for those who may look at a project, also a private one, and change nothing.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Custom roles hold the ids after those of the other built-in roles, so that this one has the next that is free. An
/// instance with a role of this name keeps that instead.
const READER: &str = "INSERT INTO role (name, type, description) \
    SELECT 'Reader', 'project', 'May look at the project, also if it is private, but change nothing.' \
    WHERE NOT EXISTS (SELECT 1 FROM role WHERE name = 'Reader')";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared(READER).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
