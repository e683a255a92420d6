//! What was read of changes alone is what a look at everything finds.

use flagstone::{
    domain::{client_feature::ClientFilter, event_kind::EventKind},
    sdk::Sdk,
};
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Client, TestApp};

const PROJECT: &str = "/api/admin/projects/shop";

async fn ask(admin: &Client, method: Method, path: &str, body: Value) {
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let answer = admin.request(method.clone(), path, &[("content-type", "application/json")], body).await;
    assert!(answer.status < 300, "{method} {path}: {}", answer.text);
}

/// The features and segments that a node tells of, which has known others or has not.
async fn told(sdk: &Sdk, environment: &str) -> Value {
    let environment = sdk.environment(environment).await.expect("an environment");
    let everything = environment.delta(&ClientFilter::default(), None).expect("everything");
    let everything: Value = serde_json::from_str(&everything.json).expect("JSON");
    let tags: Vec<Value> = environment.flags().iter().map(|flag| json!(flag.tags)).collect();
    json!([everything["events"][0]["features"], everything["events"][0]["segments"], tags])
}

async fn assert_told_as_if_anew(app: &TestApp, after: &str) {
    let anew = Sdk::new(app.db().clone());
    for environment in ["development", "production"] {
        assert_eq!(told(&app.state.sdk, environment).await, told(&anew, environment).await, "{environment}: {after}");
    }
}

#[tokio::test]
async fn each_kind_of_change_is_taken_over_as_if_everything_was_read_again() {
    let app = TestApp::new().await;
    let (admin, post, put, patch) = (app.admin(), Method::POST, Method::PUT, Method::PATCH);
    let strategy = json!({ "name": "flexibleRollout", "parameters": { "rollout": "50" }, "segments": [1] });
    let constraints = |value: &str| json!([{ "contextName": "userId", "operator": "IN", "values": [value] }]);
    let archived = |value: bool| json!([{ "op": "replace", "path": "/archived", "value": value }]);
    let of = |name: &str| format!("{PROJECT}/features/{name}");
    let variants = json!([{ "name": "red", "weight": 1000, "weightType": "variable", "stickiness": "default" }]);
    let steps = [
        (&post, "/api/admin/projects".to_owned(), json!({ "id": "shop", "name": "Shop" })),
        (&post, "/api/admin/projects".to_owned(), json!({ "id": "yard", "name": "Yard" })),
        (&post, "/api/admin/segments".to_owned(), json!({ "name": "some", "constraints": constraints("1") })),
        (&post, format!("{PROJECT}/features"), json!({ "name": "parent" })),
        (&post, format!("{PROJECT}/features"), json!({ "name": "child" })),
        (&post, format!("{PROJECT}/features"), json!({ "name": "other" })),
        (&post, format!("{}/environments/production/strategies", of("parent")), strategy.clone()),
        (&post, format!("{}/environments/production/on", of("parent")), Value::Null),
        (&post, format!("{}/dependencies", of("child")), json!({ "feature": "parent" })),
        (&put, "/api/admin/segments/1".to_owned(), json!({ "name": "some", "constraints": constraints("2") })),
        (&post, "/api/admin/features/other/tags".to_owned(), json!({ "type": "simple", "value": "red" })),
        (&put, format!("{}/environments/production/variants", of("other")), variants),
        (&patch, of("other"), json!([{ "op": "replace", "path": "/stale", "value": true }])),
        (&patch, of("other"), archived(true)),
        (&patch, of("other"), archived(false)),
        (&post, format!("{}/changeProject", of("other")), json!({ "newProjectId": "yard" })),
        (&Method::DELETE, format!("{PROJECT}/environments/production"), Value::Null),
        (&post, format!("{PROJECT}/environments"), json!({ "environment": "production" })),
        (&Method::DELETE, format!("{}/dependencies", of("child")), Value::Null),
        (&patch, of("parent"), archived(true)),
        (&Method::DELETE, "/api/admin/archive/parent".to_owned(), Value::Null),
        (&Method::DELETE, of("child"), Value::Null),
    ];
    assert_told_as_if_anew(&app, "nothing").await;
    for (method, path, body) in steps {
        ask(&admin, method.clone(), &path, body).await;
        assert_told_as_if_anew(&app, &format!("{method} {path}")).await;
    }
    let happened = app.event_types().await;
    for kind in [EventKind::SegmentUpdated, EventKind::FeatureProjectChange, EventKind::FeatureDeleted] {
        assert!(happened.iter().any(|happened| happened == kind.as_str()), "{kind:?} in {happened:?}");
    }
}

#[tokio::test]
async fn a_change_of_a_feature_reads_that_feature_alone() {
    let app = TestApp::new().await;
    app.project("shop").await;
    for name in ["changed", "seeded"] {
        app.feature("shop", name).await;
    }
    let program = app.program(&["shop"], "development").await;
    program.get(super::FEATURES).await.expect(200);
    // Without an event, so that nobody looks there.
    let tx = app.tx().await;
    let sql = "UPDATE feature SET stale = true";
    sea_orm::ConnectionTrait::execute_unprepared(&tx, sql).await.expect("writes");
    app.commit(tx).await;
    let description = json!([{ "op": "replace", "path": "/description", "value": "new" }]);
    app.admin().patch(&format!("{PROJECT}/features/changed"), description).await.expect(200);
    let features = program.get(super::FEATURES).await.expect(200)["features"].clone();
    assert_eq!((&features[0]["stale"], &features[0]["description"]), (&json!(true), &json!("new")));
    assert_eq!(features[1]["stale"], json!(false), "read again without need");
}
