//! Segments: what they hold, whom they belong to, and who applies them.

mod permissions;
mod uses;

use flagstone::{
    config::{Config, Limits},
    store::{self, projects::NewProject},
};
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Client, TestApp, connect};

const SEGMENTS: &str = "/api/admin/segments";
const FIRST: &str = "/api/admin/segments/1";

/// A segment with one constraint.
fn employees() -> Value {
    json!({ "name": "employees", "constraints": [constraint("userId", &["a", "b"])] })
}

fn constraint(field: &str, values: &[&str]) -> Value {
    json!({ "contextName": field, "operator": "IN", "values": values })
}

/// A server with the segment `employees`, whose id is 1.
async fn with_employees() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    assert_eq!(app.admin().post(SEGMENTS, employees()).await.expect(201)["id"], 1);
    app
}

/// Adds the private project `secret`, which uses `development`.
async fn hide(app: &TestApp) {
    let tx = app.tx().await;
    let secret = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Secret") };
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    connect(&tx, "secret", "development").await;
    app.commit(tx).await;
}

fn with(mut body: Value, property: &str, value: Value) -> Value {
    body[property] = value;
    body
}

async fn put(client: &Client, path: &str, body: Value) -> Answer {
    client.json(Method::PUT, path, body).await
}

async fn delete(client: &Client, path: &str) -> Answer {
    client.request(Method::DELETE, path, &[], Vec::new()).await
}

