use flagstone::{domain::strategy::StrategyDefinition, store};

use super::*;
use crate::{harness::add_strategy, schema::assert_derived_columns};

const ENVIRONMENTS: &str = "/api/admin/projects/shop/environments";
const DEVELOPMENT: &str = "/api/admin/projects/shop/environments/development";
const DEFAULT_STRATEGY: &str = "/api/admin/projects/shop/environments/development/default-strategy";

async fn used(app: &TestApp) -> Vec<Value> {
    let found = overview(app).await;
    found["environments"].as_array().expect("a list").iter().map(|used| used["environment"].clone()).collect()
}

/// Environments of a feature of the shop, with whether it has strategies there.
async fn places(app: &TestApp) -> Vec<(Value, Value)> {
    let features = app.admin().get("/api/admin/projects/shop/features").await.expect(200);
    let environments = features["features"][0]["environments"].as_array().expect("a list").clone();
    environments.iter().map(|place| (place["name"].clone(), place["hasStrategies"].clone())).collect()
}

#[tokio::test]
async fn environments_come_and_go_with_what_features_had_there() {
    let app = shop().await;
    let feature = app.feature("shop", "f").await;
    let tx = app.tx().await;
    let strategy = StrategyDefinition { name: "default".to_owned(), ..StrategyDefinition::default() };
    add_strategy(&tx, feature, "development", &strategy, app.clock.now()).await.expect("a strategy");
    app.commit(tx).await;
    assert_eq!(places(&app).await[0], ("development".into(), true.into()));

    assert_eq!(delete(&app.admin(), DEVELOPMENT).await.expect(200), Value::Null);
    assert_eq!(used(&app).await, ["production"]);
    assert_eq!(places(&app).await, [("production".into(), false.into())]);
    app.admin().post(ENVIRONMENTS, json!({ "environment": "development" })).await.expect(200);
    assert_eq!(used(&app).await, ["development", "production"]);
    assert_eq!(places(&app).await[0], ("development".into(), false.into()));
    assert_derived_columns(&app).await;
    let expected = ["project-environment-removed", "project-environment-added"]
        .map(|kind| event(kind, &json!("development"), &Value::Null, &Value::Null));
    assert_eq!(events(&app).await, expected);
}

#[tokio::test]
async fn one_environment_stays_and_none_comes_twice() {
    let app = shop().await;
    let admin = app.admin();
    admin.post(ENVIRONMENTS, json!({ "environment": "production" })).await.refused(
        409,
        "NameExistsError",
        "production",
    );
    admin.post(ENVIRONMENTS, json!({ "environment": "nowhere" })).await.refused(
        400,
        "ValidationError",
        "/body/environment",
    );
    admin.post(ENVIRONMENTS, json!({})).await.refused(400, "ValidationError", "/body/environment");
    admin.post(ENVIRONMENTS, json!({ "environment": 1 })).await.refused(400, "ValidationError", "/body/environment");
    delete(&admin, "/api/admin/projects/shop/environments/default").await.refused(404, "NotFoundError", "default");
    delete(&admin, "/api/admin/projects/shop/environments/a%00b").await.refused(404, "NotFoundError", "environment");
    delete(&admin, "/api/admin/projects/none/environments/default").await.refused(404, "NotFoundError", "none");
    assert!(app.event_types().await.is_empty());
    delete(&admin, DEVELOPMENT).await.expect(200);
    let last = "/api/admin/projects/shop/environments/production";
    delete(&admin, last).await.refused(400, "ValidationError", "/path/environment");
    assert_eq!(used(&app).await, ["production"]);
}

