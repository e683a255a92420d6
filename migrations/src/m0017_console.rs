//! Id of the instance, and what people have seen or answered in the console.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

use crate::{
    m0009_seed::now,
    table::{NewTable, create_all, flag, instant, number, optional, text},
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![user_splash(), user_feedback()]).await?;
        let connection = manager.get_connection();
        // A random UUID of version 4, as a JSON text. Each database draws by a function of its own.
        let uuid = if connection.get_database_backend() == DatabaseBackend::Postgres {
            "'\"' || gen_random_uuid()::text || '\"'"
        } else {
            "'\"' || lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) \
             || '-' || substr('89AB', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' \
             || hex(randomblob(6))) || '\"'"
        };
        let now = now();
        let insert = format!(
            "INSERT INTO setting (id, content, created_at, updated_at) \
             VALUES ('flagstone.instance-id', {uuid}, {now}, {now})"
        );
        connection.execute_unprepared(&insert).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn user_splash() -> NewTable {
    NewTable::new("user_splash", [number("user_id"), text("splash_id"), instant("seen_at")])
        .key(&["user_id", "splash_id"])
        .belongs_to("user_id", "app_user", "id")
}

fn user_feedback() -> NewTable {
    NewTable::new(
        "user_feedback",
        [number("user_id"), text("feedback_id"), flag("never_show"), optional(instant("given_at"))],
    )
    .key(&["user_id", "feedback_id"])
    .belongs_to("user_id", "app_user", "id")
}
