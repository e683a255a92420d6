use serde_json::{Value, json};

use crate::{admin_token::ADMIN_TOKEN, harness::TestApp};

#[tokio::test]
async fn a_proxy_learns_which_tokens_are_valid() {
    let app = TestApp::new().await;
    let known = app.program_token(&["shop", "other"], "development", None).await;
    let ended = app.program_token(&["*"], "development", Some(app.clock.now())).await;
    let tokens = json!([known, "nobody", ended, ADMIN_TOKEN, known, "user:x", ""]);
    let answer = app.anonymous().post("/edge/validate", json!({ "tokens": tokens })).await.expect(200);
    assert_eq!(
        answer,
        json!({ "tokens": [
            { "token": known, "type": "client", "projects": ["other", "shop"], "environment": "development" },
            { "token": ADMIN_TOKEN, "type": "admin", "projects": ["*"], "environment": "*" },
        ] })
    );
    let answer = app.anonymous().post("/edge/validate", json!({ "tokens": [] })).await.expect(200);
    assert_eq!(answer, json!({ "tokens": [] }));
    let many = vec!["x"; 501];
    for (body, place) in [
        (json!({}), "/body/tokens"),
        (json!({ "tokens": [1] }), "/body/tokens/0"),
        (json!({ "tokens": many }), "tokens"),
    ] {
        app.anonymous().post("/edge/validate", body).await.refused(400, "ValidationError", place);
    }
}

/// Whether a token is one costs a question to the database, and an answer to whoever guesses.
#[tokio::test]
async fn unknown_tokens_are_limited_and_valid_ones_are_not() {
    let app = TestApp::new().await;
    let known = app.program_token(&["*"], "development", None).await;
    let ask = async |tokens: Vec<String>| app.anonymous().post("/edge/validate", json!({ "tokens": tokens })).await;
    let unknown = |count: usize| (0..count).map(|number| format!("*:development.{number}")).collect::<Vec<_>>();
    for _ in 0..300 {
        assert_eq!(ask(vec![known.clone()]).await.expect(200)["tokens"][0]["token"], known);
    }
    ask(unknown(60)).await.expect(200);
    ask(vec![known.clone(), "*:development.guess".to_owned()]).await.expect(200);
    let refused = ask(unknown(60)).await;
    assert_eq!(refused.headers["retry-after"], "13");
    refused.refused(429, "RateLimitError", "13 seconds");
    assert_eq!(ask(vec![known.clone()]).await.expect(200)["tokens"][0]["token"], known);
    app.clock.advance(13_000);
    ask(unknown(60)).await.expect(200);
    // More at once than a minute has: as many as it has, so that a proxy with many dead tokens starts, too.
    app.clock.advance(60_000);
    ask(unknown(500)).await.expect(200);
    ask(unknown(1)).await.refused(429, "RateLimitError", "1 second");
}

#[tokio::test]
async fn a_proxy_may_serve_and_tell_how_it_fares() {
    let app = TestApp::new().await;
    let program = app.program(&["*"], "development").await;
    let path = "/api/client/edge-licensing/heartbeat?connectionId=01JZK";
    let answer = program.request(poem::http::Method::POST, path, &[], vec![]).await.expect(202);
    assert_eq!(answer, json!({ "edgeLicenseState": "Valid" }));
    let fares = json!({ "identifier": "x", "connectedEdges": [], "processMetrics": null });
    assert_eq!(program.post("/api/client/metrics/edge", fares).await.status, 202);
    program.post("/api/client/metrics/edge", json!([])).await.refused(400, "ValidationError", "/body");
}

/// Reports of a megabyte with as many edges as fit into it, by as many names.
#[tokio::test]
async fn no_report_of_an_edge_makes_the_server_keep_more_than_it_keeps_of_all() {
    let app = TestApp::new().await;
    let (flood, honest) = (app.program(&["*"], "development").await, app.program(&["*"], "development").await);
    let edge = |name: &str, behind: Vec<Value>| json!({ "identifier": name, "appName": "e", "connectedEdges": behind });
    let own = edge("own", vec![edge("next", vec![edge("last", vec![])])]);
    honest.post("/api/client/metrics/edge", own.clone()).await.expect(202);
    let wide = edge(&"w".repeat(255), vec![]);
    let leaves = vec![edge("x", vec![]); 60];
    let deep = vec![edge("y", leaves); 100];
    for number in 0..150 {
        let behind = if number % 2 == 0 { deep.clone() } else { vec![wide.clone(); 2000] };
        let report = edge(&format!("flood-{number}"), behind);
        flood.post("/api/client/metrics/edge", report).await.expect(202);
    }
    honest.post("/api/client/metrics/edge", own).await.expect(202);
    let list = app.admin().get("/api/admin/metrics/edges").await;
    assert_eq!(list.status, 200);
    assert!(list.text.len() < 16 << 20, "{}", list.text.len());
    let edges = list.body["edges"].as_array().expect("edges");
    let own = edges.iter().find(|edge| edge["instanceId"] == "own").expect("that of another token");
    assert_eq!((&own["edges"][0]["instanceId"], &own["edges"][0]["edgesBehind"]), (&json!("next"), &json!(1)));
    for edge in edges {
        let near = edge["edges"].as_array().expect("edges");
        let behind = near.iter().map(|one| 1 + one["edgesBehind"].as_u64().unwrap_or_default()).sum::<u64>();
        assert!(behind <= 200, "{behind}");
    }
    let kept = app.state.edges.list(app.clock.now());
    let bytes: usize = kept.iter().map(|edge| edge.report.bytes()).sum();
    assert!(kept.iter().all(|edge| edge.report.bytes() <= 128 << 10) && bytes <= 8 << 20, "{bytes}");
}
