//! Each version moves into each kind of database, and serves.

use serde_json::Value;

use crate::{answers, dump, server, server::Server, stored};

async fn moves(version: &'static str, to_postgres: bool) {
    let Some(from) = dump::restored(version).await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = if to_postgres {
        dump::empty().await.expect("a server")
    } else {
        format!("sqlite://{}", directory.path().join("new.db").display())
    };
    let report = directory.path().join("report.json");
    let printed = server::moved(&from, &to, &["--report", report.to_str().expect("a path")]);
    assert!(printed.contains("Everything is in."), "{printed}");
    let report: Value = serde_json::from_slice(&std::fs::read(report).expect("the report")).expect("JSON");
    for counted in report["counted"].as_array().expect("numbers") {
        assert_eq!(counted["before"], counted["after"], "{counted}");
    }
    let expected = dump::expected(version);
    for secret in expected["secrets"]["tokens"]["client"].as_array().expect("tokens") {
        assert!(!report.to_string().contains(secret["secret"].as_str().expect("a token")));
    }
    stored::compare(&to, &expected).await;
    let again = server::complaint(&from, &to);
    assert!(again.contains("the target is in use, it holds users ("), "{again}");
    let server = Server::start(directory.path(), &to).await;
    answers::of_environments(&server, &expected);
    answers::of_tokens(&server, &expected);
    answers::of_frontends(&server, &expected);
    answers::of_people(&server, &expected);
    events(&server, &expected);
}

/// The whole log can be read, and events of types that are not in the list carry their name.
fn events(server: &Server, expected: &Value) {
    let admin = expected["secrets"]["tokens"]["admin"][0].as_str().expect("a token");
    let (status, page) = server.get("/api/admin/search/events?limit=1000", admin);
    assert_eq!(status, 200, "{page}");
    let total = expected["eventsTotal"].as_i64().expect("a number");
    // And that of the change request which is open.
    assert_eq!(page["total"].as_i64(), Some(total + 1));
    let events = page["events"].as_array().expect("events");
    for kind in expected["eventsByType"].as_object().expect("types").keys() {
        if flagstone::domain::event_kind::EventKind::parse(kind).is_none() {
            let shown = events.iter().filter(|event| event["label"] == kind.as_str());
            assert!(shown.count() > 0, "{kind}");
        }
    }
}

#[tokio::test]
async fn version_4_19_moves_into_sqlite() {
    moves("4.19.5", false).await;
}

#[tokio::test]
async fn version_5_12_moves_into_sqlite() {
    moves("5.12.8", false).await;
}

#[tokio::test]
async fn version_6_3_moves_into_sqlite() {
    moves("6.3.0", false).await;
}

#[tokio::test]
async fn version_8_2_moves_into_sqlite() {
    moves("8.2.0", false).await;
}

#[tokio::test]
async fn version_5_12_moves_into_postgresql() {
    moves("5.12.8", true).await;
}

#[tokio::test]
async fn version_4_19_moves_into_postgresql() {
    moves("4.19.5", true).await;
}

#[tokio::test]
async fn version_6_3_moves_into_postgresql() {
    moves("6.3.0", true).await;
}

#[tokio::test]
async fn version_8_2_moves_into_postgresql() {
    moves("8.2.0", true).await;
}
