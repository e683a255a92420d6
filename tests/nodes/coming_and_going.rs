//! A node that dies under load takes nothing with it that it had acknowledged, and the others go on.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::cluster::{Program, call, empty_database};

const WRITERS: usize = 3;
const ROUNDS: usize = 3;
/// Features that each node makes before one is killed, and that the other makes after it.
const LOAD: usize = 20;
const PATIENCE: Duration = Duration::from_mins(2);
/// Enough for every feature of a round.
const PAGE: usize = 1000;

/// Makes features until it is told to stop or the node does not answer; gives the names of the acknowledged ones, and
/// the one that was under way at the end.
fn create_until_stopped(
    address: &str,
    label: &str,
    stop: &AtomicBool,
    count: &AtomicUsize,
) -> (Vec<String>, Option<String>) {
    let mut acknowledged = Vec::new();
    for number in 0.. {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let name = format!("{label}-{number}");
        match call(address, "/api/admin/projects/default/features", Some(json!({ "name": name }))) {
            Some((201, _)) => {
                acknowledged.push(name);
                count.fetch_add(1, Ordering::SeqCst);
            }
            Some((status, body)) => panic!("{name}: {status} {body}"),
            None => return (acknowledged, Some(name)),
        }
    }
    (acknowledged, None)
}

fn wait_for(count: &AtomicUsize, least: usize) {
    let began = Instant::now();
    while count.load(Ordering::SeqCst) < least {
        assert!(began.elapsed() < PATIENCE, "a node makes nothing");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Names of the features whose name starts so, and of those that an event says were made.
fn stored(program: &Program, label: &str) -> (BTreeSet<String>, Vec<String>) {
    let names = |list: &Value, name: &str| -> Vec<String> {
        list.as_array().expect("a list").iter().map(|entry| entry[name].as_str().expect("a name").to_owned()).collect()
    };
    let (mut features, mut events) = (BTreeSet::new(), Vec::new());
    for page in 0.. {
        let from = page * PAGE;
        let path = format!("/api/admin/search/features?query={label}&limit={PAGE}&offset={from}");
        let (status, found) = program.call(&path, None).expect("an answer");
        assert_eq!(status, 200, "{found}");
        let batch = names(&found["features"], "name");
        let path = format!("/api/admin/search/events?type=IS:feature-created&query={label}&limit={PAGE}&offset={from}");
        let (status, found) = program.call(&path, None).expect("an answer");
        assert_eq!(status, 200, "{found}");
        let logged = names(&found["events"], "featureName");
        if batch.is_empty() && logged.is_empty() {
            break;
        }
        features.extend(batch);
        events.extend(logged);
    }
    (features, events)
}

#[tokio::test]
async fn a_node_that_is_killed_under_load_loses_nothing_acknowledged() {
    let Some(url) = empty_database().await else { return };
    let survivor = Arc::new(Program::start(&url));
    survivor.wait_until_ready();
    for round in 0..ROUNDS {
        let victim = Program::start(&url);
        victim.wait_until_ready();
        let stop = Arc::new(AtomicBool::new(false));
        let under_way = Arc::new(Mutex::new(BTreeSet::new()));
        let label = format!("round{round}");
        let (made_by_dying, made_by_living) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let write = |address: &str, who: &str, writer: usize, count: &Arc<AtomicUsize>| {
            let count = Arc::clone(count);
            let (address, label) = (address.to_owned(), format!("{label}-{who}-{writer}"));
            let (stop, under_way) = (Arc::clone(&stop), Arc::clone(&under_way));
            thread::spawn(move || {
                let (acknowledged, left) = create_until_stopped(&address, &label, &stop, &count);
                under_way.lock().expect("no writer panicked").extend(left);
                acknowledged
            })
        };
        let dying: Vec<_> =
            (0..WRITERS).map(|writer| write(&victim.address, "victim", writer, &made_by_dying)).collect();
        let living: Vec<_> =
            (0..WRITERS).map(|writer| write(&survivor.address, "survivor", writer, &made_by_living)).collect();
        wait_for(&made_by_dying, LOAD);
        wait_for(&made_by_living, LOAD);
        victim.kill();
        wait_for(&made_by_living, made_by_living.load(Ordering::SeqCst) + LOAD);
        stop.store(true, Ordering::SeqCst);
        let names = |writers: Vec<thread::JoinHandle<Vec<String>>>| -> BTreeSet<String> {
            writers.into_iter().flat_map(|writer| writer.join().expect("no writer panicked")).collect()
        };
        let (by_dying, by_living) = (names(dying), names(living));
        let acknowledged: BTreeSet<String> = by_dying.union(&by_living).cloned().collect();
        let under_way = under_way.lock().expect("no writer panicked");
        assert!(under_way.iter().all(|name| name.contains("victim")), "the survivor did not answer: {under_way:?}");
        let (features, mut events) = stored(&survivor, &label);
        assert!(acknowledged.is_subset(&features), "lost: {:?}", acknowledged.difference(&features));
        for extra in features.difference(&acknowledged) {
            assert!(under_way.contains(extra), "{extra} was never asked for");
        }
        events.sort_unstable();
        assert_eq!(
            events,
            features.into_iter().collect::<Vec<_>>(),
            "each feature has its event, and each event its feature"
        );
    }
}
