//! An index from which `SQLite` tells the state of features in their environments, as lists of features show it: their
//! rows are scattered over the table, and looking up each of them took a sixth of the statement behind a list.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        if connection.get_database_backend() == DatabaseBackend::Postgres {
            return Ok(());
        }
        let index = "CREATE INDEX ix_feature_environment__listed ON feature_environment \
                     (feature_id, environment, enabled, has_strategies, has_enabled_strategies, last_seen_at, \
                     variant_count)";
        connection.execute_unprepared(index).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
