//! Rows that no form would make stop nothing, and what browsers are served before and afterwards is told: by the program
//! itself, from a server that answers them.

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    old::{self, Rows},
    server::{self, Server},
};

/// Moves in from a server with these rows, and returns the report.
fn moved(directory: &Path, rows: &Rows, version: &str, more: &[&str]) -> Value {
    let texts = old::api(rows, version);
    report(directory, &old::serve(texts).to_string(), more)
}

fn report(directory: &Path, address: &str, more: &[&str]) -> Value {
    let (to, path) = (format!("sqlite://{}", directory.join("new.db").display()), directory.join("report.json"));
    let report = path.to_str().expect("a path");
    let more = [more, &["--report", report]].concat();
    let output = server::move_in_by_api(&format!("http://{address}"), "*:*.admin", &to, &more);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&std::fs::read_to_string(path).expect("a report")).expect("JSON")
}

/// The findings about a table and a column.
fn cells<'a>(report: &'a Value, kind: &str, column: &str) -> Vec<&'a Value> {
    let findings = report["findings"].as_array().expect("findings").iter();
    findings.filter(|finding| finding["kind"] == kind && finding["column"] == column).collect()
}

#[tokio::test]
async fn rows_of_every_odd_kind_come_over_named_by_table_key_and_value() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut rows = old::rows();
    let mut set = |table: &'static str, column: &str, value: Value| {
        rows.get_mut(table).expect("a table")[0][column] = value;
    };
    set("feature_environments", "enabled", json!(5));
    set("segments", "name", json!(3));
    set("segments", "constraints", json!({ "contextName": "country", "operator": "IN", "values": [47] }));
    set(
        "feature_strategies",
        "constraints",
        json!([{ "contextName": "plan", "operator": "IS_PAYING", "values": ["x"] }]),
    );
    set(
        "feature_strategies",
        "variants",
        json!([{ "name": "v", "weight": 1000, "payload": { "type": "number", "value": 5 } }]),
    );
    rows.get_mut("feature_environments").expect("a table").push(json!({ "feature_name": "f", "enabled": true }));
    rows.insert(
        "api_tokens",
        vec![json!({
            "secret": "*:production.0123456789", "token_name": "shop", "type": "client", "environment": "production",
            "projects": ["*"], "expires_at": "infinity", "created_at": "2026-01-01T00:00:00.000Z",
        })],
    );
    rows.insert(
        "public_signup_tokens",
        vec![json!({ "secret": "s3cret", "name": "join", "enabled": true, "expires_at": "infinity", "users": [] })],
    );
    rows.insert(
        "addons",
        vec![json!({
            "id": 17, "provider": "webhook", "enabled": true, "description": "sink", "events": ["feature-created"],
            "parameters": { "url": "https://hooks.example.com/hook" }, "created_at": "2025-01-02T03:04:05.000Z",
        })],
    );
    let event = |id: Value| {
        json!({
            "id": id, "type": "feature-created", "created_by": "ada", "created_at": "2026-01-01T00:00:00.000Z",
            "project": "shop", "feature_name": "f", "data": { "weight": 1.0 }, "group_type": "change-request", "group_id": 7,
        })
    };
    rows.insert("events", vec![event(json!(1)), event(json!("2")), event(Value::Null), json!(7)]);
    let mut texts = old::api(&rows, "6.3.0");
    for text in texts.values_mut() {
        *text = text.replace("\"sortOrder\":1", "\"sortOrder\":1e400");
    }
    let report = report(directory.path(), &old::serve(texts).to_string(), &["--with-events"]);
    for (kind, column, value) in [
        ("feature_environments", "enabled", "5"),
        ("feature_environments", "environment", "null"),
        ("segments", "name", "3"),
        ("segments", "constraints", "{\"contextName\":\"country\",\"operator\":\"IN\",\"values\":[47]}"),
        ("segments", "constraints[0].values[0]", "47"),
        (
            "feature_strategies",
            "constraints[0]",
            "{\"contextName\":\"plan\",\"operator\":\"IS_PAYING\",\"values\":[\"x\"]}",
        ),
        ("feature_strategies", "variants[0].payload.value", "5"),
        ("feature_strategies", "sort_order", "\"1e400\""),
        ("api_tokens", "expires_at", "\"infinity\""),
        ("public_signup_tokens", "expires_at", "\"infinity\""),
        ("events", "id", "\"2\""),
        ("events", "group_id", "3 values"),
        ("events", "group_type", "3 values"),
    ] {
        let found = cells(&report, kind, column);
        assert!(found.iter().any(|finding| finding["value"] == value), "{kind}.{column} {value}: {report:#}");
        assert!(found.iter().all(|finding| finding["name"].as_str().is_some_and(|name| !name.is_empty())));
    }
    assert!(!report.to_string().contains("s3cret") && !report.to_string().contains("0123456789"), "{report:#}");

    let database = format!("sqlite://{}", directory.path().join("new.db").display());
    let admin = server::token(&database, &["--type", "admin"]);
    let server = Server::start(directory.path(), &database).await;
    let (status, answer) = server.get("/api/client/features", "*:production.0123456789");
    assert_eq!(status, 200, "{answer}");
    let strategy = &answer["features"][0]["strategies"][0];
    assert_eq!(
        (&strategy["constraints"][0]["operator"], &strategy["constraints"][0]["values"]),
        (&json!("IN"), &json!([]))
    );
    assert_eq!(strategy["variants"][0]["payload"], json!({ "type": "number", "value": "5" }));
    assert_eq!(answer["features"][0]["enabled"], true);
    let (_, integrations) = server.get("/api/admin/addons", &admin);
    assert_eq!(integrations["addons"][0]["id"], 17, "{integrations}");
    let (_, integration) = server.get("/api/admin/addons/17", &admin);
    assert_eq!(integration["createdAt"], "2025-01-02T03:04:05.000Z", "{integration}");
    let (_, events) = server.get("/api/admin/search/events?type=IS:feature-created", &admin);
    assert_eq!(events["total"], 2, "{events}");
}

