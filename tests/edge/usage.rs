//! Usage that programs report to an edge arrives at the server, all of it and once; and what edges tell about
//! themselves.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::{Value, json};

use super::{
    program::{ADMIN, CLIENT, FRONTEND, Home, Program, agent},
    upstream::{Fake, Reply, Request},
};

pub const BULK: &str = "/api/client/metrics/bulk";

/// Asks a server what a request asked, and gives its answer.
pub fn forwarded(server: SocketAddr, request: &Request) -> Reply {
    let mut line = request.head.lines().next().expect("a line").split(' ');
    let (method, path) = (line.next().expect("a method"), line.next().expect("a path"));
    let mut builder = ureq::http::Request::builder().method(method).uri(format!("http://{server}{path}"));
    for (name, value) in request.head.lines().skip(1).filter_map(|line| line.split_once(": ")) {
        if ["authorization", "content-type", "idempotency-key", "unleash-client-spec"]
            .contains(&&*name.to_ascii_lowercase())
        {
            builder = builder.header(name, value);
        }
    }
    let answer = match method {
        "GET" => agent().run(builder.body(()).expect("a request")),
        _ => agent().run(builder.body(request.body.clone()).expect("a request")),
    };
    let mut answer = answer.expect("an answer");
    let body = answer.body_mut().read_to_string().expect("a text");
    Reply::of(answer.status().as_u16(), "application/json", &body)
}

/// Reports evaluations, as a program does.
pub fn report(edge: &Program, path: &str, token: &str, feature: &str, yes: i64) {
    let bucket = json!({ "start": null, "stop": null, "toggles": { feature: { "yes": yes, "no": 1, "variants": { "red": 1 } } } });
    let body = json!({ "appName": "shop", "instanceId": "one", "bucket": bucket });
    let answer = edge.post(path, token, &body).expect("an answer");
    assert!(matches!(answer.status, 200 | 202), "{answer:?}");
}

/// Evaluations of a feature that a server knows of: on and off.
pub fn counted(server: &Program, feature: &str) -> (i64, i64) {
    let path = format!("/api/admin/client-metrics/features/{feature}/raw?hoursBack=24");
    let told = server.get(&path, ADMIN).expect("an answer").json();
    let sum =
        |key: &str| told["data"].as_array().map_or(0, |rows| rows.iter().filter_map(|row| row[key].as_i64()).sum());
    (sum("yes"), sum("no"))
}

