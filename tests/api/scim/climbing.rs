//! Nobody climbs by the token of a directory: what a person gave is out of its reach until a person links it.

use poem::http::Method;
use serde_json::{Value, json};

use super::{Directory, GROUP, GROUPS, USER, USERS, directory, id_of, refused};
use crate::{
    calls::{last_event, put},
    harness::{TestApp, role},
    users::{STRONG, sign_in, user},
};

const USER_ADMIN: &str = "/api/admin/user-admin";

/// Every change that a directory can ask of a user.
async fn changes(directory: &Directory, place: &str, email: &str) -> Vec<(&'static str, crate::harness::Answer)> {
    let patch = async |operations: Value| directory.patch(place, operations).await;
    vec![
        ("adopt", patch(json!([{ "op": "add", "path": "externalId", "value": "7" }])).await),
        ("adopt by nothing", patch(json!([{ "op": "add", "path": "title", "value": "x" }])).await),
        ("rename", patch(json!([{ "op": "replace", "path": "displayName", "value": "Eve" }])).await),
        (
            "readdress",
            patch(json!([{ "op": "replace", "path": "emails[type eq \"work\"].value", "value": "eve@x.com" }])).await,
        ),
        ("userName", patch(json!([{ "op": "replace", "path": "userName", "value": "eve" }])).await),
        ("deactivate", patch(json!([{ "op": "replace", "path": "active", "value": "False" }])).await),
        ("replace", directory.put(place, json!({ "schemas": [USER], "userName": email })).await),
        ("delete", directory.delete(place).await),
    ]
}

async fn shown(app: &TestApp, id: i64) -> Value {
    app.admin().get(&format!("{USER_ADMIN}/{id}")).await.expect(200)
}

