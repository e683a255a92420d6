//! What was acknowledged survives `kill -9`: the real binary is killed at random moments under write load, and its
//! database is compared with a ledger that the test keeps.

#[path = "../support/address.rs"]
mod address;
mod backups;
mod deliveries;
mod doctor;
mod exports;
mod place;
mod receiver;
#[path = "../support/scheduled.rs"]
mod scheduled;
mod schedules;

use std::{
    collections::BTreeMap,
    path::Path,
    process::{Child, Command, Stdio},
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

use address::ReservedAddress;

const TOKEN: &str = "*:*.durability-of-acknowledged-writes";
const WRITERS: usize = 4;
const ROUNDS: usize = 12;
/// Longest time from the first acknowledged write of a round to the kill.
const MAX_LOAD_MS: u64 = 400;
/// Time limit for something that takes no time.
const PATIENCE: Duration = Duration::from_mins(2);

struct Server {
    process: Child,
    address: ReservedAddress,
}

impl Server {
    fn start(directory: &Path) -> Self {
        Self::start_with(directory, &[])
    }

    fn start_with(directory: &Path, variables: &[(&str, &str)]) -> Self {
        let address = ReservedAddress::new();
        let process = Command::new(program())
            .current_dir(directory)
            .env_clear()
            .env("FLAGSTONE_LISTEN", address.get().to_string())
            .env("INIT_ADMIN_API_TOKENS", TOKEN)
            .env("UNLEASH_DEFAULT_ADMIN_USERNAME", "root")
            .env("UNLEASH_DEFAULT_ADMIN_PASSWORD", "Correct-horse-1")
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let server = Self { process, address };
        server.wait_until_ready();
        server
    }

    fn wait_until_ready(&self) {
        let started = Instant::now();
        while ureq::get(format!("http://{}/ready", self.address.get())).call().is_err() {
            assert!(started.elapsed() < PATIENCE, "the server does not become ready");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address.get())
    }

    fn get(&self, path: &str) -> Value {
        let mut answer = ureq::get(self.url(path)).header("Authorization", TOKEN).call().expect("an answer");
        answer.body_mut().read_json().expect("JSON")
    }

    fn id(&self) -> u32 {
        self.process.id()
    }

    /// The figures for monitoring.
    fn figures(&self) -> String {
        let url = self.url("/internal-backstage/prometheus");
        let mut answer = ureq::get(url).header("Authorization", TOKEN).call().expect("the figures");
        answer.body_mut().read_to_string().expect("text")
    }

    /// Asks the server to stop, and waits until it has.
    fn stop(mut self) {
        let pid = self.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
        assert!(self.process.wait().expect("the process ends").success());
    }

    /// SIGKILL: no handler runs, nothing is flushed.
    fn kill(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended on its own.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until something is so.
fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a line of what a program printed begins like this.
fn start_of(printed: &[u8], beginning: &str) -> bool {
    String::from_utf8_lossy(printed).lines().any(|line| line.starts_with(beginning))
}

/// The newest acknowledged description of each feature, and the one that was under way when the server died.
#[derive(Default)]
struct Ledger {
    acknowledged: BTreeMap<String, String>,
    under_way: BTreeMap<String, String>,
    acknowledged_writes: usize,
}

#[test]
fn acknowledged_writes_survive_a_kill_and_each_has_its_event() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    let mut random = TestRunner::default();
    let server = Server::start(directory.path());
    create_features(&server);
    server.kill();
    let rounds = kills(ROUNDS);
    for round in 0..rounds {
        let server = Server::start(directory.path());
        compare(&server, &mut ledger.lock().expect("no writer panicked"));
        let acknowledged = || ledger.lock().expect("no writer panicked").acknowledged_writes;
        let before = acknowledged();
        let stop = Arc::new(AtomicBool::new(false));
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (ledger, stop, url) = (Arc::clone(&ledger), Arc::clone(&stop), server.url(&path_of(writer)));
                thread::spawn(move || {
                    let label = format!("{round}-{writer}");
                    write_until_stopped(&label, &name_of(writer), &url, &ledger, &stop);
                })
            })
            .collect();
        eventually("a write is acknowledged", || acknowledged() > before);
        let load_ms = (0..MAX_LOAD_MS).new_tree(&mut random).expect("a number").current();
        thread::sleep(Duration::from_millis(load_ms));
        server.kill();
        stop.store(true, Ordering::SeqCst);
        for writer in writers {
            writer.join().expect("no writer panicked");
        }
    }
    let server = Server::start(directory.path());
    let mut ledger = ledger.lock().expect("no writer panicked");
    compare(&server, &mut ledger);
    server.kill();
    assert!(ledger.acknowledged_writes >= rounds, "only {} writes were acknowledged", ledger.acknowledged_writes);
}

fn name_of(writer: usize) -> String {
    format!("durable-{writer}")
}

fn path_of(writer: usize) -> String {
    format!("/api/admin/projects/default/features/{}", name_of(writer))
}

/// The program that was built, or the one that `FLAGSTONE_BINARY` names.
#[expect(clippy::disallowed_methods, reason = "what to test is no setting of the program")]
fn program() -> String {
    std::env::var("FLAGSTONE_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_flagstone").to_owned())
}

