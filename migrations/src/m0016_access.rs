//! Indexes for what the administration of tokens and roles asks.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// The tokens of a project and of a name, and who holds a role.
const INDEXES: [&str; 6] = [
    "CREATE INDEX \"ix_api_token__token_name\" ON \"api_token\" (\"token_name\")",
    "CREATE INDEX \"ix_api_token_project__project\" ON \"api_token_project\" (\"project\")",
    "CREATE INDEX \"ix_app_user__root_role_id\" ON \"app_user\" (\"root_role_id\")",
    "CREATE INDEX \"ix_user_group__root_role_id\" ON \"user_group\" (\"root_role_id\")",
    "CREATE INDEX \"ix_project_user_role__role_id\" ON \"project_user_role\" (\"role_id\")",
    "CREATE INDEX \"ix_project_group_role__role_id\" ON \"project_group_role\" (\"role_id\")",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for index in INDEXES {
            manager.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
