//! Users and groups that were made by hand, and what a directory may make of them.

use serde_json::{Value, json};

use super::{GROUP, GROUPS, USER, USERS, directory, id_of, refused};
use crate::{
    calls::last_event,
    harness::{TestApp, role},
    users::user,
};

#[tokio::test]
async fn whom_a_person_links_and_a_directory_writes_to_it_keeps_from_then_on_with_their_roles() {
    let app = TestApp::new().await;
    let id = user(&app, "bob", role::EDITOR).await;
    let directory = directory(&app).await;
    let found = directory.find(USERS, r#"userName eq "bob@example.com""#).await;
    let place = super::place(&found[0]);
    assert_eq!(id_of(&place), id.to_string());
    let admin = app.admin();
    assert!(admin.get(&format!("/api/admin/user-admin/{id}")).await.expect(200).get("scimId").is_none());
    // Made anew it cannot be.
    let body = json!({ "schemas": [USER], "userName": "bob@example.com", "externalId": "7" });
    refused(&directory.post(USERS, body.clone()).await, 409, Some("uniqueness"), "userName");
    let by_email = json!({ "schemas": [USER], "userName": "other", "emails": [{ "value": "bob@example.com" }] });
    refused(&directory.post(USERS, by_email).await, 409, Some("uniqueness"), "email");
    refused(&directory.put(&place, body.clone()).await, 403, None, "linkUserToDirectory");
    admin.post(&format!("/api/admin/user-admin/{id}/scim-link"), Value::Null).await.expect(200);
    directory.put(&place, body).await.expect(200);
    let event = last_event(&app).await;
    assert_eq!((&event[0], &event[3].get("scim")), (&json!("user-updated"), &None));
    assert_eq!(event[2]["scim"], json!({ "userName": "bob@example.com", "externalId": "7" }));
    let bob = admin.get(&format!("/api/admin/user-admin/{id}")).await.expect(200);
    assert_eq!((&bob["scimId"], &bob["rootRole"]), (&json!(id.to_string()), &json!(role::EDITOR)));
    assert_eq!(bob["username"], "bob", "what people sign in with stays");
}

#[tokio::test]
async fn nothing_that_a_directory_sends_gives_a_role_in_the_instance() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let body = json!({
        "schemas": [USER], "userName": "ada@example.com", "rootRole": 1, "root_role_id": 1, "roles": [{ "value": "Admin" }],
        "entitlements": ["Admin"], "groups": [{ "value": "1" }], "id": "1", "isAdmin": true,
    });
    let place = super::place(&directory.post(USERS, body.clone()).await.expect(201));
    directory.put(&place, body).await.expect(200);
    directory
        .patch(&place, json!([{ "op": "add", "path": "roles", "value": [{ "value": "Admin" }] }]))
        .await
        .expect(200);
    directory.patch(&place, json!([{ "op": "add", "value": { "rootRole": 1 } }])).await.expect(200);
    let ada = app.admin().get(&format!("/api/admin/user-admin/{}", id_of(&place))).await.expect(200);
    assert_eq!(ada["rootRole"], role::VIEWER);
}

