//! The database goes away and comes back under load: requests are refused clearly meanwhile, programs are told the last
//! known state, and everything recovers by itself.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    cluster::{Program, call, database_on, empty_database},
    private_server::PrivateServer,
};

const WRITERS: usize = 3;
/// The second is longer than a request waits for a connection.
const OUTAGES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(12)];
/// Changes that each writer makes before, between and after the outages.
const LOAD: usize = 3;
const RECOVERY: Duration = Duration::from_mins(2);

/// Outcomes that one writer saw.
#[derive(Default)]
struct Seen {
    acknowledged: Vec<String>,
    /// Features whose request was refused; the change may have been kept all the same.
    refused: Vec<String>,
    other: Vec<(u16, Value)>,
}

fn create_until_stopped(address: &str, label: &str, made: &AtomicUsize, stop: &AtomicBool) -> Seen {
    let mut seen = Seen::default();
    for number in 0.. {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let name = format!("{label}-{number}");
        let answer = call(address, "/api/admin/projects/default/features", Some(json!({ "name": name })));
        match answer.expect("an answer, whatever happens to the database") {
            (201, _) => {
                seen.acknowledged.push(name);
                made.fetch_add(1, Ordering::SeqCst);
            }
            (503, body) if is_clear(&body) => seen.refused.push(name),
            other => seen.other.push(other),
        }
    }
    seen
}

fn is_clear(body: &Value) -> bool {
    body["name"] == "UnavailableError" && body["message"].as_str().is_some_and(|text| text.contains("database"))
}

#[tokio::test]
async fn the_database_is_restarted_under_load() {
    if empty_database().await.is_none() {
        return;
    }
    let Some((mut server, url)) = PrivateServer::start() else { return };
    let program = Program::start(&database_on(&url).await);
    program.wait_until_ready();
    let stop = Arc::new(AtomicBool::new(false));
    let made: [Arc<AtomicUsize>; WRITERS] = Default::default();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (address, made, stop) = (program.address.clone(), Arc::clone(&made[writer]), Arc::clone(&stop));
            thread::spawn(move || create_until_stopped(&address, &format!("w{writer}"), &made, &stop))
        })
        .collect();
    let load = || {
        let began = Instant::now();
        for made in &made {
            let before = made.load(Ordering::SeqCst);
            while made.load(Ordering::SeqCst) < before + LOAD {
                assert!(began.elapsed() < RECOVERY, "a writer does not get on");
                thread::sleep(Duration::from_millis(20));
            }
        }
    };
    let client_features = || program.call("/api/client/features?environment=development", None).expect("an answer").0;
    assert_eq!(client_features(), 200);

    for outage in OUTAGES {
        load();
        server.stop();
        let down = Instant::now();
        while down.elapsed() < outage {
            assert_eq!(client_features(), 200, "programs do not notice");
            thread::sleep(Duration::from_millis(50));
        }
        server.resume();
        let up = Instant::now();
        while program.call("/ready", None).expect("an answer").0 != 200 {
            assert!(up.elapsed() < RECOVERY, "the node does not recover");
            thread::sleep(Duration::from_millis(20));
        }
    }
    load();
    stop.store(true, Ordering::SeqCst);
    let seen: Vec<Seen> = writers.into_iter().map(|writer| writer.join().expect("no writer panicked")).collect();
    for (writer, seen) in seen.iter().enumerate() {
        assert!(seen.other.is_empty(), "unclear answers: {:?}", seen.other);
        let last = seen.acknowledged.last().expect("acknowledged");
        let after = seen.refused.last().expect("an outage is noticed");
        let number = |name: &str| name.rsplit('-').next().and_then(|number| number.parse::<u64>().ok());
        assert!(number(last) > number(after), "writer {writer} does not recover: {after} was refused after {last}");
    }
    // After a failure the database is left alone for a moment, and programs are told what was known before.
    let recovered = Instant::now();
    loop {
        let (status, told) = program.call("/api/client/features?environment=development", None).expect("an answer");
        assert_eq!(status, 200);
        let features = told["features"].as_array().expect("features");
        let stored: BTreeSet<&str> = features.iter().map(|feature| feature["name"].as_str().expect("a name")).collect();
        let lost = seen.iter().flat_map(|seen| &seen.acknowledged).find(|name| !stored.contains(name.as_str()));
        let Some(lost) = lost else { break };
        assert!(recovered.elapsed() < RECOVERY, "{lost} was acknowledged and is lost");
        thread::sleep(Duration::from_millis(50));
    }
}
