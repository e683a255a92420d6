//! Context fields, their legal values, and where they are used.

use flagstone::{
    domain::{
        constraint::{Constraint, Operator},
        strategy::StrategyDefinition,
    },
    store::{self, projects::NewProject},
};
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{TestApp, add_strategy, connect, encoded};

const FIELDS: &str = "/api/admin/context";
const PLAN: &str = "/api/admin/context/plan";

async fn with_plan() -> TestApp {
    let app = TestApp::new().await;
    app.admin().post(FIELDS, json!({ "name": "plan", "legalValues": [{ "value": "free" }] })).await.expect(201);
    app
}

async fn newest(app: &TestApp) -> Value {
    let event = app.events().await.pop().expect("an event");
    let json = |text: Option<String>| text.map_or(Value::Null, |text| serde_json::from_str(&text).expect("JSON"));
    json!([event.r#type, event.project, json(event.data), json(event.pre_data)])
}

fn without(mut body: Value, property: &str) -> Value {
    body.as_object_mut().expect("an object").remove(property);
    body
}

#[tokio::test]
async fn a_field_is_made_read_changed_removed_and_told_of() {
    let app = TestApp::new().await;
    let made = app.editor().await.post(FIELDS, json!({ "name": "plan" })).await.expect(201);
    let least = json!({ "name": "plan", "description": null, "stickiness": false, "sortOrder": 10, "legalValues": [] });
    assert_eq!(made["createdAt"], "2026-01-15T12:00:00.000Z");
    assert_eq!(without(made.clone(), "createdAt"), least);
    assert_eq!(newest(&app).await, json!(["context-field-created", null, least, null]));
    assert_eq!(app.viewer().await.get(PLAN).await.expect(200), made);

    let legal = json!([{ "value": "free", "description": "Pays nothing" }, { "value": "paid" }]);
    let change = json!({ "description": "What they pay", "stickiness": true, "sortOrder": 3, "legalValues": legal });
    assert_eq!(app.editor().await.json(Method::PUT, PLAN, change.clone()).await.expect(200), Value::Null);
    let mut changed = change;
    changed["name"] = "plan".into();
    assert_eq!(without(app.admin().get(PLAN).await.expect(200), "createdAt"), changed);
    assert_eq!(newest(&app).await, json!(["context-field-updated", null, changed, least]));
    let count = app.events().await.len();
    app.admin().json(Method::PUT, PLAN, changed.clone()).await.expect(200);
    assert_eq!(app.events().await.len(), count);

    // What is absent is reset, but for the position.
    app.admin().json(Method::PUT, PLAN, json!({})).await.expect(200);
    let mut reset = least.clone();
    reset["sortOrder"] = 3.into();
    assert_eq!(without(app.admin().get(PLAN).await.expect(200), "createdAt"), reset);

    app.admin().request(Method::DELETE, PLAN, &[], vec![]).await.expect(200);
    assert_eq!(newest(&app).await, json!(["context-field-deleted", null, null, reset]));
    app.admin().get(PLAN).await.refused(404, "NotFoundError", "context field named \"plan\"");
}

#[tokio::test]
async fn the_list_is_sorted_by_name() {
    let app = with_plan().await;
    let list = app.viewer().await.get(FIELDS).await.expect(200);
    let names: Vec<&str> = list.as_array().expect("a list").iter().filter_map(|field| field["name"].as_str()).collect();
    assert_eq!(names, ["appName", "currentTime", "environment", "plan", "sessionId", "userId"]);
    assert_eq!((&list[3]["usedInFeatures"], &list[3]["usedInProjects"]), (&json!(0), &json!(0)));
}

#[tokio::test]
async fn a_field_is_refused_by_naming_what_is_wrong_with_it() {
    let app = with_plan().await;
    let events = app.event_types().await;
    let long = "x".repeat(101);
    for (body, property) in [
        (json!({}), "/body/name"),
        (json!({ "name": "" }), "/body/name"),
        (json!({ "name": "two words" }), "/body/name"),
        (json!({ "name": long }), "/body/name"),
        (json!({ "name": "new", "description": "x".repeat(251) }), "/body/description"),
        (json!({ "name": "new", "stickiness": "yes" }), "/body/stickiness"),
        (json!({ "name": "new", "sortOrder": 1.5 }), "/body/sortOrder"),
        (json!({ "name": "new", "sortOrder": 3_000_000_000_u64 }), "/body/sortOrder"),
        (json!({ "name": "new", "legalValues": [{}] }), "/body/legalValues/0/value"),
        (json!({ "name": "new", "legalValues": [{ "value": "" }] }), "/body/legalValues/0/value"),
        (json!({ "name": "new", "legalValues": [{ "value": "a" }, { "value": long }] }), "/body/legalValues/1/value"),
        (json!({ "name": "new", "legalValues": [{ "value": "a" }, { "value": "a" }] }), "/body/legalValues/1/value"),
        (json!({ "name": "new", "legalValues": vec![json!({ "value": "a" }); 1001] }), "/body/legalValues"),
    ] {
        app.admin().post(FIELDS, body.clone()).await.refused(400, "ValidationError", property);
        if property != "/body/name" {
            app.admin().json(Method::PUT, PLAN, body).await.refused(400, "ValidationError", property);
        }
    }
    for path in [FIELDS, "/api/admin/context/validate"] {
        app.admin().post(path, json!({ "name": "plan" })).await.refused(409, "NameExistsError", "\"plan\"");
    }
    let validate = "/api/admin/context/validate";
    app.admin().post(validate, json!({ "name": "a b" })).await.refused(400, "ValidationError", "/body/name");
    assert_eq!(app.admin().post(validate, json!({ "name": "new" })).await.expect(200), Value::Null);
    for path in ["/api/admin/context/none", "/api/admin/context/%00", "/api/admin/context/Plan"] {
        app.admin().get(path).await.refused(404, "NotFoundError", "context field");
        app.admin().json(Method::PUT, path, json!({})).await.refused(404, "NotFoundError", "context field");
        let answer = app.admin().request(Method::DELETE, path, &[], vec![]).await;
        answer.refused(404, "NotFoundError", "context field");
    }
    assert_eq!(app.event_types().await, events);
    assert_eq!(app.admin().get(PLAN).await.expect(200)["legalValues"], json!([{ "value": "free" }]));
}

#[tokio::test]
async fn single_legal_values_are_set_and_removed() {
    let app = with_plan().await;
    let values = "/api/admin/context/plan/legal-values";
    let set = async |body: Value| app.admin().post(values, body).await;
    set(json!({ "value": "50% / ä" })).await.expect(200);
    set(json!({ "value": "50% / ä" })).await.expect(200);
    set(json!({ "value": "free", "description": "Pays nothing" })).await.expect(200);
    let legal = json!([{ "value": "free", "description": "Pays nothing" }, { "value": "50% / ä" }]);
    assert_eq!(app.admin().get(PLAN).await.expect(200)["legalValues"], legal);
    assert_eq!(newest(&app).await[2]["legalValues"], legal);
    set(json!({ "value": "" })).await.refused(400, "ValidationError", "/body/value");
    set(json!({ "value": "x".repeat(101) })).await.refused(400, "ValidationError", "/body/value");
    set(json!({})).await.refused(400, "ValidationError", "/body/value");
    let one = format!("{values}/{}", encoded("50% / ä"));
    for _ in 0..2 {
        app.admin().request(Method::DELETE, &one, &[], vec![]).await.expect(200);
    }
    assert_eq!(app.event_types().await.len(), 4);
    assert_eq!(app.admin().get(PLAN).await.expect(200)["legalValues"].as_array().map(Vec::len), Some(1));
    let none = "/api/admin/context/none/legal-values";
    app.admin().post(none, json!({ "value": "a" })).await.refused(404, "NotFoundError", "context field");
    let answer = app.admin().request(Method::DELETE, &format!("{none}/a"), &[], vec![]).await;
    answer.refused(404, "NotFoundError", "context field");
}

#[tokio::test]
async fn a_stale_change_is_refused_and_changes_nothing() {
    let app = with_plan().await;
    let etag = app.admin().get(PLAN).await.headers["etag"].to_str().expect("text").to_owned();
    let headers = [("content-type", "application/json"), ("if-match", &*etag)];
    let body = |text: &str| json!({ "description": text }).to_string().into_bytes();
    app.admin().request(Method::PUT, PLAN, &headers, body("first")).await.expect(200);
    let events = app.event_types().await;
    for (method, path, body) in [
        (Method::PUT, PLAN.to_owned(), body("second")),
        (Method::DELETE, PLAN.to_owned(), vec![]),
        (Method::POST, format!("{PLAN}/legal-values"), json!({ "value": "a" }).to_string().into_bytes()),
        (Method::DELETE, format!("{PLAN}/legal-values/free"), vec![]),
    ] {
        let late = app.admin().request(method, &path, &headers, body).await;
        late.refused(412, "PreconditionFailedError", "changed");
    }
    assert_eq!(app.admin().get(PLAN).await.expect(200)["description"], "first");
    assert_eq!(app.event_types().await, events);
}

/// A strategy with constraints on these fields.
async fn constrain(app: &TestApp, feature: i64, environment: &str, fields: &[&str]) {
    let constraint = |field: &&str| Constraint {
        context_name: (*field).to_owned(),
        operator: Operator::In,
        case_insensitive: None,
        inverted: None,
        values: Some(vec!["free".to_owned()]),
        value: None,
    };
    let constraints = fields.iter().map(constraint).collect();
    let new = StrategyDefinition { name: "default".to_owned(), constraints, ..StrategyDefinition::default() };
    let tx = app.tx().await;
    add_strategy(&tx, feature, environment, &new, app.clock.now()).await.expect("a strategy");
    app.commit(tx).await;
}

#[tokio::test]
async fn uses_are_counted_and_listed_as_far_as_the_caller_may_see() {
    let app = with_plan().await;
    app.project("shop").await;
    let tx = app.tx().await;
    let secret = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Secret") };
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    connect(&tx, "secret", "development").await;
    app.commit(tx).await;
    let (f, g, hidden) =
        (app.feature("shop", "f").await, app.feature("shop", "g").await, app.feature("secret", "hidden").await);
    constrain(&app, f, "development", &["plan", "plan", "userId"]).await;
    constrain(&app, f, "production", &["plan"]).await;
    constrain(&app, g, "development", &[]).await;
    constrain(&app, hidden, "development", &["plan"]).await;
    let counts = async |client: crate::harness::Client| {
        let list = client.get(FIELDS).await.expect(200);
        [3, 5].map(|index: usize| json!([list[index]["usedInFeatures"], list[index]["usedInProjects"]]))
    };
    assert_eq!(counts(app.admin()).await, [json!([2, 2]), json!([1, 1])]);
    assert_eq!(counts(app.viewer().await).await, [json!([1, 1]), json!([1, 1])]);

    let path = "/api/admin/context/plan/strategies";
    let places = |answer: Value| -> Vec<Value> {
        let strategies = answer["strategies"].as_array().expect("a list").iter();
        let place =
            |one: &Value| json!([one["projectId"], one["featureName"], one["environment"], one["strategyName"]]);
        strategies.map(place).collect()
    };
    let seen = [json!(["shop", "f", "development", "default"]), json!(["shop", "f", "production", "default"])];
    assert_eq!(places(app.viewer().await.get(path).await.expect(200)), seen);
    let all = places(app.admin().get(path).await.expect(200));
    assert_eq!((all.len(), &all[2]), (3, &json!(["secret", "hidden", "development", "default"])));
    // What moved in may name a field that is not there, and is found by it.
    let tx = app.tx().await;
    store::context_fields::delete(&tx, "plan").await.expect("deletes");
    app.commit(tx).await;
    assert_eq!(places(app.admin().get(path).await.expect(200)).len(), 3);
    for unused in ["appName", "none", "%00"] {
        let answer = app.admin().get(&format!("{FIELDS}/{unused}/strategies")).await.expect(200);
        assert_eq!(places(answer), [json!(null); 0], "{unused}");
    }
}
