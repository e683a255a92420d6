//! Login providers beside those of the two settings, and what identities and the log of sign-ins tell of them.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

use crate::table::{NewTable, create_all, flag, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const STATEMENTS: [&str; 2] = [
    // The providers of the two settings, which alone there were before, were always believed whose an email is.
    "ALTER TABLE \"user_identity\" ADD COLUMN \"proves_owner\" boolean NOT NULL DEFAULT TRUE",
    "ALTER TABLE \"sign_in_log\" ADD COLUMN \"provider_id\" text",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![sign_in_provider()]).await?;
        for statement in STATEMENTS {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// Table of login providers. Properties that a sign-in page shows are columns, which are read without the key of the
/// sealed settings.
fn sign_in_provider() -> NewTable {
    NewTable::new(
        "sign_in_provider",
        [
            text("id"),
            text("kind"),
            text("label"),
            text("icon"),
            number("sort_order"),
            flag("enabled"),
            text("settings"),
            optional(number("default_root_role_id")),
            text("rules"),
            instant("created_at"),
            instant("updated_at"),
        ],
    )
    .key(&["id"])
}
