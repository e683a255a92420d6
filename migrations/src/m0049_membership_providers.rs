//! The login provider that gave a membership, so that another one does not take it.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const STATEMENTS: [&str; 2] = [
    "ALTER TABLE \"user_group_member\" ADD COLUMN \"source_provider\" text",
    // Only one can have given it where the user has identities of only one.
    "UPDATE \"user_group_member\" SET \"source_provider\" = (SELECT MIN(\"i\".\"provider\") FROM \"user_identity\" \"i\" \
     WHERE \"i\".\"user_id\" = \"user_group_member\".\"user_id\") \
     WHERE \"source\" = 'login-provider' AND (SELECT COUNT(DISTINCT \"i\".\"provider\") FROM \"user_identity\" \"i\" \
     WHERE \"i\".\"user_id\" = \"user_group_member\".\"user_id\") = 1",
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
