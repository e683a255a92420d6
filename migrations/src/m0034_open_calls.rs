//! Additions for newer consoles and tools: requests for features that do not exist, the feature type `sunset`, secrets
//! of API tokens that are kept sealed, and context fields that belong to a project.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

use crate::table::{NewTable, create_all, instant, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const SEALED_SECRET: &str = "ALTER TABLE \"api_token\" ADD COLUMN \"sealed_secret\" text";

/// The feature type, unless a type of this name was taken over from another server.
const SUNSET: &str = "INSERT INTO feature_type (id, name, description, lifetime_days) \
    VALUES ('sunset', 'Sunset', 'Takes a part of the system out of use step by step.', 90) ON CONFLICT (id) DO NOTHING";

/// Grants of the new permission to the roles that own a project; editors own the default project.
const OWNERS: &str = "INSERT INTO role_permission (role_id, permission, project) \
    SELECT role_id, 'UPDATE_PROJECT_CONTEXT', project FROM role_permission \
    WHERE role_id IN (2, 4) AND permission = 'UPDATE_PROJECT'";

const FIELDS_OF_PROJECT: &str = "CREATE INDEX \"ix_context_field__project\" ON \"context_field\" (\"project\")";

/// The project of a context field, with which the field goes. On PostgreSQL it is sorted as all other text is.
fn project_of_field(backend: DatabaseBackend) -> String {
    let order = if backend == DatabaseBackend::Postgres { " COLLATE \"C\"" } else { "" };
    format!(
        "ALTER TABLE \"context_field\" ADD COLUMN \"project\" text{order} \
         CONSTRAINT \"fk_context_field__project\" REFERENCES \"project\" (\"id\") ON DELETE CASCADE"
    )
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let unknown = NewTable::new(
            "unknown_flag",
            [text("feature_name"), text("app_name"), text("environment"), text("projects"), instant("seen_at")],
        );
        let unknown = unknown.key(&["feature_name", "app_name", "environment", "projects"]).index(&["seen_at"]);
        create_all(manager, vec![unknown]).await?;
        let connection = manager.get_connection();
        let project_of_field = project_of_field(connection.get_database_backend());
        for statement in [SEALED_SECRET, SUNSET, project_of_field.as_str(), FIELDS_OF_PROJECT, OWNERS] {
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
