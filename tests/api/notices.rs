//! Notices that people have seen or answered in the console.

use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Client, TestApp};

async fn see(client: &Client, id: &str) -> Answer {
    client.request(Method::POST, &format!("/api/admin/splash/{id}"), &[], Vec::new()).await
}

#[tokio::test]
async fn what_somebody_has_seen_is_kept_for_them_alone() {
    let app = TestApp::new().await;
    let (ada, eve) = (app.viewer().await, app.viewer().await);
    let user_id = ada.user_id.expect("an id");
    for _ in 0..2 {
        let seen = see(&ada, "welcome").await.expect(200);
        assert_eq!(seen, json!({ "splashId": "welcome", "userId": user_id, "seen": true }));
    }
    let told = async |client: &Client| client.get("/api/admin/user").await.expect(200)["splash"].clone();
    assert_eq!((told(&ada).await, told(&eve).await), (json!({ "welcome": true }), json!({})));
    see(&ada, &"x".repeat(101)).await.refused(400, "ValidationError", "`id`");
    see(&ada, "a%00b").await.refused(400, "ValidationError", "`id`");
    for index in 1..100 {
        see(&ada, &format!("n{index}")).await.expect(200);
    }
    see(&ada, "one-too-many").await.refused(400, "ExceedsLimitError", "100");
    see(&ada, "welcome").await.expect(200);
    assert!(app.events().await.is_empty());
}

#[tokio::test]
async fn answers_replace_earlier_ones() {
    let app = TestApp::new().await;
    let ada = app.viewer().await;
    let user_id = ada.user_id.expect("an id");
    let given = ada.post("/api/admin/feedback", json!({ "feedbackId": "survey" })).await.expect(200);
    let expected = json!({
        "feedbackId": "survey", "userId": user_id, "neverShow": false, "given": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(given, expected);
    let path = "/api/admin/feedback/survey";
    let changed = ada.json(Method::PUT, path, json!({ "neverShow": true, "given": null })).await.expect(200);
    assert_eq!((&changed["neverShow"], &changed["given"]), (&json!(true), &Value::Null));
    let told = ada.get("/api/admin/user").await.expect(200);
    assert_eq!(told["feedback"], json!([{ "feedbackId": "survey", "neverShow": true, "given": null }]));
    ada.post("/api/admin/feedback", json!({})).await.refused(400, "ValidationError", "/body/feedbackId");
    let wrong = ada.json(Method::PUT, path, json!({ "given": "yesterday" })).await;
    wrong.refused(400, "ValidationError", "/body/given");
}

#[tokio::test]
async fn what_does_not_exist_here_is_an_empty_list() {
    let app = TestApp::new().await;
    let viewer = app.viewer().await;
    assert_eq!(viewer.get("/api/admin/banners").await.expect(200), json!({ "banners": [] }));
}
