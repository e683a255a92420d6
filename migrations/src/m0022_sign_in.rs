//! Signing in through login providers: who is who there, what is under way, and how it ended.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

use crate::table::{NewTable, create_all, id, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Source of a user's membership in a group. Memberships from before it were made by people.
const SOURCE: &str = "ALTER TABLE \"user_group_member\" ADD COLUMN \"source\" text";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![identity(), session_provider(), once(), ticket(), trial(), log()]).await?;
        manager.get_connection().execute_unprepared(SOURCE).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// The digest is that of provider, issuer and subject, which are too long for an index.
fn identity() -> NewTable {
    NewTable::new(
        "user_identity",
        [
            text("identity_hash"),
            text("provider"),
            text("issuer"),
            text("subject"),
            number("user_id"),
            optional(text("email")),
            instant("created_at"),
            instant("seen_at"),
        ],
    )
    .key(&["identity_hash"])
    .belongs_to("user_id", "app_user", "id")
    .index(&["user_id"])
}

fn session_provider() -> NewTable {
    NewTable::new(
        "session_provider",
        [
            text("session_hash"),
            text("provider"),
            text("identity_hash"),
            optional(text("sid_hash")),
            text("settings_hash"),
            text("sealed"),
        ],
    )
    .key(&["session_hash"])
    .belongs_to("session_hash", "session", "id_hash")
    .index(&["identity_hash"])
    .index(&["sid_hash"])
}

fn once() -> NewTable {
    NewTable::new("sign_in_once", [text("kind"), text("digest"), instant("usable_until")])
        .key(&["kind", "digest"])
        .index(&["usable_until"])
}

fn ticket() -> NewTable {
    NewTable::new("sign_in_ticket", [text("ticket_hash"), text("sealed"), instant("expires_at")])
        .key(&["ticket_hash"])
        .index(&["expires_at"])
}

fn trial() -> NewTable {
    NewTable::new("sign_in_trial", [text("trial_hash"), text("sealed"), instant("expires_at")])
        .key(&["trial_hash"])
        .index(&["expires_at"])
}

fn log() -> NewTable {
    NewTable::new(
        "sign_in_log",
        [
            id(),
            instant("created_at"),
            text("provider"),
            text("outcome"),
            optional(text("reason")),
            optional(number("user_id")),
            optional(text("subject")),
            optional(text("address")),
            optional(text("error_id")),
            optional(text("expected")),
            optional(text("found")),
            number("attempts"),
        ],
    )
    .index(&["created_at"])
    .index_where(&["error_id"], "error_id IS NOT NULL")
}
