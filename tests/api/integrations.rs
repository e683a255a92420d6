//! Integrations: what they are, who may have what told, and what reaches the receivers.

mod delivering;
mod endings;
mod owners;
mod receivers;
mod secrets;

use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    harness::{Answer, Client, TestApp},
    providers::server::{Reply, Seen, Server},
};

const ADDONS: &str = "/api/admin/addons";
const FIRST: &str = "/api/admin/addons/1";

/// A webhook that is told when features are made and switched on.
fn webhook(url: &str) -> Value {
    json!({
        "provider": "webhook", "enabled": true, "parameters": { "url": url },
        "events": ["feature-created", "feature-environment-enabled"],
    })
}

fn with(mut body: Value, path: &str, value: Value) -> Value {
    *body.pointer_mut(path).expect("a property") = value;
    body
}

async fn put(client: &Client, body: Value) -> Answer {
    client.json(Method::PUT, FIRST, body).await
}

/// Whoever takes everything.
fn receiver() -> Server {
    Server::new(|_| Reply::with_headers(204, "", b""))
}

/// A receiver with its integration, which has the id 1.
async fn told(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> (TestApp, Server) {
    let app = TestApp::new().await;
    app.project("shop").await;
    let server = Server::new(answer);
    app.admin().post(ADDONS, webhook(&server.url("/hook"))).await.expect(201);
    (app, server)
}

async fn make(app: &TestApp, name: &str) {
    app.admin().post("/api/admin/projects/shop/features", json!({ "name": name })).await.expect(201);
}

/// Delivers until nothing more is due.
async fn deliver(app: &TestApp) {
    loop {
        let begun = flagstone::deliveries::round(&app.state).await.expect("a round");
        if begun.is_empty() {
            return;
        }
        for one in begun {
            one.await.expect("a delivery");
        }
    }
}

async fn log(app: &TestApp) -> Vec<Value> {
    let log = app.admin().get("/api/admin/addons/1/events").await.expect(200);
    log["integrationEvents"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn an_integration_is_made_read_changed_removed_and_told_of() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let secret = "https://example.com/hook/s3cret";
    let made = app.admin().post(ADDONS, webhook(secret)).await.expect(201);
    let expected = json!({
        "id": 1, "provider": "webhook", "enabled": true, "description": null, "parameters": { "url": "*****" },
        "events": ["feature-created", "feature-environment-enabled"], "projects": [], "environments": [],
        "failingSince": null, "createdAt": "2026-01-15T12:00:00.000Z", "owner": { "id": -42, "name": "tests" },
    });
    assert_eq!(made, expected);
    assert_eq!(app.viewer().await.get(FIRST).await.expect(200), made);
    let list = app.viewer().await.get(ADDONS).await.expect(200);
    assert_eq!(list["addons"], json!([made]));
    let providers: Vec<_> = list["providers"].as_array().expect("providers").iter().map(|one| &one["name"]).collect();
    assert_eq!(providers, ["webhook", "slack", "slack-app", "teams", "datadog", "new-relic"]);
    let webhook_url = &list["providers"][0]["parameters"][0];
    assert_eq!((&webhook_url["name"], &webhook_url["sensitive"]), (&json!("url"), &json!(true)));

    let change = json!({
        "provider": "webhook", "enabled": false, "description": "On-call", "parameters": { "url": "*****", "ordered": true },
        "events": ["feature-archived", "feature-archived"], "projects": ["shop"], "environments": ["production"],
    });
    let changed = put(&app.admin(), change.clone()).await.expect(200);
    assert_eq!(changed["parameters"], json!({ "url": "*****", "ordered": true }));
    assert_eq!(changed["events"], json!(["feature-archived"]));
    assert_eq!(put(&app.admin(), change).await.expect(200), changed, "changing nothing");
    app.admin().request(Method::DELETE, FIRST, &[], Vec::new()).await.expect(200);
    app.admin().get(FIRST).await.expect(404);

    let events = app.events().await;
    let kinds: Vec<_> = events.iter().map(|event| event.r#type.as_str()).collect();
    assert_eq!(kinds, ["addon-config-created", "addon-config-updated", "addon-config-deleted"]);
    let data: Value = serde_json::from_str(events[1].data.as_deref().expect("data")).expect("JSON");
    assert_eq!((&data["provider"], &data["projects"]), (&json!("webhook"), &json!(["shop"])));
    assert_eq!(data.get("parameters"), None);
    for event in &events {
        assert!(!format!("{event:?}").contains("s3cret"));
    }
}

#[tokio::test]
async fn what_cannot_be_is_named() {
    let app = TestApp::new().await;
    let url = "https://example.com/hook";
    for (body, path, words) in [
        (with(webhook(url), "/provider", json!("carrier-pigeon")), "/body/provider", "enum"),
        (with(webhook(url), "/events", json!(["feature-sung-about"])), "/body/events", "enum"),
        (with(webhook(url), "/parameters", json!({})), "/body/parameters/url", "is required"),
        (
            with(webhook(url), "/parameters", json!({ "url": url, "colour": 1 })),
            "/body/parameters/colour",
            "is not known",
        ),
        (with(webhook(url), "/parameters/url", json!("gopher://x")), "/body/parameters/url", "absolute address"),
        (
            with(webhook(url), "/parameters/url", json!(format!("{url}\u{7}"))),
            "/body/parameters/url",
            "control characters",
        ),
        (
            with(webhook(url), "/parameters", json!({ "url": url, "authorization": "Bearer a\r\nX: y" })),
            "/body/parameters/authorization",
            "control characters",
        ),
        (
            with(webhook(url), "/parameters", json!({ "url": url, "customHeaders": "{\"X-A\":\"b\\r\\nc: d\"}" })),
            "/body/parameters/customHeaders",
            "names and values",
        ),
        (
            with(webhook(url), "/parameters", json!({ "url": url, "bodyTemplate": "a\0b" })),
            "/body/parameters/bodyTemplate",
            "NUL",
        ),
        (
            with(webhook(url), "/parameters", json!({ "url": url, "bodyTemplate": "{{#each x}}" })),
            "/body/parameters/bodyTemplate",
            "cannot be read",
        ),
    ] {
        let answer = app.admin().post(ADDONS, body).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert!(answer.text.contains(path), "{path}: {}", answer.text);
        assert!(path == "/body/provider" || path == "/body/events" || answer.text.contains(words), "{}", answer.text);
    }
    for (list, value) in [("projects", "nowhere"), ("environments", "nowhere")] {
        let mut body = webhook(url);
        body[list] = json!([value]);
        let answer = app.admin().post(ADDONS, body).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert!(
            answer.text.contains(&format!("/body/{list}")) && answer.text.contains("does not exist"),
            "{}",
            answer.text
        );
    }
    let both =
        app.admin().post(ADDONS, json!({ "provider": "slack", "enabled": true, "parameters": {}, "events": [] })).await;
    assert_eq!(both.status, 400);
    assert!(both.text.contains("/body/parameters/url") && both.text.contains("/body/parameters/defaultChannel"));
    assert!(app.events().await.is_empty());

    app.admin().post(ADDONS, webhook(url)).await.expect(201);
    let other = put(&app.admin(), with(webhook(url), "/provider", json!("teams"))).await;
    assert!(other.status == 400 && other.text.contains("/body/provider"), "{}", other.text);
}

#[tokio::test]
async fn an_editor_has_only_told_what_they_may_see() {
    let (app, server) = told(|_| Reply::with_headers(204, "", b"")).await;
    let editor = app.editor().await;
    let body = webhook(&server.url("/editors"));
    let answer = editor.post(ADDONS, body.clone()).await;
    assert!(answer.status == 403 && answer.text.contains("more than you may see"), "{}", answer.text);
    let mut bound = body;
    bound["projects"] = json!(["shop"]);
    bound["events"] = json!(["feature-created", "segment-created"]);
    editor.post(ADDONS, bound.clone()).await.expect(201);
    // That of the administrator leads elsewhere only by somebody who sees as much.
    assert_eq!(put(&editor, with(bound, "/parameters/url", json!(server.url("/stolen")))).await.status, 403);

    make(&app, "till").await;
    let segment = json!({ "name": "staff", "constraints": [] });
    app.admin().post("/api/admin/segments", segment).await.expect(201);
    deliver(&app).await;
    let types: Vec<_> = server.seen("/editors").iter().map(|seen| event(seen)["type"].clone()).collect();
    assert_eq!(types, ["feature-created"], "nothing that belongs to no project");
    assert!(server.seen("/stolen").is_empty());
}

#[tokio::test]
async fn two_people_do_not_overwrite_each_other() {
    let app = TestApp::new().await;
    let url = "https://example.com/hook";
    app.admin().post(ADDONS, webhook(url)).await.expect(201);
    let read = app.admin().get(FIRST).await;
    let tag = read.headers["etag"].to_str().expect("text").to_owned();
    let mine = app.admin().sending(&[("if-match", &tag)]);
    // A secret alone is a change, too.
    put(&app.admin(), with(webhook(url), "/parameters/url", json!("https://example.com/other"))).await.expect(200);
    assert_eq!(put(&mine, webhook(url)).await.status, 412);
    assert_eq!(mine.request(Method::DELETE, FIRST, &[], Vec::new()).await.status, 412);
}

#[tokio::test]
async fn the_tag_types_of_a_provider_are_made_once_by_the_server() {
    let app = TestApp::new().await;
    let body =
        json!({ "provider": "slack-app", "enabled": true, "parameters": { "accessToken": "xoxb-1" }, "events": [] });
    for _ in 0..2 {
        app.admin().post(ADDONS, body.clone()).await.expect(201);
    }
    let events = app.events().await;
    let kinds: Vec<_> = events.iter().map(|event| (event.r#type.as_str(), event.created_by.as_str())).collect();
    let made = ("tag-type-created", "unleash_system_user");
    assert_eq!(kinds, [made, ("addon-config-created", "tests"), ("addon-config-created", "tests")]);
}

fn event(seen: &Seen) -> Value {
    serde_json::from_str(&seen.body).expect("JSON")
}
