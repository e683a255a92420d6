use poem::http::Method;
use serde_json::{Value, json};

use crate::authorization::{
    access::{
        ADMIN,
        Access::{self, Authenticated, Instance, Person, Shop, SignedIn},
    },
    row::Row,
};

const READ_ACCESS: Access = Shop(&["PROJECT_USER_ACCESS_READ", "UPDATE_PROJECT"]);
const WRITE_ACCESS: Access = Shop(&["PROJECT_USER_ACCESS_WRITE", "UPDATE_PROJECT"]);

pub fn rows() -> Vec<Row> {
    [groups(), roles(), project_access(), project_members(), api_tokens(), project_tokens(), personal_tokens()]
        .into_iter()
        .flatten()
        .collect()
}

fn groups() -> Vec<Row> {
    let group = json!({ "name": "crew" });
    let there = |row: Row| row.after(Method::POST, "/api/admin/groups", json!({ "name": "crew" }));
    vec![
        Row::get("getGroups", "/api/admin/groups", ADMIN),
        Row::post("createGroup", "/api/admin/groups", ADMIN, group).answers(201).leaves(&["group-created"]),
        there(Row::get("getGroup", "/api/admin/groups/1", ADMIN)),
        there(Row::put("updateGroup", "/api/admin/groups/1", ADMIN, json!({ "name": "team" })))
            .leaves(&["group-updated"]),
        there(Row::delete("deleteGroup", "/api/admin/groups/1", ADMIN)).leaves(&["group-deleted"]),
    ]
}

/// A role for projects that allows nothing, so that everybody may give it. The first one has the id 7.
fn guest(name: &str) -> Value {
    json!({ "name": name, "type": "custom", "permissions": [] })
}

fn roles() -> Vec<Row> {
    let there = |row: Row| row.after(Method::POST, "/api/admin/roles", guest("Guest"));
    vec![
        Row::get("getPermissions", "/api/admin/permissions", Authenticated),
        Row::get("getRoles", "/api/admin/roles", Instance(&["READ_ROLE"])),
        Row::get("getProjectRoleUsage", "/api/admin/projects/roles/4/access", ADMIN),
        Row::post("createRole", "/api/admin/roles", ADMIN, guest("Guest")).leaves(&["role-created"]),
        Row::post("validateRole", "/api/admin/roles/validate", ADMIN, guest("Guest")),
        Row::get("getRoleById", "/api/admin/roles/1", Instance(&["READ_ROLE"])),
        there(Row::put("updateRole", "/api/admin/roles/7", ADMIN, guest("Visitor"))).leaves(&["role-updated"]),
        there(Row::delete("deleteRole", "/api/admin/roles/7", ADMIN)).leaves(&["role-deleted"]),
    ]
}

/// With two roles that anybody may give, and the group 1.
fn with_holders(row: Row) -> Row {
    row.after(Method::POST, "/api/admin/roles", guest("Guest"))
        .after(Method::POST, "/api/admin/roles", guest("Visitor"))
        .after(Method::POST, "/api/admin/groups", json!({ "name": "crew" }))
}

/// With user 1, who made all this, and the group 1 as guests.
fn with_guests(row: Row) -> Row {
    let access = json!({ "roles": [7], "groups": [1], "users": [1] });
    with_holders(row).after(Method::POST, "/api/admin/projects/shop/access", access)
}

fn project_access() -> Vec<Row> {
    const ACCESS: &str = "/api/admin/projects/shop/access";
    const USER: &str = "/api/admin/projects/shop/users/1/roles";
    const GROUP: &str = "/api/admin/projects/shop/groups/1/roles";
    let roles = json!({ "roles": [7, 8] });
    let access = json!({ "roles": [7], "groups": [], "users": [1] });
    let replaced = json!({ "roles": [{ "id": 4, "users": [1] }, { "id": 7, "users": [1] }] });
    vec![
        Row::get("getProjectAccess", ACCESS, READ_ACCESS),
        with_holders(Row::post("addAccessToProject", ACCESS, WRITE_ACCESS, access)).leaves(&["project-access-added"]),
        // It takes the roles of the callers themselves: user 1 goes on owning the project.
        with_holders(Row::put("setProjectAccess", ACCESS, WRITE_ACCESS, replaced))
            .after(Method::POST, ACCESS, json!({ "roles": [4], "groups": [], "users": [1] }))
            .leaves(&["project-access-updated"]),
        with_guests(Row::put("setRolesForUser", USER, WRITE_ACCESS, roles.clone()))
            .leaves(&["project-access-user-roles-updated"]),
        with_guests(Row::delete("removeUserAccess", USER, WRITE_ACCESS)).leaves(&["project-access-user-roles-deleted"]),
        with_guests(Row::put("setRolesForGroup", GROUP, WRITE_ACCESS, roles))
            .leaves(&["project-access-group-roles-updated"]),
        with_guests(Row::delete("removeGroupAccess", GROUP, WRITE_ACCESS))
            .leaves(&["project-access-group-roles-deleted"]),
    ]
}

