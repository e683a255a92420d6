//! JSON Patch of strategies.

use serde_json::{Value, json};

use super::{added, in_event, seen, shop, told_after};

fn strategy() -> Value {
    json!({
        "name": "flexibleRollout", "title": "Some", "parameters": { "rollout": "25" },
        "constraints": [{ "contextName": "userId", "operator": "IN", "values": ["1"] }],
        "variants": [{ "name": "a", "weight": 0, "weightType": "variable", "stickiness": "default" }],
    })
}

#[tokio::test]
async fn operations_apply_in_order_with_one_event() {
    let app = shop().await;
    let (path, before) = added(&app, strategy()).await;
    let ops = json!([
        { "op": "replace", "path": "/parameters/rollout", "value": "50" },
        { "op": "add", "path": "/constraints/0/values/-", "value": "2" },
        { "op": "add", "path": "/variants/-", "value": {
            "name": "b", "weight": 3, "weightType": "variable", "stickiness": "default" } },
        { "op": "copy", "from": "/name", "path": "/title" },
        { "op": "replace", "path": "/disabled", "value": true },
    ]);
    let after = app.admin().patch(&path, ops).await.expect(200);
    let mut expected = before.clone();
    expected["parameters"]["rollout"] = json!("50");
    expected["constraints"][0]["values"] = json!(["1", "2"]);
    expected["variants"] = json!([
        { "name": "a", "weight": 500, "weightType": "variable", "stickiness": "default" },
        { "name": "b", "weight": 500, "weightType": "variable", "stickiness": "default" },
    ]);
    expected["title"] = json!("flexibleRollout");
    expected["disabled"] = json!(true);
    assert_eq!(after, expected);
    assert_eq!(app.admin().get(&path).await.expect(200), expected);
    let told = json!(["feature-strategy-update", "shop", "f", "development", in_event(&expected), in_event(&before)]);
    assert_eq!(told_after(&app, 1).await, [told]);
}

#[tokio::test]
async fn what_is_taken_away_has_its_default() {
    let app = shop().await;
    let (path, before) = added(&app, strategy()).await;
    let removals = ["title", "disabled", "constraints", "variants", "segments", "sortOrder"];
    let ops: Vec<Value> = removals.iter().map(|name| json!({ "op": "remove", "path": format!("/{name}") })).collect();
    let after = app.admin().patch(&path, json!(ops)).await.expect(200);
    let mut expected = before;
    expected["title"] = Value::Null;
    expected["constraints"] = json!([]);
    expected["variants"] = json!([]);
    assert_eq!(after, expected);
}

#[tokio::test]
async fn each_failure_names_its_operation_and_nothing_changes() {
    let app = shop().await;
    let (path, before) = added(&app, strategy()).await;
    let good = json!({ "op": "add", "path": "/title", "value": "x" });
    let cases = [
        (json!({ "op": "test", "path": "/title", "value": "Some" }), "/body/1/op"),
        (json!({ "op": "replace", "value": 1 }), "/body/1/path"),
        (json!({ "op": "replace", "path": "/title" }), "/body/1/value"),
        (json!({ "op": "replace", "path": "title", "value": "x" }), "/body/1/path"),
        (json!({ "op": "replace", "path": "/constraints/7/value", "value": "x" }), "/body/1/path"),
        (json!({ "op": "move", "path": "/title", "from": "/nothing" }), "/body/1/from"),
        (json!({ "op": "copy", "path": "/title" }), "/body/1/from"),
        (json!({ "op": "remove", "path": "" }), "/body/1/path"),
        (json!({ "op": "replace", "path": "", "value": {} }), "/body/1"),
        (json!({ "op": "replace", "path": "/id", "value": "x" }), "/body/1"),
        (json!({ "op": "remove", "path": "/featureName" }), "/body/1"),
        (json!({ "op": "add", "path": "/colour", "value": "red" }), "/body/1"),
        (json!({ "op": "remove", "path": "/name" }), "/body/1"),
        (json!({ "op": "replace", "path": "/name", "value": "nonesuch" }), "/body/1"),
        (json!({ "op": "replace", "path": "/title", "value": 5 }), "/body/1"),
        (json!({ "op": "replace", "path": "/constraints/0/operator", "value": "LIKE" }), "/body/1"),
        (json!({ "op": "replace", "path": "/constraints/0/values", "value": [] }), "/body/1"),
        (json!({ "op": "replace", "path": "/variants/0/weightType", "value": "fix" }), "/body/1"),
        (json!({ "op": "add", "path": "/segments/-", "value": 4711 }), "/body/1"),
    ];
    for (bad, place) in cases {
        // Good operations stand around it: the one to blame is found wherever it is.
        let after = json!({ "op": "add", "path": "/sortOrder", "value": 3 });
        let answer = app.admin().patch(&path, json!([good, bad, after])).await;
        let found = answer.body["details"][0]["path"].as_str().unwrap_or_default();
        assert_eq!(found, place, "{bad}: {}", answer.text);
        answer.refused(400, "ValidationError", place);
    }
    let unknown = json!([{ "op": "replace", "path": "/constraints/0/contextName", "value": "nofield" }]);
    app.admin().patch(&path, unknown).await.refused(400, "ValidationError", "nofield");
    for malformed in [json!({}), json!("x"), json!([1])] {
        app.admin().patch(&path, malformed).await.refused(400, "ValidationError", "/body");
    }
    let many: Vec<Value> = vec![good; 101];
    app.admin().patch(&path, json!(many)).await.refused(400, "ValidationError", "/body");
    assert_eq!(app.admin().get(&path).await.expect(200), before);
    assert_eq!(seen(&app).await, 1);
}

#[tokio::test]
async fn a_short_patch_cannot_make_a_huge_strategy() {
    let app = shop().await;
    let (path, _) = added(&app, strategy()).await;
    let doubling: Vec<Value> =
        (0..100).map(|_| json!({ "op": "copy", "from": "/constraints", "path": "/constraints/-" })).collect();
    app.admin().patch(&path, json!(doubling)).await.refused(400, "ValidationError", "larger");
}
