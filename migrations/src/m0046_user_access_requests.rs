//! Requests for access by people whom a login provider vouches for and who have no account.

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait};

use crate::table::{NewTable, create_all, flag, id, instant, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![user_access_request()]).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// A rejected request stays until it ends, so that the identity does not ask again at once.
fn user_access_request() -> NewTable {
    NewTable::new(
        "user_access_request",
        [
            id(),
            text("identity_hash"),
            text("provider"),
            text("issuer"),
            text("subject"),
            text("email"),
            optional(text("name")),
            flag("proves_owner"),
            instant("requested_at"),
            instant("last_requested_at"),
            instant("ends_at"),
            optional(instant("rejected_at")),
        ],
    )
    .unique(&["identity_hash"])
}