fn project_members() -> Vec<Row> {
    let one = |operation, method, path| Row::new(operation, method, path, WRITE_ACCESS);
    vec![
        with_holders(Row::post(
            "addRoleAccessToProject",
            "/api/admin/projects/shop/role/7/access",
            WRITE_ACCESS,
            json!({ "groups": [{ "id": 1 }], "users": [] }),
        ))
        .leaves(&["project-access-added"]),
        with_holders(one("addRoleToUser", Method::POST, "/api/admin/projects/shop/users/1/roles/7"))
            .leaves(&["project-user-added"]),
        with_guests(one("changeRoleForUser", Method::PUT, "/api/admin/projects/shop/users/1/roles/8"))
            .leaves(&["project-user-role-changed"]),
        with_guests(one("removeRoleForUser", Method::DELETE, "/api/admin/projects/shop/users/1/roles/7"))
            .leaves(&["project-user-removed"]),
        with_holders(one("addRoleToGroup", Method::POST, "/api/admin/projects/shop/groups/1/roles/7"))
            .leaves(&["project-group-added"]),
        with_guests(one("changeRoleForGroup", Method::PUT, "/api/admin/projects/shop/groups/1/roles/8"))
            .leaves(&["project-group-role-changed"]),
        with_guests(one("removeRoleFromGroup", Method::DELETE, "/api/admin/projects/shop/groups/1/roles/7"))
            .leaves(&["project-group-removed"]),
    ]
}

fn client_token() -> Value {
    json!({ "tokenName": "app", "type": "client", "environment": "development", "projects": ["shop"] })
}

/// Rows of API tokens: the kind of the token decides which of the two permissions is needed.
fn api_tokens() -> Vec<Row> {
    const TOKENS: &str = "/api/admin/api-tokens";
    const TOKEN: &str = "/api/admin/api-tokens/shop:development.id-2";
    const READ: Access = Instance(&["READ_CLIENT_API_TOKEN", "READ_FRONTEND_API_TOKEN"]);
    const CREATE: Access = Instance(&["CREATE_CLIENT_API_TOKEN", "CREATE_FRONTEND_API_TOKEN"]);
    const UPDATE: Access = Instance(&["UPDATE_CLIENT_API_TOKEN", "UPDATE_FRONTEND_API_TOKEN"]);
    const DELETE: Access = Instance(&["DELETE_CLIENT_API_TOKEN", "DELETE_FRONTEND_API_TOKEN"]);
    let there = |row: Row| row.after(Method::POST, TOKENS, client_token()).needs_more();
    vec![
        Row::get("getAllApiTokens", TOKENS, READ),
        Row::post("createApiToken", TOKENS, CREATE, client_token())
            .answers(201)
            .leaves(&["api-token-created"])
            .needs_more(),
        there(Row::get("getApiTokensByName", "/api/admin/api-tokens/app", READ)),
        there(Row::put("updateApiToken", TOKEN, UPDATE, json!({ "expiresAt": "2027-01-01T00:00:00Z" })))
            .leaves(&["api-token-updated"]),
        there(Row::delete("deleteApiToken", TOKEN, DELETE)).leaves(&["api-token-deleted"]),
    ]
}

fn project_tokens() -> Vec<Row> {
    const TOKENS: &str = "/api/admin/projects/shop/api-tokens";
    const TOKEN: &str = "/api/admin/projects/shop/api-tokens/shop:development.id-2";
    vec![
        Row::get("getProjectApiTokens", TOKENS, Shop(&["READ_PROJECT_API_TOKEN"])),
        Row::post("createProjectApiToken", TOKENS, Shop(&["CREATE_PROJECT_API_TOKEN"]), client_token())
            .answers(201)
            .leaves(&["api-token-created"]),
        Row::delete("deleteProjectApiToken", TOKEN, Shop(&["DELETE_PROJECT_API_TOKEN"]))
            .after(Method::POST, TOKENS, client_token())
            .leaves(&["api-token-deleted"]),
    ]
}

fn personal_tokens() -> Vec<Row> {
    let token = json!({ "description": "laptop", "expiresAt": "2027-01-01T00:00:00Z" });
    vec![
        Row::get("getPats", "/api/admin/user/tokens", Person),
        Row::post("createPat", "/api/admin/user/tokens", SignedIn, token).answers(201).leaves(&["pat-created"]),
        // The one with which the asker calls. Without another administrator the last one's would stay.
        Row::delete("deletePat", "/api/admin/user/tokens/2", Person)
            .after(Method::POST, "/api/admin/user-admin", json!({ "username": "ada", "rootRole": 3 }))
            .leaves(&["pat-deleted"]),
    ]
}
