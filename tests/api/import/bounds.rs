//! Bounds on the contents of a data set.

use flagstone::config::{Config, Limits};
use serde_json::{Value, json};

use super::{IMPORT, everything, import, request, shop, validate};
use crate::harness::TestApp;

fn number(value: usize) -> Value {
    json!({ "contextName": "userId", "operator": "NUM_GT", "value": value.to_string() })
}

fn of_a(strategy: Value) -> Value {
    let mut strategy = strategy;
    strategy["featureName"] = "a".into();
    strategy["name"] = "default".into();
    json!({ "features": [{ "name": "a" }], "featureStrategies": [strategy] })
}

fn in_environment(variant: Value) -> Value {
    let mut variant = variant;
    variant["name"] = "v".into();
    variant["weight"] = 1000.into();
    let environment = json!({ "name": "a", "featureName": "a", "enabled": true, "variants": [variant] });
    json!({ "features": [{ "name": "a" }], "featureEnvironments": [environment] })
}

fn letters(count: usize) -> String {
    "x".repeat(count)
}

/// Data sets whose strategies or variants hold too much in one place, and what their error says of it.
fn outsized_strategies() -> Vec<(Value, &'static str)> {
    let constraints: Vec<Value> = (0..1001).map(number).collect();
    let values: Vec<String> = (0..100_001).map(|value| value.to_string()).collect();
    let strategies: Vec<Value> = (0..1001).map(|_| json!({ "name": "default", "featureName": "a" })).collect();
    let parameters: serde_json::Map<String, Value> = (0..101).map(|name| (format!("p{name}"), json!("1"))).collect();
    let variants: Vec<Value> = (0..1001)
        .map(|name| json!({ "name": format!("v{name}"), "weight": 1, "weightType": "variable", "stickiness": "default" }))
        .collect();
    let payload = json!({ "type": "string", "value": letters(100_001) });
    vec![
        (
            of_a(json!({ "constraints": constraints })),
            "a: A strategy may have at most 1000 constraints; this one has 1001.",
        ),
        (
            of_a(json!({ "constraints": [{ "contextName": "userId", "operator": "IN", "values": values }] })),
            "a: A constraint may have at most 100000 values; the one on userId has 100001.",
        ),
        (
            json!({ "features": [{ "name": "a" }], "featureStrategies": strategies }),
            "a: It may have at most 1000 strategies in an environment; these are 1001.",
        ),
        (of_a(json!({ "parameters": parameters })), "a: A strategy may have at most 100 parameters; this one has 101."),
        (
            of_a(json!({ "parameters": { letters(101): "1" } })),
            "a: A name in the parameters may have at most 100 characters.",
        ),
        (
            of_a(json!({ "parameters": { "userIds": letters(100_001) } })),
            "a: The parameter userIds may have at most 100000 characters.",
        ),
        (of_a(json!({ "title": letters(10_001) })), "a: The title of a strategy may have at most 10000 characters."),
        (
            of_a(
                json!({ "constraints": [{ "contextName": "userId", "operator": "NUM_GT", "value": "1".repeat(1001) }] }),
            ),
            "a: the constraint on userId needs a `value` of at most 1000 characters",
        ),
        (
            of_a(
                json!({ "constraints": [{ "contextName": "userId", "operator": "NUM_GT", "value": "1", "values": [letters(101)] }] }),
            ),
            "a: the constraint on userId needs entries of 1 to 100 characters in `values`",
        ),
        (of_a(json!({ "variants": variants })), "a: there may be at most 1000 variants"),
        (
            in_environment(json!({ "payload": payload })),
            "a: the payload of the variant \"v\" is too long: it may have at most 100000 characters",
        ),
        (
            in_environment(json!({ "stickiness": letters(101) })),
            "a: the stickiness of the variant \"v\" is too long: it may have at most 100 characters",
        ),
        (
            in_environment(json!({ "overrides": [{ "contextName": letters(101), "values": [] }] })),
            "a: the overrides of the variant \"v\" are too many or too long: at most 100, each with a contextName of at most 100 characters and at most 1000 values of at most 1000 characters",
        ),
    ]
}

