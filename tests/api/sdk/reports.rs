use flagstone::{
    domain::time::{HOUR_MS, Timestamp},
    jobs,
    store::entity::{
        client_application, client_instance, client_metrics_hourly, client_metrics_variant_hourly, feature,
        feature_environment, feature_lifecycle,
    },
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};

use super::switch;
use crate::{
    harness::{Client, TestApp},
    schema::assert_derived_columns,
};

const REGISTER: &str = "/api/client/register";
const METRICS: &str = "/api/client/metrics";
const BULK: &str = "/api/client/metrics/bulk";

async fn write(app: &TestApp) {
    jobs::write_usage(&app.state).await.expect("writes");
}

/// Reports evaluations of some features by the application `web`, which started `minutes` ago.
async fn report(app: &TestApp, program: &Client, minutes: i64, toggles: Value) {
    let start = app.clock.now().plus_millis(-minutes * 60_000).to_string();
    let bucket = json!({ "start": start, "stop": start, "toggles": toggles });
    let body = json!({ "appName": "web", "instanceId": "i", "bucket": bucket });
    let answer = program.post(METRICS, body).await;
    assert_eq!((answer.status, answer.text.as_str()), (202, ""));
}

/// Feature, application, environment, hours before now, yes and no of each stored row.
async fn hourly(app: &TestApp) -> Vec<(String, String, String, i64, i64, i64)> {
    use client_metrics_hourly::{Column, Entity};
    let query = Entity::find().order_by_asc(Column::FeatureName).order_by_asc(Column::AppName);
    let rows = query.order_by_asc(Column::Environment).order_by_desc(Column::Timestamp).all(app.db()).await;
    let now = app.clock.now().floor_hour().millis();
    let row = |row: client_metrics_hourly::Model| {
        (row.feature_name, row.app_name, row.environment, (now - row.timestamp.millis()) / HOUR_MS, row.yes, row.no)
    };
    rows.expect("reads").into_iter().map(row).collect()
}

fn row(
    feature: &str,
    app: &str,
    environment: &str,
    hours: i64,
    yes: i64,
    no: i64,
) -> (String, String, String, i64, i64, i64) {
    (feature.to_owned(), app.to_owned(), environment.to_owned(), hours, yes, no)
}

async fn shop() -> (TestApp, i64, Client) {
    let app = TestApp::new().await;
    app.project("shop").await;
    let id = app.feature("shop", "f").await;
    let program = app.program(&["shop"], "development").await;
    (app, id, program)
}

