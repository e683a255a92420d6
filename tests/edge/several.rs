//! Tokens of several projects in one environment, and programs that are told of changes as they happen.

use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use super::program::{ADMIN, CLIENT, FRONTEND, Home, Program, agent};

fn token(server: &Program, kind: &str, projects: &[&str]) -> String {
    let name = format!("{kind} of {}", projects.join(" and "));
    let token = json!({ "tokenName": name, "type": kind, "environment": "development", "projects": projects });
    server.administer("/api/admin/api-tokens", &token)["secret"].as_str().expect("a secret").to_owned()
}

fn feature(server: &Program, project: &str, name: &str) {
    let features = format!("/api/admin/projects/{project}/features");
    server.administer(&features, &json!({ "name": name }));
    let place = format!("{features}/{name}/environments/development");
    server.administer(&format!("{place}/strategies"), &json!({ "name": "default" }));
    server.administer(&format!("{place}/on"), &json!({}));
}

#[test]
fn tokens_of_several_projects_bring_one_environment_together() {
    let (upstream, home) = (Home::new(), Home::new());
    let server = upstream.server();
    server.administer("/api/admin/projects", &json!({ "id": "other", "name": "Other" }));
    feature(&server, "default", "here");
    feature(&server, "other", "there");
    let (one, two) = (token(&server, "client", &["default"]), token(&server, "client", &["other"]));
    let both = token(&server, "frontend", &["default", "other"]);
    let edge = home.edge(server.address, &[("TOKENS", &format!("{one},{two}"))]);
    edge.wait_until_ready();
    let asked = |program: &Program, path: &str, token: &str| program.get(path, token).expect("an answer");
    let same = || {
        [("/api/client/features", &one), ("/api/client/features", &two), ("/api/frontend?sessionId=s", &both)]
            .into_iter()
            .all(|(path, token)| asked(&edge, path, token) == asked(&server, path, token))
    };
    edge.wait("all is as on the server", same);
    assert!(asked(&edge, "/api/frontend?sessionId=s", &both).body.contains("there"));
    let known = asked(&edge, "/api/client/delta", &one);
    feature(&server, "other", "more");
    server.delete("/api/admin/projects/default/features/here");
    edge.wait("changes of both arrive", same);
    assert!(asked(&edge, "/api/frontend?sessionId=s", &both).body.contains("more"));
    // The numbers are the edge's own here: its own are understood, and others answered with everything.
    let told = |tag: &str| {
        let headers = [("Authorization", one.as_str()), ("If-None-Match", tag)];
        edge.ask("/api/client/delta", &headers).expect("an answer").json()
    };
    let kinds = |told: &Value| {
        told["events"].as_array().expect("events").iter().map(|event| event["type"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&told(&known.etag.expect("a tag"))), ["feature-removed"]);
    assert_eq!(kinds(&told("\"7\"")), ["hydration"]);
    // Both reach all projects together, but no token that reaches those to come is covered by them.
    let refused = asked(&edge, "/api/frontend", FRONTEND);
    assert_eq!((refused.status, &refused.json()["name"]), (403, &json!("NotCoveredError")), "{refused:?}");
    assert_eq!(asked(&edge, "/api/client/features", ADMIN).status, 403);
}

#[test]
fn a_change_is_heard_at_once_by_a_program_that_listens_behind_a_chain() {
    let (upstream, home, behind) = (Home::new(), Home::new(), Home::new());
    let server = upstream.server();
    server.feature("first");
    // Nothing is asked for in time to find the change so.
    let slow = [("FEATURES_REFRESH_INTERVAL_SECONDS", "3600")];
    let edge = home.edge(server.address, &slow);
    edge.wait_until_ready();
    let last = behind.edge(edge.address, &slow);
    last.wait_until_ready();
    let url = format!("http://{}/api/client/streaming", last.address);
    let stream = agent().get(url).header("Authorization", CLIENT).call().expect("a stream");
    let mut lines = BufReader::new(stream.into_body().into_reader()).lines();
    let mut hear = |words: &str| {
        lines.by_ref().map(|line| line.expect("a line")).find(|line| line.contains(words)).expect("it is said")
    };
    hear("unleash-connected");
    assert!(hear("data:").contains("first"));
    server.feature("second");
    hear("unleash-updated");
    assert!(hear("feature-updated").contains("second"));
    assert!(last.figure("flagstone_streams_open") >= 1.0);
}
