//! Dependencies of archived features: without effect while these are archived, and in force again once revived.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

use crate::table::{NewTable, create_all, flag, number, text};

/// Dependencies of features that were archived without losing them move over.
const MOVES: [&str; 3] = [
    "INSERT INTO archived_dependency (child_id, parent, enabled, variants) \
     SELECT dependency.child_id, parent.name, dependency.enabled, dependency.variants \
     FROM feature_dependency AS dependency \
     JOIN feature AS child ON child.id = dependency.child_id \
     JOIN feature AS parent ON parent.id = dependency.parent_id \
     WHERE child.archived_at IS NOT NULL",
    "DELETE FROM feature_dependency WHERE child_id IN (SELECT child_id FROM archived_dependency)",
    "UPDATE feature SET dependency_kind = NULL WHERE dependency_kind IS NOT NULL \
     AND NOT EXISTS (SELECT 1 FROM feature_dependency WHERE child_id = feature.id OR parent_id = feature.id)",
];

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = NewTable::new(
            "archived_dependency",
            [number("child_id"), text("parent"), flag("enabled"), text("variants")],
        )
        .key(&["child_id", "parent"])
        .belongs_to("child_id", "feature", "id");
        create_all(manager, vec![table]).await?;
        for statement in MOVES {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
