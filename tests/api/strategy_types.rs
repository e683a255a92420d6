//! Strategy types.

use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    calls::private_project,
    harness::{Client, TestApp, connect},
    strategies::{archive, matching, seen, shop, tag_of, told_after},
};

const TYPES: &str = "/api/admin/strategies";
const BY_TIME: &str = "/api/admin/strategies/byTime";
const BUILT_IN: [&str; 5] = ["flexibleRollout", "default", "userWithId", "remoteAddress", "applicationHostname"];

fn new() -> Value {
    json!({
        "name": "byTime", "title": "By time", "description": "On between two hours.",
        "parameters": [
            { "name": "from", "type": "number", "description": "First hour.", "required": true },
            { "name": "to", "type": "number" },
        ],
    })
}

fn shown() -> Value {
    json!({
        "name": "byTime", "title": "By time", "displayName": "By time", "description": "On between two hours.",
        "editable": true, "deprecated": false,
        "parameters": [
            { "name": "from", "type": "number", "description": "First hour.", "required": true },
            { "name": "to", "type": "number", "description": "", "required": false },
        ],
    })
}

async fn with_type() -> TestApp {
    let app = shop().await;
    app.admin().post(TYPES, new()).await.expect(201);
    app
}

async fn delete(app: &TestApp) -> crate::harness::Answer {
    app.admin().request(Method::DELETE, BY_TIME, &[], Vec::new()).await
}

async fn names(app: &TestApp) -> Vec<Value> {
    let body = app.viewer().await.get(TYPES).await.expect(200);
    assert_eq!(body["version"], 1);
    body["strategies"].as_array().expect("a list").iter().map(|kind| kind["name"].clone()).collect()
}

#[tokio::test]
async fn a_new_type_is_stored_told_and_can_be_used() {
    let app = shop().await;
    assert_eq!(names(&app).await, BUILT_IN);
    assert_eq!(app.admin().post(TYPES, new()).await.expect(201), shown());
    app.admin().post(TYPES, json!({ "name": "a.first", "parameters": [] })).await.expect(201);
    assert_eq!(app.admin().get(BY_TIME).await.expect(200), shown());
    assert_eq!(names(&app).await[5..], ["a.first", "byTime"]);
    assert_eq!(told_after(&app, 0).await[0], json!(["strategy-created", null, null, null, shown(), null]));
    let strategies = "/api/admin/projects/shop/features/f/environments/development/strategies";
    app.admin().post(strategies, json!({ "name": "byTime", "parameters": { "from": "8" } })).await.expect(200);
}

#[tokio::test]
async fn what_cannot_be_a_type_is_refused() {
    let app = with_type().await;
    for name in ["byTime", "default"] {
        let taken = json!({ "name": name, "parameters": [] });
        app.admin().post(TYPES, taken).await.refused(409, "NameExistsError", name);
    }
    let parameter = |parameter: Value| json!({ "name": "x", "parameters": [parameter] });
    for (body, property) in [
        (json!({ "parameters": [] }), "/body/name"),
        (json!({ "name": "x" }), "/body/parameters"),
        (json!({ "name": "a b", "parameters": [] }), "/body/name"),
        (json!({ "name": "x".repeat(101), "parameters": [] }), "/body/name"),
        (json!({ "name": "x", "title": 1, "parameters": [] }), "/body/title"),
        (parameter(json!({ "type": "string" })), "/body/parameters/0/name"),
        (parameter(json!({ "name": "p", "type": "colour" })), "/body/parameters/0/type"),
        (
            json!({ "name": "x", "parameters": [{ "name": "p", "type": "list" }, { "name": "p", "type": "list" }] }),
            "/body/parameters/1/name",
        ),
    ] {
        app.admin().post(TYPES, body).await.refused(400, "ValidationError", property);
    }
    assert_eq!(seen(&app).await, 1);
    assert_eq!(names(&app).await.len(), 6);
}

#[tokio::test]
async fn a_type_is_replaced_whole() {
    let app = with_type().await;
    for _ in 0..2 {
        let same = app.admin().json(Method::PUT, BY_TIME, new()).await;
        assert_eq!((same.status, &*same.text), (200, ""));
    }
    assert_eq!(seen(&app).await, 1);
    let bare = json!({ "parameters": [{ "name": "zone", "type": "string" }] });
    app.admin().json(Method::PUT, BY_TIME, bare).await.expect(200);
    let expected = json!({
        "name": "byTime", "title": null, "displayName": null, "description": "", "editable": true,
        "deprecated": false,
        "parameters": [{ "name": "zone", "type": "string", "description": "", "required": false }],
    });
    assert_eq!(app.admin().get(BY_TIME).await.expect(200), expected);
    assert_eq!(told_after(&app, 1).await, [json!(["strategy-updated", null, null, null, expected, null])]);
    let renamed = json!({ "name": "byDate", "parameters": [] });
    app.admin().json(Method::PUT, BY_TIME, renamed).await.refused(400, "ValidationError", "/body/name");
    app.admin().json(Method::PUT, BY_TIME, json!({})).await.refused(400, "ValidationError", "/body/parameters");
    assert_eq!(app.admin().get(BY_TIME).await.expect(200), expected);
}

