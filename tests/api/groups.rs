//! Groups of people.

use serde_json::{Value, json};

use crate::{
    calls::{delete, last_event, meant_for, private_project, put, tag_of},
    harness::{Client, TestApp, role},
};

const GROUPS: &str = "/api/admin/groups";
const GROUP: &str = "/api/admin/groups/1";

fn members(people: &[&Client]) -> Value {
    people.iter().map(|person| json!({ "user": { "id": person.user_id } })).collect()
}

fn ids(group: &Value) -> Vec<i64> {
    let users = group["users"].as_array().expect("users");
    users.iter().map(|member| member["user"]["id"].as_i64().expect("an id")).collect()
}

#[tokio::test]
async fn a_group_is_made_read_changed_and_deleted_with_its_events() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let (ada, bob) = (app.viewer().await, app.viewer().await);
    let (one, two) = (ada.user_id.expect("a person"), bob.user_id.expect("a person"));
    let body = json!({
        "name": "crew", "description": "all", "mappingsSSO": ["a", "b"], "rootRole": role::EDITOR,
        "users": members(&[&bob, &ada, &ada]),
    });
    let made = admin.post(GROUPS, body).await.expect(201);
    assert_eq!(ids(&made), [one, two], "sorted, each once");
    assert_eq!((&made["userCount"], &made["createdBy"], &made["projects"]), (&json!(2), &json!("tests"), &json!([])));
    assert_eq!(made["users"][0]["joinedAt"], "2026-01-15T12:00:00.000Z");
    assert!(made["users"][0]["user"]["email"].as_str().is_some_and(|email| email.ends_with("@example.com")));
    let document = json!({
        "id": 1, "name": "crew", "description": "all", "mappingsSSO": ["a", "b"], "rootRole": 2, "createdBy": "tests",
        "createdAt": "2026-01-15T12:00:00.000Z", "users": [one, two],
    });
    assert_eq!(last_event(&app).await, json!(["group-created", null, document, null]));
    assert_eq!(admin.get(GROUP).await.expect(200), made);
    assert_eq!(admin.get(GROUPS).await.expect(200), json!({ "groups": [made] }));

    app.clock.advance(1000);
    let changed = put(&admin, GROUP, json!({ "name": "team", "users": members(&[&bob]) })).await.expect(200);
    assert_eq!((&changed["description"], &changed["rootRole"], ids(&changed)), (&Value::Null, &Value::Null, vec![two]));
    assert_eq!(changed["users"][0]["joinedAt"], "2026-01-15T12:00:00.000Z", "who stays keeps the time");
    let after = json!({
        "id": 1, "name": "team", "description": null, "mappingsSSO": [], "rootRole": null, "createdBy": "tests",
        "createdAt": "2026-01-15T12:00:00.000Z", "users": [two],
    });
    assert_eq!(last_event(&app).await, json!(["group-updated", null, after, document]));
    put(&admin, GROUP, json!({ "name": "team", "users": members(&[&bob]) })).await.expect(200);
    assert_eq!(app.event_types().await.len(), 2, "nothing changed");

    delete(&admin, GROUP).await.expect(200);
    assert_eq!(last_event(&app).await, json!(["group-deleted", null, null, after]));
    assert_eq!(admin.get(GROUPS).await.expect(200), json!({ "groups": [] }));
    for answer in
        [admin.get(GROUP).await, put(&admin, GROUP, json!({ "name": "x" })).await, delete(&admin, GROUP).await]
    {
        answer.refused(404, "NotFoundError", "1");
    }
}