async fn newest(app: &TestApp) -> Value {
    let event = app.events().await.pop().expect("an event");
    let json = |text: Option<String>| text.map_or(Value::Null, |text| serde_json::from_str(&text).expect("JSON"));
    json!([event.r#type, event.project, json(event.data), json(event.pre_data)])
}

#[tokio::test]
async fn a_segment_is_made_read_changed_removed_and_told_of() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let made = app.admin().post(SEGMENTS, employees()).await.expect(201);
    let mut expected = json!({
        "id": 1, "name": "employees", "description": null, "project": null,
        "constraints": [constraint("userId", &["a", "b"])], "createdBy": "tests",
        "createdAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(made, expected);
    assert_eq!(newest(&app).await, json!(["segment-created", null, made, null]));
    assert_eq!(app.viewer().await.get(FIRST).await.expect(200), made);

    let dated = json!({ "contextName": "currentTime", "operator": "DATE_AFTER", "value": "2027-01-01T00:00:00.000Z" });
    let change = json!({ "name": "staff", "description": "Who works here", "project": "shop", "constraints": [dated] });
    assert_eq!(put(&app.editor().await, FIRST, change.clone()).await.expect(204), Value::Null);
    let mut dated = dated;
    dated["values"] = json!([]);
    for (property, value) in [
        ("name", json!("staff")),
        ("description", json!("Who works here")),
        ("project", json!("shop")),
        ("constraints", json!([dated])),
    ] {
        expected[property] = value;
    }
    assert_eq!(app.admin().get(FIRST).await.expect(200), expected);
    assert_eq!(newest(&app).await, json!(["segment-updated", "shop", expected, made]));
    let count = app.events().await.len();
    put(&app.admin(), FIRST, change).await.expect(204);
    assert_eq!(app.events().await.len(), count);
    let list = app.viewer().await.get(SEGMENTS).await.expect(200)["segments"].clone();
    let counted = with(with(expected.clone(), "usedInProjects", json!(0)), "usedInFeatures", json!(0));
    assert_eq!(list, json!([counted]));

    assert_eq!(delete(&app.admin(), FIRST).await.expect(204), Value::Null);
    assert_eq!(newest(&app).await, json!(["segment-deleted", "shop", null, expected]));
    app.admin().get(FIRST).await.refused(404, "NotFoundError", "segment with the id 1");
}

#[tokio::test]
async fn a_segment_is_refused_by_naming_what_is_wrong_with_it() {
    let app = with_employees().await;
    app.admin().post(SEGMENTS, with(employees(), "name", json!("other"))).await.expect(201);
    let fields = json!({ "name": "plan", "legalValues": [{ "value": "free" }] });
    app.admin().post("/api/admin/context", fields).await.expect(201);
    let before = app.admin().get(FIRST).await.expect(200);
    let events = app.event_types().await;
    let constrained = |constraint: Value| with(employees(), "constraints", json!([constraint]));
    let operator = |name: &str| json!({ "contextName": "userId", "operator": name, "value": "x" });
    for (body, status, name, text) in [
        (json!({ "constraints": [] }), 400, "ValidationError", "/body/name"),
        (json!({ "name": "new" }), 400, "ValidationError", "/body/constraints"),
        (with(employees(), "name", json!("")), 400, "ValidationError", "/body/name"),
        (with(employees(), "name", json!("  ")), 400, "ValidationError", "/body/name"),
        (with(employees(), "name", json!("x".repeat(256))), 400, "ValidationError", "/body/name"),
        (with(employees(), "description", json!(5)), 400, "ValidationError", "/body/description"),
        (with(employees(), "project", json!("nowhere")), 400, "ValidationError", "/body/project"),
        (with(employees(), "constraints", json!({})), 400, "ValidationError", "/body/constraints"),
        (constrained(json!({ "operator": "IN" })), 400, "ValidationError", "/body/constraints/0/contextName"),
        (constrained(operator("NEARLY")), 400, "ValidationError", "/body/constraints/0/operator"),
        (constrained(operator("NUM_EQ")), 400, "ValidationError", "/body/constraints/0"),
        (constrained(operator("DATE_AFTER")), 400, "ValidationError", "/body/constraints/0"),
        (constrained(operator("SEMVER_LT")), 400, "ValidationError", "/body/constraints/0"),
        (constrained(operator("STR_CONTAINS")), 400, "ValidationError", "/body/constraints/0"),
        (constrained(constraint("userId", &[])), 400, "ValidationError", "/body/constraints/0"),
        (constrained(constraint("userId", &[""])), 400, "ValidationError", "/body/constraints/0"),
        (constrained(constraint("plan", &["free", "gold"])), 400, "ValidationError", "/body/constraints/0/values/1"),
        (constrained(constraint("nofield", &["a"])), 400, "ValidationError", "/body/constraints/0/contextName"),
        (with(employees(), "name", json!("other")), 409, "NameExistsError", "\"other\""),
    ] {
        app.admin().post(SEGMENTS, body.clone()).await.refused(status, name, text);
        put(&app.admin(), FIRST, body).await.refused(status, name, text);
    }
    let validate = "/api/admin/segments/validate";
    app.admin().post(validate, json!({ "name": "other" })).await.refused(409, "NameExistsError", "\"other\"");
    app.admin().post(validate, json!({ "name": "" })).await.refused(400, "ValidationError", "/body/name");
    assert_eq!(app.viewer().await.post(validate, json!({ "name": "Other" })).await.expect(204), Value::Null);
    for path in ["/api/admin/segments/7", "/api/admin/segments/-1"] {
        app.admin().get(path).await.refused(404, "NotFoundError", "segment with the id");
        app.admin().get(&format!("{path}/strategies")).await.refused(404, "NotFoundError", "segment with the id");
        put(&app.admin(), path, employees()).await.refused(404, "NotFoundError", "segment with the id");
        delete(&app.admin(), path).await.refused(404, "NotFoundError", "segment with the id");
    }
    app.admin().get("/api/admin/segments/first").await.refused(400, "ValidationError", "path parameter `segmentId`");
    assert_eq!(app.admin().get(FIRST).await.expect(200), before);
    assert_eq!(app.event_types().await, events);
}

#[tokio::test]
async fn a_stale_change_is_refused_and_changes_nothing() {
    let app = with_employees().await;
    let etag = app.admin().get(FIRST).await.headers["etag"].to_str().expect("text").to_owned();
    let headers = [("content-type", "application/json"), ("if-match", &*etag)];
    let body = |text: &str| with(employees(), "description", json!(text)).to_string().into_bytes();
    app.admin().request(Method::PUT, FIRST, &headers, body("first")).await.expect(204);
    let events = app.event_types().await;
    let late = app.admin().request(Method::PUT, FIRST, &headers, body("second")).await;
    late.refused(412, "PreconditionFailedError", "changed");
    let late = app.admin().request(Method::DELETE, FIRST, &headers[1..], vec![]).await;
    late.refused(412, "PreconditionFailedError", "changed");
    assert_eq!(app.admin().get(FIRST).await.expect(200)["description"], "first");
    assert_eq!(app.event_types().await, events);
}

#[tokio::test]
async fn there_are_no_more_segments_and_values_than_the_operator_allows() {
    let limits = Limits { segments: 2, segment_values: 3, ..Limits::default() };
    let app = TestApp::with_config(Config { limits, ..Config::default() }).await;
    app.admin().post(SEGMENTS, employees()).await.expect(201);
    let many = |count: usize| {
        let values: Vec<String> = (0..count).map(|number| format!("u{number}")).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let halves = values.split_at(count / 2);
        json!({ "name": "many", "constraints": [constraint("userId", halves.0), constraint("userId", halves.1)] })
    };
    app.admin().post(SEGMENTS, many(4)).await.refused(400, "ExceedsLimitError", "at most 3 values; these list 4");
    put(&app.admin(), FIRST, many(4)).await.refused(400, "ExceedsLimitError", "at most 3 values");
    // One value that stands alone is a value, too.
    let single = |number: usize| json!({ "contextName": "userId", "operator": "NUM_EQ", "value": number.to_string() });
    let singles = json!({ "name": "singles", "constraints": (0..4).map(single).collect::<Vec<_>>() });
    app.admin().post(SEGMENTS, singles).await.refused(400, "ExceedsLimitError", "at most 3 values; these list 4");
    app.admin().post(SEGMENTS, many(3)).await.expect(201);
    let third = with(employees(), "name", json!("third"));
    app.admin().post(SEGMENTS, third).await.refused(400, "ExceedsLimitError", "another segment: the limit of 2");
    // What is above the limit already may change as long as it does not grow.
    let tx = app.tx().await;
    let mut large = store::segments::hold(&tx, 2).await.expect("reads").expect("exists");
    large.constraints[0].values = Some((0..9).map(|number| number.to_string()).collect());
    store::segments::save(&tx, &large).await.expect("saves");
    app.commit(tx).await;
    let second = "/api/admin/segments/2";
    put(&app.admin(), second, many(12)).await.refused(400, "ExceedsLimitError", "these list 12");
    put(&app.admin(), second, many(10)).await.expect(204);
}

#[tokio::test]
async fn a_segment_that_features_start_with_stays() {
    let app = with_employees().await;
    let path = "/api/admin/projects/shop/environments/development/default-strategy";
    let strategy = |segments: Value| json!({ "name": "flexibleRollout", "segments": segments });
    app.admin().post(path, strategy(json!([1]))).await.expect(200);
    let refused = app.admin().request(Method::DELETE, FIRST, &[], vec![]).await;
    refused.refused(409, "SegmentInUseError", "employees");
    assert_eq!(app.admin().get(FIRST).await.expect(200)["name"], "employees");
    app.admin().post(path, strategy(json!([]))).await.expect(200);
    app.admin().request(Method::DELETE, FIRST, &[], vec![]).await.expect(204);
}
