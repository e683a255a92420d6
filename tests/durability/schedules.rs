//! A server that is killed while it applies scheduled change requests applies each of them once, and wholly.

use std::{
    thread,
    time::{Duration, Instant},
};

use flagstone::{clock::Clock, store::db::Db};
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};
use serde_json::{Value, json};

use crate::{Server, TOKEN, eventually, kills, scheduled};

const ROUNDS: usize = 6;
/// Change requests that are scheduled for each round.
const EACH: usize = 8;
/// Longest time from the start of the server to the kill.
const MAX_LOAD_MS: u64 = 1500;

fn post(server: &Server, path: &str, body: Value) -> Value {
    let answer = ureq::post(server.url(path)).header("Authorization", TOKEN).send_json(body);
    answer.expect("an answer").body_mut().read_json().unwrap_or_default()
}

fn applied(server: &Server) -> usize {
    let path = format!("/api/admin/search/events?type=IS:{}&limit=1", scheduled::SUCCESS);
    server.get(&path)["total"].as_u64().and_then(|total| usize::try_from(total).ok()).expect("a number")
}

#[test]
fn what_is_scheduled_is_applied_once_however_often_the_server_is_killed() {
    let began = Instant::now();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = format!("sqlite://{}", directory.path().join("flagstone.db").display());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let rounds = kills(ROUNDS);
    let server = Server::start(directory.path());
    let features: Vec<Value> = (0..rounds * EACH).map(|number| json!({ "name": format!("timed-{number}") })).collect();
    let data = json!({ "features": features, "featureStrategies": [], "tagTypes": [] });
    post(
        &server,
        "/api/admin/features-batch/import",
        json!({ "project": "default", "environment": "development", "data": data }),
    );
    let people = ["author", "reviewer"].map(|name| {
        let user = json!({ "username": name, "rootRole": 1, "sendEmail": false });
        post(&server, "/api/admin/user-admin", user)["id"].as_i64().expect("an id")
    });
    server.kill();

    let mut random = TestRunner::default();
    let mut ids = Vec::new();
    for round in 0..rounds {
        runtime.block_on(async {
            let db = Db::open(&url).await.expect("the database");
            let now = Clock::system().now();
            let due = |place: usize| now.plus_millis(i64::try_from(place * 150).expect("small"));
            let features: Vec<_> =
                (0..EACH).map(|place| (format!("timed-{}", round * EACH + place), due(place))).collect();
            ids.extend(scheduled::store(&db, people, &features, now).await);
            db.close().await.expect("closes");
        });
        let server = Server::start(directory.path());
        let load_ms = (0..MAX_LOAD_MS).new_tree(&mut random).expect("a number").current();
        thread::sleep(Duration::from_millis(load_ms));
        server.kill();
    }
    let server = Server::start(directory.path());
    eventually("everything is applied", || applied(&server) >= ids.len());
    server.kill();
    let applications = runtime.block_on(async {
        let db = Db::open(&url).await.expect("the database");
        let applications = scheduled::applications(&db).await;
        db.close().await.expect("closes");
        applications
    });
    assert_eq!(applications, ids.iter().map(|id| (*id, 1)).collect());
    eprintln!(
        "SQLite, {rounds} kills: {} scheduled change requests, each applied once; {} s",
        ids.len(),
        began.elapsed().as_secs()
    );
}