#[tokio::test]
async fn evaluations_are_added_up_by_the_hour() {
    let (app, id, program) = shop().await;
    app.clock.advance(30 * 60_000);
    report(&app, &program, 0, json!({ "f": { "yes": 3, "no": 1, "variants": { "a": 2, "b": 1 } } })).await;
    report(&app, &program, 1, json!({ "f": { "yes": 2, "no": 0, "variants": { "a": 2 } } })).await;
    report(&app, &program, 60, json!({ "f": { "yes": 5, "no": 5 } })).await;
    assert_eq!(hourly(&app).await, vec![], "written later");
    write(&app).await;
    report(&app, &program, 0, json!({ "f": { "yes": 10, "no": 20, "variants": { "b": 1 } } })).await;
    write(&app).await;
    write(&app).await;
    let expected = [row("f", "web", "development", 0, 15, 21), row("f", "web", "development", 1, 5, 5)];
    assert_eq!(hourly(&app).await, expected);
    let variants = client_metrics_variant_hourly::Entity::find()
        .order_by_asc(client_metrics_variant_hourly::Column::Variant)
        .all(app.db())
        .await
        .expect("reads");
    let variants: Vec<_> = variants.iter().map(|row| (row.variant.as_str(), row.count)).collect();
    assert_eq!(variants, [("a", 4), ("b", 2)]);

    // What searches and features show.
    let found = app.admin().get("/api/admin/search/features").await.expect(200);
    let development = &found["features"][0]["environments"][0];
    assert_eq!((&development["name"], &development["yes"]), (&json!("development"), &json!(15)));
    assert_eq!(development["lastSeenAt"], app.clock.now().to_string());
    assert_eq!(found["features"][0]["lastSeenAt"], app.clock.now().to_string());
    assert_eq!(found["features"][0]["lifecycle"]["stage"], "pre-live");
    let production = feature_environment::Entity::find_by_id((id, "production".to_owned())).one(app.db()).await;
    assert_eq!(production.expect("reads").expect("exists").last_seen_at, None);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn a_feature_is_seen_again_and_its_stages_are_entered_once() {
    let (app, id, program) = shop().await;
    let stages = async || {
        let rows = feature_lifecycle::Entity::find().filter(feature_lifecycle::Column::FeatureId.eq(id));
        let rows = rows.order_by_asc(feature_lifecycle::Column::EnteredStageAt).all(app.db()).await.expect("reads");
        rows.into_iter().map(|row| (row.stage, row.entered_stage_at)).collect::<Vec<_>>()
    };
    let at = |minutes: i64| Timestamp::parse(crate::harness::START).expect("valid").plus_millis(minutes * 60_000);
    let production = app.program(&["*"], "production").await;
    let used = json!({ "f": { "yes": 0, "no": 1 } });
    report(&app, &program, 0, json!({ "f": { "yes": 0, "no": 0 } })).await;
    write(&app).await;
    assert_eq!(stages().await.len(), 1, "nothing was evaluated");
    app.clock.advance(60_000);
    report(&app, &production, 0, used.clone()).await;
    write(&app).await;
    assert_eq!(stages().await, [("initial".to_owned(), at(0)), ("pre-live".to_owned(), at(1))], "it is off there");
    switch(&app, id, "production", true).await;
    app.clock.advance(60_000);
    report(&app, &production, 0, used.clone()).await;
    write(&app).await;
    app.clock.advance(60_000);
    report(&app, &production, 0, used.clone()).await;
    report(&app, &program, 0, used).await;
    write(&app).await;
    assert_eq!(stages().await[2..], [("live".to_owned(), at(2))]);
    let seen = feature::Entity::find_by_id(id).one(app.db()).await.expect("reads").expect("exists").last_seen_at;
    assert_eq!(seen, Some(at(3)));
}

#[tokio::test]
async fn what_is_not_the_program_s_business_is_not_kept() {
    let (app, _, program) = shop().await;
    app.project("other").await;
    app.feature("other", "g").await;
    let toggles = json!({ "f": { "yes": 1 }, "g": { "yes": 1 }, "unknown": { "yes": 1 }, "": { "no": 1 } });
    report(&app, &program, 0, toggles).await;
    let elsewhere = json!({
        "appName": "web", "environment": "production",
        "bucket": { "start": "2026-01-15T12:00:00Z", "stop": 0, "toggles": { "f": { "yes": 1, "no": null } } },
    });
    assert_eq!(program.post(METRICS, elsewhere.clone()).await.status, 202);
    assert_eq!(app.admin().post(METRICS, elsewhere).await.status, 202);
    write(&app).await;
    let expected = [row("f", "web", "development", 0, 2, 0), row("f", "web", "production", 0, 1, 0)];
    assert_eq!(hourly(&app).await, expected);
}

#[tokio::test]
async fn absurd_reports_are_taken_in_and_stay_within_bounds() {
    let (app, _, program) = shop().await;
    report(&app, &program, -60 * 24 * 365, json!({ "f": { "yes": 1 } })).await;
    report(&app, &program, 60 * 24 * 365, json!({ "f": { "yes": 1 } })).await;
    for start in [json!("yesterday"), json!(null), json!({}), json!(-1), json!("9999-12-31T23:59:59Z")] {
        let bucket = json!({ "start": start, "toggles": { "f": { "no": 1 } } });
        assert_eq!(program.post(METRICS, json!({ "appName": "web", "bucket": bucket })).await.status, 202);
    }
    let huge = "{\"appName\":\"big\",\"bucket\":{\"toggles\":{\"f\":{\"yes\":99999999999999999999999,\"no\":9e99}}}}";
    let json = [("content-type", "application/json")];
    let answer = program.request(poem::http::Method::POST, METRICS, &json, huge.into()).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    let long = "x".repeat(300);
    assert_eq!(program.post(METRICS, json!({ "appName": long, "bucket": null })).await.status, 202);
    let names: serde_json::Map<String, Value> =
        (0..20_000).map(|number| (format!("n{number}"), json!({ "yes": 1 }))).collect();
    report(&app, &program, 0, Value::Object(names)).await;
    for number in 0..50 {
        let body = json!({ "appName": format!("app-{number}"), "instanceId": format!("i{number}") });
        assert_eq!(program.post(REGISTER, body).await.status, 202);
    }
    write(&app).await;
    let billion = 1_000_000_000;
    let expected = [row("f", "big", "development", 0, billion, billion), row("f", "web", "development", 0, 2, 5)];
    assert_eq!(hourly(&app).await, expected);
    for _ in 0..3 {
        report(&app, &program, 0, json!({ "f": { "yes": i64::MAX } })).await;
        write(&app).await;
    }
    assert_eq!(hourly(&app).await[1].4, 2 + 3 * billion);
    assert!(client_application::Entity::find_by_id(&long).one(app.db()).await.expect("reads").is_none());
}

#[tokio::test]
async fn malformed_reports_are_refused_by_naming_the_property() {
    let (app, _, program) = shop().await;
    for (path, body, place) in [
        (REGISTER, json!({}), "/body/appName"),
        (REGISTER, json!({ "appName": "" }), "/body/appName"),
        (REGISTER, json!({ "appName": "a", "strategies": "x" }), "/body/strategies"),
        (METRICS, json!({ "bucket": { "toggles": {} } }), "/body/appName"),
        (METRICS, json!({ "appName": "a", "bucket": {} }), "/body/bucket/toggles"),
        (METRICS, json!({ "appName": "a", "bucket": { "toggles": [] } }), "/body/bucket/toggles"),
        (BULK, json!({ "metrics": {} }), "/body/metrics"),
        (BULK, json!({ "seenTokens": "*:development.x" }), "/body/seenTokens"),
        (BULK, json!([]), "/body"),
    ] {
        program.post(path, body).await.refused(400, "ValidationError", place);
    }
    write(&app).await;
    assert!(client_application::Entity::find().all(app.db()).await.expect("reads").is_empty());
}

#[tokio::test]
async fn a_program_introduces_itself_and_is_known_from_then_on() {
    let (app, _, program) = shop().await;
    let body = json!({
        "appName": "web", "instanceId": "one", "environment": "elsewhere", "sdkVersion": "node:6",
        "strategies": ["default", "flexibleRollout"], "started": "2026-01-15T11:00:00", "interval": 15000,
        "connectVia": null, "platformName": "Node",
    });
    let first = app.clock.now();
    assert_eq!(program.post(REGISTER, body.clone()).await.status, 202);
    write(&app).await;
    app.clock.advance(60_000);
    let less = json!({ "appName": "web", "instanceId": "two", "strategies": null, "sdkVersion": null });
    assert_eq!(program.post(REGISTER, less).await.status, 202);
    assert_eq!(program.post(REGISTER, body).await.status, 202);
    write(&app).await;
    let applications = client_application::Entity::find().all(app.db()).await.expect("reads");
    let [web] = applications.as_slice() else { panic!("one application, not {applications:?}") };
    assert_eq!((web.app_name.as_str(), web.strategies.as_str()), ("web", r#"["default","flexibleRollout"]"#));
    assert_eq!((web.created_at, web.updated_at, web.seen_at), (first, first, app.clock.now()));
    let instances = client_instance::Entity::find()
        .order_by_asc(client_instance::Column::InstanceId)
        .all(app.db())
        .await
        .expect("reads");
    let told: Vec<_> = instances
        .iter()
        .map(|row| (row.instance_id.as_str(), row.environment.as_str(), row.sdk_version.as_deref(), row.created_at))
        .collect();
    let now = app.clock.now();
    assert_eq!(told, [("one", "development", Some("node:6"), first), ("two", "development", None, now)]);
    assert!(instances.iter().all(|row| row.last_seen_at == now));
    let events = app.events().await;
    let [event] = events.as_slice() else { panic!("one event, not {events:?}") };
    assert_eq!((event.r#type.as_str(), event.created_by.as_str()), ("application-created", "unleash_system_user"));
    let data: Value = serde_json::from_str(event.data.as_deref().expect("data")).expect("JSON");
    assert_eq!((&data["appName"], &data["strategies"][1]), (&json!("web"), &json!("flexibleRollout")));
    assert_eq!(event.created_at, first);
}

#[tokio::test]
async fn a_proxy_reports_for_others() {
    let (app, _, program) = shop().await;
    let metric = |environment: &str, name: &str, yes: i64| {
        json!({ "featureName": "f", "appName": name, "environment": environment,
                "timestamp": app.clock.now(), "yes": yes, "no": 0, "variants": { "a": yes } })
    };
    let application = json!({ "appName": "shop", "instanceId": "x", "interval": 1, "started": null, "strategies": [] });
    let body = |environment: &str| {
        let metrics = [("web", 1), ("app", 2), ("web", 4)].map(|(name, yes)| metric(environment, name, yes));
        json!({ "applications": [application], "metrics": metrics })
    };
    for path in [BULK, "/edge/metrics"] {
        assert_eq!(program.post(path, body("development")).await.status, 202);
    }
    assert_eq!(app.admin().post(BULK, body("production")).await.status, 202);
    write(&app).await;
    let expected = [
        row("f", "app", "development", 0, 4, 0),
        row("f", "app", "production", 0, 2, 0),
        row("f", "web", "development", 0, 10, 0),
        row("f", "web", "production", 0, 5, 0),
    ];
    assert_eq!(hourly(&app).await, expected);
    let mut created: Vec<_> = app.event_types().await;
    created.dedup();
    assert_eq!(created, ["application-created"]);
    assert_eq!(client_application::Entity::find().all(app.db()).await.expect("reads").len(), 3);
    for empty in [json!({}), json!({ "applications": null, "metrics": [] })] {
        assert_eq!(program.post(BULK, empty).await.status, 202);
    }
}

#[tokio::test]
async fn what_is_in_memory_is_written_when_the_server_stops() {
    let (app, _, program) = shop().await;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let running = jobs::start(app.state.clone(), stopped);
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    report(&app, &program, 0, json!({ "f": { "yes": 1 } })).await;
    stop.send_replace(true);
    running.await.expect("stops well");
    assert_eq!(hourly(&app).await, [row("f", "web", "development", 0, 1, 0)]);
}

#[tokio::test]
async fn what_cannot_be_written_is_kept_for_the_next_time() {
    let (app, _, program) = shop().await;
    report(&app, &program, 0, json!({ "f": { "yes": 1 } })).await;
    let broken = flagstone::state::State { db: closed(&app).await, ..app.state.clone() };
    assert!(jobs::write_usage(&broken).await.is_err());
    report(&app, &program, 0, json!({ "f": { "yes": 2 } })).await;
    write(&app).await;
    assert_eq!(hourly(&app).await, [row("f", "web", "development", 0, 3, 0)]);
}

/// A database that cannot be written to.
async fn closed(_: &TestApp) -> flagstone::store::db::Db {
    let files = tempfile::tempdir().expect("a temporary directory");
    let url = format!("sqlite://{}", files.path().join("empty.db").display());
    flagstone::store::db::Db::open(&url).await.expect("opens")
}
