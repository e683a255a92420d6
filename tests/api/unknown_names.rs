//! Names in bodies of things that do not exist: all operations answer them alike.

use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    calls::private_project,
    harness::{Client, TestApp},
};

const SHOP: &str = "/api/admin/projects/shop";
const F: &str = "/api/admin/projects/shop/features/f";
const DEVELOPMENT: &str = "/api/admin/projects/shop/features/f/environments/development";
/// An id that no strategy has.
const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

/// A request whose body names something that does not exist, and the property that does.
struct Case {
    method: Method,
    path: String,
    body: Value,
    property: &'static str,
}

fn post(path: impl Into<String>, body: Value, property: &'static str) -> Case {
    Case { method: Method::POST, path: path.into(), body, property }
}

fn put(path: impl Into<String>, body: Value, property: &'static str) -> Case {
    Case { method: Method::PUT, ..post(path, body, property) }
}

fn constraint() -> Value {
    json!({ "contextName": "nowhere", "operator": "IN", "values": ["a"] })
}

/// Of features: `feature` is a name that none has, or none that the caller may know.
fn of_features(feature: &str) -> Vec<Case> {
    let names = json!({ "features": ["f", feature], "stale": true });
    let batches = ["archive", "archive/validate", "stale", "revive", "delete"];
    let mut cases: Vec<Case> =
        batches.map(|batch| post(format!("{SHOP}/{batch}"), names.clone(), "/body/features/1")).into_iter().collect();
    for switch in ["on", "off"] {
        let path = format!("{SHOP}/bulk_features/environments/development/{switch}");
        cases.push(post(path, json!({ "features": [feature] }), "/body/features/0"));
    }
    let tags = json!({ "addedTags": [{ "type": "simple", "value": "aa" }], "removedTags": [] });
    cases.push(put(format!("{SHOP}/tags"), json!({ "features": ["f", feature], "tags": tags }), "/body/features/1"));
    cases.push(post(format!("{F}/dependencies"), json!({ "feature": feature }), "/body/feature"));
    let export = json!({ "environment": "development", "features": ["f", feature] });
    cases.push(post("/api/admin/features-batch/export", export, "/body/features/1"));
    cases
}

/// Of projects: `project` is an id that none has, or none that the caller may know.
fn of_projects(project: &str) -> Vec<Case> {
    let segment = json!({ "name": "s", "project": project, "constraints": [] });
    let token = json!({ "tokenName": "t", "type": "client", "environment": "development", "projects": [project] });
    let export = json!({ "environment": "development", "project": project });
    vec![
        post("/api/admin/features/validate", json!({ "name": "new", "projectId": project }), "/body/projectId"),
        post("/api/admin/features-batch/export", export, "/body/project"),
        post("/api/admin/segments", segment, "/body/project"),
        post("/api/admin/api-tokens", token, "/body/projects"),
    ]
}

