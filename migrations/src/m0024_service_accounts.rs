//! Accounts of programs, messages above every page, and what people have read of what happened.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

use crate::table::{NewTable, create_all, flag, id, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Nobody was a program before.
const IS_SERVICE: &str = "ALTER TABLE \"app_user\" ADD COLUMN \"is_service\" boolean NOT NULL DEFAULT FALSE";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared(IS_SERVICE).await?;
        create_all(manager, vec![banner(), notification_read()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn banner() -> NewTable {
    NewTable::new(
        "banner",
        [
            id(),
            text("message"),
            flag("enabled"),
            text("variant"),
            flag("sticky"),
            optional(text("icon")),
            optional(text("link")),
            optional(text("link_text")),
            optional(text("dialog_title")),
            optional(text("dialog")),
            instant("created_at"),
        ],
    )
}

/// The log itself says what there is to read: a row says that somebody has. It outlives the event, which retention may
/// remove.
fn notification_read() -> NewTable {
    NewTable::new("notification_read", [number("user_id"), number("event_id"), instant("read_at")])
        .key(&["user_id", "event_id"])
        .belongs_to("user_id", "app_user", "id")
}
