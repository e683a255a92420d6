//! The features of a project.

mod archive;
mod batches;
mod clone;
mod create;
mod delete;
mod details;
mod lifecycle;
mod list;
mod patch;
mod put;
mod refusals;
mod switch;

use flagstone::store::entity::event;
use serde_json::{Value, json};

use crate::harness::TestApp;

const SHOP: &str = "/api/admin/projects/shop/features";
const FEATURE: &str = "/api/admin/projects/shop/features/f";

/// A server with the project `shop`.
async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app
}

/// A server with the feature `f` in the project `shop`, and the feature's internal id.
async fn shop_with_feature() -> (TestApp, i64) {
    let app = shop().await;
    let id = app.feature("shop", "f").await;
    (app, id)
}

/// The feature as a person reads it now, through a patch that changes nothing.
async fn stored(app: &TestApp) -> Value {
    app.admin().patch(FEATURE, json!([])).await.expect(200)
}

/// The ten properties that events carry, with some of them changed.
fn document(changes: &Value) -> Value {
    let mut document = json!({
        "name": "f", "description": null, "type": "release", "project": "shop", "stale": false,
        "createdAt": "2026-01-15T12:00:00.000Z", "lastSeenAt": null, "impressionData": false, "archivedAt": null,
        "archived": false,
    });
    for (name, value) in changes.as_object().expect("an object") {
        document[name] = value.clone();
    }
    document
}

/// Returns the content of a stored event, but for its id.
fn told(event: &event::Model) -> Value {
    let json = |text: &Option<String>| match text {
        Some(text) => serde_json::from_str(text).expect("JSON"),
        None => Value::Null,
    };
    json!({
        "type": event.r#type, "createdBy": event.created_by, "createdByUserId": event.created_by_user_id,
        "createdAt": event.created_at, "project": event.project, "featureName": event.feature_name,
        "environment": event.environment, "data": json(&event.data), "preData": json(&event.pre_data),
        "tags": json(&Some(event.tags.clone())),
    })
}

/// An event about the feature by the admin token of the tests, a second after the start.
fn event(kind: &str, data: &Value, pre_data: &Value) -> Value {
    json!({
        "type": kind, "createdBy": "tests", "createdByUserId": -42, "createdAt": "2026-01-15T12:00:01.000Z",
        "project": "shop", "featureName": "f", "environment": null, "data": data, "preData": pre_data, "tags": [],
    })
}

async fn told_events(app: &TestApp) -> Vec<Value> {
    app.events().await.iter().map(told).collect()
}
