//! The playground.

use flagstone::{
    domain::{constraint::Constraint, strategy::StrategyDefinition, variant::StrategyVariant},
    store::{self, entity::feature_environment, segments::NewSegment},
};
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::harness::{Client, TestApp, add_strategy, connect, role};

const PATH: &str = "/api/admin/playground";
const ADVANCED: &str = "/api/admin/playground/advanced";

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app
}

/// A feature that is on in `production` with these strategies.
async fn feature(app: &TestApp, name: &str, strategies: &[StrategyDefinition], variants: Value) -> i64 {
    let id = app.feature("shop", name).await;
    let tx = app.tx().await;
    for strategy in strategies {
        add_strategy(&tx, id, "production", strategy, app.clock.now()).await.expect("a strategy");
    }
    let count = i64::try_from(variants.as_array().expect("variants").len()).expect("few");
    let row = feature_environment::ActiveModel {
        feature_id: Set(id),
        environment: Set("production".to_owned()),
        enabled: Set(true),
        variants: Set(variants.to_string()),
        variant_count: Set(count),
        ..Default::default()
    };
    feature_environment::Entity::update(row).exec(&tx).await.expect("switches on");
    app.commit(tx).await;
    id
}

fn constraint(json: Value) -> Constraint {
    serde_json::from_value(json).expect("a constraint")
}

fn gold() -> Constraint {
    constraint(json!({ "contextName": "tier", "operator": "IN", "values": ["gold"] }))
}

fn rollout(share: &str, constraints: Vec<Constraint>) -> StrategyDefinition {
    let pairs = [("rollout", share), ("stickiness", "default"), ("groupId", "g")];
    StrategyDefinition {
        name: "flexibleRollout".to_owned(),
        parameters: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        constraints,
        ..StrategyDefinition::default()
    }
}

async fn ask(client: &Client, context: Value) -> Vec<Value> {
    let body = json!({ "environment": "production", "projects": ["shop"], "context": context });
    let answer = client.post(PATH, body.clone()).await.expect(200);
    assert_eq!(answer["input"], body);
    answer["features"].as_array().expect("features").clone()
}

#[tokio::test]
async fn each_piece_of_a_feature_says_what_it_contributes() {
    let app = shop().await;
    let tx = app.tx().await;
    let staff = constraint(json!({ "contextName": "userId", "operator": "STR_ENDS_WITH", "values": ["@shop"] }));
    let segment = NewSegment { name: "staff".to_owned(), constraints: vec![staff], ..NewSegment::default() };
    let segment = store::segments::insert(&tx, &segment, app.clock.now()).await.expect("a segment");
    app.commit(tx).await;
    let first = rollout("0", vec![gold()]);
    let second = StrategyDefinition { segments: vec![segment], ..rollout("100", vec![gold()]) };
    feature(&app, "f", &[first, second], json!([])).await;
    let admin = app.admin();
    let found = ask(&admin, json!({ "appName": "web", "userId": "ada@shop", "tier": "gold" })).await;
    assert_eq!(found.len(), 1);
    let (found, strategies) = (&found[0], &found[0]["strategies"]["data"]);
    assert_eq!((&found["isEnabled"], &found["strategies"]["result"]), (&json!(true), &json!(true)));
    assert_eq!(strategies[0]["result"], json!({ "evaluationStatus": "complete", "enabled": false }));
    assert_eq!(strategies[0]["constraints"][0]["result"], true);
    assert_eq!(strategies[1]["result"]["enabled"], true);
    assert_eq!(strategies[1]["segments"][0]["name"], "staff");
    assert_eq!(strategies[1]["segments"][0]["constraints"][0]["result"], true);
    let edit = strategies[1]["links"]["edit"].as_str().expect("a link");
    assert!(edit.starts_with("/projects/shop/features/f/strategies/edit?environmentId=production&strategyId="));
    for (context, tier, staff) in [
        (json!({ "appName": "web", "userId": "eve@home", "tier": "gold" }), true, false),
        (json!({ "appName": "web", "userId": "ada@shop", "properties": { "tier": "tin" } }), false, true),
    ] {
        let found = &ask(&admin, context).await[0];
        let strategy = &found["strategies"]["data"][1];
        assert_eq!(strategy["constraints"][0]["result"], tier);
        assert_eq!(strategy["segments"][0]["result"], staff);
        assert_eq!(strategy["result"]["enabled"], false);
        assert_eq!((&found["isEnabled"], &found["strategies"]["result"]), (&json!(false), &json!(false)));
    }
    assert_eq!(app.event_types().await, Vec::<String>::new());
}

