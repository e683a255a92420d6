//! Reports of many entries, one of which is bad.

use std::collections::BTreeMap;

use flagstone::{
    jobs,
    store::entity::{api_token, client_application, client_instance, client_metrics_hourly, client_report},
};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::{
    harness::{Client, TestApp},
    metrics::figures,
};

const BULK: [&str; 2] = ["/api/client/metrics/bulk", "/edge/metrics"];

async fn shop() -> (TestApp, Client) {
    let app = TestApp::new().await;
    app.project("shop").await;
    for name in ["f", "g"] {
        app.feature("shop", name).await;
    }
    let program = app.program(&["shop"], "development").await;
    (app, program)
}

async fn write(app: &TestApp) {
    jobs::write_usage(&app.state).await.expect("writes");
}

/// Evaluations by feature, application and environment: on, and off.
async fn counted(app: &TestApp) -> BTreeMap<String, (i64, i64)> {
    let rows = client_metrics_hourly::Entity::find().all(app.db()).await.expect("reads");
    let mut counted = BTreeMap::new();
    for row in rows {
        let of_name = format!("{} {} {}", row.feature_name, row.app_name, row.environment);
        let (yes, no) = counted.entry(of_name).or_insert((0, 0));
        (*yes, *no) = (*yes + row.yes, *no + row.no);
    }
    counted
}

async fn left_out(app: &TestApp) -> [String; 3] {
    let figures = figures(&app.admin()).await;
    ["unfit", "environment", "feature"]
        .map(|reason| figures[&format!("flagstone_usage_entries_left_out_total{{reason=\"{reason}\"}}")].clone())
}

fn counts(expected: &[(&str, (i64, i64))]) -> BTreeMap<String, (i64, i64)> {
    expected.iter().map(|(name, counts)| ((*name).to_owned(), *counts)).collect()
}

/// Entries that are no application.
fn bad_applications() -> Vec<Value> {
    let fit = json!({ "appName": "bad", "strategies": ["default"] });
    let other = |name: &str, value: Value| {
        let mut entry = fit.clone();
        entry[name] = value;
        entry
    };
    let mut nameless = fit.clone();
    nameless.as_object_mut().expect("an object").remove("appName");
    vec![
        nameless,
        json!(null),
        json!("web"),
        json!([]),
        json!({}),
        other("appName", json!("")),
        other("appName", json!(null)),
        other("appName", json!(7)),
        other("appName", json!("x".repeat(10_001))),
        other("appName", json!("a\u{0}b")),
        other("instanceId", json!({})),
        other("environment", json!(["development"])),
        other("sdkVersion", json!(6)),
        other("strategies", json!("default")),
        other("interval", json!("soon")),
    ]
}

/// Entries that are no evaluations.
fn bad_metrics() -> Vec<Value> {
    let fit = json!({ "featureName": "f", "appName": "bad", "environment": "development", "yes": 1, "no": 0 });
    let other = |name: &str, value: Value| {
        let mut entry = fit.clone();
        entry[name] = value;
        entry
    };
    vec![
        json!(null),
        json!(7),
        json!({ "appName": "bad", "yes": 1 }),
        json!({ "featureName": "f", "yes": 1 }),
        other("featureName", json!(["f"])),
        other("featureName", json!("f\u{0}")),
        other("appName", json!("")),
        other("appName", json!(false)),
        other("environment", json!(1)),
        other("yes", json!(-1)),
        other("yes", json!("many")),
        other("no", json!(0.5)),
        other("variants", json!(["a"])),
    ]
}