/// Findings of the report about browsers in production.
fn of_browsers(report: &Value) -> Vec<(String, String)> {
    let findings = report["findings"].as_array().expect("findings").iter();
    let told = findings.filter(|finding| finding["kind"] == "browsers");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    told.map(|finding| (text(&finding["name"]), text(&finding["reason"]))).collect()
}

fn rollout(rows: &mut Rows, strategy: &Value) {
    let row = &mut rows.get_mut("feature_strategies").expect("a table")[0];
    for name in ["constraints", "variants", "segments"] {
        row[name] = json!([]);
    }
    row.as_object_mut().expect("a row").extend(strategy.as_object().expect("columns").clone());
    rows.get_mut("feature_environments").expect("a table")[0]["variants"] = json!([]);
}

#[test]
fn what_browsers_get_otherwise_is_told_with_its_reason_and_stored_as_before_where_that_is_possible() {
    let share = |parameters: Value| json!({ "strategy_name": "flexibleRollout", "parameters": parameters });
    let constrained =
        |constraint: Value| json!({ "strategy_name": "default", "parameters": {}, "constraints": [constraint] });
    let constraint = |field: &str, operator: &str, value: Value, values: Value| json!({ "contextName": field, "operator": operator, "value": value, "values": values });
    let cases = [
        (share(json!({ "rollout": "50", "stickiness": "default" })), "without `groupId`", "has the `groupId` \"\""),
        (
            constrained(constraint("currentTime", "DATE_AFTER", json!("2020-01-01 10:00"), json!([]))),
            "a date in a form that is none here",
            "says its dates with their zone",
        ),
        (
            constrained(constraint("signedUpAt", "DATE_AFTER", json!("2020-01-01T00:00:00Z"), json!([]))),
            "whatever the field",
            "compares its dates with the time",
        ),
        (
            constrained(constraint("country", "IN", Value::Null, json!([" NO "]))),
            "without the blanks",
            "has its values without blanks",
        ),
    ];
    for (strategy, why, stored) in cases {
        let directory = tempfile::tempdir().expect("a directory");
        let mut rows = old::rows();
        rollout(&mut rows, &strategy);
        // Programs get what they got; browsers do not, and it is told that they could.
        let report = moved(directory.path(), &rows, "5.6.0", &["--dry-run"]);
        let told = of_browsers(&report);
        let [(name, reason)] = told.as_slice() else { panic!("{strategy}: {report:#}") };
        assert_eq!(name, "f in production");
        assert!(reason.contains(why) && reason.contains("--as-served-before browsers"), "{reason}");
        assert!(reason.contains(" of 300 made-up people"), "{reason}");
        assert!(!report.to_string().contains("\"programs\""), "{report:#}");
        // The other way round.
        let report = moved(directory.path(), &rows, "5.6.0", &["--as-served-before", "browsers"]);
        assert!(of_browsers(&report).is_empty(), "{report:#}");
        assert!(report.to_string().contains(&stored.replace('"', "\\\"")), "{stored}: {report:#}");
        assert!(report["findings"].as_array().expect("findings").iter().any(|finding| finding["kind"] == "programs"));
    }
}

