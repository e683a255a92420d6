//! Directories beside the default one, each with a token of its own. Users and groups without a directory belong to the
//! default one, or to none.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

use crate::table::{NewTable, create_all, id, instant, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const STATEMENTS: [&str; 4] = [
    "ALTER TABLE \"app_user\" ADD COLUMN \"scim_directory_id\" bigint",
    "ALTER TABLE \"user_group\" ADD COLUMN \"scim_directory_id\" bigint",
    "CREATE INDEX \"ix_app_user__scim_directory_id\" ON app_user (\"scim_directory_id\") \
     WHERE scim_directory_id IS NOT NULL",
    "CREATE INDEX \"ix_user_group__scim_directory_id\" ON user_group (\"scim_directory_id\") \
     WHERE scim_directory_id IS NOT NULL",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![scim_directory()]).await?;
        for statement in STATEMENTS {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn scim_directory() -> NewTable {
    NewTable::new(
        "scim_directory",
        [
            id(),
            text("name"),
            text("token_hash"),
            instant("created_at"),
            optional(text("created_by")),
            instant("token_created_at"),
            optional(instant("last_used_at")),
        ],
    )
    .unique(&["name"])
    .unique(&["token_hash"])
}
