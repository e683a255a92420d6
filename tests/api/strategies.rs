//! The strategies of features in environments.

mod adding;
mod changing;
mod evaluable;
mod limits;
mod ordering;
mod patching;
mod ways_in;

use flagstone::store::{self, entity::feature};
use poem::http::Method;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};

use crate::harness::{Answer, TestApp};

pub const FEATURE: &str = "/api/admin/projects/shop/features/f";
const STRATEGIES: &str = "/api/admin/projects/shop/features/f/environments/development/strategies";

/// A server with the feature `f` in the project `shop`.
pub async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    app
}

/// Content of the stored events that came after the first `seen`: type, project, feature, environment, data, preData.
pub async fn told_after(app: &TestApp, seen: usize) -> Vec<Value> {
    let json = |text: &Option<String>| match text {
        Some(text) => serde_json::from_str(text).expect("JSON"),
        None => Value::Null,
    };
    let events = app.events().await;
    events[seen..]
        .iter()
        .map(|event| {
            json!([
                event.r#type,
                event.project,
                event.feature_name,
                event.environment,
                json(&event.data),
                json(&event.pre_data)
            ])
        })
        .collect()
}

/// Number of events.
pub async fn seen(app: &TestApp) -> usize {
    app.events().await.len()
}

/// Changes with an `If-Match`.
pub async fn matching(app: &TestApp, method: Method, path: &str, tag: &str, body: Option<Value>) -> Answer {
    let bytes = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
    app.admin().request(method, path, &[("content-type", "application/json"), ("if-match", tag)], bytes).await
}

/// The entity tag of what a path shows.
pub async fn tag_of(app: &TestApp, path: &str) -> String {
    let answer = app.admin().get(path).await;
    answer.headers["etag"].to_str().expect("text").to_owned()
}

/// Adds a strategy and gives its path and itself.
async fn added(app: &TestApp, body: Value) -> (String, Value) {
    let strategy = app.admin().post(STRATEGIES, body).await.expect(200);
    (format!("{STRATEGIES}/{}", strategy["id"].as_str().expect("an id")), strategy)
}

/// A strategy as events tell of it.
fn in_event(strategy: &Value) -> Value {
    let mut strategy = strategy.clone();
    strategy.as_object_mut().expect("an object").shift_remove("featureName");
    strategy
}

/// Archives `f`.
pub async fn archive(app: &TestApp) {
    let patch = json!([{ "op": "replace", "path": "/archived", "value": true }]);
    app.admin().patch(FEATURE, patch).await.expect(200);
}

/// Whether `f` is on in development, and whether it has strategies, enabled ones.
async fn state(app: &TestApp) -> Value {
    let feature = app.admin().patch(FEATURE, json!([])).await.expect(200);
    let environments = feature["environments"].as_array().expect("a list").clone();
    let here = environments.into_iter().find(|environment| environment["name"] == "development").expect("development");
    json!([here["enabled"], here["hasStrategies"], here["hasEnabledStrategies"]])
}

/// Switches `f` on in development, without an event.
async fn switch_on(app: &TestApp) {
    let tx = app.tx().await;
    let row = feature::Entity::find().filter(feature::Column::Name.eq("f")).one(&tx).await.expect("reads");
    store::features::set_enabled(&tx, row.expect("a feature").id, "development", true).await.expect("on");
    app.commit(tx).await;
}
