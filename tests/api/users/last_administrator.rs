//! Somebody who can sign in as an administrator is left, whatever others do.

use flagstone::{domain::time::DAY_MS, store::entity::user_group};
use poem::http::Method;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use super::{STRONG, USERS, path_of, sign_in, user};
use crate::harness::{Answer, TestApp, role};

async fn demote(app: &TestApp, id: i64) -> Answer {
    app.admin().json(Method::PUT, &path_of(id), json!({ "rootRole": "Editor", "name": "Demoted" })).await
}

async fn delete(app: &TestApp, id: i64) -> Answer {
    app.admin().request(Method::DELETE, &path_of(id), &[], vec![]).await
}

async fn delete_inactive(app: &TestApp, ids: Value) -> Answer {
    app.admin().post(&format!("{USERS}/inactive/delete"), json!({ "ids": ids })).await
}

fn kept(answer: Answer) {
    answer.refused(403, "InvalidOperationError", "administrator");
}

#[tokio::test]
async fn the_last_one_is_neither_demoted_nor_deleted() {
    let app = TestApp::new().await;
    let (ada, viewer) = (user(&app, "ada", role::ADMIN).await, user(&app, "grace", role::VIEWER).await);
    // Those who cannot sign in do not count: somebody invited, somebody with a token alone.
    app.admin().post(USERS, json!({ "username": "invited", "rootRole": "Admin" })).await.expect(201);
    app.root_admin().await;
    app.clock.advance(181 * DAY_MS);
    let (before, events) = (app.admin().get(USERS).await.expect(200), app.event_types().await);
    kept(demote(&app, ada).await);
    kept(delete(&app, ada).await);
    kept(delete_inactive(&app, json!([ada, viewer])).await);
    assert_eq!(app.admin().get(USERS).await.expect(200), before, "nobody is changed, not even in part");
    assert_eq!(app.event_types().await, events);
    // What does not take the role is no matter.
    app.admin().json(Method::PUT, &path_of(ada), json!({ "name": "Ada", "rootRole": 1 })).await.expect(200);
    delete(&app, viewer).await.expect(200);
    sign_in(&app, "ada", STRONG).await.expect(200);
}

#[tokio::test]
async fn one_of_two_may_go() {
    let app = TestApp::new().await;
    let (ada, grace) = (user(&app, "ada", role::ADMIN).await, user(&app, "grace", role::ADMIN).await);
    demote(&app, ada).await.expect(200);
    kept(demote(&app, grace).await);
    app.admin().json(Method::PUT, &path_of(ada), json!({ "rootRole": "Admin" })).await.expect(200);
    delete(&app, grace).await.expect(200);
    kept(delete(&app, ada).await);
}

#[tokio::test]
async fn a_group_of_administrators_does_not_stand_in_for_the_last_one() {
    let app = TestApp::new().await;
    let (ada, grace) = (user(&app, "ada", role::ADMIN).await, user(&app, "grace", role::VIEWER).await);
    let group = app.group("admins", &[grace]).await;
    let tx = app.tx().await;
    let root_role_id = Set(Some(role::ADMIN));
    let row = user_group::ActiveModel { id: Set(group), root_role_id, ..Default::default() };
    user_group::Entity::update(row).exec(&tx).await.expect("an update");
    app.commit(tx).await;
    kept(demote(&app, ada).await);
}

#[tokio::test]
async fn where_there_is_none_nothing_gets_worse() {
    let app = TestApp::new().await;
    let invited = app.admin().post(USERS, json!({ "username": "invited", "rootRole": "Admin" })).await.expect(201);
    delete(&app, invited["id"].as_i64().expect("an id")).await.expect(200);
}

#[tokio::test]
async fn two_who_are_taken_at_once_do_not_both_go() {
    for round in 0..5 {
        let app = TestApp::new().await;
        let (ada, grace) = (user(&app, "ada", role::ADMIN).await, user(&app, "grace", role::ADMIN).await);
        let (one, other) = if round % 2 == 0 {
            tokio::join!(demote(&app, ada), demote(&app, grace))
        } else {
            tokio::join!(demote(&app, ada), delete(&app, grace))
        };
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 403], "{} {}", one.text, other.text);
        let count = app.admin().get(&format!("{USERS}/admin-count")).await.expect(200);
        assert_eq!(count, json!({ "password": 1, "noPassword": 0, "service": 0 }));
    }
}

#[tokio::test]
async fn sign_in_with_a_password_cannot_be_switched_off() {
    let app = TestApp::new().await;
    user(&app, "ada", role::ADMIN).await;
    let path = "/api/admin/auth/simple/settings";
    let on = json!({ "disabled": false });
    kept(app.admin().post(path, json!({ "disabled": true })).await);
    assert_eq!(app.admin().get(path).await.expect(200), on);
    assert_eq!(app.admin().post(path, on.clone()).await.expect(200), on);
    app.admin().post(path, json!({})).await.refused(400, "ValidationError", "/body/disabled");
    sign_in(&app, "ada", STRONG).await.expect(200);
    assert_eq!(app.event_types().await, ["user-created"]);
}

#[tokio::test]
async fn who_is_administrator_through_a_group_alone_is_not_deleted_as_the_last_one() {
    let app = TestApp::new().await;
    let id = app.viewer().await.user_id.expect("a person");
    let group = json!({ "name": "crew", "rootRole": role::ADMIN, "users": [{ "user": { "id": id } }] });
    app.admin().post("/api/admin/groups", group).await.expect(201);
    let path = format!("/api/admin/user-admin/{id}");
    let before = app.event_types().await;
    let refused = app.admin().request(Method::DELETE, &path, &[], vec![]).await;
    refused.refused(403, "InvalidOperationError", "administrator");
    assert_eq!(app.admin().get(&path).await.expect(200)["id"], id);
    assert_eq!(app.event_types().await, before);
}
