//! Tokens: asked about once, remembered, and gone when they are revoked.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};

use serde_json::{Value, json};

use super::{
    program::{ADMIN, CLIENT, FRONTEND, Home},
    upstream::{Fake, Reply, Request},
};

#[test]
fn a_flood_of_unknown_tokens_costs_few_questions_and_nobody_else_an_answer() {
    let asked = AtomicUsize::new(0);
    let answers = move |request: &Request| {
        if request.is_for("/edge/validate") {
            let body: Value = serde_json::from_str(&request.body).expect("JSON");
            let tokens = body["tokens"].as_array().expect("tokens");
            asked.fetch_add(tokens.len(), Ordering::SeqCst);
            let known = tokens.iter().filter(|token| [CLIENT, FRONTEND].contains(&token.as_str().expect("a text")));
            let known: Vec<Value> = known
                .map(|token| {
                    let kind = if token == CLIENT { "client" } else { "frontend" };
                    json!({ "token": token, "type": kind, "projects": ["*"], "environment": "development" })
                })
                .collect();
            return Reply::json(&json!({ "tokens": known }).to_string());
        }
        if request.is_for("/api/client/features") {
            return Reply::json(r#"{"version":2,"features":[]}"#);
        }
        Reply::of(if request.head.starts_with("POST") { 202 } else { 404 }, "application/json", "{}")
    };
    let (fake, home) = (Fake::start(answers), Home::new());
    let edge = home.edge(fake.address, &[]);
    edge.wait_until_ready();
    assert_eq!(edge.get("/api/frontend", FRONTEND).map(|answer| answer.status), Some(200));
    let (before, began) = (fake.heard("/edge/validate").len(), Instant::now());
    // A minute is how long an answer is remembered, and what the number of questions is bounded for.
    let minutes = || usize::try_from(began.elapsed().as_secs() / 60).expect("a number");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let answer =
                        edge.get("/api/client/features", "*:development.the-same-unknown-one").expect("an answer");
                    assert_eq!(answer.status, 401, "{answer:?}");
                }
            });
        }
    });
    let asked = fake.heard("/edge/validate").len() - before;
    assert!((1..=1 + minutes()).contains(&asked), "{asked} questions, however many ask");
    thread::scope(|scope| {
        for worker in 0..8 {
            let edge = &edge;
            scope.spawn(move || {
                for number in 0..100 {
                    let token = format!("*:development.unknown-{worker}-{number}");
                    let answer = edge.get("/api/client/features", &token).expect("an answer");
                    assert!(matches!(answer.status, 401 | 503), "{answer:?}");
                    let shapeless =
                        edge.get("/api/client/features", &format!("shape less-{number}")).expect("an answer");
                    assert_eq!(shapeless.status, 401);
                }
            });
        }
    });
    let shown: usize = fake
        .heard("/edge/validate")
        .iter()
        .map(|request| {
            serde_json::from_str::<Value>(&request.body).expect("JSON")["tokens"].as_array().map_or(0, Vec::len)
        })
        .sum();
    assert!(shown < 200 + 90 * minutes(), "{shown} tokens of 800 were asked about");
    assert!(fake.heard("/edge/validate").iter().all(|request| !request.body.contains("shape less")));
    assert!(edge.figure("flagstone_edge_tokens_unasked_total") > 0.0);
    assert_eq!(edge.get("/api/frontend", FRONTEND).map(|answer| answer.status), Some(200), "who is known is served");
}

/// 150 made-up tokens from one address: whoever comes from another is asked about, and the one who is not learns why.
#[test]
fn made_up_tokens_from_one_address_keep_nobody_out_who_comes_from_another() {
    let (upstream, home) = (Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let secrets: Vec<String> = (0..12)
        .map(|number| {
            let name = format!("program-{number}");
            let token = json!({ "tokenName": name, "type": "client", "environment": "development", "projects": ["*"] });
            server.administer("/api/admin/api-tokens", &token)["secret"].as_str().expect("a secret").to_owned()
        })
        .collect();
    let edge = home.edge(server.address, &[("TRUST_PROXY", "true")]);
    edge.wait_until_ready();
    let ask = |token: &str, from: &str| {
        let headers = [("Authorization", token), ("X-Forwarded-For", from)];
        edge.ask("/api/client/features", &headers).expect("an answer")
    };
    let mut refused = Vec::new();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..6)
            .map(|worker| {
                let ask = &ask;
                scope.spawn(move || {
                    let tokens = (0..25).map(|number| format!("*:development.made-up-{worker}-{number}"));
                    tokens.map(|token| ask(&token, "203.0.113.1")).collect::<Vec<_>>()
                })
            })
            .collect();
        refused.extend(workers.into_iter().flat_map(|worker| worker.join().expect("ends")));
    });
    let (unknown, unasked): (Vec<_>, Vec<_>) = refused.into_iter().partition(|answer| answer.status == 401);
    assert!(unknown.len() >= 45 && !unasked.is_empty(), "{} {}", unknown.len(), unasked.len());
    for answer in &unasked {
        assert_eq!(answer.status, 503, "{answer:?}");
        assert!(answer.body.contains("from your address"), "{answer:?}");
        assert!(!answer.body.contains("cannot reach"), "{answer:?}");
    }
    for (number, secret) in secrets.iter().enumerate() {
        let answer = ask(secret, &format!("203.0.113.{}", 2 + number % 3));
        assert_eq!(answer.status, 200, "{number}: {answer:?} {}", edge.log());
    }
}

