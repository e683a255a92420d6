//! Things that everybody sees.

use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Client, TestApp};

const FEATURE: &str = "/api/admin/projects/shop/features/f";

/// Does something that succeeds, and gives what it answers.
pub async fn done(client: &Client, method: Method, path: &str, body: Value) -> Value {
    let answer = if body.is_null() {
        client.request(method, path, &[], Vec::new()).await
    } else {
        client.json(method, path, body).await
    };
    assert!(answer.status < 400, "{path}: {}", answer.text);
    answer.body
}

/// Sends the reports of a program: when it starts, and how often its features were on.
pub async fn report(program: &Client, application: &str, instance: Option<&str>, features: &[&str]) {
    let mut start = json!({ "appName": application, "strategies": ["default"], "sdkVersion": "sdk:1.0.0",
        "started": "2026-01-15T12:00:00Z", "interval": 15 });
    if let Some(instance) = instance {
        start["instanceId"] = instance.into();
        start["sdkVersion"] = if instance.starts_with("canary") { "canarysdk:1.0.0" } else { "sdk:1.0.0" }.into();
    }
    done(program, Method::POST, "/api/client/register", start).await;
    let toggles: Value = features.iter().map(|name| ((*name).to_owned(), json!({ "yes": 3, "no": 1 }))).collect();
    let bucket = json!({ "start": "2026-01-15T11:30:00Z", "stop": "2026-01-15T12:00:00Z", "toggles": toggles });
    let metrics = json!({ "appName": application, "bucket": bucket });
    done(program, Method::POST, "/api/client/metrics", metrics).await;
}

pub async fn fill(app: &TestApp, founder: &Client) {
    let features = "/api/admin/projects/shop/features";
    let tags = json!([{ "type": "simple", "value": "gamma" }]);
    done(founder, Method::POST, features, json!({ "name": "f", "description": "Seen", "tags": tags })).await;
    let constraint = json!({ "contextName": "userId", "operator": "IN", "values": ["1"] });
    let segment = json!({ "name": "everyone", "constraints": [constraint] });
    let segment = done(founder, Method::POST, "/api/admin/segments", segment).await["id"].clone();
    let strategy = json!({ "name": "flexibleRollout", "title": "Seen", "constraints": [constraint],
        "segments": [segment] });
    done(founder, Method::POST, &format!("{FEATURE}/environments/development/strategies"), strategy).await;
    done(founder, Method::POST, &format!("{FEATURE}/environments/development/on"), Value::Null).await;
    let token = json!({ "tokenName": "app", "type": "client", "environment": "development", "projects": ["shop"] });
    done(founder, Method::POST, "/api/admin/api-tokens", token).await;
    done(founder, Method::POST, "/api/admin/addons", super::hidden::told_of("shop", "releases")).await;
    done(founder, Method::POST, "/api/admin/strategies", json!({ "name": "byTime", "parameters": [] })).await;
    done(founder, Method::POST, "/api/admin/groups", json!({ "name": "reviewers" })).await;
    let program = app.program(&["shop"], "development").await;
    report(&program, "web", Some("web-1"), &["f"]).await;
}
