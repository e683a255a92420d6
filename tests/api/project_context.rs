//! Context fields of one project: who keeps them, who sees them, and what may use them.

mod hidden;
mod travelling;
mod using;

use flagstone::{
    domain::{
        constraint::{Constraint, Operator},
        strategy::StrategyDefinition,
    },
    store::{self, projects::NewProject},
};
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    authorization::somebody_granted,
    harness::{Client, TestApp, add_strategy, connect},
};

const GLOBAL: &str = "/api/admin/context";
const FIELDS: &str = "/api/admin/projects/shop/context";
const TIER: &str = "/api/admin/projects/shop/context/tier";
const ELSEWHERE: &str = "/api/admin/projects/other/context";

/// The projects `shop` and `other`, the context field `tier` of the former, and `plan` of the whole instance.
async fn with_tier() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.project("other").await;
    let tier = json!({ "name": "tier", "stickiness": true, "legalValues": [{ "value": "gold" }] });
    app.admin().post(FIELDS, tier).await.expect(201);
    app.admin().post(GLOBAL, json!({ "name": "plan" })).await.expect(201);
    app
}

/// The private project `secret` with the context field `rank`.
async fn hide(app: &TestApp) {
    let tx = app.tx().await;
    let secret = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Secret") };
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    connect(&tx, "secret", "development").await;
    app.commit(tx).await;
    let rank = json!({ "name": "rank", "description": "How high", "legalValues": [{ "value": "gold" }] });
    app.admin().post("/api/admin/projects/secret/context", rank).await.expect(201);
}

/// Somebody who may change the context fields of a project and nothing else.
async fn keeper(app: &TestApp, project: &str) -> Client {
    somebody_granted(app, Some(project), &[("UPDATE_PROJECT_CONTEXT", None)]).await
}

fn on(field: &str, value: &str) -> Value {
    json!({ "contextName": field, "operator": "IN", "values": [value] })
}

/// A strategy with a constraint on a field that the project does not have, as a database that moved in may hold it.
async fn stray(app: &TestApp, feature: i64, field: &str) {
    let constraint = Constraint {
        context_name: field.to_owned(),
        operator: Operator::In,
        case_insensitive: None,
        inverted: None,
        values: Some(vec!["gold".to_owned()]),
        value: None,
    };
    let constraints = vec![constraint];
    let new = StrategyDefinition { name: "default".to_owned(), constraints, ..StrategyDefinition::default() };
    let tx = app.tx().await;
    add_strategy(&tx, feature, "development", &new, app.clock.now()).await.expect("a strategy");
    app.commit(tx).await;
}

async fn delete(client: &Client, path: &str) -> crate::harness::Answer {
    client.request(Method::DELETE, path, &[], Vec::new()).await
}

async fn names(client: &Client, path: &str) -> Vec<String> {
    let list = client.get(path).await.expect(200);
    let fields = list.as_array().expect("a list").iter();
    fields.map(|field| field["name"].as_str().expect("a name").to_owned()).collect()
}

