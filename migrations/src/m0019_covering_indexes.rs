//! Indexes from which `PostgreSQL` tells a page of features, however deep, without a look at the features before it. An
//! index of `SQLite` holds the id in any case.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// The orders in which pages come: the end of the index's name, and what it sorts by.
const ORDERS: [(&str, &str); 10] = [
    ("created_at_name", "created_at, name"),
    ("created_at_desc", "created_at DESC, name"),
    ("lower_name", "lower(name), created_at, name"),
    ("lower_name_desc", "lower(name) DESC, created_at, name"),
    ("type_created_at_name", "type, created_at, name"),
    ("type_desc", "type DESC, created_at, name"),
    ("project_created_at_name", "project, created_at, name"),
    ("project_desc", "project DESC, created_at, name"),
    ("stale_created_at_name", "stale, created_at, name"),
    ("last_seen_at_created_at_name", "last_seen_at, created_at, name"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        if connection.get_database_backend() != DatabaseBackend::Postgres {
            return Ok(());
        }
        for (name, columns) in ORDERS {
            let replace = format!(
                "DROP INDEX ix_feature__{name}; \
                 CREATE INDEX ix_feature__{name} ON feature ({columns}) INCLUDE (id) WHERE archived_at IS NULL"
            );
            connection.execute_unprepared(&replace).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
