//! Names of deleted users become free, and the two kinds of links with which people set a password.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

use crate::table::{NewTable, create_all, flag, id, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in ["username", "email"] {
            let name = format!("ux_app_user__{column}");
            let replaced = format!("DROP INDEX \"{name}\"");
            let unique = format!("CREATE UNIQUE INDEX \"{name}\" ON app_user (\"{column}\") WHERE deleted_at IS NULL");
            manager.get_connection().execute_unprepared(&replaced).await?;
            manager.get_connection().execute_unprepared(&unique).await?;
        }
        create_all(manager, vec![password_reset(), signup_link(), signup_link_user()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn password_reset() -> NewTable {
    NewTable::new(
        "password_reset",
        [
            text("token_hash"),
            number("user_id"),
            optional(text("created_by")),
            instant("created_at"),
            instant("expires_at"),
        ],
    )
    .key(&["token_hash"])
    .belongs_to("user_id", "app_user", "id")
    .index(&["user_id"])
    .index(&["expires_at"])
}

fn signup_link() -> NewTable {
    NewTable::new(
        "signup_link",
        [
            id(),
            text("secret_hash"),
            text("name"),
            flag("enabled"),
            instant("expires_at"),
            instant("created_at"),
            optional(text("created_by")),
        ],
    )
    .unique(&["secret_hash"])
}

fn signup_link_user() -> NewTable {
    NewTable::new("signup_link_user", [number("link_id"), number("user_id")])
        .key(&["link_id", "user_id"])
        .belongs_to("link_id", "signup_link", "id")
        .belongs_to("user_id", "app_user", "id")
        .index(&["user_id"])
}