#[test]
fn where_only_the_node_sdk_connected_nobody_notices_a_group_that_is_stored() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut rows = old::rows();
    rollout(
        &mut rows,
        &json!({ "strategy_name": "flexibleRollout", "parameters": { "rollout": "50", "stickiness": "default" } }),
    );
    let mut texts = old::api(&rows, "5.6.0");
    let copies = json!([{ "instanceId": "1", "sdkVersion": "unleash-client-node:4.1.0", "environment": "production" }]);
    texts.insert(
        "/api/admin/metrics/applications".to_owned(),
        json!({ "applications": [{ "appName": "shop", "strategies": [] }] }).to_string(),
    );
    texts.insert(
        "/api/admin/metrics/applications/shop".to_owned(),
        json!({ "appName": "shop", "instances": copies }).to_string(),
    );
    let report = report(directory.path(), &old::serve(texts).to_string(), &[]);
    assert!(of_browsers(&report).is_empty(), "{report:#}");
    assert!(!report["findings"].as_array().expect("findings").iter().any(|finding| finding["kind"] == "programs"));
    assert!(report.to_string().contains("has the `groupId`"), "{report:#}");
}

#[test]
fn what_cannot_be_stored_is_told() {
    let variant =
        |name: &str| json!({ "name": name, "weight": 500, "weightType": "variable", "stickiness": "default" });
    let directory = tempfile::tempdir().expect("a directory");
    let mut rows = old::rows();
    rollout(&mut rows, &json!({ "strategy_name": "default", "parameters": {} }));
    rows.get_mut("feature_environments").expect("a table")[0]["variants"] = json!([variant("a"), variant("b")]);
    let told = of_browsers(&moved(directory.path(), &rows, "5.6.0", &["--dry-run"]));
    let [(_, reason)] = told.as_slice() else { panic!("{told:?}") };
    assert!(reason.contains("an older seed") && !reason.contains("--as-served-before"), "{reason}");
    // From the version on that has the seed of today there is nothing to tell.
    assert!(of_browsers(&moved(directory.path(), &rows, "5.7.0", &["--dry-run"])).is_empty());
}

#[test]
fn two_servers_with_odd_answers_are_compared() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut rows = old::rows();
    let plain = old::serve(old::api(&rows, "6.3.0"));
    rows.get_mut("feature_environments").expect("a table")[0]["enabled"] = json!(5);
    rows.get_mut("segments").expect("a table").push(json!(3));
    let odd = old::serve(old::api(&rows, "6.3.0"));
    let tokens = directory.path().join("tokens");
    std::fs::write(&tokens, "*:production.0123456789\n").expect("writes");
    let output = server::compared(&format!("http://{odd}"), &format!("http://{plain}"), &tokens);
    let printed = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        printed.contains("the old server answers feature_environments f in production, enabled: 5"),
        "{printed}{complaint}"
    );
    assert!(printed.contains("the old server answers segments"), "{printed}");
}
