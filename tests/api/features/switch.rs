//! Switching features on and off, one by one and many at once.

use flagstone::{
    config::{Config, Limits},
    domain::strategy::StrategyDefinition,
    store::entity::{feature_strategy, project_environment},
};
use poem::http::Method;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use super::{FEATURE, SHOP, event, shop_with_feature, told_events};
use crate::{
    authorization::{access::Access, somebody_with},
    harness::{Answer, Client, TestApp, add_strategy},
    schema::assert_derived_columns,
};

const ON: &str = "/api/admin/projects/shop/features/f/environments/development/on";
const OFF: &str = "/api/admin/projects/shop/features/f/environments/development/off";
const BULK: &str = "/api/admin/projects/shop/bulk_features/environments/development";

async fn act(client: &Client, path: &str) -> Answer {
    client.request(Method::POST, path, &[], Vec::new()).await
}

async fn development(app: &TestApp, name: &str) -> Value {
    app.admin().get(&format!("{SHOP}/{name}/environments/development")).await.expect(200)
}

async fn add(app: &TestApp, id: i64, disabled: bool) {
    let tx = app.tx().await;
    let new = StrategyDefinition { name: "default".to_owned(), disabled, ..StrategyDefinition::default() };
    add_strategy(&tx, id, "development", &new, app.clock.now()).await.expect("a strategy");
    app.commit(tx).await;
}

async fn set_default(app: &TestApp, default: Value) {
    let tx = app.tx().await;
    let row = project_environment::ActiveModel {
        project: Set("shop".to_owned()),
        environment: Set("development".to_owned()),
        default_strategy: Set(Some(default.to_string())),
    };
    row.update(&tx).await.expect("a default strategy");
    app.commit(tx).await;
}

