//! The built-in roles with their grants, and the accounts in whose name the system acts.

use sea_orm_migration::{
    prelude::{ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait},
    sea_orm::DatabaseBackend,
};

use crate::m0009_seed::{insert, now};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const ADMIN: i64 = 1;
const EDITOR: i64 = 2;
const VIEWER: i64 = 3;
const OWNER: i64 = 4;
const MEMBER: i64 = 5;

/// Permissions of an editor in the whole instance.
const INSTANCE: [&str; 19] = [
    "CREATE_ADDON",
    "UPDATE_ADDON",
    "DELETE_ADDON",
    "CREATE_CONTEXT_FIELD",
    "UPDATE_CONTEXT_FIELD",
    "DELETE_CONTEXT_FIELD",
    "CREATE_SEGMENT",
    "UPDATE_SEGMENT",
    "DELETE_SEGMENT",
    "CREATE_STRATEGY",
    "UPDATE_STRATEGY",
    "DELETE_STRATEGY",
    "CREATE_TAG_TYPE",
    "UPDATE_TAG_TYPE",
    "DELETE_TAG_TYPE",
    "UPDATE_APPLICATION",
    "CREATE_PROJECT",
    "READ_CLIENT_API_TOKEN",
    "READ_FRONTEND_API_TOKEN",
];

/// Permissions of every member in a project, and in each of its environments.
const IN_PROJECT: [&str; 13] = [
    "CREATE_FEATURE",
    "UPDATE_FEATURE",
    "DELETE_FEATURE",
    "UPDATE_FEATURE_DEPENDENCY",
    "UPDATE_FEATURE_VARIANTS",
    "READ_PROJECT_API_TOKEN",
    "CREATE_PROJECT_API_TOKEN",
    "DELETE_PROJECT_API_TOKEN",
    "CREATE_FEATURE_STRATEGY",
    "UPDATE_FEATURE_STRATEGY",
    "DELETE_FEATURE_STRATEGY",
    "UPDATE_FEATURE_ENVIRONMENT",
    "UPDATE_FEATURE_ENVIRONMENT_VARIANTS",
];

/// Permissions that only its owners have there.
const OWNERS_ONLY: [&str; 3] = ["MOVE_FEATURE_TOGGLE", "UPDATE_PROJECT", "DELETE_PROJECT"];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        roles(manager).await?;
        grants(manager).await?;
        accounts(manager).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

async fn roles(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let roles = [
        (ADMIN, "Admin", "root", "May do everything."),
        (EDITOR, "Editor", "root", "May change the shared lists, create projects, and work in the default project."),
        (VIEWER, "Viewer", "root", "May look at everything but change nothing, unless given a role in a project."),
        (OWNER, "Owner", "project", "May do everything in the project."),
        (MEMBER, "Member", "project", "May work with the features of the project, but not with its settings."),
    ];
    insert(
        manager,
        "role",
        ["id", "name", "type", "description"],
        roles.map(|(id, name, kind, description)| [id.into(), name.into(), kind.into(), description.into()]),
    )
    .await?;
    let connection = manager.get_connection();
    if connection.get_database_backend() == DatabaseBackend::Postgres {
        // Ids that are given by hand do not move the sequence; SQLite looks at the rows.
        connection
            .execute_unprepared("SELECT setval(pg_get_serial_sequence('role', 'id'), (SELECT max(id) FROM role))")
            .await?;
    }
    Ok(())
}

/// The grants of project roles name no project: they count where the role is held.
async fn grants(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let in_default = Some("default");
    let grants = [
        (ADMIN, None, ["ADMIN"].as_slice()),
        (EDITOR, None, INSTANCE.as_slice()),
        (EDITOR, in_default, IN_PROJECT.as_slice()),
        (EDITOR, in_default, OWNERS_ONLY.as_slice()),
        (OWNER, None, IN_PROJECT.as_slice()),
        (OWNER, None, OWNERS_ONLY.as_slice()),
        (MEMBER, None, IN_PROJECT.as_slice()),
    ];
    let rows: Vec<_> = grants
        .into_iter()
        .flat_map(|(role, project, permissions)| {
            permissions.iter().map(move |permission| [role.into(), (*permission).into(), project.into()])
        })
        .collect();
    insert(manager, "role_permission", ["role_id", "permission", "project"], rows).await
}

/// Events need somebody who did it, also when that was a job or an admin token.
async fn accounts(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let accounts = [(-1337_i64, "unleash_system_user", "System"), (-42, "unleash_admin_token", "Admin token")];
    let now = now();
    insert(
        manager,
        "app_user",
        ["id", "username", "name", "root_role_id", "is_system", "created_at"],
        accounts.map(|(id, username, name)| {
            [id.into(), username.into(), name.into(), ADMIN.into(), true.into(), now.into()]
        }),
    )
    .await
}