#[tokio::test]
async fn a_group_by_hand_that_gives_a_role_is_left_alone_and_another_keeps_what_it_gives() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let ada = directory.make_user("ada@example.com").await;
    let admin = app.admin();
    let robot = json!({ "name": "R", "username": "robot", "rootRole": role::VIEWER });
    let robot = admin.post("/api/admin/service-account", robot).await.expect(201)["id"].clone();
    let make = async |name: &str, root_role: Value| {
        let body = json!({ "name": name, "description": "d", "mappingsSSO": ["m"], "rootRole": root_role,
            "users": [{ "user": { "id": robot } }] });
        admin.post("/api/admin/groups", body).await.expect(201)["id"].clone()
    };
    let (admins, crew) = (make("admins", json!(role::ADMIN)).await, make("crew", Value::Null).await);
    let found = directory.find(GROUPS, r#"displayName eq "ADMINS""#).await;
    let place = super::place(&found[0]);
    assert_eq!(id_of(&place), admins.to_string());
    let add = json!([{ "op": "add", "path": "members", "value": [{ "value": id_of(&ada) }] }]);
    refused(&directory.patch(&place, add.clone()).await, 403, None, "by hand");
    let whole = json!({ "schemas": [GROUP], "displayName": "admins", "members": [{ "value": id_of(&ada) }] });
    refused(&directory.put(&place, whole).await, 403, None, "by hand");
    refused(&directory.delete(&place).await, 403, None, "by hand");
    assert_eq!(found[0].get("members"), None, "a program is no member that a directory knows");

    let place = super::place(&directory.find(GROUPS, r#"displayName eq "crew""#).await[0]);
    assert_eq!(directory.patch(&place, add).await.status, 204);
    let path = format!("/api/admin/groups/{crew}");
    let kept = admin.get(&path).await.expect(200);
    assert_eq!((&kept["scimId"], &kept["mappingsSSO"]), (&json!(crew.to_string()), &json!(["m"])));
    assert_eq!((&kept["description"], &kept["userCount"]), (&json!("d"), &json!(2)), "the program stays");
    assert_eq!(last_event(&app).await[0], "group-updated");
    // Once it is kept, an administrator may have it give a role, and says by a link that this is meant.
    let users =
        kept["users"].as_array().expect("users").iter().map(|member| json!({ "user": { "id": member["user"]["id"] } }));
    let body = json!({ "name": "crew", "rootRole": role::EDITOR, "users": users.collect::<Value>() });
    crate::calls::put(&admin, &path, body).await.expect(200);
    let remove = json!([{ "op": "remove", "path": "members" }]);
    refused(&directory.patch(&place, remove.clone()).await, 403, None, "linkGroupToDirectory");
    admin.post(&format!("{path}/scim-link"), Value::Null).await.expect(200);
    assert_eq!(directory.patch(&place, remove).await.status, 204);
    assert_eq!(admin.get(&path).await.expect(200)["userCount"], 1);
    let stranger = json!([{ "op": "add", "path": "members", "value": [{ "value": robot.to_string() }] }]);
    refused(&directory.patch(&place, stranger).await, 400, Some("invalidValue"), "/body/members");
}

#[tokio::test]
async fn the_last_administrator_stays() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let boss = user(&app, "boss", role::ADMIN).await;
    let place = format!("{USERS}/{boss}");
    let link = async |id: i64| {
        app.admin().post(&format!("/api/admin/user-admin/{id}/scim-link"), Value::Null).await.expect(200);
    };
    link(boss).await;
    let keep = json!([{ "op": "replace", "path": "displayName", "value": "Boss" }]);
    directory.patch(&place, keep).await.expect(200);
    let before = app.event_types().await.len();
    let last = "administrator";
    let off = json!([{ "op": "replace", "path": "active", "value": "False" }]);
    refused(&directory.patch(&place, off.clone()).await, 409, None, last);
    let body = json!({ "schemas": [USER], "userName": "boss@example.com", "active": false });
    refused(&directory.put(&place, body).await, 409, None, last);
    refused(&directory.delete(&place).await, 409, None, last);
    assert_eq!(app.event_types().await.len(), before);
    let other = user(&app, "other", role::ADMIN).await;
    link(other).await;
    directory.patch(&place, off.clone()).await.expect(200);
    // Who may not come in keeps nothing administered.
    refused(&directory.patch(&format!("{USERS}/{other}"), off).await, 409, None, last);
    let body = json!({ "rootRole": role::VIEWER });
    crate::calls::put(&app.admin(), &format!("/api/admin/user-admin/{other}"), body).await.refused(
        403,
        "InvalidOperationError",
        last,
    );
}

#[tokio::test]
async fn the_group_by_which_the_last_administrator_is_one_stays_as_it_is() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let boss = user(&app, "boss", role::VIEWER).await;
    let group = directory.make_group("admins", &[&format!("{USERS}/{boss}")]).await;
    let id = id_of(&group);
    let body = json!({ "name": "admins", "rootRole": role::ADMIN, "users": [{ "user": { "id": boss } }] });
    crate::calls::put(&app.admin(), &format!("/api/admin/groups/{id}"), body).await.expect(200);
    let remove = json!([{ "op": "remove", "path": "members" }]);
    refused(&directory.patch(&group, remove).await, 409, None, "administer");
    refused(&directory.delete(&group).await, 409, None, "administer");
    let off = json!([{ "op": "replace", "path": "active", "value": false }]);
    let place = format!("{USERS}/{boss}");
    refused(&directory.patch(&place, off.clone()).await, 403, None, "linkUserToDirectory");
    app.admin().post(&format!("/api/admin/user-admin/{boss}/scim-link"), Value::Null).await.expect(200);
    refused(&directory.patch(&place, off).await, 409, None, "administrator");
    assert_eq!(directory.get(&group).await.expect(200)["members"].as_array().map(Vec::len), Some(1));
}