#[tokio::test]
async fn what_is_off_in_the_environment_is_off_whatever_its_strategies_say() {
    let app = shop().await;
    app.feature("shop", "f").await;
    let found = &ask(&app.admin(), json!({ "appName": "web" })).await[0];
    let shown = [&found["isEnabled"], &found["isEnabledInCurrentEnvironment"], &found["strategies"]["result"]];
    assert_eq!(shown, [&json!(false), &json!(false), &json!(true)]);
    assert_eq!(found["variant"], json!({ "name": "disabled", "enabled": false, "feature_enabled": false }));
}

#[tokio::test]
async fn strategies_of_custom_types_are_unknown_unless_their_constraints_rule_them_out() {
    let app = shop().await;
    let custom = StrategyDefinition {
        name: "ownStrategy".to_owned(),
        constraints: vec![gold()],
        ..StrategyDefinition::default()
    };
    feature(&app, "f", &[custom], json!([])).await;
    for (tier, verdict) in [("gold", json!("unknown")), ("tin", json!(false))] {
        let found = &ask(&app.admin(), json!({ "appName": "web", "tier": tier })).await[0];
        assert_eq!(found["strategies"]["result"], verdict);
        let result = json!({ "evaluationStatus": "incomplete", "enabled": verdict });
        assert_eq!(found["strategies"]["data"][0]["result"], result);
        assert_eq!(found["isEnabled"], false);
    }
}

#[tokio::test]
async fn disabled_strategies_are_shown_and_do_not_count() {
    let app = shop().await;
    let disabled = StrategyDefinition { disabled: true, ..rollout("100", vec![]) };
    feature(&app, "f", &[disabled, rollout("0", vec![])], json!([])).await;
    let found = &ask(&app.admin(), json!({ "appName": "web", "userId": "1" })).await[0];
    assert_eq!(found["strategies"]["result"], false);
    let data = &found["strategies"]["data"];
    assert_eq!((&data[0]["disabled"], &data[0]["result"]["enabled"]), (&json!(true), &json!(true)));
}

#[tokio::test]
async fn variants_come_from_the_first_strategy_that_holds_or_from_the_feature() {
    let app = shop().await;
    let variant: StrategyVariant = serde_json::from_value(json!({
        "name": "red", "weight": 1000, "weightType": "variable", "stickiness": "default",
        "payload": { "type": "string", "value": "#f00" },
    }))
    .expect("a variant");
    let own = json!([{ "name": "blue", "weight": 1000, "weightType": "variable", "stickiness": "default" }]);
    let red = StrategyDefinition { variants: vec![variant], ..rollout("100", vec![gold()]) };
    feature(&app, "f", &[red, rollout("100", vec![])], own).await;
    let admin = app.admin();
    let found = &ask(&admin, json!({ "appName": "web", "userId": "1", "tier": "gold" })).await[0];
    let red = json!({
        "name": "red", "enabled": true, "payload": { "type": "string", "value": "#f00" }, "feature_enabled": true,
    });
    assert_eq!(found["variant"], red);
    assert_eq!(found["strategies"]["data"][0]["result"]["variant"], red);
    assert_eq!(found["variants"][0]["name"], "red");
    let found = &ask(&admin, json!({ "appName": "web", "userId": "1" })).await[0];
    assert_eq!(found["variant"], json!({ "name": "blue", "enabled": true, "feature_enabled": true }));
    assert_eq!(found["variants"][0]["name"], "blue");
}

