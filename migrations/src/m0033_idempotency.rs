//! Requests that create something and were sent with a key, so that one that comes again gets the first answer.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let request = NewTable::new(
            "keyed_request",
            [
                text("caller"),
                text("id"),
                text("request"),
                optional(text("answer")),
                number("bytes"),
                instant("created_at"),
            ],
        );
        let request = request.key(&["caller", "id"]).index(&["caller", "created_at"]).index(&["created_at"]);
        create_all(manager, vec![request]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
