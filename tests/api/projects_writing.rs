//! Making, changing and deleting projects, and what is read of them.

mod create;
mod environments;
mod hidden;
mod reads;
mod removal;
mod settings;
mod transfer;

use flagstone::store::entity::event;
use poem::http::{Method, header};
use serde_json::{Value, json};

use crate::harness::{Answer, Client, TestApp};

const PROJECTS: &str = "/api/admin/projects";
const SHOP: &str = "/api/admin/projects/shop";
const OVERVIEW: &str = "/api/admin/projects/shop/overview";

/// A server with the project `shop`.
async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app
}

async fn put(client: &Client, path: &str, body: Value) -> Answer {
    client.json(Method::PUT, path, body).await
}

async fn post(client: &Client, path: &str) -> Answer {
    client.request(Method::POST, path, &[], Vec::new()).await
}

async fn delete(client: &Client, path: &str) -> Answer {
    client.request(Method::DELETE, path, &[], Vec::new()).await
}

/// A change that is meant for one version.
async fn change_if(client: &Client, method: Method, path: &str, version: &str, body: &Value) -> Answer {
    let headers = [(header::CONTENT_TYPE.as_str(), "application/json"), (header::IF_MATCH.as_str(), version)];
    let bytes = if body.is_null() { Vec::new() } else { serde_json::to_vec(body).expect("JSON") };
    client.request(method, path, &headers, bytes).await
}

/// The version of the project `shop`.
async fn version(client: &Client) -> String {
    let answer = client.get(OVERVIEW).await;
    answer.headers[header::ETAG].to_str().expect("text").to_owned()
}

async fn overview(app: &TestApp) -> Value {
    app.admin().get(OVERVIEW).await.expect(200)
}

/// Returns the content of a stored event.
fn told(event: &event::Model) -> Value {
    let json =
        |text: &Option<String>| text.as_ref().map_or(Value::Null, |text| serde_json::from_str(text).expect("JSON"));
    json!({
        "type": event.r#type, "project": event.project, "feature": event.feature_name,
        "environment": event.environment, "data": json(&event.data), "preData": json(&event.pre_data),
        "tags": json(&Some(event.tags.clone())),
    })
}

/// An event in the project `shop` about no feature.
fn event(kind: &str, environment: &Value, data: &Value, pre_data: &Value) -> Value {
    json!({
        "type": kind, "project": "shop", "feature": null, "environment": environment, "data": data,
        "preData": pre_data, "tags": [],
    })
}

async fn events(app: &TestApp) -> Vec<Value> {
    app.events().await.iter().map(told).collect()
}

/// The properties of the project `shop` as events carry them, some of them changed.
fn document(changes: &Value) -> Value {
    let mut document = json!({
        "id": "shop", "name": "shop", "description": null, "mode": "open", "defaultStickiness": "default",
        "featureLimit": null, "featureNaming": { "pattern": null, "example": null, "description": null },
        "archivedAt": null,
    });
    for (name, value) in changes.as_object().expect("an object") {
        document[name] = value.clone();
    }
    document
}

/// Archives a feature of the project `shop`.
async fn archive(app: &TestApp, feature: &str) {
    let ops = json!([{ "op": "replace", "path": "/archived", "value": true }]);
    app.admin().patch(&format!("{SHOP}/features/{feature}"), ops).await.expect(200);
}

async fn set_mode(app: &TestApp, project: &str, mode: &str) {
    put(&app.admin(), &format!("{PROJECTS}/{project}/settings"), json!({ "mode": mode })).await.expect(200);
}