#[tokio::test]
async fn a_bad_entry_of_a_bulk_report_leaves_the_others_alone() {
    for path in BULK {
        let (app, program) = shop().await;
        let good = json!({ "appName": "web", "instanceId": "one", "strategies": ["default"] });
        let mut applications = bad_applications();
        let mut metrics = bad_metrics();
        let bad = applications.len() + metrics.len() + 4;
        applications.insert(3, good);
        applications.push(json!({ "appName": "late", "strategies": ["default", 7] }));
        let metric = |feature: &str| json!({ "featureName": feature, "appName": "web", "yes": 2, "no": 1 });
        metrics.insert(5, metric("f"));
        let mut varied = metric("g");
        varied["variants"] = json!({ "red": 2, "blue": "many" });
        metrics.push(varied);
        let seen = json!([7, null, "*:development.nobody"]);
        let body = json!({ "applications": applications, "metrics": metrics, "seenTokens": seen });
        let answer = program.post(path, body).await;
        assert_eq!((answer.status, &*answer.text), (202, ""), "{path}");
        write(&app).await;
        let expected = counts(&[("f web development", (2, 1)), ("g web development", (2, 1))]);
        assert_eq!(counted(&app).await, expected, "{path}");
        let mut names: Vec<String> = client_application::Entity::find()
            .all(app.db())
            .await
            .expect("reads")
            .into_iter()
            .map(|row| format!("{} {}", row.app_name, row.strategies))
            .collect();
        names.sort();
        assert_eq!(names, [r#"late ["default"]"#, r#"web ["default"]"#], "{path}");
        assert_eq!(left_out(&app).await, [bad.to_string(), "0".to_owned(), "0".to_owned()], "{path}");
    }
}

#[tokio::test]
async fn each_bad_entry_alone_leaves_the_others_alone() {
    let (app, program) = shop().await;
    let good = json!({ "featureName": "f", "appName": "web", "yes": 1, "no": 0 });
    let (applications, metrics) = (bad_applications(), bad_metrics());
    let mut reports = 0;
    for bad in &applications {
        let body = json!({ "applications": [bad], "metrics": [good] });
        assert_eq!(program.post(BULK[0], body).await.status, 202, "{bad}");
        reports += 1;
    }
    for bad in &metrics {
        let body = json!({ "metrics": [good, bad] });
        assert_eq!(program.post(BULK[0], body).await.status, 202, "{bad}");
        reports += 1;
    }
    write(&app).await;
    assert_eq!(counted(&app).await, counts(&[("f web development", (reports, 0))]));
    assert_eq!(left_out(&app).await[0], reports.to_string());
}

#[tokio::test]
async fn a_bad_entry_of_a_program_s_own_report_leaves_the_others_alone() {
    let (app, program) = shop().await;
    let browser = app.browser(&["shop"], "development").await;
    for (client, base) in [(&program, "/api/client"), (&browser, "/api/frontend/client")] {
        let toggles = json!({
            "f": { "yes": 1, "no": 0, "variants": { "red": 1, "blue": -1, "green": "x" } },
            "g": { "yes": -1 },
            "h": null, "i": 7, "j": { "yes": "x" }, "k\u{0}": { "yes": 1 },
            "unknown": { "yes": 1 },
        });
        let body = json!({ "appName": "web", "bucket": { "start": null, "stop": null, "toggles": toggles } });
        assert!(matches!(client.post(&format!("{base}/metrics"), body).await.status, 200 | 202), "{base}");
        let body = json!({ "appName": "web", "strategies": ["default", 7, null, "x".repeat(10_001)] });
        assert!(matches!(client.post(&format!("{base}/register"), body).await.status, 200 | 202), "{base}");
    }
    write(&app).await;
    assert_eq!(counted(&app).await, counts(&[("f web development", (2, 0))]));
    let web = client_application::Entity::find_by_id("web").one(app.db()).await.expect("reads").expect("exists");
    assert_eq!(web.strategies, r#"["default"]"#);
    assert_eq!(left_out(&app).await, ["20".to_owned(), "0".to_owned(), "2".to_owned()]);
}

#[tokio::test]
async fn entries_about_another_environment_are_left_out() {
    let (app, program) = shop().await;
    let metric = |environment: Value| json!({ "featureName": "f", "appName": "web", "environment": environment, "yes": 4, "no": 0 });
    let application =
        |name: &str, environment: Value| json!({ "appName": name, "instanceId": "i", "environment": environment });
    let body = json!({
        "applications": [
            application("here", json!("development")), application("there", json!("production")),
            application("silent", json!(null)), application("star", json!("*")),
        ],
        "metrics": [metric(json!("development")), metric(json!("production")), metric(json!("")), metric(json!("nowhere"))],
    });
    for path in BULK {
        assert_eq!(program.post(path, body.clone()).await.status, 202);
    }
    write(&app).await;
    assert_eq!(counted(&app).await, counts(&[("f web development", (16, 0))]));
    let instances = client_instance::Entity::find().all(app.db()).await.expect("reads");
    let mut instances: Vec<_> = instances.iter().map(|row| format!("{} {}", row.app_name, row.environment)).collect();
    instances.sort();
    assert_eq!(instances, ["here development", "silent development"]);
    assert_eq!(left_out(&app).await, ["0".to_owned(), "8".to_owned(), "0".to_owned()]);
    // An admin token has all of them.
    assert_eq!(app.admin().post(BULK[0], body).await.status, 202);
    write(&app).await;
    assert_eq!(counted(&app).await["f web production"], (4, 0));
    assert_eq!(left_out(&app).await[1], "8");
}

#[tokio::test]
async fn tokens_are_seen_by_their_secrets_and_by_their_digests() {
    let (app, program) = shop().await;
    let mut secrets: Vec<String> = Vec::new();
    for number in 0..3 {
        let token = json!({ "tokenName": format!("seen-{number}"), "type": "client", "environment": "development",
                            "projects": ["shop"] });
        let made = app.admin().post("/api/admin/api-tokens", token).await.expect(201);
        secrets.push(made["secret"].as_str().expect("a secret").to_owned());
    }
    assert!(secrets.iter().all(|secret| secret.len() > 64), "as long as those of the field");
    app.clock.advance(3_600_000);
    let digest = flagstone::domain::secret::digest(&secrets[1]);
    let seen = json!([secrets[0], digest.to_uppercase(), "x".repeat(10_001), "short", ""]);
    for path in BULK {
        let body = json!({ "applications": [], "metrics": [], "seenTokens": seen });
        assert_eq!(program.post(path, body).await.status, 202, "{path}");
    }
    write(&app).await;
    let rows = api_token::Entity::find().all(app.db()).await.expect("reads");
    let seen_at = |secret: &str| {
        let digest = flagstone::domain::secret::digest(secret);
        rows.iter().find(|row| row.secret_hash == digest).expect("a token").seen_at
    };
    let now = Some(app.clock.now());
    assert_eq!([0, 1, 2].map(|index| seen_at(&secrets[index])), [now, now, None]);
    // No secret is in the files of the database; PostgreSQL's are not ours to read.
    for file in app.directory().into_iter().flat_map(|directory| std::fs::read_dir(directory).expect("a directory")) {
        let bytes = std::fs::read(file.expect("a file").path()).expect("reads");
        for secret in &secrets {
            let part = flagstone::domain::secret::unknown_part(secret).as_bytes();
            assert!(!bytes.windows(part.len()).any(|window| window == part), "a secret is stored");
        }
    }
}

/// A report of evaluations that were counted from `started` on.
fn told(feature: &str, started: &str, yes: i64) -> Value {
    let metric = json!({ "featureName": feature, "appName": "web", "environment": "development", "timestamp": started,
                         "yes": yes, "no": 0 });
    json!({ "applications": [], "metrics": [metric] })
}

async fn keyed(program: &Client, path: &str, key: &str, body: &Value) {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    let answer = program.request(poem::http::Method::POST, path, &headers, body.to_string().into_bytes()).await;
    assert_eq!((answer.status, &*answer.text), (202, ""));
}

async fn repeated(app: &TestApp) -> String {
    figures(&app.admin()).await["flagstone_usage_reports_repeated_total"].clone()
}

#[tokio::test]
async fn a_report_with_a_key_is_counted_once_on_all_nodes_and_after_a_restart() {
    let (app, _) = shop().await;
    let secret = app.program_token(&["shop"], "development", None).await;
    let program = app.with_authorization(&secret);
    let body = told("f", "2026-01-15T12:00:00Z", 1);
    for path in [BULK[0], BULK[1], BULK[0]] {
        keyed(&program, path, "one", &body).await;
    }
    keyed(&program, BULK[0], "two", &body).await;
    write(&app).await;
    assert_eq!(counted(&app).await["f web development"], (2, 0));
    assert_eq!(repeated(&app).await, "2");
    // Written, and then reported again: to this node, and to one that has just started.
    keyed(&program, BULK[0], "one", &body).await;
    write(&app).await;
    let fresh = app.beside(flagstone::vault::Vault::with_key(&[7; 32]));
    let there = fresh.with_authorization(&secret);
    keyed(&there, BULK[0], "two", &body).await;
    keyed(&there, BULK[0], "three", &body).await;
    write(&fresh).await;
    assert_eq!(counted(&app).await["f web development"], (3, 0));
    assert_eq!((repeated(&app).await, repeated(&fresh).await), ("3".to_owned(), "1".to_owned()));
    // Another token has keys of its own, and after a day a key is a new one.
    keyed(&app.admin(), BULK[0], "one", &body).await;
    app.clock.advance(86_400_000);
    keyed(&program, BULK[0], "one", &told("g", "2026-01-16T12:00:00Z", 1)).await;
    write(&app).await;
    assert_eq!(counted(&app).await["g web development"], (1, 0));
    let remembered = async || client_report::Entity::find().all(app.db()).await.expect("reads").len();
    assert_eq!(remembered().await, 4);
    jobs::keep_usage_small(&app.state).await.expect("works");
    assert_eq!(remembered().await, 1, "what cannot come again is forgotten");
    let long = "x".repeat(256);
    let headers = [("content-type", "application/json"), ("idempotency-key", &*long)];
    let refused = program.request(poem::http::Method::POST, BULK[0], &headers, body.to_string().into_bytes()).await;
    refused.refused(400, "ValidationError", "Idempotency-Key");
}

#[tokio::test]
async fn a_report_without_a_key_is_recognised_only_where_it_can_be_no_other() {
    let (app, program) = shop().await;
    let exact = "2026-01-15T11:59:07.123Z";
    for _ in 0..3 {
        assert_eq!(program.post(BULK[0], told("f", exact, 5)).await.status, 202);
    }
    // Each differs in something.
    for (feature, started, yes) in [("f", exact, 6), ("f", "2026-01-15T11:59:07.124Z", 5), ("g", exact, 5)] {
        assert_eq!(program.post(BULK[0], told(feature, started, yes)).await.status, 202);
    }
    write(&app).await;
    assert_eq!(counted(&app).await, counts(&[("f web development", (16, 0)), ("g web development", (5, 0))]));
    assert_eq!(repeated(&app).await, "2");
    // Later it is somebody who counts from a time that never changes.
    app.clock.advance(49_000);
    assert_eq!(program.post(BULK[0], told("f", exact, 5)).await.status, 202);
    write(&app).await;
    app.clock.advance(1000);
    assert_eq!(program.post(BULK[0], told("f", exact, 5)).await.status, 202);
    write(&app).await;
    assert_eq!(counted(&app).await["f web development"], (21, 0));
    // Whole minutes and hours say nothing, as does no time at all.
    for started in ["2026-01-15T12:00:00Z", "2026-01-15T11:58:00.000Z", "", "yesterday"] {
        for _ in 0..2 {
            assert_eq!(program.post(BULK[0], told("g", started, 1)).await.status, 202);
        }
    }
    write(&app).await;
    assert_eq!(counted(&app).await["g web development"], (13, 0));
}
