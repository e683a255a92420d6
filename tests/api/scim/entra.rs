//! A user and a group in the requests that Microsoft documents for Entra.

use serde_json::json;

use super::{GROUPS, USER, USERS, directory, id_of, place, refused, types_since};
use crate::harness::TestApp;

#[tokio::test]
async fn a_user_is_made_patched_as_entra_writes_it_and_comes_back_after_a_deletion() {
    let app = TestApp::new().await;
    let entra = directory(&app).await;
    let before = app.event_types().await.len();
    let name = "Test_User_dfeef4c5-5681-4387-b016-bdf221e82081";
    assert!(entra.find(USERS, &format!("userName eq \"{name}\"")).await.is_empty());
    let body = json!({
        "schemas": [USER, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
        "externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef", "userName": name, "active": true,
        "emails": [{ "primary": true, "type": "work", "value": "Test_User_fd0ea19b@testuser.com" }],
        "meta": { "resourceType": "User" },
        "name": { "formatted": "givenName familyName", "familyName": "familyName", "givenName": "givenName" },
        "roles": [], "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { "department": "bob" },
    });
    let made = entra.post(USERS, body.clone()).await.expect(201);
    let user = place(&made);
    assert_eq!((&made["userName"], &made["displayName"]), (&json!(name), &json!("givenName familyName")));
    assert_eq!(made["emails"][0]["value"], "test_user_fd0ea19b@testuser.com");

    let patch = json!([
        { "op": "Replace", "path": "emails[type eq \"work\"].value", "value": "updatedEmail@microsoft.com" },
        { "op": "Replace", "path": "name.familyName", "value": "updatedFamilyName" },
        { "op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "value": "x" },
    ]);
    let changed = entra.patch(&user, patch).await.expect(200);
    assert_eq!(changed["name"]["familyName"], "updatedFamilyName");
    assert_eq!(changed["emails"][0]["value"], "updatedemail@microsoft.com");
    let renamed =
        json!([{ "op": "Replace", "path": "userName", "value": "5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com" }]);
    let renamed = entra.patch(&user, renamed).await.expect(200);
    assert_eq!(renamed["userName"], "5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com");
    assert_eq!(app.admin().get("/api/admin/user-admin").await.expect(200)["users"][0]["username"], json!(null));

    let off = json!([{ "op": "Replace", "path": "active", "value": "False" }]);
    assert_eq!(entra.patch(&user, off).await.expect(200)["active"], false);
    let on = json!([{ "op": "Replace", "path": "active", "value": "True" }]);
    assert_eq!(entra.patch(&user, on).await.expect(200)["active"], true);
    assert_eq!(entra.delete(&user).await.status, 204);
    refused(&entra.get(&user).await, 404, None, "no user");
    refused(&entra.delete(&user).await, 404, None, "no user");
    assert!(entra.find(USERS, r#"externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef""#).await.is_empty());

    // The same person again: the same user. Another one of the same name: another.
    let mut back = body.clone();
    back["userName"] = json!("5B50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com");
    let mut other = back.clone();
    other["externalId"] = json!("another");
    assert_eq!(place(&entra.post(USERS, back.clone()).await.expect(201)), user);
    assert_eq!(entra.delete(&user).await.status, 204);
    assert_ne!(place(&entra.post(USERS, other).await.expect(201)), user);
    refused(&entra.post(USERS, back).await, 409, Some("uniqueness"), "userName");
    let told = [
        "user-created",
        "user-updated",
        "user-updated",
        "user-updated",
        "user-updated",
        "user-deleted",
        "user-created",
        "user-deleted",
        "user-created",
    ];
    assert_eq!(types_since(&app, before).await, told);
}

#[tokio::test]
async fn a_group_is_made_found_without_its_members_and_patched() {
    let app = TestApp::new().await;
    let entra = directory(&app).await;
    let user = entra.make_user("ada@example.com").await;
    let body = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group",
            "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
        "externalId": "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159", "displayName": "displayName",
        "meta": { "resourceType": "Group" },
    });
    let group = place(&entra.post(GROUPS, body).await.expect(201));
    let add = json!([{ "op": "Add", "path": "members", "value": [{ "$ref": null, "value": id_of(&user) }] }]);
    assert_eq!(entra.patch(&group, add).await.status, 204);
    let without = entra.get(&format!("{group}?excludedAttributes=members")).await.expect(200);
    assert_eq!(without.get("members"), None);
    assert_eq!(without["externalId"], "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159");
    let list =
        entra.get(&format!("{GROUPS}?excludedAttributes=members&filter=displayName%20eq%20%22DisplayName%22")).await;
    let list = list.expect(200);
    assert_eq!((list["totalResults"].as_i64(), list["Resources"][0].get("members")), (Some(1), None));
    let rename = json!([{ "op": "Replace", "path": "displayName", "value": "1879db59" }]);
    assert_eq!(entra.patch(&group, rename).await.status, 204);
    let remove = json!([{ "op": "Remove", "path": "members", "value": [{ "$ref": null, "value": id_of(&user) }] }]);
    assert_eq!(entra.patch(&group, remove).await.status, 204);
    let shown = entra.get(&group).await.expect(200);
    assert_eq!((&shown["displayName"], shown.get("members")), (&json!("1879db59"), None));
    assert_eq!(entra.delete(&group).await.status, 204);
}
