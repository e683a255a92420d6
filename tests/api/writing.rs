//! Many who change something at the same time: each gets its turn, and whoever does not is told so.

use std::sync::{Arc, Mutex};

use flagstone::{
    error::Error,
    store::{StoreError, db::Tx},
};
use poem::http::Method;
use sea_orm::{
    ConnectionTrait, DatabaseBackend, Statement,
    sqlx::{self, Connection as _, SqliteConnection},
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::harness::{Answer, TestApp};

/// Changes that may wait at the same time.
const WAITING: usize = 500;

async fn app_with_features(names: &[&str]) -> Arc<TestApp> {
    let app = TestApp::new().await;
    for name in names {
        app.feature("default", name).await;
    }
    Arc::new(app)
}

fn path(feature: &str) -> String {
    format!("/api/admin/projects/default/features/{feature}")
}

fn describe(text: &str) -> Value {
    json!([{ "op": "replace", "path": "/description", "value": text }])
}

async fn description(app: &TestApp, feature: &str) -> Value {
    app.admin().get(&path(feature)).await.expect(200)["description"].clone()
}

fn patching(app: &Arc<TestApp>, feature: &'static str, text: &'static str) -> JoinHandle<Answer> {
    let app = Arc::clone(app);
    tokio::spawn(async move { app.admin().patch(&path(feature), describe(text)).await })
}

/// Every turn that there is.
async fn all_turns(app: &TestApp) -> Vec<Tx> {
    let turns = app.db().pools().last().expect("the one that writes").limit;
    let mut taken = Vec::new();
    for _ in 0..turns {
        taken.push(app.tx().await);
    }
    taken
}

/// Lets everybody on this thread go on until they wait.
async fn until_all_wait() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn whoever_comes_first_has_the_first_turn() {
    let app = app_with_features(&[]).await;
    let mut taken = all_turns(&app).await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut waiting = Vec::new();
    for number in 0..20 {
        let (app, order) = (Arc::clone(&app), Arc::clone(&order));
        waiting.push(tokio::spawn(async move {
            let tx = app.tx().await;
            order.lock().expect("no panic").push(number);
            app.commit(tx).await;
        }));
        until_all_wait().await;
    }
    assert!(order.lock().expect("no panic").is_empty());
    drop(taken.pop());
    for waiting in waiting {
        waiting.await.expect("no panic");
    }
    assert_eq!(*order.lock().expect("no panic"), (0..20).collect::<Vec<_>>());
}

#[tokio::test]
async fn where_too_many_wait_already_the_next_is_sent_away_at_once_and_told_when_to_come_back() {
    let app = app_with_features(&["f"]).await;
    let taken = all_turns(&app).await;
    let waiting: Vec<_> = (0..WAITING)
        .map(|_| {
            let app = Arc::clone(&app);
            tokio::spawn(async move { drop(app.tx().await) })
        })
        .collect();
    until_all_wait().await;
    let answer = app.admin().patch(&path("f"), describe("too much")).await;
    assert_eq!(answer.headers["retry-after"], "1");
    answer.refused(503, "UnavailableError", "Other changes were in the way");
    // Reading goes on.
    assert_eq!(description(&app, "f").await, Value::Null);
    drop(taken);
    for waiting in waiting {
        waiting.await.expect("no panic");
    }
    app.admin().patch(&path("f"), describe("in time")).await.expect(200);
    assert_eq!(description(&app, "f").await, "in time");
    assert_eq!(app.event_types().await, ["feature-metadata-updated"]);
}

#[tokio::test]
async fn a_file_that_another_program_writes_is_waited_for_and_not_for_ever() {
    let app = app_with_features(&["f"]).await;
    let Some(directory) = app.directory() else { return };
    let mut other = SqliteConnection::connect(&format!("sqlite://{}", directory.join("test.db").display()))
        .await
        .expect("connects");
    let be_patient = async |milliseconds: u32| {
        let tx = app.tx().await;
        tx.execute_unprepared(&format!("PRAGMA busy_timeout = {milliseconds}")).await.expect("a setting");
        app.commit(tx).await;
    };
    be_patient(20).await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.expect("begins");
    for method in [Method::PATCH, Method::DELETE] {
        let answer = app.admin().json(method, &path("f"), describe("meanwhile")).await;
        assert_eq!(answer.headers["retry-after"], "1");
        answer.refused(503, "UnavailableError", "nothing has been changed");
    }
    sqlx::query("ROLLBACK").execute(&mut other).await.expect("ends");
    be_patient(60_000).await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.expect("begins");
    let patched = patching(&app, "f", "afterwards");
    until_all_wait().await;
    assert_eq!(description(&app, "f").await, Value::Null);
    sqlx::query("COMMIT").execute(&mut other).await.expect("ends");
    patched.await.expect("no panic").expect(200);
    assert_eq!(description(&app, "f").await, "afterwards");
}

#[tokio::test]
async fn a_lock_of_postgresql_is_not_waited_for_for_ever() {
    let app = app_with_features(&["f"]).await;
    if app.db().get_database_backend() != DatabaseBackend::Postgres {
        return;
    }
    let (first, second) = (app.tx().await, app.tx().await);
    let asked = |sql: &str| Statement::from_string(DatabaseBackend::Postgres, sql);
    let row = second.query_one_raw(asked("SELECT current_setting('lock_timeout')")).await.expect("a row");
    let row = row.expect("a row");
    assert_eq!(row.try_get_by_index::<String>(0).expect("a text"), "10s");
    second.execute_unprepared("SET LOCAL lock_timeout = 20").await.expect("a setting");
    let hold = "SELECT id FROM feature WHERE name = 'f' FOR UPDATE";
    first.query_one_raw(asked(hold)).await.expect("held");
    let error = second.query_one_raw(asked(hold)).await.expect_err("it is held");
    assert!(matches!(Error::from(StoreError::from(error)), Error::Busy(_)));
}

/// Inserts a tag type under the turn of its own.
async fn insert_tag_type(tx: &Tx, name: &str) {
    let sql = format!("INSERT INTO tag_type (name, description) VALUES ('{name}', '')");
    tx.execute_unprepared(&sql).await.expect("inserts");
}

async fn tag_types(app: &TestApp) -> Vec<String> {
    let found = app.admin().get("/api/admin/tag-types").await.expect(200);
    let names = found["tagTypes"].as_array().expect("a list").iter().filter_map(|kind| kind["name"].as_str());
    names.filter(|name| *name != "simple").map(str::to_owned).collect()
}

#[tokio::test]
async fn changes_that_wait_for_each_other_share_a_commit_and_what_is_taken_back_takes_no_other_with_it() {
    let app = app_with_features(&[]).await;
    if app.directory().is_none() {
        return;
    }
    let taken = app.tx().await;
    let writing = {
        let app = Arc::clone(&app);
        tokio::spawn(async move {
            let tx = app.tx().await;
            insert_tag_type(&tx, "kept").await;
            app.commit(tx).await;
        })
    };
    until_all_wait().await;
    let undecided = {
        let app = Arc::clone(&app);
        tokio::spawn(async move {
            let tx = app.tx().await;
            insert_tag_type(&tx, "taken-back").await;
            tx
        })
    };
    until_all_wait().await;
    app.commit(taken).await;
    let undecided = undecided.await.expect("no panic");
    // The one before has had its turn, or this one would have none.
    assert!(!writing.is_finished());
    assert_eq!(tag_types(&app).await, Vec::<String>::new());
    drop(undecided);
    writing.await.expect("kept");
    assert_eq!(tag_types(&app).await, ["kept"]);
}

#[tokio::test]
async fn of_changes_that_share_a_commit_each_is_answered_for_itself() {
    let app = app_with_features(&["a", "b", "c"]).await;
    let taken = all_turns(&app).await;
    let first = patching(&app, "a", "one");
    until_all_wait().await;
    let refused = {
        let app = Arc::clone(&app);
        let patch = json!([{ "op": "replace", "path": "/name", "value": "x" }]);
        tokio::spawn(async move { app.admin().patch(&path("b"), patch).await })
    };
    until_all_wait().await;
    // Somebody who goes away while they wait.
    let left = patching(&app, "b", "left");
    until_all_wait().await;
    let same = patching(&app, "a", "one");
    until_all_wait().await;
    let last = patching(&app, "c", "three");
    until_all_wait().await;
    left.abort();
    drop(taken);
    first.await.expect("no panic").expect(200);
    refused.await.expect("no panic").refused(400, "ValidationError", "/name");
    same.await.expect("no panic").expect(200);
    last.await.expect("no panic").expect(200);
    let mut described = Vec::new();
    for feature in ["a", "b", "c"] {
        described.push(description(&app, feature).await);
    }
    assert_eq!(described, [json!("one"), Value::Null, json!("three")]);
    // What changed nothing left no event.
    assert_eq!(app.event_types().await, ["feature-metadata-updated"; 2]);
}

#[tokio::test]
async fn many_changes_at_once_are_all_kept() {
    let app = app_with_features(&["f"]).await;
    let writers = (0..40).map(|number| {
        let app = Arc::clone(&app);
        tokio::spawn(async move {
            let text = format!("change {number}");
            app.admin().patch(&path("f"), describe(&text)).await.expect(200)["description"] == text.as_str()
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        assert!(writer.await.expect("no panic"));
    }
    // Each event starts from what the one before it ended with.
    let mut before = Value::Null;
    let events = app.events().await;
    assert_eq!(events.len(), 40);
    for event in events {
        let read = |text: Option<String>| -> Value { serde_json::from_str(&text.expect("data")).expect("JSON") };
        assert_eq!(read(event.pre_data)["description"], before);
        before = read(event.data)["description"].clone();
    }
    assert_eq!(description(&app, "f").await, before);
}

#[tokio::test]
async fn where_the_disk_is_full_changes_are_refused_until_there_is_room_and_nothing_is_lost() {
    let app = app_with_features(&["one"]).await;
    if app.db().get_database_backend() != DatabaseBackend::Sqlite {
        return;
    }
    app.admin().patch(&path("one"), describe("before")).await.expect(200);
    let events = app.event_types().await;
    limit_pages(&app, 1).await;
    let much = "much ".repeat(10_000);
    let refused = app.admin().patch(&path("one"), describe(&much)).await;
    assert_eq!(refused.headers["retry-after"], "5");
    refused.refused(503, "DiskFullError", "The disk of the database is full");
    assert_eq!(description(&app, "one").await, "before");
    assert_eq!(app.event_types().await, events);
    limit_pages(&app, i32::MAX).await;
    app.admin().patch(&path("one"), describe(&much)).await.expect(200);
    assert_eq!(description(&app, "one").await, much);
}

/// Lets the file grow to so many pages, or at least stay as large as it is.
async fn limit_pages(app: &TestApp, pages: i32) {
    let tx = app.tx().await;
    tx.execute_unprepared(&format!("PRAGMA max_page_count = {pages}")).await.expect("a limit");
}
