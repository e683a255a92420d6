//! Reports of proxies that were counted, so that one is not counted again when its answer was lost.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, instant, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let report = NewTable::new("client_report", [text("id"), instant("known_until")]);
        create_all(manager, vec![report.key(&["id"]).index(&["known_until"])]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
