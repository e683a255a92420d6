//! Finding the strategies of a type, before the type is deleted.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, Index, MigrationTrait, SchemaManager, async_trait};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut index = Index::create();
        index.name("ix_feature_strategy__name").table("feature_strategy").col("name");
        manager.create_index(index).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