fn of_others() -> Vec<Case> {
    let strategies = format!("{DEVELOPMENT}/strategies");
    let strategy = |name: &str, value: Value| json!({ "name": "default", name: value });
    let token = |environment: &str| json!({ "tokenName": "t", "type": "client", "environment": environment });
    let member = |role: i64| json!({ "roles": [role], "groups": [], "users": [1] });
    let in_strategy = json!({
        "projectId": "shop", "environmentId": "development", "strategyId": NOBODY, "segmentIds": [],
    });
    let grant = json!({ "name": "UPDATE_FEATURE_ENVIRONMENT", "environment": "nowhere" });
    vec![
        put("/api/admin/environments/sort-order", json!({ "nowhere": 1 }), "/body/nowhere"),
        post(format!("{SHOP}/environments"), json!({ "environment": "nowhere" }), "/body/environment"),
        post(format!("{F}/changeProject"), json!({ "newProjectId": "nowhere" }), "/body/newProjectId"),
        post("/api/admin/constraints/validate", constraint(), "/body/contextName"),
        post(&*strategies, strategy("constraints", json!([constraint()])), "/body/constraints/0/contextName"),
        post(&*strategies, strategy("segments", json!([99])), "/body/segments"),
        post(&*strategies, json!({ "name": "nowhere" }), "/body/name"),
        post(format!("{strategies}/set-sort-order"), json!([{ "id": NOBODY, "sortOrder": 1 }]), "/body/0/id"),
        post(
            "/api/admin/segments",
            json!({ "name": "s", "constraints": [constraint()] }),
            "/body/constraints/0/contextName",
        ),
        post("/api/admin/segments/strategies", in_strategy, "/body/strategyId"),
        post(format!("{SHOP}/features"), json!({ "name": "new", "type": "nowhere" }), "/body/type"),
        post("/api/admin/projects", json!({ "name": "x", "environments": ["nowhere"] }), "/body/environments/0"),
        post("/api/admin/projects", json!({ "name": "x", "defaultStickiness": "nowhere" }), "/body/defaultStickiness"),
        post("/api/admin/api-tokens", token("nowhere"), "/body/environment"),
        post("/api/admin/roles", json!({ "name": "r", "permissions": [grant] }), "/body/permissions/0/environment"),
        post("/api/admin/roles", json!({ "name": "r", "permissions": [{ "name": "X" }] }), "/body/permissions/0/name"),
        post(format!("{SHOP}/access"), member(99), "/body/roles"),
        put(format!("{SHOP}/access"), json!({ "roles": [{ "id": 99, "users": [] }] }), "/body/roles"),
        put(
            format!("{F}/variants-batch"),
            json!({ "environments": ["nowhere"], "variants": [] }),
            "/body/environments/0",
        ),
        post(
            "/api/admin/features-batch/export",
            json!({ "environment": "nowhere", "features": ["f"] }),
            "/body/environment",
        ),
        post(
            "/api/admin/playground",
            json!({ "environment": "nowhere", "context": { "appName": "a" } }),
            "/body/environment",
        ),
    ]
}

async fn assert_refused(client: &Client, cases: Vec<Case>) -> Vec<String> {
    let mut messages = Vec::new();
    for Case { method, path, body, property } in cases {
        let answer = client.json(method.clone(), &path, body.clone()).await;
        assert_eq!(answer.status, 400, "{method} {path} {body}: {}", answer.text);
        messages.push(answer.text.clone());
        answer.refused(400, "ValidationError", &format!("The {property} property"));
    }
    messages
}

#[tokio::test]
async fn every_operation_refuses_them_with_400_and_changes_nothing() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let before = app.event_types().await;
    let all = [of_features("nowhere"), of_projects("nowhere"), of_others()].into_iter().flatten().collect();
    assert_refused(&app.admin(), all).await;
    assert_eq!(app.event_types().await, before);
    // Where the specification has an import name a project or an environment that does not exist, it is 404.
    let data = json!({ "features": [{ "name": "new" }], "featureStrategies": [], "tagTypes": [] });
    for (project, environment) in [("nowhere", "development"), ("shop", "nowhere")] {
        let import = json!({ "project": project, "environment": environment, "data": data });
        for path in ["validate", "import"] {
            let answer = app.admin().post(&format!("/api/admin/features-batch/{path}"), import.clone()).await;
            answer.refused(404, "NotFoundError", "nowhere");
        }
    }
}

#[tokio::test]
async fn what_is_hidden_is_refused_like_what_does_not_exist() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    private_project(&app, "secret").await;
    app.feature("secret", "hidden").await;
    let owner = app.owner("shop").await;
    let hidden = assert_refused(&owner, of_features("hidden")).await;
    let unknown = assert_refused(&owner, of_features("nobody")).await;
    let without_ids = |text: &String| text.split("\"message\"").nth(1).unwrap_or_default().to_owned();
    let renamed: Vec<String> = hidden.iter().map(|text| without_ids(text).replace("hidden", "nobody")).collect();
    assert_eq!(renamed, unknown.iter().map(without_ids).collect::<Vec<_>>());
    let mut of_projects = of_projects("secret");
    // Who may not make tokens or segments hears of that first.
    of_projects.truncate(2);
    assert_refused(&owner, of_projects).await;
}
