//! The only address that signs up with a link.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let statement = "ALTER TABLE \"signup_link\" ADD COLUMN \"email\" text";
        manager.get_connection().execute_unprepared(statement).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
