//! What an edge has gathered survives SIGKILL, and is counted once; and what it cannot read is named.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::json;

use super::{
    program::{CLIENT, Home},
    upstream::{Fake, Reply},
    usage::{BULK, counted, forwarded, report},
};

/// Within which usage is written down, and some for slow disks.
const WRITTEN: Duration = Duration::from_millis(1500);

#[test]
fn usage_that_was_not_reported_survives_a_kill() {
    let (upstream, home) = (Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let edge = home.edge(server.address, &[("METRICS_INTERVAL_SECONDS", "600")]);
    edge.wait_until_ready();
    for _ in 0..40 {
        report(&edge, "/api/client/metrics", CLIENT, "a", 1);
    }
    thread::sleep(WRITTEN);
    edge.kill();
    assert_eq!(counted(&server, "a"), (0, 0), "nothing was sent");
    // Nor is it lost by a second kill, before anything was sent.
    let edge = home.edge(server.address, &[("METRICS_INTERVAL_SECONDS", "600")]);
    edge.wait_until_ready();
    edge.kill();
    let edge = home.edge(server.address, &[]);
    edge.wait_until_ready();
    server.wait("all of it arrives", || counted(&server, "a") == (40, 40));
    // What arrived is not there to be sent again.
    thread::sleep(WRITTEN);
    edge.kill();
    let edge = home.edge(server.address, &[]);
    edge.wait_until_ready();
    report(&edge, "/api/client/metrics", CLIENT, "a", 1000);
    server.wait("the last arrives", || counted(&server, "a").0 >= 1040);
    assert_eq!(counted(&server, "a"), (1040, 41));
}

#[test]
fn a_report_under_way_at_a_kill_is_counted_once() {
    let (upstream, home) = (Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let (address, hangs) = (server.address, Arc::new(AtomicBool::new(true)));
    let is_hanging = Arc::clone(&hangs);
    let way = Fake::start(move |request| {
        let answer = forwarded(address, request);
        // The server has it, and the edge does not hear of that.
        if request.is_for(BULK) && is_hanging.load(Ordering::SeqCst) { Reply::Hang } else { answer }
    });
    let variables = [("FLAGSTONE_EDGE_FETCH", "poll")];
    let edge = home.edge(way.address, &variables);
    edge.wait_until_ready();
    report(&edge, "/api/client/metrics", CLIENT, "a", 10);
    server.wait("it arrives", || counted(&server, "a") == (10, 1));
    edge.kill();
    hangs.store(false, Ordering::SeqCst);
    let edge = home.edge(way.address, &variables);
    edge.wait_until_ready();
    report(&edge, "/api/client/metrics", CLIENT, "a", 100);
    server.wait("the other arrives", || counted(&server, "a").0 >= 110);
    edge.wait("the first is sent again", || way.heard(BULK).len() >= 3);
    assert_eq!(counted(&server, "a"), (110, 2));
}

#[test]
fn what_an_edge_cannot_read_is_named_and_stops_nothing() {
    let features = r#"{"version":2,"features":[
        {"name":"odd","enabled":5,"project":"p","strategies":[{"name":"default","constraints":{"a":1}}]},
        {"name":"huge","enabled":true,"project":"p","strategies":[{"name":"flexibleRollout","parameters":{"rollout":1e400}}]},
        {"name":"fine","enabled":true,"project":"p","strategies":[]},
        7],"segments":[3]}"#;
    let answers = move |request: &super::upstream::Request| {
        if request.is_for("/edge/validate") {
            let token = json!({ "token": CLIENT, "type": "client", "projects": ["*"], "environment": "development" });
            return Reply::json(&json!({ "tokens": [token] }).to_string());
        }
        if request.is_for("/api/client/features") {
            return Reply::json(features);
        }
        Reply::of(404, "application/json", "{}")
    };
    let (fake, home) = (Fake::start(answers), Home::new());
    let edge = home.edge(fake.address, &[]);
    edge.wait_until_ready();
    for name in ["odd", "huge", "fine"] {
        assert!(edge.tells_of(name), "{name}: {}", edge.log());
    }
    let log = edge.log();
    for part in [
        "feature_environments odd, enabled: 5",
        "feature_strategies odd, strategy 1",
        "features huge: \"1e400\"",
        "segments",
    ] {
        assert!(log.contains(part), "{part}: {log}");
    }
    let about = edge.get("/internal-backstage/instancedata", CLIENT).expect("an answer").json();
    let repaired = about["repaired"]["development"].as_array().expect("repairs");
    assert!(repaired.iter().any(|repair| repair["key"] == "odd" && repair["column"] == "enabled"), "{about}");
    assert!(edge.figure("flagstone_edge_repaired_values{environment=\"development\"}") >= 4.0);
    // Each is told once, however often it is answered.
    thread::sleep(Duration::from_secs(3));
    assert_eq!(edge.log().matches("feature_environments odd, enabled: 5").count(), 1);
}
