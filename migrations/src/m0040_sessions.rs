//! Details of sessions: the way in, the browser that it began in, and when it was last used; and when a
//! login provider is asked again whether its user may still come in.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const STATEMENTS: [&str; 6] = [
    "ALTER TABLE \"session\" ADD COLUMN \"method\" text",
    "ALTER TABLE \"session\" ADD COLUMN \"address\" text",
    "ALTER TABLE \"session\" ADD COLUMN \"user_agent\" text",
    "ALTER TABLE \"session\" ADD COLUMN \"seen_at\" bigint",
    "ALTER TABLE \"session_provider\" ADD COLUMN \"check_at\" bigint",
    "CREATE INDEX \"ix_session_provider__check_at\" ON \"session_provider\" (\"check_at\", \"session_hash\") \
     WHERE \"check_at\" IS NOT NULL",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in STATEMENTS {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