#[tokio::test]
async fn a_default_strategy_is_stored_whole_and_told() {
    let app = shop().await;
    let admin = app.admin();
    admin.get(DEFAULT_STRATEGY).await.refused(404, "NotFoundError", "development");
    let first = json!({
        "name": "flexibleRollout",
        "title": "Half",
        "parameters": { "rollout": "50", "groupId": "all" },
        "constraints": [{ "contextName": "userId", "operator": "IN", "values": ["1"] }],
        "variants": [
            { "name": "b", "weight": 0, "weightType": "variable", "stickiness": "default" },
            { "name": "a", "weight": 0, "weightType": "variable", "stickiness": "default" },
        ],
    });
    let stored = admin.post(DEFAULT_STRATEGY, first.clone()).await.expect(200);
    assert_eq!(stored["parameters"], json!({ "groupId": "all", "rollout": "50", "stickiness": "default" }));
    let shares = stored["variants"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|variant| (variant["name"].clone(), variant["weight"].clone()));
    assert_eq!(shares.collect::<Vec<_>>(), [("a".into(), 500.into()), ("b".into(), 500.into())]);
    assert_eq!(admin.get(DEFAULT_STRATEGY).await.expect(200), stored);
    let shown = |found: &Value| found["environments"][0]["defaultStrategy"].clone();
    assert_eq!(shown(&overview(&app).await), stored);
    assert_eq!(shown(&admin.get(SHOP).await.expect(200)), stored);
    let listed = admin.get("/api/admin/environments/project/shop").await.expect(200);
    assert_eq!(listed["environments"][1]["defaultStrategy"], stored);

    // The same again tells nothing; another one replaces it whole.
    admin.post(DEFAULT_STRATEGY, first).await.expect(200);
    let second = admin.post(DEFAULT_STRATEGY, json!({ "name": "flexibleRollout" })).await.expect(200);
    assert_eq!(
        second,
        json!({
            "name": "flexibleRollout", "constraints": [], "variants": [], "segments": [],
            "parameters": { "rollout": "100", "stickiness": "default" },
        })
    );
    let place = json!("development");
    assert_eq!(
        events(&app).await,
        [
            event("default-strategy-updated", &place, &stored, &Value::Null),
            event("default-strategy-updated", &place, &second, &stored),
        ]
    );
}

#[tokio::test]
async fn a_default_strategy_comes_with_a_new_environment() {
    let app = shop().await;
    let body = json!({ "environment": "default", "defaultStrategy": { "name": "flexibleRollout" } });
    app.admin().post(ENVIRONMENTS, body).await.expect(200);
    assert_eq!(app.event_types().await, ["project-environment-added", "default-strategy-updated"]);
    assert_eq!(overview(&app).await["environments"][0]["defaultStrategy"]["parameters"]["rollout"], "100");
    // All or nothing.
    app.project("other").await;
    let body = json!({ "environment": "default", "defaultStrategy": { "name": "default" } });
    let answer = app.admin().post("/api/admin/projects/other/environments", body).await;
    answer.refused(400, "ValidationError", "/body/defaultStrategy/name");
    assert_eq!(app.event_types().await.len(), 2);
}

#[tokio::test]
async fn a_default_strategy_that_cannot_be_used_is_refused() {
    let app = shop().await;
    let tx = app.tx().await;
    let of = |project: &str| store::segments::NewSegment {
        name: format!("of {project}"),
        project: Some(project.to_owned()),
        ..store::segments::NewSegment::default()
    };
    let own = store::segments::insert(&tx, &of("shop"), app.clock.now()).await.expect("a segment");
    let foreign = store::segments::insert(&tx, &of("default"), app.clock.now()).await.expect("a segment");
    app.commit(tx).await;
    let strategy = |member: &str, value: Value| json!({ "name": "flexibleRollout", member: value });
    let constraint =
        |operator: &str, values: Value| json!([{ "contextName": "userId", "operator": operator, "values": values }]);
    let variant = |name: &str| json!({ "name": name, "weight": 0, "weightType": "fix", "stickiness": "default" });
    for (body, path) in [
        (json!({}), "/body/name"),
        (json!({ "name": "default" }), "/body/name"),
        (strategy("parameters", json!({ "rollout": "101" })), "/body/parameters/rollout"),
        (strategy("constraints", constraint("LIKE", json!(["1"]))), "/body/constraints/0/operator"),
        (strategy("constraints", constraint("IN", json!([]))), "/body/constraints/0"),
        (strategy("variants", json!([variant("a")])), "/body/variants"),
        (strategy("variants", json!([variant("a b")])), "/body/variants"),
        (strategy("segments", json!([own, foreign])), "/body/segments"),
    ] {
        app.admin().post(DEFAULT_STRATEGY, body).await.refused(400, "ValidationError", path);
    }
    let many = strategy("segments", json!([1, 2, 3, 4, 5, 6]));
    app.admin().post(DEFAULT_STRATEGY, many).await.refused(400, "ExceedsLimitError", "segments");
    let unknown = json!([{ "contextName": "nofield", "operator": "IN", "values": ["1"] }]);
    app.admin().post(DEFAULT_STRATEGY, strategy("constraints", unknown)).await.refused(
        400,
        "ValidationError",
        "nofield",
    );
    let elsewhere = "/api/admin/projects/shop/environments/default/default-strategy";
    app.admin().post(elsewhere, strategy("title", json!("t"))).await.refused(404, "NotFoundError", "default");
    app.admin().get(elsewhere).await.refused(404, "NotFoundError", "default");
    assert!(app.event_types().await.is_empty());
    app.admin().post(DEFAULT_STRATEGY, strategy("segments", json!([own]))).await.expect(200);
}