async fn newest(app: &TestApp) -> Value {
    let event = app.events().await.pop().expect("an event");
    let json = |text: Option<String>| text.map_or(Value::Null, |text| serde_json::from_str(&text).expect("JSON"));
    json!([event.r#type, event.project, json(event.data), json(event.pre_data)])
}

fn undated(mut field: Value) -> Value {
    field.as_object_mut().expect("an object").remove("createdAt");
    field
}

#[tokio::test]
async fn a_field_is_made_read_changed_removed_and_told_of() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let keeper = keeper(&app, "shop").await;
    let answer = keeper.post(FIELDS, json!({ "name": "tier" })).await;
    assert_eq!(answer.headers["location"], TIER);
    let made = answer.expect(201);
    let least = json!({ "name": "tier", "description": null, "stickiness": false, "sortOrder": 10, "legalValues": [],
        "project": "shop" });
    assert_eq!(made["createdAt"], "2026-01-15T12:00:00.000Z");
    assert_eq!(undated(made.clone()), least);
    assert_eq!(newest(&app).await, json!(["context-field-created", "shop", least, null]));
    assert_eq!(app.viewer().await.get(TIER).await.expect(200), made);

    let change = json!({ "description": "How often they order", "stickiness": true, "sortOrder": 3,
        "legalValues": [{ "value": "gold" }, { "value": "bronze" }] });
    assert_eq!(keeper.json(Method::PUT, TIER, change.clone()).await.expect(200), Value::Null);
    let mut changed = change;
    changed["name"] = "tier".into();
    changed["project"] = "shop".into();
    assert_eq!(undated(keeper.get(TIER).await.expect(200)), changed);
    assert_eq!(newest(&app).await, json!(["context-field-updated", "shop", changed, least]));
    let count = app.events().await.len();
    keeper.json(Method::PUT, TIER, changed.clone()).await.expect(200);
    assert_eq!(app.events().await.len(), count);

    let values = format!("{TIER}/legal-values");
    keeper.post(&values, json!({ "value": "silver" })).await.expect(200);
    let mut more = changed.clone();
    more["legalValues"] = json!([{ "value": "gold" }, { "value": "bronze" }, { "value": "silver" }]);
    assert_eq!(newest(&app).await, json!(["context-field-updated", "shop", more, changed]));
    delete(&keeper, &format!("{values}/silver")).await.expect(200);
    assert_eq!(newest(&app).await, json!(["context-field-updated", "shop", changed, more]));

    delete(&keeper, TIER).await.expect(200);
    assert_eq!(newest(&app).await, json!(["context-field-deleted", "shop", null, changed]));
    keeper.get(TIER).await.refused(404, "NotFoundError", "context field named \"tier\"");
}

#[tokio::test]
async fn fields_of_the_instance_and_of_each_project_are_kept_apart() {
    let app = with_tier().await;
    let admin = app.admin();
    let global = ["appName", "currentTime", "environment", "plan", "sessionId", "userId"];
    let all = ["appName", "currentTime", "environment", "plan", "sessionId", "tier", "userId"];
    for (path, expected) in [
        (GLOBAL.to_owned(), &global[..]),
        (format!("{GLOBAL}?include=root"), &global),
        (format!("{GLOBAL}?include=project"), &all),
        (FIELDS.to_owned(), &["tier"]),
        (format!("{FIELDS}?include=project"), &["tier"]),
        (format!("{FIELDS}?include=root"), &all),
        (ELSEWHERE.to_owned(), &[]),
        (format!("{ELSEWHERE}?include=root"), &global),
    ] {
        assert_eq!(names(&app.viewer().await, &path).await, expected, "{path}");
    }
    let list = admin.get(&format!("{FIELDS}?include=root")).await.expect(200);
    assert_eq!(list[5]["project"], "shop");
    assert_eq!(list[3].get("project"), None, "{list}");
    for path in [GLOBAL, FIELDS] {
        admin.get(&format!("{path}?include=all")).await.refused(400, "ValidationError", "include");
    }
    let events = app.event_types().await;
    for (fields, name) in [(GLOBAL, "tier"), (ELSEWHERE, "tier"), (FIELDS, "plan"), (FIELDS, "none")] {
        let one = format!("{fields}/{name}");
        let missing = format!("context field named \"{name}\"");
        admin.get(&one).await.refused(404, "NotFoundError", &missing);
        admin.json(Method::PUT, &one, json!({})).await.refused(404, "NotFoundError", &missing);
        let value = json!({ "value": "gold" });
        admin.post(&format!("{one}/legal-values"), value).await.refused(404, "NotFoundError", &missing);
        delete(&admin, &format!("{one}/legal-values/gold")).await.refused(404, "NotFoundError", &missing);
        delete(&admin, &one).await.refused(404, "NotFoundError", &missing);
    }
    assert_eq!(app.event_types().await, events);
}

#[tokio::test]
async fn a_name_is_given_once_in_the_whole_instance() {
    let app = with_tier().await;
    hide(&app).await;
    let (admin, keeper) = (app.admin(), keeper(&app, "other").await);
    let events = app.event_types().await;
    for (client, fields, name) in [
        (&admin, GLOBAL, "tier"),
        (&admin, FIELDS, "tier"),
        (&admin, FIELDS, "plan"),
        (&keeper, ELSEWHERE, "tier"),
        (&keeper, ELSEWHERE, "plan"),
        (&keeper, ELSEWHERE, "rank"),
    ] {
        let taken = format!("There is a context field named \"{name}\" already.");
        for path in [fields.to_owned(), format!("{fields}/validate")] {
            client.post(&path, json!({ "name": name })).await.refused(409, "NameExistsError", &taken);
        }
    }
    for (body, property) in [
        (json!({}), "/body/name"),
        (json!({ "name": "two words" }), "/body/name"),
        (json!({ "name": "validate" }), "/body/name"),
        (json!({ "name": "new", "legalValues": [{ "value": "a" }, { "value": "a" }] }), "/body/legalValues/1/value"),
    ] {
        keeper.post(ELSEWHERE, body).await.refused(400, "ValidationError", property);
    }
    let validate = format!("{ELSEWHERE}/validate");
    keeper.post(&validate, json!({ "name": "a b" })).await.refused(400, "ValidationError", "/body/name");
    assert_eq!(keeper.post(&validate, json!({ "name": "new" })).await.expect(200), Value::Null);
    assert_eq!(app.event_types().await, events);
}

#[tokio::test]
async fn the_permission_counts_in_its_project_alone() {
    let app = with_tier().await;
    let (keeper, editor) = (keeper(&app, "shop").await, app.editor().await);
    let new = json!({ "name": "level" });
    let need = "UPDATE_PROJECT_CONTEXT";
    for client in [&editor, &app.member("shop").await, &app.viewer().await] {
        client.post(FIELDS, new.clone()).await.refused(403, "NoAccessError", need);
        client.json(Method::PUT, TIER, json!({})).await.refused(403, "NoAccessError", need);
        delete(client, TIER).await.refused(403, "NoAccessError", need);
    }
    for path in [ELSEWHERE, "/api/admin/projects/nowhere/context"] {
        keeper.post(path, new.clone()).await.refused(403, "NoAccessError", need);
    }
    keeper.post(GLOBAL, new.clone()).await.refused(403, "NoAccessError", "CREATE_CONTEXT_FIELD");
    let nowhere = "/api/admin/projects/nowhere/context";
    app.admin().post(nowhere, new.clone()).await.refused(404, "NotFoundError", "nowhere");
    app.admin().get(nowhere).await.refused(404, "NotFoundError", "nowhere");
    assert_eq!(keeper.post(FIELDS, new).await.expect(201)["project"], "shop");
    let of_owner = app.owner("shop").await.post(FIELDS, json!({ "name": "depth" })).await;
    assert_eq!(of_owner.expect(201)["project"], "shop");
}

#[tokio::test]
async fn a_stale_change_is_refused_and_changes_nothing() {
    let app = with_tier().await;
    let etag = app.admin().get(TIER).await.headers["etag"].to_str().expect("text").to_owned();
    let headers = [("content-type", "application/json"), ("if-match", &*etag)];
    let body = |text: &str| json!({ "description": text }).to_string().into_bytes();
    app.admin().request(Method::PUT, TIER, &headers, body("first")).await.expect(200);
    let events = app.event_types().await;
    for (method, path, body) in [
        (Method::PUT, TIER.to_owned(), body("second")),
        (Method::DELETE, TIER.to_owned(), vec![]),
        (Method::POST, format!("{TIER}/legal-values"), json!({ "value": "a" }).to_string().into_bytes()),
        (Method::DELETE, format!("{TIER}/legal-values/gold"), vec![]),
    ] {
        let late = app.admin().request(method, &path, &headers, body).await;
        late.refused(412, "PreconditionFailedError", "changed");
    }
    assert_eq!(app.admin().get(TIER).await.expect(200)["description"], "first");
    assert_eq!(app.event_types().await, events);
}

#[tokio::test]
async fn fields_go_with_their_project() {
    let app = with_tier().await;
    let admin = app.admin();
    delete(&admin, "/api/admin/projects/shop").await.expect(200);
    let told: Vec<Value> =
        app.events().await.iter().rev().take(2).map(|event| json!([event.r#type, event.project, event.data])).collect();
    assert_eq!(told, [json!(["project-deleted", "shop", null]), json!(["context-field-deleted", "shop", null])]);
    let left = names(&admin, &format!("{GLOBAL}?include=project")).await;
    assert!(!left.contains(&"tier".to_owned()), "{left:?}");
    assert_eq!(admin.post(ELSEWHERE, json!({ "name": "tier" })).await.expect(201)["project"], "other");
}