#[test]
fn what_programs_report_to_a_chain_of_edges_arrives_once_also_after_a_silence_and_at_the_end() {
    let (upstream, home, behind) = (Home::new(), Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let edge = home.edge(server.address, &[]);
    edge.wait_until_ready();
    let second = behind.edge(edge.address, &[]);
    second.wait_until_ready();
    let register = json!({ "appName": "shop", "instanceId": "one", "sdkVersion": "sdk:1.0.0", "strategies": ["default"],
                           "started": "2026-01-01T00:00:00Z", "interval": 1000 });
    assert!(second.post("/api/client/register", CLIENT, &register).is_some_and(|answer| answer.status == 202));
    for _ in 0..5 {
        report(&second, "/api/client/metrics", CLIENT, "a", 10);
        report(&edge, "/api/frontend/client/metrics", FRONTEND, "a", 100);
    }
    server.wait("the counts arrive", || counted(&server, "a") == (550, 10));
    server.wait("the program is known", || {
        let path = "/api/admin/metrics/applications/shop";
        server.get(path, ADMIN).is_some_and(|answer| answer.body.contains("sdk:1.0.0") || answer.status == 200)
    });
    server.wait("tokens count as used", || {
        let tokens = server.get("/api/admin/api-tokens", ADMIN).expect("an answer").json();
        let tokens = tokens["tokens"].as_array().expect("tokens");
        tokens.iter().filter(|token| token["type"] != "admin").all(|token| token["seenAt"].is_string())
    });
    // Stopped in order, so that nothing is lost in the server itself.
    server.stop();
    report(&second, "/api/client/metrics", CLIENT, "a", 1000);
    edge.wait("the silence is noticed", || edge.figure("flagstone_edge_reports_total{outcome=\"kept\"}") > 0.0);
    let server = upstream.server();
    server.wait("nothing is lost", || counted(&server, "a") == (1550, 11));
    report(&edge, "/api/client/metrics", CLIENT, "a", 5);
    edge.stop();
    server.wait("the last report arrives", || counted(&server, "a") == (1555, 12));
    drop(second);
}

#[test]
fn names_that_nobody_made_are_told_through_a_chain_of_edges_also_by_one_that_starts_anew() {
    let (upstream, home, behind) = (Home::new(), Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let edge = home.edge(server.address, &[]);
    edge.wait_until_ready();
    let second = behind.edge(edge.address, &[]);
    second.wait_until_ready();
    let unknown = |server: &Program| -> Vec<Value> {
        let told = server.get("/api/admin/metrics/unknown-flags", ADMIN).expect("an answer").json();
        let mut flags = told["unknownFlags"].as_array().expect("a list").clone();
        flags.sort_by_key(|flag| flag["name"].to_string());
        flags
    };
    let names = |server: &Program| unknown(server).iter().map(|flag| flag["name"].clone()).collect::<Vec<_>>();
    for feature in ["a", "misspelt"] {
        report(&second, "/api/client/metrics", CLIENT, feature, 10);
        report(&edge, "/api/frontend/client/metrics", FRONTEND, &format!("{feature}-too"), 10);
    }
    report(&second, "/api/client/metrics", CLIENT, &"x".repeat(256), 10);
    server.wait("the names arrive", || names(&server) == ["a-too", "misspelt", "misspelt-too"]);
    let environments = &unknown(&server)[1]["reports"][0]["environments"];
    assert_eq!(
        (&unknown(&server)[1]["reports"][0]["appName"], environments.as_array().map(Vec::len)),
        (&json!("shop"), Some(1))
    );
    assert_eq!(environments[0]["environment"], "development");
    server.wait("what is known is counted", || counted(&server, "a") == (10, 1));
    assert_eq!(counted(&server, "misspelt"), (0, 0));
    // What could not be told is kept, also on disk.
    server.stop();
    report(&edge, "/api/client/metrics", CLIENT, "late", 10);
    edge.wait("the silence is noticed", || edge.figure("flagstone_edge_reports_total{outcome=\"kept\"}") > 0.0);
    edge.stop();
    let server = upstream.server();
    let edge = home.edge(server.address, &[]);
    edge.wait_until_ready();
    server.wait("the last name arrives", || names(&server).contains(&json!("late")));
    drop((edge, second));
}

#[test]
fn large_reports_go_in_parts_and_what_is_refused_alone_is_left_out() {
    let answers = |request: &Request| {
        if request.is_for("/edge/validate") {
            let token = json!({ "token": CLIENT, "type": "client", "projects": ["*"], "environment": "development" });
            return Reply::json(&json!({ "tokens": [token] }).to_string());
        }
        if request.is_for("/api/client/features") {
            let features: Vec<Value> =
                (0..600).map(|number| json!({ "name": format!("feature-{number}"), "project": "p" })).collect();
            return Reply::json(&json!({ "version": 2, "features": features }).to_string());
        }
        if request.is_for("/api/client/metrics/bulk") {
            let is_bad = request.body.contains("\"feature-13\"") || request.body.len() >= 90_000;
            return Reply::of(if is_bad { 413 } else { 202 }, "application/json", "");
        }
        Reply::of(404, "application/json", "{}")
    };
    let (fake, home) = (Fake::start(answers), Home::new());
    let edge = home.edge(fake.address, &[]);
    edge.wait_until_ready();
    let variants: Value = (0..20).map(|number| (format!("variant-with-a-long-name-{number}"), json!(1))).collect();
    let toggles: Value = (0..600)
        .map(|number| (format!("feature-{number}"), json!({ "yes": 1, "no": 0, "variants": variants })))
        .collect();
    let body = json!({ "appName": "shop", "bucket": { "toggles": toggles } });
    assert_eq!(edge.post("/api/client/metrics", CLIENT, &body).map(|answer| answer.status), Some(202));
    let accepted = || {
        let heard = fake.heard("/api/client/metrics/bulk").into_iter();
        let good = heard.filter(|request| !request.body.contains("\"feature-13\""));
        let mut names: Vec<String> = good
            .flat_map(|request| {
                let told: Value = serde_json::from_str(&request.body).expect("JSON");
                let metrics = told["metrics"].as_array().expect("a list").clone();
                metrics.into_iter().map(|one| one["featureName"].as_str().expect("a name").to_owned())
            })
            .collect();
        names.sort();
        names
    };
    edge.wait("all but one arrive", || accepted().len() >= 599);
    edge.wait("the one is counted", || edge.figure("flagstone_edge_reports_total{outcome=\"refused\"}") >= 1.0);
    let names = accepted();
    let mut once = names.clone();
    once.dedup();
    assert_eq!((names.len(), once.len()), (599, 599), "each once");
    assert!(fake.heard("/api/client/metrics/bulk").iter().all(|request| request.body.len() < 90_000));
}

#[test]
fn a_server_lists_its_edges_with_those_behind_them() {
    let (upstream, home, behind) = (Home::new(), Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let edge = home.edge(server.address, &[("INSTANCE_ID", "first"), ("APP_NAME", "edges"), ("AWS_REGION", "north")]);
    edge.wait_until_ready();
    let second = behind.edge(edge.address, &[("INSTANCE_ID", "second"), ("APP_NAME", "edges")]);
    second.wait_until_ready();
    let list = || server.get("/api/admin/metrics/edges", ADMIN).expect("an answer").json();
    server.wait("the first shows", || list()["edges"][0]["instanceId"] == "first");
    let first = &list()["edges"][0];
    assert_eq!((&first["region"], &first["outOfSightSince"]), (&json!("north"), &Value::Null), "{first}");
    assert_eq!(first["states"][0]["environment"], "development", "{first}");
    assert!(first["stateAgeSeconds"].is_u64() && first["ready"] == true, "{first}");
    edge.wait("the first knows of the second", || {
        let told = edge.get("/internal-backstage/instancedata", CLIENT).expect("an answer").json();
        told["connectedEdges"][0]["identifier"] == "second"
    });
    let told = edge.get("/internal-backstage/instancedata", CLIENT).expect("an answer").json();
    assert!(told["latencyUpstream"]["edge"]["count"].as_f64() >= Some(1.0), "{told}");
    assert!(told["traffic"]["get"].as_object().is_some_and(|routes| !routes.is_empty()), "{told}");
}

#[test]
fn a_report_whose_answer_is_lost_is_counted_once_also_by_an_edge_that_starts_anew() {
    let (upstream, home) = (Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let (address, loses) = (server.address, Arc::new(AtomicBool::new(true)));
    let is_losing = Arc::clone(&loses);
    let way = Fake::start(move |request| {
        let answer = forwarded(address, request);
        if !request.is_for(BULK) || !is_losing.load(Ordering::SeqCst) {
            return answer;
        }
        // The connection ends, or a proxy says that it had no answer.
        let is_cut = request.body.len() % 2 == 0;
        if is_cut { Reply::Bytes(Vec::new()) } else { Reply::of(504, "text/plain", "no answer") }
    });
    let variables = [("FLAGSTONE_EDGE_FETCH", "poll")];
    let edge = home.edge(way.address, &variables);
    edge.wait_until_ready();
    let keys = || {
        let key = |request: &Request| {
            let line = request.head.lines().find(|line| line.to_ascii_lowercase().starts_with("idempotency-key: "));
            line.expect("a key").to_owned()
        };
        way.heard(BULK).iter().map(|request| (key(request), request.body.clone())).collect::<Vec<_>>()
    };
    report(&edge, "/api/client/metrics", CLIENT, "a", 10);
    server.wait("it arrives", || counted(&server, "a") == (10, 1));
    report(&edge, "/api/client/metrics", CLIENT, "a", 100);
    edge.wait("it is sent again", || keys().iter().filter(|key| **key == keys()[0]).count() >= 3);
    loses.store(false, Ordering::SeqCst);
    server.wait("the other arrives", || counted(&server, "a") == (110, 2));
    loses.store(true, Ordering::SeqCst);
    report(&edge, "/api/client/metrics", CLIENT, "a", 1000);
    server.wait("the next arrives", || counted(&server, "a").0 >= 1110);
    edge.stop();
    let edge = home.edge(way.address, &variables);
    edge.wait_until_ready();
    loses.store(false, Ordering::SeqCst);
    report(&edge, "/api/client/metrics", CLIENT, "a", 10_000);
    server.wait("the last arrives", || counted(&server, "a").0 >= 11_110);
    assert_eq!(counted(&server, "a"), (11_110, 4));
}

#[test]
fn an_edge_judges_what_others_report_as_a_server_does() {
    let (upstream, home) = (Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let edge = home.edge(server.address, &[]);
    edge.wait_until_ready();
    let metric = |environment: &str, started: &str| json!({ "featureName": "a", "appName": "shop", "environment": environment, "timestamp": started, "yes": 1 });
    let now = "2026-01-01T00:00:07.123Z";
    let seen = "*:development.edges-are-tested-by-somebody-whose-token-is-as-long-as-those-of-the-field";
    let body = json!({
        "applications": [{ "appName": "" }, { "appName": "kept", "instanceId": "i" }, { "appName": "other", "environment": "production" }],
        "metrics": [metric("development", now), metric("production", now), { "appName": "shop" }],
        "seenTokens": [seen, 7],
    });
    for _ in 0..3 {
        assert_eq!(edge.post(BULK, CLIENT, &body).map(|answer| answer.status), Some(202));
    }
    server.wait("the counts arrive", || counted(&server, "a").0 >= 1);
    // One more, from which on everything before has been told.
    report(&edge, "/api/client/metrics", CLIENT, "a", 10);
    server.wait("the last arrives", || counted(&server, "a").0 >= 11);
    assert_eq!(counted(&server, "a"), (11, 1));
    for program in [&server, &edge] {
        assert!(!program.log().contains("somebody-whose-token"), "no secret in the log");
    }
    let count = |series: &str| format!("{:.0}", edge.figure(series));
    let left_out = ["unfit", "environment"]
        .map(|reason| count(&format!("flagstone_usage_entries_left_out_total{{reason=\"{reason}\"}}")));
    assert_eq!(left_out, ["9", "6"]);
    assert_eq!(count("flagstone_usage_reports_repeated_total"), "2");
    assert!(edge.log().contains("entries of a report were left out"), "{}", edge.log());
}