#[tokio::test]
async fn types_are_deprecated_and_reactivated_once() {
    let app = with_type().await;
    for (call, kind, deprecated) in
        [("deprecate", "strategy-deprecated", true), ("reactivate", "strategy-reactivated", false)]
    {
        let before = seen(&app).await;
        for _ in 0..2 {
            let path = format!("{BY_TIME}/{call}");
            app.admin().request(Method::POST, &path, &[], Vec::new()).await.expect(200);
        }
        assert_eq!(app.admin().get(BY_TIME).await.expect(200)["deprecated"], deprecated);
        assert_eq!(told_after(&app, before).await, [json!([kind, null, null, null, { "name": "byTime" }, null])]);
    }
}

#[tokio::test]
async fn a_type_in_use_stays_even_where_the_feature_is_archived() {
    let app = with_type().await;
    let strategies = "/api/admin/projects/shop/features/f/environments/development/strategies";
    let strategy = app.admin().post(strategies, json!({ "name": "byTime" })).await.expect(200);
    delete(&app).await.refused(409, "StrategyInUseError", "you may see: the feature \"f\" (project shop");
    archive(&app).await;
    let before = seen(&app).await;
    delete(&app).await.refused(409, "StrategyInUseError", "byTime");
    assert_eq!(seen(&app).await, before);
    let revive = json!([{ "op": "replace", "path": "/archived", "value": false }]);
    app.admin().patch("/api/admin/projects/shop/features/f", revive).await.expect(200);
    let path = format!("{strategies}/{}", strategy["id"].as_str().expect("an id"));
    app.admin().json(Method::PUT, &path, json!({ "name": "default" })).await.expect(200);
    let before = seen(&app).await;
    delete(&app).await.expect(200);
    assert_eq!(
        told_after(&app, before).await,
        [json!(["strategy-deleted", null, null, null, { "name": "byTime" }, null])]
    );
    assert_eq!(names(&app).await, BUILT_IN);
    app.admin().get(BY_TIME).await.refused(404, "NotFoundError", "byTime");
    delete(&app).await.refused(404, "NotFoundError", "byTime");
}

#[tokio::test]
async fn a_refusal_does_not_tell_how_often_hidden_features_use_a_type() {
    let app = with_type().await;
    private_project(&app, "secret").await;
    let tx = app.tx().await;
    connect(&tx, "secret", "development").await;
    app.commit(tx).await;
    app.feature("secret", "hidden").await;
    let strategies = |project: &str, feature: &str| {
        format!("/api/admin/projects/{project}/features/{feature}/environments/development/strategies")
    };
    app.admin().post(&strategies("secret", "hidden"), json!({ "name": "byTime" })).await.expect(200);
    let delete = async |client: &Client| client.request(Method::DELETE, BY_TIME, &[], Vec::new()).await;
    let editor = app.editor().await;
    delete(&editor).await.refused(409, "StrategyInUseError", "you may see: none");
    app.admin().post(&strategies("shop", "f"), json!({ "name": "byTime" })).await.expect(200);
    let told = delete(&editor).await.body["message"].as_str().expect("a message").to_owned();
    assert!(told.contains("you may see: the feature \"f\" (project shop") && !told.contains("secret"), "{told}");
    delete(&app.admin()).await.refused(409, "StrategyInUseError", "the feature \"hidden\" (project secret");
}

#[tokio::test]
async fn what_came_with_the_server_cannot_be_changed() {
    let app = shop().await;
    let before = app.admin().get(TYPES).await.expect(200);
    for name in BUILT_IN {
        let path = format!("{TYPES}/{name}");
        let put = app.admin().json(Method::PUT, &path, json!({ "parameters": [] })).await;
        put.refused(403, "InvalidOperationError", name);
        let calls = [(Method::DELETE, ""), (Method::POST, "/deprecate"), (Method::POST, "/reactivate")];
        for (method, call) in calls {
            let answer = app.admin().request(method, &format!("{path}{call}"), &[], Vec::new()).await;
            answer.refused(403, "InvalidOperationError", name);
        }
    }
    assert_eq!(app.admin().get(TYPES).await.expect(200), before);
    assert_eq!(seen(&app).await, 0);
}

#[tokio::test]
async fn a_stale_version_changes_nothing() {
    let app = with_type().await;
    let tag = tag_of(&app, BY_TIME).await;
    matching(&app, Method::PUT, BY_TIME, &tag, Some(json!({ "parameters": [] }))).await.expect(200);
    let before = seen(&app).await;
    let (deprecate, reactivate) = (format!("{BY_TIME}/deprecate"), format!("{BY_TIME}/reactivate"));
    for (method, path, body) in [
        (Method::PUT, BY_TIME, Some(new())),
        (Method::DELETE, BY_TIME, None),
        (Method::POST, &*deprecate, None),
        (Method::POST, &*reactivate, None),
    ] {
        let answer = matching(&app, method, path, &tag, body).await;
        answer.refused(412, "PreconditionFailedError", "If-Match");
    }
    assert_eq!(app.admin().get(BY_TIME).await.expect(200)["title"], Value::Null);
    assert_eq!(seen(&app).await, before);
    for unknown in ["/api/admin/strategies/nope", "/api/admin/strategies/%00"] {
        app.admin().get(unknown).await.expect(404);
        app.admin().json(Method::PUT, unknown, json!({ "parameters": [] })).await.expect(404);
    }
}
