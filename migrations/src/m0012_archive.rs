//! The list of archived features, the latest first, without a look at those in use.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let archived = "CREATE INDEX ix_feature__archived_at_desc ON feature (archived_at DESC, name) \
             WHERE archived_at IS NOT NULL";
        manager.get_connection().execute_unprepared(archived).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
