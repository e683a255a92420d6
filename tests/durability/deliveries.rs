//! A server that is killed while it tells an integration of events tells it of all of them, and of each under one name.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};

use crate::{
    Ledger, MAX_LOAD_MS, Server, TOKEN, create_features, eventually, kills, name_of, path_of, receiver::Receiver,
    write_until_stopped,
};

const ROUNDS: usize = 8;
const TOLD: &str = "feature-metadata-updated";
/// Events that are read at a time.
const PAGE: usize = 1000;

/// Ids of all events that integrations are told of.
fn logged(server: &Server) -> Vec<i64> {
    let mut ids = Vec::new();
    for page in 0.. {
        let path = format!("/api/admin/search/events?type=IS:{TOLD}&limit={PAGE}&offset={}", page * PAGE);
        let found = server.get(&path);
        let events = found["events"].as_array().expect("events");
        ids.extend(events.iter().map(|event| event["id"].as_i64().expect("an id")));
        if events.len() < PAGE {
            break;
        }
    }
    ids
}

#[test]
fn every_event_reaches_the_receivers_however_often_the_server_is_killed() {
    let began = Instant::now();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let receiver = Receiver::new();
    let server = Server::start(directory.path());
    create_features(&server);
    for integration in receiver.integrations(&[TOLD]) {
        let made = ureq::post(server.url("/api/admin/addons")).header("Authorization", TOKEN).send_json(integration);
        assert_eq!(made.expect("an integration").status(), 201);
    }
    server.kill();
    let mut random = TestRunner::default();
    let rounds = kills(ROUNDS);
    for round in 0..rounds {
        let server = Server::start(directory.path());
        let (stop, ledger) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Ledger::default())));
        let (writer_stop, writer_ledger, url) = (Arc::clone(&stop), Arc::clone(&ledger), server.url(&path_of(0)));
        let writer = thread::spawn(move || {
            write_until_stopped(&format!("told-{round}"), &name_of(0), &url, &writer_ledger, &writer_stop);
        });
        eventually("a write is acknowledged", || ledger.lock().expect("no writer panicked").acknowledged_writes > 0);
        let load_ms = (0..MAX_LOAD_MS * 2).new_tree(&mut random).expect("a number").current();
        thread::sleep(Duration::from_millis(load_ms));
        server.kill();
        stop.store(true, Ordering::SeqCst);
        writer.join().expect("no writer panicked");
    }
    let server = Server::start(directory.path());
    let logged = logged(&server);
    assert!(logged.len() >= rounds, "only {} events", logged.len());
    let figures = receiver.judge(&logged);
    eprintln!("SQLite, {rounds} kills: {figures}; {} s", began.elapsed().as_secs());
    server.kill();
}