#[tokio::test]
async fn what_is_taken_unknown_or_malformed_changes_nothing() {
    let app = TestApp::new().await;
    let admin = app.admin();
    admin.post(GROUPS, json!({ "name": "crew" })).await.expect(201);
    admin.post(GROUPS, json!({ "name": "other" })).await.expect(201);
    for (body, status, name, text) in [
        (json!({ "name": "crew" }), 409, "NameExistsError", "crew"),
        (json!({}), 400, "ValidationError", "/body/name"),
        (json!({ "name": "" }), 400, "ValidationError", "/body/name"),
        (json!({ "name": "  " }), 400, "ValidationError", "/body/name"),
        (json!({ "name": "a\u{0}b" }), 400, "ValidationError", "/body/name"),
        (json!({ "name": "x", "rootRole": role::OWNER }), 400, "ValidationError", "/body/rootRole"),
        (json!({ "name": "x", "rootRole": 99 }), 400, "ValidationError", "/body/rootRole"),
        (json!({ "name": "x", "users": [{ "user": { "id": 99 } }] }), 400, "ValidationError", "/body/users"),
        (json!({ "name": "x", "users": [{ "user": { "id": -42 } }] }), 400, "ValidationError", "/body/users"),
        (json!({ "name": "x", "users": [{ "user": {} }] }), 400, "ValidationError", "/body/users/0/user/id"),
        (json!({ "name": "x", "mappingsSSO": [1] }), 400, "ValidationError", "/body/mappingsSSO/0"),
    ] {
        admin.post(GROUPS, body.clone()).await.refused(status, name, text);
        put(&admin, "/api/admin/groups/2", body).await.refused(status, name, text);
    }
    admin.get("/api/admin/groups/x").await.refused(400, "ValidationError", "groupId");
    assert_eq!(app.event_types().await, ["group-created", "group-created"]);
    let names: Vec<Value> = admin.get(GROUPS).await.expect(200)["groups"]
        .as_array()
        .expect("groups")
        .iter()
        .map(|group| group["name"].clone())
        .collect();
    assert_eq!(names, ["crew", "other"]);
}

#[tokio::test]
async fn a_change_meant_for_another_state_is_refused() {
    let app = TestApp::new().await;
    let admin = app.admin();
    admin.post(GROUPS, json!({ "name": "crew" })).await.expect(201);
    let read = tag_of(&admin.get(GROUP).await);
    meant_for(&admin, &read, GROUP, Some(json!({ "name": "team" }))).await.expect(200);
    let stale = "PreconditionFailedError";
    meant_for(&admin, &read, GROUP, Some(json!({ "name": "again" }))).await.refused(412, stale, "");
    meant_for(&admin, &read, GROUP, None).await.refused(412, stale, "");
    assert_eq!(admin.get(GROUP).await.expect(200)["name"], "team");
    assert_eq!(app.event_types().await, ["group-created", "group-updated"]);
    let read = tag_of(&admin.get(GROUP).await);
    meant_for(&admin, &read, GROUP, None).await.expect(200);
}

#[tokio::test]
async fn the_last_administrator_stays_also_when_a_group_makes_them_one() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let ada = app.viewer().await;
    let group = json!({ "name": "admins", "rootRole": role::ADMIN, "users": members(&[&ada]) });
    admin.post(GROUPS, group.clone()).await.expect(201);
    ada.get(GROUPS).await.expect(200);
    let last = "nobody to administer";
    for body in [
        json!({ "name": "admins", "users": members(&[&ada]) }),
        json!({ "name": "admins", "rootRole": role::EDITOR, "users": members(&[&ada]) }),
        json!({ "name": "admins", "rootRole": role::ADMIN }),
    ] {
        put(&ada, GROUP, body).await.refused(403, "InvalidOperationError", last);
    }
    delete(&admin, GROUP).await.refused(403, "InvalidOperationError", last);
    assert_eq!(app.event_types().await, ["group-created"]);
    ada.get(GROUPS).await.expect(200);
    // Once there is somebody else, they may.
    app.root_admin().await;
    delete(&ada, GROUP).await.expect(200);
    ada.get(GROUPS).await.refused(403, "NoAccessError", "ADMIN");
}

#[tokio::test]
async fn members_have_the_roles_of_their_group_as_long_as_they_belong_to_it() {
    let app = TestApp::new().await;
    let admin = app.admin();
    private_project(&app, "secret").await;
    let ada = app.viewer().await;
    admin.post(GROUPS, json!({ "name": "crew", "users": members(&[&ada]) })).await.expect(201);
    let report = "/api/admin/projects/secret/health-report";
    ada.get(report).await.refused(404, "NotFoundError", "secret");
    let access = json!({ "roles": [role::MEMBER], "groups": [1], "users": [] });
    admin.post("/api/admin/projects/secret/access", access).await.expect(200);
    ada.get(report).await.expect(200);
    assert_eq!(admin.get(GROUP).await.expect(200)["projects"], json!(["secret"]));
    put(&admin, GROUP, json!({ "name": "crew" })).await.expect(200);
    ada.get(report).await.refused(404, "NotFoundError", "secret");
}
