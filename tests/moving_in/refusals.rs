//! What cannot be moved leaves the target empty, and says what to do.

use crate::{dump, server, stored};

#[tokio::test]
async fn a_dry_run_tells_everything_and_writes_nothing() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let (file, report) = (directory.path().join("new.db"), directory.path().join("report.html"));
    let to = format!("sqlite://{}", file.display());
    let printed = server::moved(&from, &to, &["--dry-run", "--report", report.to_str().expect("a path")]);
    assert!(printed.contains("51 features") && printed.contains("386 events"), "{printed}");
    assert!(printed.contains("Nothing was written."), "{printed}");
    assert!(printed.contains("        1 change requests\n"), "{printed}");
    assert!(!file.exists());
    let page = std::fs::read_to_string(report).expect("the report");
    assert!(page.contains("compares a date with a context field") && !page.contains("<script"), "{page}");
    let refused = server::move_in(&from, &to, &["--report", "report.pdf"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains(".json or .html"));
}

#[tokio::test]
async fn what_is_no_database_of_the_product_is_refused_by_name() {
    let Some(empty) = dump::empty().await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    let told = server::complaint(&empty, &to);
    assert!(told.contains("is none of Unleash"), "{told}");
    let told = server::complaint("sqlite://old.db", &to);
    assert!(told.contains("--from must name a PostgreSQL database"), "{told}");
    let told = server::complaint("postgres://ada:hunter2@127.0.0.1:1/unleash", &to);
    assert!(told.contains("127.0.0.1:1") && !told.contains("hunter2"), "{told}");
}

#[tokio::test]
async fn a_version_that_is_too_old_is_refused_and_a_newer_one_is_told() {
    let Some(from) = dump::restored("4.19.5").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    let later = "INSERT INTO migrations (name, run_on) VALUES ('/20300101000000-later', now())";
    dump::execute(&from, later).await;
    let printed = server::moved(&from, &to, &["--dry-run"]);
    assert!(printed.contains("changed: version /20300101000000-later: its schema is newer"), "{printed}");
    dump::execute(&from, "DELETE FROM migrations WHERE name >= '/20221205'").await;
    let told = server::complaint(&from, &to);
    assert!(told.contains("older than Unleash 4.19") && told.contains("upgrade that server"), "{told}");
    assert!(stored::is_empty(&to).await);
}

/// What forms refuse and tables hold goes on serving.
#[tokio::test]
async fn odd_rows_come_over_or_are_told() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    let odd = [
        "UPDATE segments SET name = 'twin' WHERE id IN (SELECT id FROM segments ORDER BY id LIMIT 2)",
        "UPDATE groups SET name = 'twin'",
        "UPDATE users SET email = 'ADA@Example.com' WHERE email = 'ada@example.com'",
        "UPDATE users SET password_hash = 'md5' WHERE email = 'zoe@example.com'",
        "UPDATE feature_strategies SET parameters = '{\"rollout\": 50}', constraints = '[{\"odd\": 1}]' \
         WHERE id = (SELECT min(id) FROM feature_strategies)",
        "UPDATE feature_environments SET variants = '[{\"name\": \"v\", \"weight\": 1000, \
         \"payload\": {\"type\": \"xml\", \"value\": \"<a/>\"}}]' WHERE feature_name = 'shop.op-in'",
        "UPDATE api_tokens SET expires_at = 'infinity' WHERE secret = (SELECT min(secret) FROM api_tokens)",
        "UPDATE personal_access_tokens SET expires_at = 'infinity'",
        "UPDATE segments SET constraints = '{\"contextName\": \"x\", \"operator\": \"IN\", \"values\": [1e400]}' \
         WHERE id = (SELECT max(id) FROM segments)",
        "INSERT INTO events (type, created_by, data) VALUES ('never-heard-of', 'ada', '{\"a\": 1.0}')",
    ];
    for sql in odd {
        dump::execute(&from, sql).await;
    }
    let printed = server::moved(&from, &to, &[]);
    for told in [
        "changed: segment twin: is called \"twin (2)\" here",
        "changed: group twin: is called \"twin (2)\" here",
        "changed: user zoe@example.com: has no password here",
        "constraints[0]: {\"odd\":1}: cannot be evaluated: a constraint that holds for nobody is in its place",
        "parameters.rollout: 50: is taken as a text",
        "payload.type: \"xml\": is taken as string",
        "expires_at: \"infinity\": is taken as no time: it never comes",
        "expires_at: \"infinity\": is taken as 9999-12-31T23:59:59.999Z",
        "is out of the range of numbers, and is taken as a text",
    ] {
        assert!(printed.contains(told), "{told}: {printed}");
    }
    let server = server::Server::start(directory.path(), &to).await;
    let expected = dump::expected("6.3.0");
    let secret = |name: &str| expected["secrets"]["passwords"][name].as_str().expect("a password").to_owned();
    assert_eq!(server.sign_in("ada@example.com", &secret("ada@example.com")), 200);
    assert_eq!(server.sign_in("zoe@example.com", &secret("zoe@example.com")), 401);
    let admin = expected["secrets"]["tokens"]["admin"][0].as_str().expect("a token");
    // The newest is that of the change request which is open.
    let (status, page) = server.get("/api/admin/search/events?limit=2", admin);
    assert_eq!((status, &page["events"][1]["label"]), (200, &"never-heard-of".into()), "{page}");
    assert_eq!(
        (&page["events"][1]["type"], &page["events"][1]["data"]),
        (&"setting-updated".into(), &serde_json::json!({"a": 1.0}))
    );
    let variants = "/api/admin/projects/shop/features/shop.op-in/environments/production/variants";
    let (status, answer) = server.get(variants, admin);
    let payload = serde_json::json!({"type": "string", "value": "<a/>"});
    assert_eq!((status, &answer["variants"][0]["payload"]), (200, &payload), "{answer}");
}

#[tokio::test]
async fn tables_that_may_not_be_read_are_named() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    dump::execute(&from, "REVOKE SELECT ON segments, events FROM CURRENT_USER").await;
    let output = server::move_in(&from, &to, &["--dry-run"]);
    if output.status.success() {
        // Nothing is kept from a superuser.
        return;
    }
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("may not read these tables: events, segments;") && told.contains("GRANT SELECT"), "{told}");
}

#[tokio::test]
async fn tables_may_lie_in_any_schema() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    dump::execute(&from, "ALTER SCHEMA public RENAME TO \"of the \"\"old\"\" one\"").await;
    let printed = server::moved(&from, &to, &["--dry-run"]);
    assert!(printed.contains("51 features"), "{printed}");
}

/// The connection ends after everything but the log is written.
#[tokio::test]
async fn a_connection_that_breaks_leaves_the_target_empty() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    let breaking = "ALTER TABLE events RENAME TO kept; \
                    CREATE VIEW events AS SELECT * FROM kept \
                    WHERE id < 200 OR pg_terminate_backend(pg_backend_pid())";
    dump::execute(&from, breaking).await;
    let told = server::complaint(&from, &to);
    assert!(told.contains("cannot be read any further") && told.contains("the target is as it was"), "{told}");
    assert!(stored::is_empty(&to).await);
    dump::execute(&from, "DROP VIEW events; ALTER TABLE kept RENAME TO events").await;
    let printed = server::moved(&from, &to, &[]);
    assert!(printed.contains("386 events"), "{printed}");
}
