//! Groups that are members of groups. People of a nested group have a row among the members of the outer one as well,
//! marked as not direct, so that permissions are read as before.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

use crate::table::{NewTable, create_all, number};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Everybody was a direct member before.
const IS_DIRECT: &str = "ALTER TABLE \"user_group_member\" ADD COLUMN \"is_direct\" boolean NOT NULL DEFAULT TRUE";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_all(manager, vec![nested_group()]).await?;
        manager.get_connection().execute_unprepared(IS_DIRECT).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn nested_group() -> NewTable {
    NewTable::new("nested_group", [number("outer_id"), number("inner_id")])
        .key(&["outer_id", "inner_id"])
        .belongs_to("outer_id", "user_group", "id")
        .belongs_to("inner_id", "user_group", "id")
        .index(&["inner_id"])
}
