//! Roles, users, groups, tokens and sessions.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

use crate::table::{NewTable, create_all, flag, id, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let tables = vec![
            role(),
            role_permission(),
            app_user(),
            user_group(),
            user_group_member(),
            project_user_role(),
            project_group_role(),
            favorite_project(),
            api_token(),
            api_token_project(),
            personal_token(),
            session(),
        ];
        create_all(manager, tables).await?;
        // An absent project or environment is a value here: a role grants the same thing once.
        let unique_grant = "CREATE UNIQUE INDEX ux_role_permission__grant ON role_permission \
             (role_id, permission, coalesce(project, ''), coalesce(environment, ''))";
        manager.get_connection().execute_unprepared(unique_grant).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn role() -> NewTable {
    NewTable::new("role", [id(), text("name"), text("type"), text("description")]).unique(&["name"])
}

fn role_permission() -> NewTable {
    NewTable::new(
        "role_permission",
        [id(), number("role_id"), text("permission"), optional(text("project")), optional(text("environment"))],
    )
    .belongs_to("role_id", "role", "id")
    .index(&["role_id"])
}

/// Not `user`, which is a word of SQL.
fn app_user() -> NewTable {
    let mut login_attempts = number("login_attempts");
    login_attempts.default(0);
    NewTable::new(
        "app_user",
        [
            id(),
            optional(text("username")),
            optional(text("email")),
            optional(text("name")),
            optional(text("password_hash")),
            number("root_role_id"),
            flag("is_system"),
            login_attempts,
            instant("created_at"),
            optional(instant("seen_at")),
            optional(instant("deleted_at")),
        ],
    )
    .refers_to("root_role_id", "role", "id")
    .unique(&["username"])
    .unique(&["email"])
}

/// Not `group`, which is a word of SQL.
fn user_group() -> NewTable {
    let mut mappings_sso = text("mappings_sso");
    mappings_sso.default("[]");
    NewTable::new(
        "user_group",
        [
            id(),
            text("name"),
            optional(text("description")),
            mappings_sso,
            optional(number("root_role_id")),
            instant("created_at"),
            optional(text("created_by")),
        ],
    )
    .refers_to("root_role_id", "role", "id")
    .unique(&["name"])
}

fn user_group_member() -> NewTable {
    NewTable::new("user_group_member", [number("group_id"), number("user_id"), instant("created_at")])
        .key(&["group_id", "user_id"])
        .belongs_to("group_id", "user_group", "id")
        .belongs_to("user_id", "app_user", "id")
        .index(&["user_id"])
}

fn project_user_role() -> NewTable {
    NewTable::new("project_user_role", [text("project"), number("user_id"), number("role_id"), instant("created_at")])
        .key(&["project", "user_id", "role_id"])
        .belongs_to("project", "project", "id")
        .belongs_to("user_id", "app_user", "id")
        .refers_to("role_id", "role", "id")
        .index(&["user_id"])
}

fn project_group_role() -> NewTable {
    NewTable::new("project_group_role", [text("project"), number("group_id"), number("role_id"), instant("created_at")])
        .key(&["project", "group_id", "role_id"])
        .belongs_to("project", "project", "id")
        .belongs_to("group_id", "user_group", "id")
        .refers_to("role_id", "role", "id")
        .index(&["group_id"])
}

fn favorite_project() -> NewTable {
    NewTable::new("favorite_project", [number("user_id"), text("project"), instant("created_at")])
        .key(&["user_id", "project"])
        .belongs_to("user_id", "app_user", "id")
        .belongs_to("project", "project", "id")
        .index(&["project"])
}

fn api_token() -> NewTable {
    NewTable::new(
        "api_token",
        [
            id(),
            text("secret_hash"),
            optional(text("alias_hash")),
            text("token_name"),
            text("type"),
            optional(text("environment")),
            instant("created_at"),
            optional(text("created_by")),
            optional(instant("expires_at")),
            optional(instant("seen_at")),
        ],
    )
    .unique(&["secret_hash"])
    .unique(&["alias_hash"])
}

/// The project may be `*` for all, so it is no foreign key.
fn api_token_project() -> NewTable {
    NewTable::new("api_token_project", [number("token_id"), text("project")]).key(&["token_id", "project"]).belongs_to(
        "token_id",
        "api_token",
        "id",
    )
}

fn personal_token() -> NewTable {
    NewTable::new(
        "personal_token",
        [
            id(),
            number("user_id"),
            text("description"),
            text("secret_hash"),
            instant("expires_at"),
            instant("created_at"),
            optional(instant("seen_at")),
        ],
    )
    .belongs_to("user_id", "app_user", "id")
    .unique(&["secret_hash"])
    .index(&["user_id"])
}

fn session() -> NewTable {
    NewTable::new("session", [text("id_hash"), number("user_id"), instant("created_at"), instant("expires_at")])
        .key(&["id_hash"])
        .belongs_to("user_id", "app_user", "id")
        .index(&["user_id"])
        .index(&["expires_at"])
}
