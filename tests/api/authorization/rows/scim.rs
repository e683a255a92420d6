use poem::http::Method;
use serde_json::{Value, json};

use crate::authorization::{
    access::{ADMIN, Access::Directory},
    row::Row,
};

const SETTINGS: &str = "/api/admin/scim-settings";
const DIRECTORIES: &str = "/api/admin/scim-settings/directories";
const OKTA: &str = "/api/admin/scim-settings/directories/1";

/// With a user whose id is 2: the administrator who makes them is the first.
fn with_user(row: Row) -> Row {
    row.after(Method::POST, "/api/admin/user-admin", json!({ "username": "ada", "rootRole": 3 }))
}

/// With a group whose id is 1.
fn with_group(row: Row) -> Row {
    row.after(Method::POST, "/api/admin/groups", json!({ "name": "crew" }))
}

/// With a directory whose id is 1.
fn with_directory(row: Row) -> Row {
    row.after(Method::POST, DIRECTORIES, json!({ "name": "Okta" }))
}

/// With SCIM switched off.
fn switched_off(row: Row) -> Row {
    row.after(Method::POST, SETTINGS, json!({ "enabled": false }))
}

pub fn rows() -> Vec<Row> {
    let user = json!({ "userName": "bob@example.com" });
    let group = json!({ "displayName": "team" });
    let bulk = json!({ "Operations": [{ "method": "POST", "bulkId": "a", "path": "/Users", "data": user.clone() }] });
    let patch = |path: &str| json!({ "Operations": [{ "op": "replace", "path": path, "value": "other" }] });
    vec![
        Row::get("getScimSettings", SETTINGS, ADMIN),
        Row::post("setScimSettings", SETTINGS, ADMIN, json!({ "enabled": false })).leaves(&["setting-updated"]),
        Row::post("generateScimToken", "/api/admin/scim-settings/generate-new-token", ADMIN, Value::Null)
            .leaves(&["setting-updated"]),
        Row::get("getScimDirectories", DIRECTORIES, ADMIN),
        Row::post("createScimDirectory", DIRECTORIES, ADMIN, json!({ "name": "Okta" }))
            .answers(201)
            .leaves(&["setting-created"]),
        with_directory(Row::post(
            "generateScimDirectoryToken",
            "/api/admin/scim-settings/directories/1/generate-new-token",
            ADMIN,
            Value::Null,
        ))
        .leaves(&["setting-updated"]),
        with_directory(Row::delete("deleteScimDirectory", OKTA, ADMIN)).leaves(&["setting-deleted"]),
        Row::get("getScimServiceProviderConfig", "/scim/ServiceProviderConfig", Directory),
        Row::get("getScimResourceTypes", "/scim/ResourceTypes", Directory),
        Row::get("getScimResourceType", "/scim/ResourceTypes/User", Directory),
        Row::get("getScimSchemas", "/scim/Schemas", Directory),
        Row::get("getScimSchema", "/scim/Schemas/urn:ietf:params:scim:schemas:core:2.0:User", Directory),
        Row::get("getScimUsers", "/scim/Users?filter=userName%20eq%20%22ada%22", Directory),
        Row::post("createScimUser", "/scim/Users", Directory, user.clone()).answers(201).leaves(&["user-created"]),
        with_user(Row::get("getScimUser", "/scim/Users/2", Directory)),
        with_user(Row::put("replaceScimUser", "/scim/Users/2", Directory, user)).leaves(&["user-updated"]),
        with_user(Row::patch("changeScimUser", "/scim/Users/2", Directory, patch("displayName")))
            .leaves(&["user-updated"]),
        with_user(Row::delete("deleteScimUser", "/scim/Users/2", Directory)).answers(204).leaves(&["user-deleted"]),
        Row::get("getScimGroups", "/scim/Groups", Directory),
        Row::post("createScimGroup", "/scim/Groups", Directory, group.clone()).answers(201).leaves(&["group-created"]),
        with_group(Row::get("getScimGroup", "/scim/Groups/1", Directory)),
        with_group(Row::put("replaceScimGroup", "/scim/Groups/1", Directory, group)).leaves(&["group-updated"]),
        with_group(Row::patch("changeScimGroup", "/scim/Groups/1", Directory, patch("displayName")))
            .answers(204)
            .leaves(&["group-updated"]),
        with_group(Row::delete("deleteScimGroup", "/scim/Groups/1", Directory)).answers(204).leaves(&["group-deleted"]),
        Row::post("applyScimBulk", "/scim/Bulk", Directory, bulk).leaves(&["user-created"]),
        with_user(Row::post("linkUserToDirectory", "/api/admin/user-admin/2/scim-link", ADMIN, Value::Null))
            .leaves(&["user-updated"]),
        with_user(Row::delete("unlinkUserFromDirectory", "/api/admin/user-admin/2/scim-link", ADMIN))
            .after(Method::POST, "/api/admin/user-admin/2/scim-link", Value::Null)
            .leaves(&["user-updated"]),
        with_group(Row::post("linkGroupToDirectory", "/api/admin/groups/1/scim-link", ADMIN, Value::Null))
            .leaves(&["group-updated"]),
        with_group(Row::delete("unlinkGroupFromDirectory", "/api/admin/groups/1/scim-link", ADMIN))
            .after(Method::POST, "/api/admin/groups/1/scim-link", Value::Null)
            .leaves(&["group-updated"]),
        switched_off(Row::delete("deleteScimUsers", "/api/admin/user-admin/scim-users", ADMIN)),
        switched_off(Row::delete("deleteScimGroups", "/api/admin/groups/scim-groups", ADMIN)),
    ]
}
