//! Evaluations by the day and variant, beside those by the day.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, instant, number, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let days = NewTable::new(
            "client_metrics_variant_daily",
            [
                text("feature_name"),
                text("app_name"),
                text("environment"),
                instant("date"),
                text("variant"),
                number("count"),
            ],
        )
        .key(&["feature_name", "app_name", "environment", "date", "variant"])
        .index(&["date"]);
        create_all(manager, vec![days]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