/// Outsized features, and outsized things that belong to them.
fn outsized_features() -> Vec<(Value, &'static str)> {
    let tags: Vec<Value> =
        (0..101).map(|value| json!({ "featureName": "a", "tagValue": format!("tag {value}") })).collect();
    let features: Vec<Value> = std::iter::once("a".to_owned())
        .chain((0..101).map(|name| format!("p{name}")))
        .map(|name| json!({ "name": name }))
        .collect();
    let parents: Vec<Value> = (0..101).map(|name| json!({ "feature": format!("p{name}") })).collect();
    let linked = |parents: Value| {
        json!({
            "features": features, "dependencies": [{ "feature": "a", "dependencies": parents }],
        })
    };
    let kind = |kind: Value| {
        json!({
            "features": [{ "name": "a" }], "tagTypes": [kind], "featureTags": [{ "featureName": "a", "tagType": "team", "tagValue": "red" }],
        })
    };
    let field = |legal: Value| json!({ "contextFields": [{ "name": "region", "legalValues": legal }] });
    let legal: Vec<Value> = (0..1001).map(|value| json!({ "value": value.to_string() })).collect();
    vec![
        (
            json!({ "features": [{ "name": "a", "description": letters(100_001) }] }),
            "a: Its description may have at most 100000 characters.",
        ),
        (
            json!({ "features": [{ "name": "a", "type": letters(101) }] }),
            "a: Its type may have at most 100 characters.",
        ),
        (
            json!({ "features": [{ "name": "a" }], "featureTags": tags }),
            "a: It may have at most 100 tags; these are 101.",
        ),
        (linked(json!(parents)), "a: It may depend on at most 100 features; these are 101."),
        (
            linked(json!([{ "feature": "p1", "variants": [letters(101)] }])),
            "a: What it depends on may name at most 1000 variants of 1 to 100 characters.",
        ),
        (
            kind(json!({ "name": "team", "description": letters(1001) })),
            "team: The description of a tag type may have at most 1000 characters, its icon 255.",
        ),
        (
            kind(json!({ "name": "team", "icon": letters(256) })),
            "team: The description of a tag type may have at most 1000 characters, its icon 255.",
        ),
        (field(json!(legal)), "region"),
        (field(json!([{ "value": "eu", "description": letters(1001) }])), "region"),
    ]
}

#[tokio::test]
async fn what_exceeds_is_named_with_its_feature_and_refuses_the_import_without_a_trace() {
    let app = shop().await;
    let before = everything(&app).await;
    for (data, item) in outsized_strategies().into_iter().chain(outsized_features()) {
        let findings = validate(&app.admin(), data.clone()).await;
        let errors = findings["errors"].as_array().expect("errors");
        assert_eq!(errors.len(), 1, "{item}: {findings}");
        assert_eq!(errors[0]["affectedItems"], json!([item]));
        app.admin().post(IMPORT, request(data)).await.refused(400, "ValidationError", item);
    }
    assert_eq!(everything(&app).await, before);
}

#[tokio::test]
async fn what_an_old_server_may_hold_is_taken_beyond_the_operators_limits() {
    let limits =
        Limits { strategies: 1, constraints: 1, constraint_values: 1, strategy_segments: 0, ..Limits::default() };
    let app = TestApp::with_config(Config { limits, ..Config::default() }).await;
    app.project("shop").await;
    let strategy = json!({
        "name": "default", "featureName": "a",
        "constraints": (0..1000).map(number).collect::<Vec<_>>(),
    });
    let many = json!({
        "name": "default", "featureName": "a",
        "constraints": [{
            "contextName": "userId", "operator": "IN",
            "values": (0..5000).map(|number| number.to_string()).collect::<Vec<_>>(),
        }],
    });
    let data = json!({
        "features": [{ "name": "a" }],
        "featureStrategies": [many, strategy],
        "featureEnvironments": [{ "name": "a", "featureName": "a", "enabled": true }],
    });
    assert_eq!(validate(&app.admin(), data.clone()).await["errors"], json!([]));
    import(&app.admin(), data).await;
    let browser = app.browser(&["shop"], "development").await;
    for (user, on) in [("4999", 1), ("5000", 1), ("7.5", 0)] {
        let told = browser.get(&format!("/api/frontend?userId={user}")).await.expect(200);
        assert_eq!(told["toggles"].as_array().map(Vec::len), Some(on), "{user}");
    }
}

