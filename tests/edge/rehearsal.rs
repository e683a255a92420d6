//! A server, two edges in a chain, and programs behind them that ask without a pause while everything else falls over.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use serde_json::json;

use super::program::{ADMIN, Answer, CLIENT, FRONTEND, Home, Program, agent};

/// A program that asks each 100 ms and reports what it asked.
struct Asking {
    stop: Arc<AtomicBool>,
    rounds: Arc<AtomicU64>,
    reported: Arc<AtomicI64>,
    work: JoinHandle<Vec<String>>,
}

impl Asking {
    fn start(address: std::net::SocketAddr) -> Self {
        let (stop, rounds, reported) =
            (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default(), Arc::<AtomicI64>::default());
        let (stopped, counted, counts) = (Arc::clone(&stop), Arc::clone(&rounds), Arc::clone(&reported));
        let work = thread::spawn(move || {
            let mut wrong = Vec::new();
            while !stopped.load(Ordering::SeqCst) {
                wrong.extend(round(address));
                if let Some(fault) = report(address) {
                    wrong.push(fault);
                } else {
                    counts.fetch_add(1, Ordering::SeqCst);
                }
                counted.fetch_add(1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(100));
            }
            wrong
        });
        Self { stop, rounds, reported, work }
    }

    /// Waits until so many more rounds are done.
    fn pass(&self, rounds: u64, among: &Program) {
        for _ in 0..rounds {
            let before = self.rounds.load(Ordering::SeqCst);
            among.wait("programs go on asking", || self.rounds.load(Ordering::SeqCst) > before);
        }
    }

    fn end(self) -> (Vec<String>, i64) {
        self.stop.store(true, Ordering::SeqCst);
        (self.work.join().expect("it ends"), self.reported.load(Ordering::SeqCst))
    }
}

/// Faults in the answers of a moment: the feature `always` is on, whatever happens.
fn round(address: std::net::SocketAddr) -> Vec<String> {
    let ask = |path: &str, token: &str, body: Option<serde_json::Value>| {
        let url = format!("http://{address}{path}");
        let answer = match body {
            Some(body) => agent().post(url).header("Authorization", token).send_json(body),
            None => agent().get(url).header("Authorization", token).call(),
        };
        let mut answer = answer.map_err(|error| format!("{path}: {error}"))?;
        let status = answer.status().as_u16();
        let text = answer.body_mut().read_to_string().unwrap_or_default();
        let is_right = status == 200 && text.contains("always");
        if is_right { Ok(()) } else { Err(format!("{path}: {status} {text}")) }
    };
    [
        ask("/api/client/features", CLIENT, None),
        ask("/api/frontend?userId=7", FRONTEND, None),
        ask("/ofrep/v1/evaluate/flags", FRONTEND, Some(json!({ "context": { "targetingKey": "7" } }))),
    ]
    .into_iter()
    .filter_map(Result::err)
    .collect()
}

fn report(address: std::net::SocketAddr) -> Option<String> {
    let body =
        json!({ "appName": "shop", "instanceId": "one", "bucket": { "toggles": { "always": { "yes": 1, "no": 0 } } } });
    let url = format!("http://{address}/api/client/metrics");
    match agent().post(url).header("Authorization", CLIENT).send_json(body) {
        Ok(answer) if answer.status() == 202 => None,
        other => Some(format!("a report was not taken: {other:?}")),
    }
}

#[test]
fn programs_behind_a_chain_notice_nothing_of_a_server_that_is_gone() {
    rehearse(10);
}

/// By hand: `cargo test --test edge -- --ignored an_hour`.
#[test]
#[ignore = "takes an hour and a quarter"]
fn an_hour_without_the_server_costs_nothing() {
    rehearse(12_000);
}

/// The server goes, and the first edge twice while it is gone: each time so many questions are asked by programs.
fn rehearse(rounds: u64) {
    let (upstream, home, behind) = (Home::new(), Home::new(), Home::new());
    let server = upstream.server();
    server.feature("always");
    let edge = home.edge(server.address, &[]);
    edge.wait_until_ready();
    let last = behind.edge(edge.address, &[]);
    last.wait_until_ready();
    last.wait("frontend tokens are known", || {
        last.get("/api/frontend", FRONTEND).is_some_and(|answer| answer.status == 200)
    });
    let asking = Asking::start(last.address);
    asking.pass(10, &last);
    // Reports that the server had taken in and not written yet would die with it.
    server.stop();
    asking.pass(rounds, &last);
    let mut first = edge;
    for _ in 0..2 {
        first.stop();
        first = home.edge(upstream.address.get(), &[]);
        first.wait_until_ready();
        asking.pass(rounds, &last);
    }
    let server = upstream.server();
    server.feature("later");
    last.wait("what is new reaches the last edge", || last.tells_of("later"));
    asking.pass(5, &last);
    // Killed, with nothing on its way to it.
    let before = counted(&server);
    server.wait("reports arrive again", || counted(&server) > before);
    let (wrong, reported) = asking.end();
    assert!(wrong.is_empty(), "{wrong:?}\n{}", last.log());
    server.wait("every report is counted", || counted(&server) == reported);
    server.kill();
    assert!(last.tells_of("later") && first.tells_of("later"));
}

fn counted(server: &Program) -> i64 {
    let path = "/api/admin/client-metrics/features/always/raw?hoursBack=24";
    let told: Option<Answer> = server.get(path, ADMIN);
    let rows = told.expect("an answer").json()["data"].as_array().cloned().unwrap_or_default();
    rows.iter().filter_map(|row| row["yes"].as_i64()).sum()
}