#[tokio::test]
async fn a_child_is_on_only_where_its_parent_is() {
    let app = shop().await;
    let parent = feature(&app, "parent", &[rollout("100", vec![gold()])], json!([])).await;
    let child = feature(&app, "child", &[rollout("100", vec![])], json!([])).await;
    let tx = app.tx().await;
    store::features::dependencies::add(&tx, child, parent, true, &[]).await.expect("a dependency");
    app.commit(tx).await;
    for (tier, enabled) in [("gold", true), ("tin", false)] {
        let found = ask(&app.admin(), json!({ "appName": "web", "userId": "1", "tier": tier })).await;
        assert_eq!(found[0]["name"], "child");
        assert_eq!(found[0]["isEnabled"], enabled);
        assert_eq!(found[0]["strategies"]["result"], true);
        assert_eq!(found[0]["hasUnsatisfiedDependency"].is_null(), enabled);
    }
}

#[tokio::test]
async fn pieces_agree_with_the_whole_where_chance_decides() {
    let app = shop().await;
    for index in 0..30 {
        feature(&app, &format!("f{index}"), &[rollout("50", vec![])], json!([])).await;
    }
    let found = ask(&app.admin(), json!({ "appName": "web" })).await;
    for feature in &found {
        assert_eq!(feature["isEnabled"], feature["strategies"]["data"][0]["result"]["enabled"]);
    }
    let on = found.iter().filter(|feature| feature["isEnabled"] == true).count();
    assert!((1..30).contains(&on), "{on} of 30");
}

#[tokio::test]
async fn every_combination_is_evaluated_in_every_environment() {
    let app = shop().await;
    feature(&app, "f", &[rollout("100", vec![gold()])], json!([])).await;
    let body = json!({
        "environments": ["development", "production"],
        "context": { "appName": "web", "userId": "1, 2", "properties": { "tier": "gold,tin" } },
    });
    let answer = app.admin().post(ADVANCED, body.clone()).await.expect(200);
    assert_eq!(answer["input"], body);
    let feature = &answer["features"][0];
    assert_eq!((&feature["name"], &feature["projectId"]), (&json!("f"), &json!("shop")));
    let told = |environment: &str| -> Vec<(Value, Value, Value)> {
        let results = feature["environments"][environment].as_array().expect("results");
        let tell =
            |one: &Value| (one["context"]["tier"].clone(), one["context"]["userId"].clone(), one["isEnabled"].clone());
        results.iter().map(tell).collect()
    };
    let expected = [("gold", "1", true), ("gold", "2", true), ("tin", "1", false), ("tin", "2", false)];
    assert_eq!(told("production"), expected.map(|(tier, user, on)| (json!(tier), json!(user), json!(on))));
    assert!(told("development").iter().all(|(_, _, on)| on == &json!(false)));
}

