//! Second factors that users have in addition to a password, and recovery codes that stand in for them.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, id, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![second_factor(), recovery_code()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// Factors of all kinds: the content of `sealed` depends on the kind, of which a user has one factor or, later,
/// several. It is not in use before it is confirmed.
fn second_factor() -> NewTable {
    NewTable::new(
        "second_factor",
        [
            id(),
            number("user_id"),
            text("kind"),
            text("sealed"),
            instant("created_at"),
            optional(instant("confirmed_at")),
            optional(number("last_step")),
        ],
    )
    .belongs_to("user_id", "app_user", "id")
    .index(&["user_id"])
    .unique_where(&["user_id"], "kind = 'totp'")
}

fn recovery_code() -> NewTable {
    NewTable::new("recovery_code", [number("user_id"), text("code_hash"), instant("created_at")])
        .key(&["user_id", "code_hash"])
        .belongs_to("user_id", "app_user", "id")
}
