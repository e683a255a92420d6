//! The figures for monitoring: who may read them, what they count, and that no caller makes them grow.

use std::collections::BTreeMap;

use flagstone::{
    config::{Config, MetricsAccess},
    domain::secret,
    jobs::{self, JOBS, Scope},
};
use poem::http::Method;
use serde_json::json;

use crate::harness::{Client, TestApp};

const METRICS: &str = "/internal-backstage/prometheus";
const FEATURES: &str = "/api/client/features";

/// Each figure by its name and labels, all as they are written.
pub(super) async fn figures(client: &Client) -> BTreeMap<String, String> {
    let (headers, body) = client.bytes(METRICS, &[]).await;
    assert_eq!(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let text = String::from_utf8(body).expect("UTF-8");
    let mut figures = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, figure) = line.rsplit_once(' ').expect("a name and a figure");
        assert!(figure.parse::<f64>().is_ok(), "{line}");
        let before = figures.insert(name.to_owned(), figure.to_owned());
        assert_eq!(before, None, "{name} is told twice");
        let family = name.split('{').next().expect("a name");
        let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| family.strip_suffix(end)).unwrap_or(family);
        assert!(text.contains(&format!("# TYPE {family} ")), "{family} has no type");
    }
    figures
}

#[tokio::test]
async fn administrators_read_the_figures_and_nobody_else_unless_the_operator_says_so() {
    let given = "Bearer scrape-me-if-you-can";
    let closed = TestApp::new().await;
    closed.anonymous().get(METRICS).await.refused(401, "AuthenticationRequired", "token");
    closed.with_authorization(given).get(METRICS).await.refused(401, "AuthenticationRequired", "token");
    closed.editor().await.get(METRICS).await.refused(403, "NoAccessError", "ADMIN");
    assert!(figures(&closed.admin()).await.contains_key("flagstone_database_up"));

    let metrics = MetricsAccess::Token(secret::digest("scrape-me-if-you-can"));
    let by_token = TestApp::with_config(Config { metrics, ..Config::default() }).await;
    by_token.anonymous().get(METRICS).await.refused(401, "AuthenticationRequired", "token");
    by_token.with_authorization("Bearer scrape-me").get(METRICS).await.refused(401, "AuthenticationRequired", "token");
    for client in [by_token.with_authorization(given), by_token.root_admin().await] {
        assert_eq!(figures(&client).await["flagstone_database_up"], "1");
    }
    let elsewhere = by_token.with_authorization(given).get("/api/admin/user/profile").await;
    elsewhere.refused(401, "AuthenticationRequired", "token");

    let open = TestApp::with_config(Config { metrics: MetricsAccess::Everybody, ..Config::default() }).await;
    assert_eq!(figures(&open.anonymous()).await["flagstone_database_up"], "1");
}