#[tokio::test]
async fn the_operators_limit_counts_where_it_is_greater() {
    let limits = Limits { constraints: 1200, ..Limits::default() };
    let app = TestApp::with_config(Config { limits, ..Config::default() }).await;
    app.project("shop").await;
    let constraints = |count: usize| of_a(json!({ "constraints": (0..count).map(number).collect::<Vec<_>>() }));
    assert_eq!(validate(&app.admin(), constraints(1200)).await["errors"], json!([]));
    let refused = validate(&app.admin(), constraints(1201)).await;
    assert!(
        refused["errors"][0]["affectedItems"][0].as_str().is_some_and(|text| text.contains("at most 1200")),
        "{refused}"
    );
}

#[tokio::test]
async fn the_limit_of_the_instance_is_told_without_the_number_of_hidden_features() {
    let limits = Limits { feature_flags: 3, ..Limits::default() };
    let app = TestApp::with_config(Config { limits, ..Config::default() }).await;
    for (project, feature) in [("shop", "seen"), ("bank", "secret-1"), ("bank", "secret-2")] {
        if feature != "secret-2" {
            app.project(project).await;
        }
        app.feature(project, feature).await;
    }
    let tx = app.tx().await;
    let private = flagstone::store::entity::project::ActiveModel {
        id: sea_orm::ActiveValue::Set("bank".to_owned()),
        mode: sea_orm::ActiveValue::Set("private".to_owned()),
        ..Default::default()
    };
    sea_orm::ActiveModelTrait::update(private, &tx).await.expect("hides");
    app.commit(tx).await;
    let data = json!({ "features": [{ "name": "one" }, { "name": "two" }] });
    let findings = validate(&app.member("shop").await, data.clone()).await;
    assert_eq!(
        findings["errors"][0]["message"],
        "The import would add 2 features to those that the instance has; it may hold at most 3."
    );
    let findings = validate(&app.admin(), data).await;
    assert_eq!(
        findings["errors"][0]["message"],
        "The import would add 2 features to the 3 that the instance has; it may hold at most 3."
    );
}

#[tokio::test]
async fn constraints_without_values_come_in_and_mean_what_they_meant() {
    let app = shop().await;
    let operators = ["IN", "NOT_IN", "STR_CONTAINS", "STR_STARTS_WITH", "STR_ENDS_WITH"];
    let named = |operator: &str, inverted: bool| if inverted { format!("not.{operator}") } else { operator.to_owned() };
    let all = || operators.into_iter().flat_map(|operator| [(operator, false), (operator, true)]);
    let data = json!({
        "features": all().map(|(operator, inverted)| json!({ "name": named(operator, inverted) })).collect::<Vec<_>>(),
        "featureStrategies": all().map(|(operator, inverted)| json!({
            "name": "default", "featureName": named(operator, inverted),
            "constraints": [{ "contextName": "userId", "operator": operator, "values": [], "inverted": inverted }],
        })).collect::<Vec<_>>(),
        "featureEnvironments": all().map(|(operator, inverted)| json!({
            "name": named(operator, inverted), "featureName": named(operator, inverted), "enabled": true,
        })).collect::<Vec<_>>(),
    });
    assert_eq!(validate(&app.admin(), data.clone()).await["errors"], json!([]));
    import(&app.admin(), data).await;
    let browser = app.browser(&["shop"], "development").await;
    for query in ["", "?userId=7"] {
        let told = browser.get(&format!("/api/frontend{query}")).await.expect(200);
        let on: Vec<&str> =
            told["toggles"].as_array().expect("a list").iter().filter_map(|toggle| toggle["name"].as_str()).collect();
        assert_eq!(on, ["NOT_IN", "not.IN", "not.STR_CONTAINS", "not.STR_ENDS_WITH", "not.STR_STARTS_WITH"], "{query}");
    }
    let path = "/api/admin/projects/shop/features/IN/environments/development/strategies";
    let strategy =
        json!({ "name": "default", "constraints": [{ "contextName": "userId", "operator": "IN", "values": [] }] });
    app.admin().post(path, strategy).await.refused(400, "ValidationError", "/body/constraints/0/values");
}