#[tokio::test]
async fn a_feature_without_a_strategy_gets_one_and_only_then_is_on() {
    let (app, _) = shop_with_feature().await;
    app.clock.advance(1000);
    let answer = act(&app.admin(), ON).await.expect(200);
    assert_eq!(answer, app.admin().get(FEATURE).await.expect(200), "the answer is the feature as it is now");
    let stored = development(&app, "f").await;
    assert_eq!(stored["enabled"], true);
    let strategy = &stored["strategies"][0];
    let parameters = json!({ "groupId": "f", "rollout": "100", "stickiness": "default" });
    assert_eq!((&strategy["name"], &strategy["parameters"]), (&json!("flexibleRollout"), &parameters));
    let here = |kind: &str, data: &Value| {
        let mut event = event(kind, data, &Value::Null);
        event["environment"] = "development".into();
        event
    };
    let added = json!({
        "id": strategy["id"], "name": "flexibleRollout", "title": null, "disabled": false, "sortOrder": 0,
        "segments": [], "constraints": [], "variants": [], "parameters": parameters,
    });
    let on = [here("feature-strategy-add", &added), here("feature-environment-enabled", &Value::Null)];
    assert_eq!(told_events(&app).await, on);
    // Again: nothing. Off and on: the strategy is there.
    act(&app.admin(), ON).await.expect(200);
    assert_eq!(told_events(&app).await, on);
    let off = act(&app.admin(), OFF).await.expect(200);
    assert_eq!((&off["name"], &off["environments"][0]["enabled"]), (&json!("f"), &json!(false)));
    assert_eq!(act(&app.admin(), OFF).await.expect(200), off);
    act(&app.admin(), ON).await.expect(200);
    let kinds = app.event_types().await.split_off(2);
    assert_eq!(kinds, ["feature-environment-disabled", "feature-environment-enabled"]);
    let feature = app.admin().get(FEATURE).await.expect(200);
    assert_eq!(feature["environments"][1]["enabled"], false);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn the_project_s_default_strategy_is_the_one_that_is_added() {
    let (app, _) = shop_with_feature().await;
    let constraint = json!({ "contextName": "userId", "operator": "IN", "values": ["1"] });
    let default = json!({
        "name": "flexibleRollout", "title": "Half", "disabled": true, "constraints": [constraint],
        "parameters": { "rollout": "50", "stickiness": "random", "groupId": "" },
    });
    set_default(&app, default).await;
    act(&app.admin(), ON).await.expect(200);
    let strategy = development(&app, "f").await["strategies"][0].clone();
    assert_eq!((&strategy["title"], &strategy["disabled"]), (&json!("Half"), &json!(false)));
    assert_eq!(strategy["parameters"], json!({ "groupId": "f", "rollout": "50", "stickiness": "random" }));
    assert_eq!(strategy["constraints"][0]["values"], json!(["1"]));

    app.feature("shop", "g").await;
    set_default(&app, json!({ "name": "default", "segments": [999] })).await;
    let answer = act(&app.admin(), &ON.replace("/f/", "/g/")).await;
    answer.refused(403, "InvalidOperationError", "segment");
    assert_eq!(development(&app, "g").await["enabled"], false);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn disabled_strategies_take_effect_when_asked_to() {
    let (app, id) = shop_with_feature().await;
    add(&app, id, true).await;
    add(&app, id, false).await;
    let answer = act(&app.admin(), &format!("{ON}?shouldActivateDisabledStrategies=true")).await;
    answer.expect(200);
    let stored = development(&app, "f").await;
    assert_eq!(stored["strategies"].as_array().expect("strategies").len(), 2);
    assert_eq!(stored["strategies"][0]["disabled"], false);
    let events = told_events(&app).await;
    let kinds: Vec<_> = events.iter().map(|event| event["type"].as_str().expect("a type")).collect();
    assert_eq!(kinds, ["feature-strategy-update", "feature-environment-enabled"]);
    assert_eq!((&events[0]["preData"]["disabled"], &events[0]["data"]["disabled"]), (&json!(true), &json!(false)));
    assert_eq!(events[0]["data"]["id"], stored["strategies"][0]["id"]);
    assert_derived_columns(&app).await;

    // Not asked to: a feature whose strategies are all disabled gets another.
    let g = app.feature("shop", "g").await;
    add(&app, g, true).await;
    act(&app.admin(), &ON.replace("/f/", "/g/")).await.expect(200);
    let stored = development(&app, "g").await;
    assert_eq!(stored["strategies"][0]["disabled"], true);
    assert_eq!(
        (&stored["strategies"][1]["name"], &stored["strategies"][1]["sortOrder"]),
        (&json!("flexibleRollout"), &json!(1))
    );
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn making_the_first_strategy_needs_its_own_permission() {
    let (app, id) = shop_with_feature().await;
    let switcher = somebody_with(&app, Access::Development(""), &["UPDATE_FEATURE_ENVIRONMENT"]).await;
    let refusal = act(&switcher, ON).await;
    assert_eq!(refusal.body["permissions"], json!(["CREATE_FEATURE_STRATEGY"]));
    refusal.refused(403, "NoAccessError", "\"development\" environment");
    act(&switcher, &ON.replace("development", "production")).await.refused(403, "NoAccessError", "\"production\"");
    assert_eq!(app.event_types().await, [""; 0]);
    let both =
        somebody_with(&app, Access::Development(""), &["UPDATE_FEATURE_ENVIRONMENT", "CREATE_FEATURE_STRATEGY"]).await;
    act(&both, ON).await.expect(200);
    act(&switcher, OFF).await.expect(200);
    act(&switcher, ON).await.expect(200);
    let strategies = feature_strategy::Entity::find().all(app.db()).await.expect("strategies");
    assert_eq!(strategies.iter().filter(|row| row.feature_id == id).count(), 1);
}

#[tokio::test]
async fn what_cannot_be_switched_is_refused_and_stays() {
    let limits = Limits { strategies: 1, ..Limits::default() };
    let app = TestApp::with_config(Config { limits, ..Config::default() }).await;
    app.project("shop").await;
    let id = app.feature("shop", "f").await;
    app.project("other").await;
    app.feature("other", "o").await;
    let admin = app.admin();
    act(&admin, &ON.replace("/f/", "/no/")).await.refused(404, "NotFoundError", "\"no\"");
    act(&admin, &ON.replace("/f/", "/o/")).await.refused(404, "NotFoundError", "project \"other\"");
    act(&admin, &ON.replace("/shop/", "/no/")).await.refused(404, "NotFoundError", "\"no\"");
    for environment in ["default", "nowhere", "%00"] {
        act(&admin, &ON.replace("development", environment)).await.refused(404, "NotFoundError", "environment");
    }
    add(&app, id, true).await;
    act(&admin, ON).await.refused(400, "ExceedsLimitError", "1");
    act(&admin, &format!("{ON}?shouldActivateDisabledStrategies=maybe")).await.refused(
        400,
        "ValidationError",
        "shouldActivateDisabledStrategies",
    );
    admin.request(Method::DELETE, FEATURE, &[], Vec::new()).await.expect(202);
    let seen = app.events().await.len();
    for path in [ON, OFF] {
        act(&admin, path).await.refused(400, "ValidationError", "archived");
    }
    for path in ["on", "off"] {
        let body = json!({ "features": ["f"] });
        admin.post(&format!("{BULK}/{path}"), body).await.refused(400, "ValidationError", "/body/features/0");
    }
    assert_eq!(app.events().await.len(), seen);
}

#[tokio::test]
async fn many_are_switched_together_or_not_at_all() {
    let (app, id) = shop_with_feature().await;
    add(&app, id, false).await;
    app.feature("shop", "g").await;
    app.project("other").await;
    app.feature("other", "o").await;
    let admin = app.admin();
    let names = |names: &[&str]| json!({ "features": names });
    let (on, off) = (format!("{BULK}/on"), format!("{BULK}/off"));
    admin.post(&on, names(&["f", "g", "no"])).await.refused(400, "ValidationError", "/body/features/2");
    admin.post(&on, names(&["f", "g", "o"])).await.refused(403, "InvalidOperationError", "o (in project other)");
    admin.post(&on, json!({})).await.refused(400, "ValidationError", "/body/features");
    admin.post(&on, json!({ "features": vec!["f"; 1001] })).await.refused(400, "ValidationError", "at most 1000");
    assert_eq!(app.event_types().await, [""; 0]);

    let expected = |dry_run: bool| {
        let change = |kind: &str, name: &str| json!({ "type": kind, "project": "shop", "featureName": name, "environment": "development" });
        json!({ "dryRun": dry_run, "events": [
            change("feature-environment-enabled", "f"),
            change("feature-strategy-add", "g"),
            change("feature-environment-enabled", "g"),
        ] })
    };
    let answer = admin.post(&format!("{on}?dryRun=true"), names(&["f", "g", "f"])).await.expect(200);
    assert_eq!(answer, expected(true));
    assert_eq!(app.event_types().await, [""; 0]);
    assert_eq!(development(&app, "f").await["enabled"], false);
    let answer = admin.post(&on, names(&["f", "g", "f"])).await.expect(200);
    assert_eq!(answer, expected(false));
    for name in ["f", "g"] {
        let stored = development(&app, name).await;
        assert_eq!((&stored["enabled"], stored["strategies"].as_array().map(Vec::len)), (&json!(true), Some(1)));
    }
    let answer = admin.post(&on, names(&["g"])).await.expect(200);
    assert_eq!(answer, json!({ "dryRun": false, "events": [] }));
    assert_eq!(admin.post(&off, names(&["g", "f"])).await.expect(200)["events"].as_array().map(Vec::len), Some(2));
    let kinds = app.event_types().await;
    assert_eq!(kinds[3..], ["feature-environment-disabled"; 2]);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn a_stale_switch_changes_nothing() {
    let (app, _) = shop_with_feature().await;
    let admin = app.admin();
    let tag = admin.get(FEATURE).await.headers["etag"].to_str().expect("a tag").to_owned();
    admin.json(Method::PUT, FEATURE, json!({ "description": "by somebody else" })).await.expect(200);
    for path in [ON, OFF] {
        let answer = admin.request(Method::POST, path, &[("if-match", &tag)], Vec::new()).await;
        answer.refused(412, "PreconditionFailedError", "changed");
    }
    assert_eq!(app.event_types().await, ["feature-metadata-updated"]);
    let here = format!("{SHOP}/f/environments/development");
    let tag = admin.get(&here).await.headers["etag"].to_str().expect("a tag").to_owned();
    admin.request(Method::POST, ON, &[("if-match", &tag)], Vec::new()).await.expect(200);
}