/// Contexts, each with what it says of `tier`, `userId` and the time, and the features that are on for it.
const CONTEXTS: [(&str, &[&str]); 10] = [
    (r#"{"tier":"5"}"#, &["five", "high"]),
    (r#"{"tier":5}"#, &["five", "high"]),
    (r#"{"properties":{"tier":5}}"#, &["five", "high"]),
    (r#"{"tier":"1","properties":{"tier":"5"}}"#, &[]),
    (r#"{"tier":" 5 "}"#, &[]),
    (r#"{"tier":"\t5"}"#, &[]),
    (r#"{"tier":null}"#, &[]),
    (r#"{"userId":null}"#, &[]),
    (r#"{"userId":"7"}"#, &["known"]),
    (r#"{"currentTime":"2031-01-01T01:00:00+02:00"}"#, &["later"]),
];

#[tokio::test]
async fn a_context_is_read_as_programs_are_answered() {
    let app = shop().await;
    let number = |operator: &str| constraint(json!({ "contextName": "tier", "operator": operator, "value": "5" }));
    let mut known = rollout("100", vec![]);
    known.parameters.insert("stickiness".to_owned(), "userId".to_owned());
    let later = json!({ "contextName": "currentTime", "operator": "DATE_AFTER", "value": "2030-01-01T00:00:00Z" });
    feature(
        &app,
        "five",
        &[rollout("100", vec![constraint(json!({ "contextName": "tier", "operator": "IN", "values": ["5"] }))])],
        json!([]),
    )
    .await;
    feature(&app, "high", &[rollout("100", vec![number("NUM_GTE")])], json!([])).await;
    feature(&app, "known", &[known], json!([])).await;
    feature(&app, "later", &[rollout("100", vec![constraint(later)])], json!([])).await;
    let (admin, browser) = (app.admin(), app.browser(&["shop"], "production").await);
    let program = app.program(&["shop"], "production").await;
    let on = |list: &Value, is_on: &dyn Fn(&Value) -> bool, name: &str| -> Vec<String> {
        let features = list.as_array().expect("a list").iter().filter(|one| is_on(one));
        features.map(|one| one[name].as_str().expect("a name").to_owned()).collect()
    };
    for (context, expected) in CONTEXTS {
        let mut context: Value = serde_json::from_str(context).expect("JSON");
        let browsers = browser.post("/api/frontend", json!({ "context": context })).await.expect(200);
        let flat = browser.post("/api/frontend", context.clone()).await.expect(200);
        let providers = program.post("/ofrep/v1/evaluate/flags", json!({ "context": context })).await.expect(200);
        context["appName"] = json!("web");
        let told = [
            on(&browsers["toggles"], &|_| true, "name"),
            on(&flat["toggles"], &|_| true, "name"),
            on(&providers["flags"], &|flag| flag["value"] == true, "key"),
        ];
        for told in told {
            assert_eq!(told, expected, "{context}");
        }
        // Of known names the playground takes texts and nothing else.
        let shown = ask(&admin, context.clone()).await;
        assert_eq!(on(&json!(shown), &|one| one["isEnabled"] == true, "name"), expected, "{context}");
        let body = json!({ "environments": ["production"], "context": context });
        let advanced = admin.post(ADVANCED, body).await.expect(200);
        let is_on = |one: &Value| one["environments"]["production"][0]["isEnabled"] == true;
        assert_eq!(on(&advanced["features"], &is_on, "name"), expected, "{context}");
    }
}

#[tokio::test]
async fn what_is_no_value_is_refused_and_not_left_out() {
    let app = shop().await;
    let admin = app.admin();
    for (context, property) in [
        (json!({ "tier": ["gold"] }), "/body/context/tier"),
        (json!({ "tier": { "name": "gold" } }), "/body/context/tier"),
        (json!({ "properties": { "tier": ["gold"] } }), "/body/context/properties/tier"),
        (json!({ "properties": { "tier": {} } }), "/body/context/properties/tier"),
        (json!({ "properties": "gold" }), "/body/context/properties"),
        (json!({ "currentTime": "nonsense" }), "/body/context/currentTime"),
        (json!({ "properties": { "currentTime": "nonsense" } }), "/body/context/properties/currentTime"),
    ] {
        let mut context = context;
        context["appName"] = json!("web");
        let once = json!({ "environment": "production", "context": context });
        admin.post(PATH, once).await.refused(400, "ValidationError", property);
        let all = json!({ "environments": ["production"], "context": context });
        admin.post(ADVANCED, all).await.refused(400, "ValidationError", property);
    }
    let times =
        |times: &str| json!({ "environments": ["production"], "context": { "appName": "web", "currentTime": times } });
    let refused = admin.post(ADVANCED, times("2026-01-15T12:00:00Z,never")).await;
    refused.refused(400, "ValidationError", "/body/context/currentTime");
    admin.post(ADVANCED, times("2026-01-15T12:00:00Z, 2031-01-15T12:00:00Z")).await.expect(200);
}

#[tokio::test]
async fn requests_are_bounded_and_name_what_is_wrong() {
    let app = shop().await;
    let admin = app.admin();
    let context = json!({ "appName": "web" });
    for (path, body, property) in [
        (PATH, json!({ "environment": "none", "context": context }), "/body/environment"),
        (PATH, json!({ "environment": "production" }), "/body/context"),
        (PATH, json!({ "environment": "production", "context": {} }), "/body/context/appName"),
        (
            PATH,
            json!({ "environment": "production", "context": { "appName": "web", "userId": 1 } }),
            "/body/context/userId",
        ),
        (
            PATH,
            json!({ "environment": "production", "context": { "appName": "web", "x": "x".repeat(10_001) } }),
            "/body/context/x",
        ),
        (PATH, json!({ "environment": "production", "context": context, "projects": "all" }), "/body/projects"),
        (ADVANCED, json!({ "environments": [], "context": context }), "/body/environments"),
        (ADVANCED, json!({ "environments": ["production", "none"], "context": context }), "/body/environments/1"),
        (ADVANCED, json!({ "environments": ["default", "default"], "context": context }), "/body/environments/1"),
        (
            ADVANCED,
            json!({ "environments": ["production"], "context": { "appName": "web", "userId": "1,2,3,4,5,6,7,8,9,10,11", "sessionId": "1,2,3,4,5,6,7,8,9,10" } }),
            "/body/context",
        ),
    ] {
        admin.post(path, body).await.refused(400, "ValidationError", property);
    }
    let mut many: serde_json::Map<_, _> = (0..100).map(|number| (format!("p{number}"), json!(number))).collect();
    many.insert("appName".to_owned(), json!("web"));
    let answer = admin.post(PATH, json!({ "environment": "production", "context": many })).await;
    answer.refused(400, "ValidationError", "The /body/context property must have at most 100 properties.");
}

#[tokio::test]
async fn features_of_hidden_projects_are_left_out() {
    let app = shop().await;
    app.feature("shop", "f").await;
    let tx = app.tx().await;
    let mut secret = store::projects::NewProject::named("secret", "Secret");
    secret.mode = "private".to_owned();
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    connect(&tx, "secret", "production").await;
    app.commit(tx).await;
    app.feature("secret", "s").await;
    let names = async |client: &Client, projects: Value| -> Vec<Value> {
        let body = json!({ "environment": "production", "projects": projects, "context": { "appName": "web" } });
        let answer = client.post(PATH, body).await.expect(200);
        answer["features"].as_array().expect("features").iter().map(|one| one["name"].clone()).collect()
    };
    let viewer = app.viewer().await;
    assert_eq!(names(&viewer, json!("*")).await, ["f"]);
    assert_eq!(names(&viewer, json!(["secret"])).await, Vec::<Value>::new());
    let member = app.person(role::VIEWER, Some(("secret", role::MEMBER))).await;
    assert_eq!(names(&member, json!("*")).await, ["f", "s"]);
}

#[tokio::test]
async fn an_answer_does_not_multiply_a_large_context() {
    let app = shop().await;
    for index in 0..20 {
        feature(&app, &format!("f{index}"), &[], json!([])).await;
    }
    let long: serde_json::Map<String, Value> =
        (0..90).map(|index| (format!("field-{index}"), json!("x".repeat(9000)))).collect();
    let mut context = json!({ "appName": "web", "userId": "1,2,3,4,5,6,7,8,9,10", "properties": long });
    let body = |context: &Value| json!({ "environments": ["production"], "projects": ["shop"], "context": context });
    let viewer = app.viewer().await;
    let answer = viewer.post(ADVANCED, body(&context)).await;
    answer.refused(400, "ValidationError", "/body/context");
    context["userId"] = json!("1");
    let answer = viewer.post(ADVANCED, body(&context)).await.expect(200);
    let features = answer["features"].as_array().expect("features");
    assert_eq!(features.len(), 20);
    assert_eq!(features[7]["environments"]["production"][0]["context"]["field-7"], long["field-7"]);
    assert_eq!(app.event_types().await, Vec::<String>::new());
}
