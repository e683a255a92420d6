//! A role with which a user sees a project, also a private one, and changes nothing.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Insertion of the role with the next free id, since custom roles hold those after the other built-in roles. An
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
