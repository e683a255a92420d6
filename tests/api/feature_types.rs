//! The kinds of features, and how long they are meant to live.

use flagstone::{domain::time::DAY_MS, jobs::mark_potentially_stale};
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::TestApp;

const TYPES: &str = "/api/admin/feature-types";
const RELEASE: &str = "/api/admin/feature-types/release/lifetime";

async fn set(app: &TestApp, days: Value) -> Value {
    app.admin().json(Method::PUT, RELEASE, json!({ "lifetimeDays": days })).await.expect(200)
}

#[tokio::test]
async fn everybody_reads_the_types() {
    let app = TestApp::new().await;
    let answer = app.viewer().await.get(TYPES).await.expect(200);
    assert_eq!(answer["version"], 1);
    let types = answer["types"].as_array().expect("types");
    let lifetimes: Vec<Value> = types.iter().map(|kind| json!([kind["id"], kind["lifetimeDays"]])).collect();
    assert_eq!(
        lifetimes,
        [
            json!(["experiment", 40]),
            json!(["kill-switch", null]),
            json!(["operational", 7]),
            json!(["permission", null]),
            json!(["release", 40]),
            json!(["sunset", 90]),
        ]
    );
}

#[tokio::test]
async fn a_lifetime_is_set_and_told_of_once() {
    let app = TestApp::new().await;
    let after = set(&app, json!(60)).await;
    assert_eq!((&after["id"], &after["lifetimeDays"]), (&json!("release"), &json!(60)));
    assert_eq!(set(&app, json!(60)).await, after);
    let event = app.events().await.pop().expect("an event");
    assert_eq!(app.event_types().await, ["feature-type-updated"]);
    let json = |text: Option<String>| -> Value { serde_json::from_str(&text.expect("JSON")).expect("JSON") };
    let (data, mut pre_data) = (json(event.data), json(event.pre_data));
    assert_eq!(data, after);
    assert_eq!(pre_data["lifetimeDays"], 40);
    pre_data["lifetimeDays"] = 60.into();
    assert_eq!(pre_data, after);

    // Zero means what null means.
    assert_eq!(set(&app, json!(0)).await["lifetimeDays"], Value::Null);
    assert_eq!(set(&app, Value::Null).await["lifetimeDays"], Value::Null);
    assert_eq!(app.event_types().await, ["feature-type-updated"; 2]);
    let types = app.admin().get(TYPES).await.expect(200);
    assert_eq!(types["types"][4]["lifetimeDays"], Value::Null);
}

#[tokio::test]
async fn a_lifetime_that_makes_no_sense_is_refused() {
    let app = TestApp::new().await;
    for body in [
        json!({}),
        json!({ "lifetimeDays": -1 }),
        json!({ "lifetimeDays": 36_501 }),
        json!({ "lifetimeDays": 1.5 }),
        json!({ "lifetimeDays": "40" }),
    ] {
        let answer = app.admin().json(Method::PUT, RELEASE, body).await;
        answer.refused(400, "ValidationError", "/body/lifetimeDays");
    }
    for id in ["none", "%00", "Release"] {
        let answer =
            app.admin().json(Method::PUT, &format!("{TYPES}/{id}/lifetime"), json!({ "lifetimeDays": 1 })).await;
        answer.refused(404, "NotFoundError", "feature type");
    }
    assert_eq!(app.event_types().await, [""; 0]);
    assert_eq!(app.admin().get(TYPES).await.expect(200)["types"][4]["lifetimeDays"], 40);
}

#[tokio::test]
async fn the_next_job_marks_by_the_new_lifetime() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    app.clock.advance(10 * DAY_MS);
    let report = async || app.admin().get("/api/admin/projects/default/health-report").await.expect(200);
    mark_potentially_stale(&app.state).await.expect("runs");
    assert_eq!((app.event_types().await.len(), &report().await["potentiallyStaleCount"]), (0, &json!(0)));
    set(&app, json!(10)).await;
    assert_eq!(report().await["potentiallyStaleCount"], 1);
    mark_potentially_stale(&app.state).await.expect("runs");
    assert_eq!(app.event_types().await, ["feature-type-updated", "feature-potentially-stale-on"]);
    set(&app, Value::Null).await;
    mark_potentially_stale(&app.state).await.expect("runs");
    assert_eq!(report().await["potentiallyStaleCount"], 0);
    // The mark is off: once the type is mortal again, it is put on anew.
    set(&app, json!(5)).await;
    mark_potentially_stale(&app.state).await.expect("runs");
    assert_eq!(app.event_types().await.last().map(String::as_str), Some("feature-potentially-stale-on"));
}