#[test]
fn tokens_revoked_while_the_edge_was_cut_off_end_when_it_is_not() {
    let (upstream, home) = (Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let token = json!({ "tokenName": "later", "type": "client", "environment": "development", "projects": ["*"] });
    let made = server.administer("/api/admin/api-tokens", &token);
    let secret = made["secret"].as_str().expect("a secret").to_owned();
    let edge = home.edge(server.address, &[("TOKEN_REVALIDATION_INTERVAL_SECONDS", "1")]);
    edge.wait_until_ready();
    for token in [&*secret, FRONTEND] {
        let path = if token == FRONTEND { "/api/frontend" } else { "/api/client/features" };
        assert_eq!(edge.get(path, token).map(|answer| answer.status), Some(200), "{}", edge.log());
    }
    drop(server);
    assert_eq!(edge.get("/api/client/features", &secret).map(|answer| answer.status), Some(200), "while cut off");
    let server = upstream.server();
    server.delete(&format!("/api/admin/api-tokens/{secret}"));
    edge.wait("it is refused", || edge.get("/api/client/features", &secret).is_some_and(|answer| answer.status == 401));
    assert_eq!(edge.get("/api/frontend", FRONTEND).map(|answer| answer.status), Some(200));
    assert_eq!(edge.get("/api/client/features", ADMIN).map(|answer| answer.status), Some(403));
}

/// The forms that servers take: made by hand, before there were projects in them, for several projects, and hashed.
#[test]
fn tokens_of_every_form_that_servers_take_are_served() {
    let tokens = [
        "made-by-hand",
        "be44368985f7fb3237c584ef86f3d6bdada42ddbd63a019d",
        "[]:development.several",
        "*:development.v2_Jr1XQ2Wp5cFkBv0sYt7LdA_u3hQm8nEoZ4xTbRgK6yVwPiCsNjHfDaUeMlOqYzXrW",
    ];
    let answers = move |request: &Request| {
        if request.is_for("/edge/validate") {
            let body: Value = serde_json::from_str(&request.body).expect("JSON");
            let asked = body["tokens"].as_array().expect("tokens").iter().filter_map(Value::as_str);
            let known: Vec<Value> = asked
                .filter(|token| tokens.contains(token) || *token == CLIENT)
                .map(|token| {
                    json!({ "token": token, "type": "client", "projects": ["*"], "environment": "development" })
                })
                .collect();
            return Reply::json(&json!({ "tokens": known }).to_string());
        }
        if request.is_for("/api/client/features") {
            return Reply::json(r#"{"version":2,"features":[{"name":"a","enabled":true,"strategies":[]}]}"#);
        }
        Reply::of(if request.head.starts_with("POST") { 202 } else { 404 }, "application/json", "{}")
    };
    let (fake, home) = (Fake::start(answers), Home::new());
    // One of them is known from the start, the others come with programs.
    let edge = home.edge(fake.address, &[("TOKENS", &format!("{CLIENT},{}", tokens[0]))]);
    edge.wait_until_ready();
    for token in tokens {
        let answer = edge.get("/api/client/features", token).expect("an answer");
        assert_eq!((answer.status, &answer.json()["features"][0]["name"]), (200, &json!("a")), "{token}");
    }
    assert_eq!(edge.get("/api/client/features", "made-by-somebody").map(|answer| answer.status), Some(401));
}

#[test]
fn a_token_that_comes_later_has_its_features_fetched_unless_the_edge_is_strict() {
    let (upstream, home, strict) = (Home::new(), Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let token = json!({ "tokenName": "later", "type": "client", "environment": "production", "projects": ["default"] });
    let made = server.administer("/api/admin/api-tokens", &token);
    let secret = made["secret"].as_str().expect("a secret").to_owned();
    let edge = home.edge(server.address, &[]);
    edge.wait_until_ready();
    let expected = server.get("/api/client/features", &secret).expect("an answer");
    assert_eq!(edge.get("/api/client/features", &secret).expect("an answer"), expected, "{}", edge.log());
    let strict = strict.edge(server.address, &[("STRICT", "true")]);
    strict.wait_until_ready();
    let refused = strict.get("/api/client/features", &secret).expect("an answer");
    assert_eq!((refused.status, &refused.json()["name"]), (403, &json!("NotCoveredError")));
}
