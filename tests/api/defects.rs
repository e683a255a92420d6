//! Known defects of other servers of this API, each tried here: the answer, what is left, and what the log says.

use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Client, TestApp};

const FEATURE: &str = "/api/admin/projects/shop/features/f";

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    app
}

async fn call(client: &Client, method: Method, path: &str) -> Answer {
    client.request(method, path, &[], Vec::new()).await
}

#[tokio::test]
async fn a_feature_that_was_archived_a_moment_ago_can_be_deleted() {
    let app = shop().await;
    call(&app.admin(), Method::DELETE, FEATURE).await.expect(202);
    call(&app.admin(), Method::DELETE, "/api/admin/archive/f").await.expect(200);
    app.admin().get(FEATURE).await.refused(404, "NotFoundError", "f");
    let archive = app.admin().get("/api/admin/archive/features").await.expect(200);
    assert_eq!(archive["features"], json!([]));
    assert_eq!(app.event_types().await.last().map(String::as_str), Some("feature-deleted"));
    app.admin().get("/ready").await.expect(200);
}

#[tokio::test]
async fn a_feature_in_use_is_not_deleted_as_if_it_were_archived() {
    let app = shop().await;
    let answer = call(&app.admin(), Method::DELETE, "/api/admin/archive/f").await;
    assert!((400..500).contains(&answer.status), "{}", answer.text);
    assert_eq!(app.admin().get(FEATURE).await.expect(200)["name"], "f");
    assert_eq!(app.event_types().await, Vec::<String>::new());
}

#[tokio::test]
async fn favourites_of_nothing_and_of_nobody_are_refused() {
    let app = shop().await;
    let person = app.viewer().await;
    for path in ["/api/admin/projects/nowhere/favorites", "/api/admin/projects/shop/features/none/favorites"] {
        call(&person, Method::POST, path).await.refused(404, "NotFoundError", "no");
    }
    for path in ["/api/admin/projects/shop/favorites", "/api/admin/projects/shop/features/f/favorites"] {
        call(&app.admin(), Method::POST, path).await.refused(403, "InvalidOperationError", "nobody");
    }
    assert_eq!(app.event_types().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_token_of_a_project_that_leaves_the_project_out_is_answered() {
    let app = shop().await;
    let token = json!({ "tokenName": "t", "type": "client", "environment": "development", "projects": ["default"] });
    let answer = app.admin().post("/api/admin/projects/shop/api-tokens", token).await;
    answer.refused(400, "ValidationError", "/body/projects");
    assert_eq!(app.admin().get("/api/admin/projects/shop/api-tokens").await.expect(200)["tokens"], json!([]));
    assert_eq!(app.event_types().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_feature_with_a_new_tag_is_made_with_it_or_not_at_all() {
    let app = shop().await;
    let features = "/api/admin/projects/shop/features";
    let feature = |name: &str, kind: &str| json!({ "name": name, "tags": [{ "type": kind, "value": "brand-new" }] });
    app.admin().post(features, feature("tagged", "simple")).await.expect(201);
    let tags = app.admin().get("/api/admin/features/tagged/tags").await.expect(200);
    assert_eq!(tags["tags"], json!([{ "type": "simple", "value": "brand-new" }]));
    app.admin().post(features, feature("untagged", "none")).await.refused(400, "ValidationError", "/body/tags/0");
    app.admin().get(&format!("{features}/untagged")).await.refused(404, "NotFoundError", "untagged");
}

#[tokio::test]
async fn a_user_with_an_unknown_role_is_not_stored() {
    let app = TestApp::new().await;
    let user = json!({ "username": "ada", "rootRole": 99 });
    app.admin().post("/api/admin/user-admin", user).await.refused(400, "ValidationError", "/body/rootRole");
    let users = app.admin().get("/api/admin/user-admin").await.expect(200);
    assert_eq!(users["users"], json!([]));
}

#[tokio::test]
async fn the_life_of_a_feature_that_is_not_there_is_not_completed() {
    let app = shop().await;
    let path = "/api/admin/projects/shop/features/none/lifecycle/complete";
    app.admin().post(path, json!({ "status": "kept" })).await.refused(404, "NotFoundError", "none");
    assert_eq!(app.event_types().await, Vec::<String>::new());
}

#[tokio::test]
async fn what_refers_to_nothing_is_refused_without_a_word_of_the_database() {
    let app = shop().await;
    for (path, body, status) in [
        ("/api/admin/segments", json!({ "name": "s", "project": "nowhere", "constraints": [] }), 400),
        ("/api/admin/projects/shop/environments", json!({ "environment": "nowhere" }), 400),
    ] {
        let answer = app.admin().post(path, body).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        let message = answer.body["message"].as_str().expect("a message").to_lowercase();
        assert!(message.contains("nowhere") && !message.contains("foreign") && !message.contains("sql"), "{message}");
    }
    assert_eq!(app.admin().get("/api/admin/segments").await.expect(200)["segments"], Value::Array(Vec::new()));
}
