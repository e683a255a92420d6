//! Nodes that are killed in turn while they tell integrations of events: between them they tell of all, of each under
//! one name, and in order where that is promised.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};
use serde_json::json;

use crate::{
    cluster::{Program, call, empty_database},
    receiver::Receiver,
};

const ROUNDS: usize = 6;
/// Writers at a time, each of which prefers one of the two nodes.
const WRITERS: usize = 2;
/// Changes that are acknowledged in a round before a node is killed, at most, and after it, at least.
const LOAD: (usize, usize) = (40, 4);
const TOLD: [&str; 2] = ["feature-stale-on", "feature-stale-off"];
/// Events that are read at a time.
const PAGE: usize = 1000;
const PATIENCE: Duration = Duration::from_mins(2);

/// Number of kills: often enough to notice, or as many as `FLAGSTONE_KILLS` says.
#[expect(clippy::disallowed_methods, reason = "how long to test is no setting of the program")]
pub fn rounds() -> usize {
    std::env::var("FLAGSTONE_KILLS").ok().and_then(|number| number.parse().ok()).unwrap_or(ROUNDS)
}

/// Marks a feature as stale and as not stale, by turns, at whichever node answers.
fn write(feature: &str, first: usize, addresses: &[String; 2], stop: &AtomicBool, acknowledged: &AtomicUsize) {
    let mut node = first;
    let mut stale = true;
    while !stop.load(Ordering::SeqCst) {
        let body = json!({ "features": [feature], "stale": stale });
        match call(&addresses[node], "/api/admin/projects/default/stale", Some(body)) {
            Some((200..300, _)) => {
                stale = !stale;
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
            Some((status, body)) => panic!("{feature}: {status} {body}"),
            None => node = 1 - node,
        }
    }
}

fn wait_for(acknowledged: &AtomicUsize, least: usize) {
    let began = Instant::now();
    while acknowledged.load(Ordering::SeqCst) < least {
        assert!(began.elapsed() < PATIENCE, "nobody takes changes");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Ids of all events that integrations are told of.
fn logged(node: &Program) -> Vec<i64> {
    let mut ids = Vec::new();
    for page in 0.. {
        let kinds = TOLD.join(",");
        let path = format!("/api/admin/search/events?type=IS_ANY_OF:{kinds}&limit={PAGE}&offset={}", page * PAGE);
        let (status, found) = node.call(&path, None).expect("an answer");
        assert_eq!(status, 200, "{found}");
        let events = found["events"].as_array().expect("events");
        ids.extend(events.iter().map(|event| event["id"].as_i64().expect("an id")));
        if events.len() < PAGE {
            break;
        }
    }
    ids
}

#[tokio::test]
async fn every_event_reaches_the_receivers_whichever_node_is_killed() {
    let Some(url) = empty_database().await else { return };
    let began = Instant::now();
    let receiver = Receiver::new();
    let mut nodes = [Program::start(&url), Program::start(&url)];
    nodes.iter().for_each(Program::wait_until_ready);
    let features: Vec<String> = (0..WRITERS).map(|writer| format!("told-{writer}")).collect();
    let made = features.iter().map(|name| ("/api/admin/projects/default/features", json!({ "name": name })));
    let told = receiver.integrations(&TOLD).into_iter().map(|body| ("/api/admin/addons", body));
    for (path, body) in made.chain(told) {
        assert_eq!(nodes[0].call(path, Some(body)).expect("an answer").0, 201, "{path}");
    }
    let mut random = TestRunner::default();
    let rounds = rounds();
    for round in 0..rounds {
        let (stop, acknowledged) = (AtomicBool::new(false), AtomicUsize::new(0));
        let addresses = [nodes[0].address.clone(), nodes[1].address.clone()];
        let victim = round % 2;
        thread::scope(|scope| {
            for (writer, feature) in features.iter().enumerate() {
                let (addresses, stop, acknowledged) = (&addresses, &stop, &acknowledged);
                scope.spawn(move || write(feature, writer % 2, addresses, stop, acknowledged));
            }
            let at = (1..LOAD.0).new_tree(&mut random).expect("a number").current();
            wait_for(&acknowledged, at);
            let next = Program::start(&url);
            std::mem::replace(&mut nodes[victim], next).kill();
            wait_for(&acknowledged, acknowledged.load(Ordering::SeqCst) + LOAD.1);
            stop.store(true, Ordering::SeqCst);
        });
        nodes[victim].wait_until_ready();
    }
    let logged = logged(&nodes[0]);
    assert!(logged.len() > rounds, "only {} events", logged.len());
    let figures = receiver.judge(&logged);
    eprintln!("PostgreSQL, two nodes, {rounds} kills: {figures}; {} s", began.elapsed().as_secs());
}