#[tokio::test]
async fn requests_are_counted_by_operation_and_not_by_what_somebody_wrote() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let series = async || {
        let figures = figures(&admin).await;
        figures.into_iter().filter(|(name, _)| name.starts_with("flagstone_http_requests_total{")).collect::<Vec<_>>()
    };
    for number in 0..20 {
        admin.get(&format!("/api/admin/projects/nothing-{number}/overview")).await.expect(404);
        admin.get(&format!("/nowhere/{number}?q={number}")).await.expect(404);
        let method = Method::from_bytes(format!("STRANGE{number}").as_bytes()).expect("a method");
        admin.request(method, "/api/admin/projects", &[], vec![]).await.expect(405);
    }
    app.anonymous().get("/api/admin/projects").await.expect(401);
    admin.get("/api/admin/projects").await.expect(200);
    let counted = series().await;
    let expected = [
        (r#"{method="GET",route="/api/admin/projects",status="2xx"}"#, "1"),
        (r#"{method="GET",route="/api/admin/projects",status="4xx"}"#, "1"),
        (r#"{method="GET",route="/api/admin/projects/{projectId}/overview",status="4xx"}"#, "20"),
        (r#"{method="other",route="other",status="4xx"}"#, "40"),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(labels, count)| (format!("flagstone_http_requests_total{labels}"), (*count).to_owned()))
        .collect();
    assert_eq!(counted, expected);
    let all = figures(&admin).await;
    let durations = r#"flagstone_http_request_duration_seconds_count{method="GET",route="/api/admin/projects"}"#;
    assert_eq!(all[durations], "2");
    let scrapes = format!(r#"flagstone_http_requests_total{{method="GET",route="{METRICS}",status="2xx"}}"#);
    assert_eq!(all[&scrapes], "1");
}

#[tokio::test]
async fn answers_to_programs_their_streams_and_reports_are_counted() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let program = app.program(&["shop"], "development").await;
    let first = program.get(FEATURES).await;
    let tag = first.headers["etag"].to_str().expect("text").to_owned();
    for _ in 0..2 {
        assert_eq!(program.request(Method::GET, FEATURES, &[("If-None-Match", &tag)], vec![]).await.status, 304);
    }
    let stream = program.follow("/api/client/streaming", &[]).await;
    let registration = json!({ "appName": "till", "instanceId": "1", "strategies": [], "started": "2026-01-15T12:00:00Z", "interval": 10 });
    program.post("/api/client/register", registration).await.expect(202);
    let seen = figures(&app.admin()).await;
    let expected = [
        (r#"flagstone_client_features_answers_total{answer="sent"}"#, "1"),
        (r#"flagstone_client_features_answers_total{answer="not_modified"}"#, "2"),
        ("flagstone_environments_compiled_total", "1"),
        ("flagstone_environments_kept", "1"),
        ("flagstone_streams_open", "1"),
        ("flagstone_streams_limit", "5000"),
        (r#"flagstone_usage_buffered{kind="counts"}"#, "0"),
        (r#"flagstone_usage_buffered{kind="programs"}"#, "2"),
        ("flagstone_usage_dropped_total", "0"),
    ];
    for (name, figure) in expected {
        assert_eq!(seen.get(name).map(String::as_str), Some(figure), "{name}");
    }
    assert!(seen.iter().any(|(name, limit)| name.starts_with("flagstone_database_connections_limit{") && limit != "0"));
    drop(stream);
    assert_eq!(figures(&app.admin()).await["flagstone_streams_open"], "0");
}

#[tokio::test]
async fn each_job_tells_its_last_run_and_failures() {
    let app = TestApp::new().await;
    let some = |text: &str| Some(text.to_owned());
    let fresh = figures(&app.admin()).await;
    let told = |figures: &BTreeMap<String, String>, what: &str, job: &str| {
        figures.get(&format!("flagstone_job_{what}{{job_name=\"{job}\"}}")).cloned()
    };
    for job in JOBS.into_iter().filter(|job| job.is_wanted(&app.state.config)) {
        assert_eq!(told(&fresh, "last_start_timestamp_seconds", job.name), None, "{job:?}");
        assert_eq!(told(&fresh, "failures_total", job.name), some("0"), "{job:?}");
        jobs::attempt(&app.state, job).await;
    }
    let now = Some((app.clock.now().millis() / 1000).to_string());
    let after = figures(&app.admin()).await;
    for job in JOBS.into_iter().filter(|job| job.is_wanted(&app.state.config)) {
        let period = job.period(&app.state.config.periods).as_secs().to_string();
        assert_eq!(told(&after, "period_seconds", job.name), Some(period), "{job:?}");
        assert_eq!(told(&after, "last_start_timestamp_seconds", job.name), now, "{job:?}");
        assert_eq!(told(&after, "last_success_timestamp_seconds", job.name), now, "{job:?}");
        assert_eq!(told(&after, "last_outcome", job.name), some("1"), "{job:?}");
        assert!(told(&after, "last_duration_seconds", job.name).is_some_and(|took| !took.starts_with('-')), "{job:?}");
    }
    // A failed run of a job that another node did is told here, too; its failures are counted there.
    let tx = app.tx().await;
    flagstone::store::jobs::fail(&tx, "ended-sessions", "broken").await.expect("records");
    app.commit(tx).await;
    let failed = figures(&app.admin()).await;
    assert_eq!(told(&failed, "last_outcome", "ended-sessions"), some("0"));
    assert_eq!(told(&failed, "last_success_timestamp_seconds", "ended-sessions"), now);
    assert_eq!(told(&failed, "failures_total", "ended-sessions"), some("0"));
}

#[tokio::test]
async fn without_the_database_the_rest_is_told() {
    let metrics = MetricsAccess::Everybody;
    let app = TestApp::with_config(Config { metrics, ..Config::default() }).await;
    let program = app.program(&["default"], "development").await;
    program.get(FEATURES).await.expect(200);
    app.db().clone().close().await.expect("closes");
    for job in JOBS.into_iter().filter(|job| job.is_wanted(&app.state.config)) {
        jobs::attempt(&app.state, job).await;
    }
    program.get(FEATURES).await.expect(200);
    let told = figures(&app.anonymous()).await;
    assert_eq!(told["flagstone_database_up"], "0");
    assert_eq!(told[r#"flagstone_client_features_answers_total{answer="sent"}"#], "2");
    assert_eq!(told.get(r#"flagstone_job_failures_total{job_name="backup"}"#), None, "nobody wants copies");
    let wanted = JOBS.iter().filter(|job| job.is_wanted(&app.state.config));
    for job in wanted.filter(|job| job.scope == Scope::Database || job.name == "changes-elsewhere") {
        assert_eq!(told[&format!("flagstone_job_failures_total{{job_name=\"{}\"}}", job.name)], "1", "{job:?}");
    }
    assert_eq!(told[r#"flagstone_job_last_outcome{job_name="changes-elsewhere"}"#], "0");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_process_is_told_of() {
    let app = TestApp::new().await;
    let told = figures(&app.admin()).await;
    for name in ["process_resident_memory_bytes", "process_cpu_seconds_total", "process_start_time_seconds"] {
        assert!(told.contains_key(name), "{name}");
    }
    assert!(told["process_resident_memory_bytes"].parse::<u64>().expect("whole") > 1_000_000);
}
