//! A server that is killed while it tells an integration of events tells it of all of them, and of each under one name.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
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
use serde_json::{Value, json};

use crate::{Ledger, MAX_LOAD_MS, Server, TOKEN, create_features, kills, name_of, path_of, write_until_stopped};

const ROUNDS: usize = 8;
/// How long nothing more may arrive.
const PATIENCE: Duration = Duration::from_mins(2);

/// What arrived: id of the event and of the message, in the order of arrival.
type Arrived = Arc<Mutex<Vec<(i64, String)>>>;

/// Whoever takes everything, at two addresses; gives the port and what arrives at each.
fn receiver() -> (u16, [Arrived; 2]) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let arrived = [Arrived::default(), Arrived::default()];
    let all = arrived.clone();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let all = all.clone();
            thread::spawn(move || take(stream, &all));
        }
    });
    (port, arrived)
}

/// Takes a request, if it comes as a whole.
fn take(stream: TcpStream, all: &[Arrived; 2]) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let (mut line, mut length, mut id) = (String::new(), 0, String::new());
    stream.read_line(&mut line).ok()?;
    let place = usize::from(line.contains("/ordered"));
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "webhook-id" => value.clone_into(&mut id),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let event: Value = serde_json::from_slice(&body).ok()?;
    all[place].lock().expect("a lock").push((event["id"].as_i64()?, id));
    stream.get_mut().write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").ok()
}

fn told(server: &Server, port: u16, path: &str, in_order: bool) {
    let addon = json!({
        "provider": "webhook", "enabled": true, "events": ["feature-metadata-updated"],
        "parameters": { "url": format!("http://127.0.0.1:{port}/{path}"), "ordered": in_order },
    });
    let made = ureq::post(server.url("/api/admin/addons")).header("Authorization", TOKEN).send_json(addon);
    assert_eq!(made.expect("an integration").status(), 201);
}

/// Ids of all events that integrations are told of, oldest first.
fn logged(server: &Server) -> Vec<i64> {
    let mut ids = Vec::new();
    for page in 0.. {
        let from = page * 1000;
        let path = format!("/api/admin/search/events?type=IS:feature-metadata-updated&limit=1000&offset={from}");
        let found = server.get(&path);
        let events = found["events"].as_array().expect("events");
        ids.extend(events.iter().map(|event| event["id"].as_i64().expect("an id")));
        if events.len() < 1000 {
            break;
        }
    }
    ids.sort_unstable();
    ids
}

#[test]
fn every_event_reaches_the_receivers_however_often_the_server_is_killed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (port, [any_order, in_order]) = receiver();
    let server = Server::start(directory.path());
    create_features(&server);
    told(&server, port, "any", false);
    told(&server, port, "ordered", true);
    server.kill();
    let mut random = TestRunner::default();
    for round in 0..kills(ROUNDS) {
        let server = Server::start(directory.path());
        let (stop, ledger) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Ledger::default())));
        let (writer_stop, url) = (Arc::clone(&stop), server.url(&path_of(0)));
        let writer = thread::spawn(move || {
            write_until_stopped(&format!("told-{round}"), &name_of(0), &url, &ledger, &writer_stop);
        });
        let load_ms = (20..MAX_LOAD_MS * 2).new_tree(&mut random).expect("a number").current();
        thread::sleep(Duration::from_millis(load_ms));
        server.kill();
        stop.store(true, Ordering::SeqCst);
        writer.join().expect("no writer panicked");
    }
    let server = Server::start(directory.path());
    let logged = logged(&server);
    assert!(logged.len() > kills(ROUNDS), "only {} events", logged.len());
    for arrived in [&any_order, &in_order] {
        let all: BTreeSet<i64> = logged.iter().copied().collect();
        let (mut seen, mut since) = (0, Instant::now());
        while arrived.lock().expect("a lock").iter().map(|(event, _)| *event).collect::<BTreeSet<_>>() != all {
            let now = arrived.lock().expect("a lock").len();
            if now > seen {
                (seen, since) = (now, Instant::now());
            }
            assert!(since.elapsed() < PATIENCE, "{now} of {} arrived", all.len());
            thread::sleep(Duration::from_millis(50));
        }
        let mut names: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
        for (event, id) in arrived.lock().expect("a lock").iter() {
            names.entry(*event).or_default().insert(id.clone());
        }
        assert!(names.values().all(|ids| ids.len() == 1), "an event came under two names");
    }
    let mut first_arrivals = Vec::new();
    for (event, _) in in_order.lock().expect("a lock").iter() {
        if !first_arrivals.contains(event) {
            first_arrivals.push(*event);
        }
    }
    assert_eq!(first_arrivals, logged, "in order");
    server.kill();
}