#[tokio::test]
async fn no_account_with_a_role_that_a_person_gave_is_touched_until_a_person_links_it() {
    let app = TestApp::new().await;
    user(&app, "spare", role::ADMIN).await;
    app.project("shop").await;
    let admin = app.admin();
    let root = user(&app, "root", role::ADMIN).await;
    let editor = user(&app, "editor", role::EDITOR).await;
    let member = user(&app, "member", role::VIEWER).await;
    let access = json!({ "roles": [role::MEMBER], "groups": [], "users": [member] });
    admin.post("/api/admin/projects/shop/access", access).await.expect(200);
    let grouped = user(&app, "grouped", role::VIEWER).await;
    let group = json!({ "name": "admins", "rootRole": role::EDITOR, "users": [{ "user": { "id": grouped } }] });
    admin.post("/api/admin/groups", group).await.expect(201);
    let owning = user(&app, "owning", role::VIEWER).await;
    let group = json!({ "name": "owners", "users": [{ "user": { "id": owning } }] });
    let group = admin.post("/api/admin/groups", group).await.expect(201)["id"].clone();
    let access = json!({ "roles": [role::OWNER], "groups": [group], "users": [] });
    admin.post("/api/admin/projects/shop/access", access).await.expect(200);
    let directory = directory(&app).await;
    for (id, name) in [(root, "root"), (editor, "editor"), (member, "member"), (grouped, "grouped"), (owning, "owning")]
    {
        let (place, email) = (format!("{USERS}/{id}"), format!("{name}@example.com"));
        let (before, events) = (shown(&app, id).await, app.event_types().await.len());
        for (what, answer) in changes(&directory, &place, &email).await {
            assert_eq!(answer.status, 403, "{what} {name}: {}", answer.text);
            refused(&answer, 403, None, "linkUserToDirectory");
        }
        assert_eq!(shown(&app, id).await, before, "{name}");
        assert_eq!(app.event_types().await.len(), events, "{name}");
        assert_eq!(sign_in(&app, name, STRONG).await.status, 200, "{name} comes in as before");

        let link = format!("{USER_ADMIN}/{id}/scim-link");
        let linked = admin.post(&link, Value::Null).await.expect(200);
        assert_eq!(linked["scimLinked"], true);
        let event = last_event(&app).await;
        assert_eq!((&event[0], &event[2]["scimLinked"]), (&json!("user-updated"), &json!(true)));
        admin.post(&link, Value::Null).await.expect(200);
        assert_eq!(app.event_types().await.len(), events + 1, "linked once");
        for (what, answer) in changes(&directory, &place, &email).await {
            assert!(matches!(answer.status, 200 | 204), "{what} {name}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn a_directory_readdresses_none_whom_it_made_once_a_person_gave_them_more_and_leavers_leave() {
    let app = TestApp::new().await;
    user(&app, "spare", role::ADMIN).await;
    let directory = directory(&app).await;
    let place = directory.make_user("ada@example.com").await;
    let path = format!("{USER_ADMIN}/{}", id_of(&place));
    let thief = json!([{ "op": "replace", "path": "emails[type eq \"work\"].value", "value": "eve@x.com" }]);
    directory.patch(&place, thief.clone()).await.expect(200);
    put(&app.admin(), &path, json!({ "rootRole": role::ADMIN })).await.expect(200);
    let back = json!([{ "op": "replace", "path": "emails[type eq \"work\"].value", "value": "ada@example.com" }]);
    refused(&directory.patch(&place, back.clone()).await, 403, None, "given by hand");
    let name = json!([{ "op": "replace", "path": "userName", "value": "eve@x.com" }]);
    refused(&directory.patch(&place, name).await, 403, None, "given by hand");
    for (attribute, value) in [("displayName", json!("Ada")), ("active", json!(false)), ("active", json!(true))] {
        let operations = json!([{ "op": "replace", "path": attribute, "value": value }]);
        directory.patch(&place, operations).await.expect(200);
    }
    app.admin().post(&format!("{path}/scim-link"), Value::Null).await.expect(200);
    directory.patch(&place, back).await.expect(200);
    assert_eq!(directory.delete(&place).await.status, 204);
}

#[tokio::test]
async fn whom_a_person_deactivated_or_deleted_no_directory_brings_back() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let (admin, on) = (app.admin(), json!([{ "op": "replace", "path": "active", "value": true }]));
    // By hand, and kept by nobody.
    let bob = user(&app, "bob", role::VIEWER).await;
    put(&admin, &format!("{USER_ADMIN}/{bob}"), json!({ "active": false })).await.expect(200);
    refused(&directory.patch(&format!("{USERS}/{bob}"), on.clone()).await, 403, None, "deactivated");
    let whole = json!({ "schemas": [USER], "userName": "bob@example.com", "active": true });
    refused(&directory.put(&format!("{USERS}/{bob}"), whole).await, 403, None, "deactivated");
    assert_eq!(shown(&app, bob).await["active"], false);
    // Made by the directory, and deactivated by a person while it was off; by a change of something else it stays so.
    let place = directory.make_user("ada@example.com").await;
    let ada: i64 = super::number(&place);
    admin.post(super::SETTINGS, json!({ "enabled": false })).await.expect(200);
    put(&admin, &format!("{USER_ADMIN}/{ada}"), json!({ "active": false })).await.expect(200);
    admin.post(super::SETTINGS, json!({ "enabled": true })).await.expect(200);
    refused(&directory.patch(&place, on.clone()).await, 403, None, "deactivated");
    let name = json!([{ "op": "replace", "path": "displayName", "value": "Ada" }]);
    assert_eq!(directory.patch(&place, name).await.expect(200)["active"], false);
    // A person takes it back, also while the directory is on.
    put(&admin, &format!("{USER_ADMIN}/{ada}"), json!({ "active": true })).await.expect(200);
    let off = json!([{ "op": "replace", "path": "active", "value": false }]);
    directory.patch(&place, off).await.expect(200);
    directory.patch(&place, on.clone()).await.expect(200);
    // A link hands the decision over.
    admin.post(&format!("{USER_ADMIN}/{bob}/scim-link"), Value::Null).await.expect(200);
    assert_eq!(directory.patch(&format!("{USERS}/{bob}"), on).await.expect(200)["active"], true);

    let gone = directory.make_user("gone@example.com").await;
    admin.post(super::SETTINGS, json!({ "enabled": false })).await.expect(200);
    crate::calls::delete(&admin, &format!("{USER_ADMIN}/{}", id_of(&gone))).await.expect(200);
    admin.post(super::SETTINGS, json!({ "enabled": true })).await.expect(200);
    assert_ne!(directory.make_user("gone@example.com").await, gone, "another user, not the same again");
}

#[tokio::test]
async fn a_group_that_gives_any_role_is_out_of_reach_until_a_person_links_it() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let eve = directory.make_user("eve@example.com").await;
    let make = async |name: &str, root_role: Value| {
        let made = admin.post("/api/admin/groups", json!({ "name": name, "rootRole": root_role })).await.expect(201);
        made["id"].as_i64().expect("an id")
    };
    let in_instance = make("editors", json!(role::EDITOR)).await;
    let in_project = make("owners", Value::Null).await;
    let access = json!({ "roles": [role::OWNER], "groups": [in_project], "users": [] });
    admin.post("/api/admin/projects/shop/access", access).await.expect(200);
    for (id, name) in [(in_instance, "editors"), (in_project, "owners")] {
        let place = format!("{GROUPS}/{id}");
        let before = admin.get(&format!("/api/admin/groups/{id}")).await.expect(200);
        let join = json!([{ "op": "add", "path": "members", "value": [{ "value": id_of(&eve) }] }]);
        let rename = json!([{ "op": "replace", "path": "displayName", "value": "mine" }]);
        let adopt = json!([{ "op": "replace", "path": "externalId", "value": "7" }]);
        for operations in [&join, &rename, &adopt] {
            refused(&directory.patch(&place, operations.clone()).await, 403, None, "linkGroupToDirectory");
        }
        let whole = json!({ "schemas": [GROUP], "displayName": name, "members": [{ "value": id_of(&eve) }] });
        refused(&directory.put(&place, whole).await, 403, None, "linkGroupToDirectory");
        refused(&directory.delete(&place).await, 403, None, "linkGroupToDirectory");
        assert_eq!(admin.get(&format!("/api/admin/groups/{id}")).await.expect(200), before);
        let link = format!("/api/admin/groups/{id}/scim-link");
        assert_eq!(admin.post(&link, Value::Null).await.expect(200)["scimLinked"], true);
        assert_eq!(last_event(&app).await[0], "group-updated");
        assert_eq!(directory.patch(&place, join.clone()).await.status, 204);
        assert_eq!(admin.get(&format!("/api/admin/groups/{id}")).await.expect(200)["userCount"], 1);
        // Taken back, it is a person's again.
        let back = admin.json(Method::DELETE, &link, Value::Null).await.expect(200);
        assert_eq!((back.get("scimLinked"), back.get("scimId")), (None, None));
        refused(&directory.patch(&place, rename).await, 403, None, "linkGroupToDirectory");
    }
    // One that was found without a role, and was given one later, was not handed over by that.
    let crew = make("crew", Value::Null).await;
    let place = format!("{GROUPS}/{crew}");
    let adopt = json!([{ "op": "replace", "path": "externalId", "value": "8" }]);
    assert_eq!(directory.patch(&place, adopt).await.status, 204);
    let access = json!({ "roles": [role::OWNER], "groups": [crew], "users": [] });
    admin.post("/api/admin/projects/shop/access", access).await.expect(200);
    let join = json!([{ "op": "add", "path": "members", "value": [{ "value": id_of(&eve) }] }]);
    refused(&directory.patch(&place, join.clone()).await, 403, None, "linkGroupToDirectory");
    // One that the directory made is its own, whatever it gives.
    let created = directory.make_group("created", &[]).await;
    put(
        &admin,
        &format!("/api/admin/groups/{}", id_of(&created)),
        json!({ "name": "created", "rootRole": role::EDITOR }),
    )
    .await
    .expect(200);
    assert_eq!(directory.patch(&created, join).await.status, 204);
}

#[tokio::test]
async fn only_administrators_link_and_what_there_is_not_is_404() {
    let app = TestApp::new().await;
    let bob = user(&app, "bob", role::EDITOR).await;
    let group = app.admin().post("/api/admin/groups", json!({ "name": "crew" })).await.expect(201)["id"].clone();
    let directory = directory(&app).await;
    for path in [format!("{USER_ADMIN}/{bob}/scim-link"), format!("/api/admin/groups/{group}/scim-link")] {
        for method in [Method::POST, Method::DELETE] {
            app.editor().await.json(method.clone(), &path, Value::Null).await.refused(403, "NoAccessError", "ADMIN");
            assert_eq!(directory.send(method.clone(), &path, &Value::Null).await.status, 401, "{method} {path}");
        }
    }
    for path in [format!("{USER_ADMIN}/999/scim-link"), "/api/admin/groups/999/scim-link".to_owned()] {
        app.admin().post(&path, Value::Null).await.refused(404, "NotFoundError", "999");
    }
    let events = app.event_types().await.len();
    let path = format!("{USER_ADMIN}/{bob}/scim-link");
    app.admin().json(Method::DELETE, &path, Value::Null).await.expect(200);
    assert_eq!(app.event_types().await.len(), events, "nothing was linked");
}

#[tokio::test]
async fn whom_a_directory_finds_unproved_loses_what_somebody_else_may_have_made() {
    let app = TestApp::new().await;
    let mallory = app.person(role::VIEWER, None).await;
    let session = app.in_session(&mallory).await;
    let id = mallory.user_id.expect("a person");
    let directory = directory(&app).await;
    for client in [&mallory, &session] {
        client.get("/api/admin/user").await.expect(200);
    }
    let adopt = json!([{ "op": "add", "path": "externalId", "value": "7" }]);
    directory.patch(&format!("{USERS}/{id}"), adopt).await.expect(200);
    let event = last_event(&app).await;
    assert_eq!((&event[2]["endedSessions"], &event[2]["endedPersonalTokens"]), (&json!(1), &json!(1)));
    for client in [&mallory, &session] {
        assert_eq!(client.get("/api/admin/user").await.status, 401);
    }
    let bob = user(&app, "bob", role::VIEWER).await;
    let adopt = json!([{ "op": "add", "path": "externalId", "value": "8" }]);
    directory.patch(&format!("{USERS}/{bob}"), adopt).await.expect(200);
    assert_eq!(last_event(&app).await[2]["endedPassword"], true);
    assert_eq!(sign_in(&app, "bob", STRONG).await.status, 401);
    // Whom a person links, that person answers for.
    let eve = user(&app, "eve", role::VIEWER).await;
    app.admin().post(&format!("{USER_ADMIN}/{eve}/scim-link"), Value::Null).await.expect(200);
    let adopt = json!([{ "op": "add", "path": "externalId", "value": "9" }]);
    directory.patch(&format!("{USERS}/{eve}"), adopt).await.expect(200);
    assert_eq!(sign_in(&app, "eve", STRONG).await.status, 200);
}

#[tokio::test]
async fn a_member_is_what_its_type_and_its_reference_say() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let ada = directory.make_user("ada@example.com").await;
    let (id, crew) = (id_of(&ada), directory.make_group("crew", &[]).await);
    let as_user = format!("http://127.0.0.1:4242/scim/Users/{id}");
    let as_group = format!("http://127.0.0.1:4242/scim/Groups/{id}");
    for member in [
        json!({ "value": id, "type": "Thing" }),
        json!({ "value": id, "type": "group", "$ref": as_user }),
        json!({ "value": id, "type": "User", "$ref": as_group }),
        json!({ "$ref": format!("http://127.0.0.1:4242/scim/Things/{id}") }),
        json!({ "value": "999", "$ref": as_user }),
        json!({ "value": "999", "$ref": as_group }),
        json!({ "VALUE": id, "Type": "Thing" }),
    ] {
        for operation in ["add", "replace", "remove"] {
            let operations = json!([{ "op": operation, "path": "members", "value": [member] }]);
            refused(&directory.patch(&crew, operations).await, 400, Some("invalidValue"), "members");
        }
        let whole = json!({ "schemas": [GROUP], "displayName": "crew", "members": [member] });
        refused(&directory.put(&crew, whole.clone()).await, 400, Some("invalidValue"), "members");
        refused(&directory.post(GROUPS, whole).await, 400, Some("invalidValue"), "members");
        assert_eq!(directory.get(&crew).await.expect(200).get("members"), None, "{member}");
    }
    for member in [
        json!({ "value": id, "type": "USER" }),
        json!({ "value": id, "$ref": as_user }),
        json!({ "$ref": format!("../Users/{id}") }),
    ] {
        let whole = json!({ "schemas": [GROUP], "displayName": "crew", "members": [member] });
        let shown = directory.put(&crew, whole).await.expect(200);
        let shown = &shown["members"][0];
        assert_eq!((&shown["value"], &shown["type"]), (&json!(id), &json!("User")));
        let remove = json!([{ "op": "remove", "path": "members", "value": [member] }]);
        assert_eq!(directory.patch(&crew, remove).await.status, 204, "{member}");
        assert_eq!(directory.get(&crew).await.expect(200).get("members"), None, "{member}");
    }
}
