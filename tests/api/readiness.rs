//! Readiness of a server while its database is away, and while its disk is full.

use flagstone::config::{Config, MetricsAccess};
use sea_orm::{ConnectionTrait, DatabaseBackend};
use serde_json::{Value, json};

use crate::harness::TestApp;

const FOR_PROGRAMS: &str = "/ready?for=programs";
const FEATURES: &str = "/api/client/features";

/// Leaves no room for anything new.
async fn fill_disk(app: &TestApp) {
    let tx = app.tx().await;
    let statement = match app.db().get_database_backend() {
        DatabaseBackend::Postgres => {
            "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$; \
             CREATE TRIGGER no_room BEFORE INSERT ON project FOR EACH ROW EXECUTE FUNCTION no_room(); \
             CREATE TRIGGER no_room BEFORE INSERT ON setting FOR EACH ROW EXECUTE FUNCTION no_room()"
        }
        // No less than there are.
        _ => "PRAGMA max_page_count = 1",
    };
    tx.execute_unprepared(statement).await.expect("a statement");
    app.commit(tx).await;
}

async fn make_room(app: &TestApp) {
    let tx = app.tx().await;
    let statement = match app.db().get_database_backend() {
        DatabaseBackend::Postgres => "DROP TRIGGER no_room ON project; DROP TRIGGER no_room ON setting",
        _ => "PRAGMA max_page_count = 4294967294",
    };
    tx.execute_unprepared(statement).await.expect("a statement");
    app.commit(tx).await;
}

/// Creates projects until one is refused.
async fn refused(app: &TestApp) -> Value {
    for number in 0..500 {
        let project = json!({ "id": format!("p{number}"), "name": "p", "description": "x".repeat(1000) });
        let answer = app.admin().post("/api/admin/projects", project).await;
        if answer.status != 201 {
            assert_eq!(answer.status, 503, "{}", answer.text);
            assert!(answer.headers.contains_key("retry-after"));
            return answer.body;
        }
    }
    panic!("there was always room");
}

#[tokio::test]
async fn a_full_disk_is_named_and_flags_are_served() {
    let app = TestApp::new().await;
    app.feature("default", "basket").await;
    let program = app.program(&["default"], "development").await;
    program.get(FEATURES).await.expect(200);
    for path in ["/ready", FOR_PROGRAMS, "/ready?for=administration"] {
        app.anonymous().get(path).await.expect(200);
    }
    fill_disk(&app).await;
    let error = refused(&app).await;
    assert_eq!(error["name"], "DiskFullError");
    assert!(error["message"].as_str().is_some_and(|message| message.contains("nothing has been changed")));
    // The second time something is written to see whether there is room.
    for elapsed_ms in [0, 5000] {
        app.clock.advance(elapsed_ms);
        app.anonymous().get("/ready").await.refused(503, "DiskFullError", "The disk of the database is full");
        app.anonymous().get(FOR_PROGRAMS).await.expect(200);
        program.get(FEATURES).await.expect(200);
        app.admin().get("/api/admin/projects").await.expect(200);
    }
    make_room(&app).await;
    app.anonymous().get("/ready").await.refused(503, "DiskFullError", "");
    app.clock.advance(5000);
    for _ in 0..2 {
        app.anonymous().get("/ready").await.expect(200);
    }
    app.admin().post("/api/admin/projects", json!({ "id": "late", "name": "late" })).await.expect(201);
}

#[tokio::test]
async fn while_the_database_is_away_flags_in_memory_make_a_server_ready_for_programs() {
    let metrics = MetricsAccess::Everybody;
    let app = TestApp::with_config(Config { metrics, ..Config::default() }).await;
    let program = app.program(&["default"], "development").await;
    program.get(FEATURES).await.expect(200);
    app.db().clone().close().await.expect("closes");
    app.anonymous().get("/ready").await.refused(503, "UnavailableError", "");
    app.anonymous().get(FOR_PROGRAMS).await.expect(200);
    program.get(FEATURES).await.expect(200);
    let figures = app.anonymous().get("/internal-backstage/prometheus").await;
    assert!(figures.text.contains("flagstone_ready{for=\"administration\"} 0"), "{}", figures.text);
    assert!(figures.text.contains("flagstone_ready{for=\"programs\"} 1"), "{}", figures.text);

    let app = TestApp::new().await;
    app.db().clone().close().await.expect("closes");
    for path in ["/ready", FOR_PROGRAMS] {
        app.anonymous().get(path).await.refused(503, "UnavailableError", "");
    }
    app.anonymous().get("/ready?for=everybody").await.refused(400, "ValidationError", "for");
}
