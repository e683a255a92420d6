//! Segments of one project, and who may do what to them.

use flagstone::store::{self, entity::role_permission};
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use super::{FIRST, SEGMENTS, delete, employees, hide, put, with};
use crate::harness::{Client, TestApp, role};

/// Somebody who may change the segments of a project and nothing else.
async fn segment_editor(app: &TestApp, project: &str) -> Client {
    let tx = app.tx().await;
    let new = store::entity::role::ActiveModel {
        name: Set(format!("Segments of {project}")),
        r#type: Set("custom".to_owned()),
        description: Set(String::new()),
        ..Default::default()
    };
    let id = store::entity::role::Entity::insert(new).exec_with_returning(&tx).await.expect("a role").id;
    let grant = role_permission::ActiveModel {
        role_id: Set(id),
        permission: Set("UPDATE_PROJECT_SEGMENT".to_owned()),
        ..Default::default()
    };
    role_permission::Entity::insert(grant).exec_without_returning(&tx).await.expect("a grant");
    app.commit(tx).await;
    app.person(role::VIEWER, Some((project, id))).await
}

fn of(project: &str) -> Value {
    with(employees(), "project", json!(project))
}

#[tokio::test]
async fn who_may_change_the_segments_of_a_project_changes_those_and_no_others() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.project("other").await;
    let client = segment_editor(&app, "shop").await;
    client.post(SEGMENTS, employees()).await.refused(403, "NoAccessError", "\"CREATE_SEGMENT\"");
    client.post(SEGMENTS, of("other")).await.refused(403, "NoAccessError", "\"UPDATE_PROJECT_SEGMENT\"");
    client.post(SEGMENTS, of("nowhere")).await.refused(403, "NoAccessError", "\"UPDATE_PROJECT_SEGMENT\"");
    client.post(SEGMENTS, json!({})).await.refused(400, "ValidationError", "/body/name");
    app.viewer().await.post(SEGMENTS, json!({})).await.refused(403, "NoAccessError", "\"CREATE_SEGMENT\"");
    assert_eq!(client.post(SEGMENTS, of("shop")).await.expect(201)["project"], "shop");
    put(&client, FIRST, with(of("shop"), "name", json!("staff"))).await.expect(204);
    put(&client, FIRST, employees()).await.refused(403, "NoAccessError", "\"UPDATE_SEGMENT\"");
    put(&client, FIRST, of("other")).await.refused(403, "NoAccessError", "\"UPDATE_PROJECT_SEGMENT\"");
    assert_eq!(app.event_types().await, ["segment-created", "segment-updated"]);

    app.admin().post(SEGMENTS, of("other")).await.expect(201);
    app.admin().post(SEGMENTS, with(employees(), "name", json!("all"))).await.expect(201);
    for id in [2, 3, 4] {
        let path = format!("{SEGMENTS}/{id}");
        put(&client, &path, json!("x")).await.refused(403, "NoAccessError", "\"UPDATE_SEGMENT\"");
        delete(&client, &path).await.refused(403, "NoAccessError", "\"DELETE_SEGMENT\"");
    }
    assert_eq!(app.events().await.len(), 4);
    delete(&client, FIRST).await.expect(204);
}

#[tokio::test]
async fn segments_of_hidden_projects_are_hidden() {
    let app = TestApp::new().await;
    app.project("shop").await;
    hide(&app).await;
    app.admin().post(SEGMENTS, of("secret")).await.expect(201);
    let (editor, insider) = (app.editor().await, app.member("secret").await);
    let names = async |client: &Client| client.get(SEGMENTS).await.expect(200)["segments"].as_array().map(Vec::len);
    assert_eq!((names(&editor).await, names(&insider).await), (Some(0), Some(1)));
    let strategies = format!("{FIRST}/strategies");
    for path in [FIRST, &strategies] {
        editor.get(path).await.refused(404, "NotFoundError", "There is no segment with the id 1.");
        insider.get(path).await.expect(200);
    }
    let count = app.events().await.len();
    let missing = "There is no segment with the id";
    for id in [1, 2] {
        let path = format!("{SEGMENTS}/{id}");
        put(&editor, &path, employees()).await.refused(404, "NotFoundError", missing);
        delete(&editor, &path).await.refused(404, "NotFoundError", missing);
        put(&insider, &path, json!("x")).await.refused(403, "NoAccessError", "\"UPDATE_SEGMENT\"");
    }
    // A hidden project is no project to who asks for a segment in it.
    let unknown = editor.post(SEGMENTS, with(of("nowhere"), "name", json!("new"))).await.body["message"].clone();
    let hidden = editor.post(SEGMENTS, with(of("secret"), "name", json!("new"))).await.body["message"].clone();
    assert_eq!(json!(unknown.as_str().map(|text| text.replace("nowhere", "secret"))), hidden);
    assert_eq!(app.events().await.len(), count);
}

#[tokio::test]
async fn a_segment_that_leaves_a_private_project_does_not_tell_where_it_was() {
    let app = TestApp::new().await;
    app.project("shop").await;
    hide(&app).await;
    let admin = app.admin();
    let told = async |client: &Client| client.get("/api/admin/search/events").await.expect(200);
    let (there, here) = (app.member("secret").await, app.member("shop").await);
    admin.post(SEGMENTS, of("secret")).await.expect(201);
    put(&admin, FIRST, of("shop")).await.expect(204);
    let moved = app.events().await.pop().expect("an event");
    assert_eq!((&*moved.r#type, moved.project.as_deref()), ("segment-updated", Some("secret,shop")));
    let seen = told(&here).await;
    assert!(seen["total"] == 0 && !seen.to_string().contains("secret"), "{seen}");
    assert_eq!(told(&there).await["events"][0]["preData"]["project"], "secret");
    // Neither does one that comes to belong to all.
    put(&admin, FIRST, of("secret")).await.expect(204);
    put(&admin, FIRST, employees()).await.expect(204);
    assert_eq!(app.events().await.pop().expect("an event").project.as_deref(), Some("secret"));
    assert_eq!(told(&here).await["total"], 0);
    assert_eq!(told(&there).await["total"], 4);
    put(&admin, FIRST, with(employees(), "name", json!("all"))).await.expect(204);
    assert_eq!(app.events().await.pop().expect("an event").project, None);
}