/// Number of kills: often enough to notice, or as many as `FLAGSTONE_KILLS` says.
#[expect(clippy::disallowed_methods, reason = "how long to test is no setting of the program")]
fn kills(usual: usize) -> usize {
    std::env::var("FLAGSTONE_KILLS").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

fn create_features(server: &Server) {
    let features: Vec<Value> = (0..WRITERS).map(|writer| json!({ "name": name_of(writer) })).collect();
    let import = json!({
        "project": "default",
        "environment": "development",
        "data": { "features": features, "featureStrategies": [], "tagTypes": [] },
    });
    ureq::post(server.url("/api/admin/features-batch/import"))
        .header("Authorization", TOKEN)
        .send_json(import)
        .expect("the import is accepted");
}

/// One write after the other, each noted before it is sent and once more when it is acknowledged.
fn write_until_stopped(label: &str, feature: &str, url: &str, ledger: &Mutex<Ledger>, stop: &AtomicBool) {
    for number in 0.. {
        if stop.load(Ordering::SeqCst) {
            return;
        }
        let description = format!("{label}-{number}");
        ledger.lock().expect("no writer panicked").under_way.insert(feature.to_owned(), description.clone());
        let answer = ureq::patch(url)
            .header("Authorization", TOKEN)
            .send_json(json!([{ "op": "replace", "path": "/description", "value": description }]));
        if answer.is_err() {
            return;
        }
        let mut ledger = ledger.lock().expect("no writer panicked");
        ledger.acknowledged.insert(feature.to_owned(), description);
        ledger.acknowledged_writes += 1;
    }
}

/// The stored description is the newest acknowledged one, or the one under way at the kill; and the events of the
/// feature are an unbroken chain that ends in it.
fn compare(server: &Server, ledger: &mut Ledger) {
    for writer in 0..WRITERS {
        let feature = name_of(writer);
        let stored = stored_description(server, &feature);
        let acknowledged = ledger.acknowledged.get(&feature).cloned();
        let under_way = ledger.under_way.remove(&feature);
        assert!(
            stored == acknowledged || (under_way.is_some() && stored == under_way),
            "{feature} is {stored:?}, acknowledged was {acknowledged:?}, under way {under_way:?}"
        );
        if let Some(stored) = &stored {
            ledger.acknowledged.insert(feature.clone(), stored.clone());
        }
        check_events(server, &feature, stored.as_deref());
    }
}

fn stored_description(server: &Server, feature: &str) -> Option<String> {
    let found = server.get(&format!("/api/admin/search/features?query={feature}"));
    assert_eq!(found["total"], 1, "{feature}");
    found["features"][0]["description"].as_str().map(str::to_owned)
}

fn check_events(server: &Server, feature: &str, stored: Option<&str>) {
    let mut before = Value::Null;
    let mut events = Vec::new();
    for page in 0.. {
        let path = format!(
            "/api/admin/search/events?feature=IS:{feature}&type=IS:feature-metadata-updated&limit=1000&offset={}",
            page * 1000
        );
        let found = server.get(&path);
        let batch = found["events"].as_array().expect("events").clone();
        let last = batch.len() < 1000;
        events.extend(batch);
        if last {
            assert_eq!(found["total"], events.len(), "{feature}");
            break;
        }
    }
    for event in events.iter().rev() {
        assert_eq!(event["preData"]["description"], before, "{feature}: a change without its event before {event}");
        before = event["data"]["description"].clone();
    }
    assert_eq!(before.as_str(), stored, "{feature}: the newest event is not what is stored");
}

#[test]
fn a_signal_to_stop_lets_the_request_under_way_finish() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start(directory.path());
    create_features(&server);
    let pid = server.process.id().to_string();
    let slow = {
        let url = server.url(&path_of(0));
        thread::spawn(move || {
            ureq::patch(&url)
                .header("Authorization", TOKEN)
                .send_json(json!([{ "op": "replace", "path": "/description", "value": "last words" }]))
                .map(|answer| answer.status().as_u16())
        })
    };
    thread::sleep(Duration::from_millis(5));
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
    let exit = server.process.wait().expect("the process ends");
    assert!(exit.success(), "{exit}");
    let acknowledged = matches!(slow.join().expect("no panic"), Ok(200));
    // The log is folded into the file when the database is closed properly.
    let leftover = std::fs::metadata(directory.path().join("flagstone.db-wal")).map_or(0, |file| file.len());
    assert_eq!(leftover, 0, "the database was not closed");
    let server = Server::start(directory.path());
    let stored = stored_description(&server, &name_of(0));
    server.kill();
    assert!(!acknowledged || stored.as_deref() == Some("last words"), "{stored:?}");
}

#[test]
fn the_first_start_prints_secrets_once_and_the_second_none() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let printed = |expected_secrets: bool| {
        let address = ReservedAddress::new();
        let process = Command::new(env!("CARGO_BIN_EXE_flagstone"))
            .current_dir(directory.path())
            .env_clear()
            .env("FLAGSTONE_LISTEN", address.get().to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut server = Server { process, address };
        server.wait_until_ready();
        let output = server.process.stdout.take().expect("piped");
        server.kill();
        let text = std::io::read_to_string(output).expect("UTF-8");
        assert_eq!(text.contains("*:*."), expected_secrets, "{text}");
        text
    };
    let first = printed(true);
    let token = first.split_whitespace().find(|word| word.starts_with("*:*.")).expect("a token").to_owned();
    printed(false);
    for file in ["flagstone.db", "flagstone.db-wal", "flagstone.key"] {
        let path = directory.path().join(file);
        let mode = std::os::unix::fs::PermissionsExt::mode(&path.metadata().expect("a file").permissions());
        assert_eq!(mode & 0o077, 0, "{file} is open to others");
        let bytes = std::fs::read(directory.path().join(file)).expect("the database");
        assert!(
            !bytes.windows(token.len()).any(|window| window == token.as_bytes()),
            "{file} holds the token in clear"
        );
    }
}
