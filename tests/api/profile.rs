//! The caller's own profile.

use flagstone::store::{self, entity::project};
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::harness::{TestApp, role};

const PROFILE: &str = "/api/admin/user/profile";

#[tokio::test]
async fn needs_credentials() {
    let app = TestApp::new().await;
    app.anonymous().get(PROFILE).await.refused(401, "AuthenticationRequired", "token");
}

#[tokio::test]
async fn an_admin_token_is_an_administrator_without_projects() {
    let app = TestApp::new().await;
    let profile = app.admin().get(PROFILE).await.expect(200);
    let described = |profile: &Value| profile["rootRole"]["description"].as_str().is_some_and(|text| !text.is_empty());
    assert!(described(&profile));
    let mut profile = profile;
    profile["rootRole"].as_object_mut().expect("a role").remove("description");
    assert_eq!(
        profile,
        json!({ "rootRole": { "id": 1, "type": "root", "name": "Admin" }, "projects": [], "features": [] })
    );
}

#[tokio::test]
async fn people_have_their_root_role_and_belong_to_the_default_project() {
    let app = TestApp::new().await;
    app.project("shop").await;
    for (client, id, name) in
        [(app.root_admin().await, 1, "Admin"), (app.editor().await, 2, "Editor"), (app.viewer().await, 3, "Viewer")]
    {
        let profile = client.get(PROFILE).await.expect(200);
        assert_eq!((&profile["rootRole"]["id"], &profile["rootRole"]["name"]), (&json!(id), &json!(name)));
        // Being able to see a project is no membership.
        assert_eq!((&profile["projects"], &profile["features"]), (&json!(["default"]), &json!([])));
    }
}

#[tokio::test]
async fn projects_are_those_of_the_person_and_of_their_groups_each_once_and_sorted() {
    let app = TestApp::new().await;
    for id in ["zoo", "Zebra", "apple", "archived", "other", "äther"] {
        app.project(id).await;
    }
    let person = app.member("zoo").await;
    let user_id = person.user_id.expect("a person");
    let (group, strangers) = (app.group("group", &[user_id]).await, app.group("strangers", &[]).await);
    for project in ["apple", "Zebra", "zoo"] {
        app.group_role(project, group, role::MEMBER).await;
    }
    app.group_role("other", strangers, role::MEMBER).await;
    let (tx, now) = (app.tx().await, app.clock.now());
    store::access::people::grant_project_role(&tx, "zoo", user_id, role::OWNER, now).await.expect("a role");
    store::access::people::grant_project_role(&tx, "archived", user_id, role::OWNER, now).await.expect("a role");
    store::access::people::grant_project_role(&tx, "äther", user_id, role::OWNER, now).await.expect("a role");
    let gone =
        project::ActiveModel { id: Set("archived".to_owned()), archived_at: Set(Some(now)), ..Default::default() };
    project::Entity::update(gone).exec(&tx).await.expect("an update");
    app.commit(tx).await;
    let profile = person.get(PROFILE).await.expect(200);
    assert_eq!(profile["projects"], json!(["Zebra", "apple", "default", "zoo", "äther"]));
}

#[tokio::test]
async fn an_archived_default_project_is_left_out() {
    let app = TestApp::new().await;
    let person = app.viewer().await;
    let tx = app.tx().await;
    let gone = project::ActiveModel {
        id: Set("default".to_owned()),
        archived_at: Set(Some(app.clock.now())),
        ..Default::default()
    };
    project::Entity::update(gone).exec(&tx).await.expect("an update");
    app.commit(tx).await;
    assert_eq!(person.get(PROFILE).await.expect(200)["projects"], json!([]));
}
