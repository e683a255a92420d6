//! Change requests that are applied at their time by one of several nodes, whichever is killed.

use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

use flagstone::{
    clock::Clock,
    jobs::apply_scheduled,
    store::{change_requests::schedules, db::Db},
};
use futures_util::future::try_join_all;
use poem::http::Method;
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};
use serde_json::json;

use crate::{
    cluster::{Node, Program, empty_database, nodes},
    kills::rounds,
    scheduled,
};

/// Change requests that are scheduled for each round of kills.
const EACH: usize = 8;
/// Longest time from the storing of a round to the kill.
const MAX_LOAD_MS: u64 = 1500;
/// Time limit until a claim of a killed node has ended and everything is applied.
const PATIENCE: Duration = Duration::from_mins(4);

async fn person(node: &Node, name: &str) -> i64 {
    let user = json!({ "username": name, "rootRole": 1, "sendEmail": false });
    node.call(Method::POST, "/api/admin/user-admin", Some(user)).await["id"].as_i64().expect("an id")
}

/// Change requests that are due now.
async fn due(node: &Node, count: usize) -> Vec<i64> {
    let people = [person(node, "author").await, person(node, "reviewer").await];
    let now = node.state.clock.now();
    let mut features = Vec::new();
    for number in 0..count {
        let name = format!("timed-{number}");
        node.create(&name).await;
        features.push((name, now));
    }
    scheduled::store(&node.state.db, people, &features, now).await
}

fn once(ids: &[i64]) -> BTreeMap<i64, usize> {
    ids.iter().map(|id| (*id, 1)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_is_applied_by_one_node_and_once() {
    let Some((nodes, _)) = nodes::<3>().await else { return };
    let ids = due(&nodes[0], 9).await;
    try_join_all(nodes.iter().map(|node| apply_scheduled(&node.state))).await.expect("runs");
    // A node that found another one quicker leaves the rest to its next look.
    apply_scheduled(&nodes[0].state).await.expect("runs");
    assert_eq!(scheduled::applications(&nodes[1].state.db).await, once(&ids));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_a_dead_node_had_claimed_is_applied_by_another_when_the_claim_ends() {
    let Some((nodes, clock)) = nodes::<2>().await else { return };
    let ids = due(&nodes[0], 1).await;
    let tx = nodes[0].state.db.begin().await.expect("begins");
    let until = clock.now().plus_millis(60_000);
    let claimed = schedules::claim_due(&tx, "dead", 1, clock.now(), until).await.expect("claims");
    assert_eq!(claimed.len(), 1);
    tx.commit(clock.now(), []).await.expect("commits");
    apply_scheduled(&nodes[1].state).await.expect("runs");
    assert_eq!(scheduled::applications(&nodes[1].state.db).await, BTreeMap::new());
    clock.advance(60_000);
    try_join_all(nodes.iter().map(|node| apply_scheduled(&node.state))).await.expect("runs");
    assert_eq!(scheduled::applications(&nodes[1].state.db).await, once(&ids));
}

#[tokio::test]
async fn what_is_scheduled_is_applied_once_whichever_node_is_killed() {
    let Some(url) = empty_database().await else { return };
    let began = Instant::now();
    let rounds = rounds();
    let mut nodes = [Program::start(&url), Program::start(&url)];
    nodes.iter().for_each(Program::wait_until_ready);
    let call = |node: &Program, path: &str, body| {
        let (status, answer) = node.call(path, Some(body)).expect("an answer");
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
        answer
    };
    let names: Vec<_> = (0..rounds * EACH).map(|number| json!({ "name": format!("timed-{number}") })).collect();
    let data = json!({ "features": names, "featureStrategies": [], "tagTypes": [] });
    let import = json!({ "project": "default", "environment": "development", "data": data });
    call(&nodes[0], "/api/admin/features-batch/import", import);
    let people = ["author", "reviewer"].map(|name| {
        let user = json!({ "username": name, "rootRole": 1, "sendEmail": false });
        call(&nodes[0], "/api/admin/user-admin", user)["id"].as_i64().expect("an id")
    });

    let db = Db::open(&url).await.expect("the database");
    let mut random = TestRunner::default();
    let mut ids = Vec::new();
    for round in 0..rounds {
        let now = Clock::system().now();
        let due = |place: usize| now.plus_millis(i64::try_from(place * 150).expect("small"));
        let features: Vec<_> = (0..EACH).map(|place| (format!("timed-{}", round * EACH + place), due(place))).collect();
        ids.extend(scheduled::store(&db, people, &features, now).await);
        let load_ms = (0..MAX_LOAD_MS).new_tree(&mut random).expect("a number").current();
        thread::sleep(Duration::from_millis(load_ms));
        let victim = round % 2;
        std::mem::replace(&mut nodes[victim], Program::start(&url)).kill();
        nodes[victim].wait_until_ready();
    }
    let path = format!("/api/admin/search/events?type=IS:{}&limit=1", scheduled::SUCCESS);
    let waiting = Instant::now();
    while nodes[0].call(&path, None).expect("an answer").1["total"].as_u64() < Some(ids.len() as u64) {
        assert!(waiting.elapsed() < PATIENCE, "not everything is applied");
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(scheduled::applications(&db).await, once(&ids));
    db.close().await.expect("closes");
    let (count, seconds) = (ids.len(), began.elapsed().as_secs());
    eprintln!(
        "PostgreSQL, two nodes, {rounds} kills: {count} scheduled change requests, each applied once; {seconds} s"
    );
}
