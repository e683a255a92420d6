//! A function of PostgreSQL that holds the log of events and tells the time of the next one, so that one statement can
//! do both and add the event.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A statement sees the log as it was when the statement began, which may be before the lock was had; what a volatile
/// function asks sees it as it is then.
const FUNCTION: &str = "CREATE FUNCTION hold_event_log(lock_key bigint, earliest bigint) RETURNS bigint \
                        LANGUAGE plpgsql VOLATILE AS $$ BEGIN \
                        PERFORM pg_advisory_xact_lock(lock_key); \
                        RETURN greatest(earliest, (SELECT created_at FROM event ORDER BY id DESC LIMIT 1)); \
                        END $$";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        if connection.get_database_backend() == DatabaseBackend::Postgres {
            connection.execute_unprepared(FUNCTION).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
