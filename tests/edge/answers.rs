//! The answers of an edge are those of the server before it, byte for byte.

use serde_json::{Value, json};

use super::program::{ADMIN, Answer, CLIENT, FRONTEND, Home, Program};

/// Flags of many kinds.
fn story(server: &Program) {
    for name in ["plain", "split", "segmented", "parent", "child", "variants"] {
        server.feature(name);
    }
    server.administer("/api/admin/context", &json!({ "name": "tier" }));
    let segment = server.administer(
        "/api/admin/segments",
        &json!({ "name": "gold", "constraints": [{ "contextName": "tier", "operator": "IN", "values": ["gold"] }] }),
    );
    let place = "/api/admin/projects/default/features/segmented/environments/development/strategies";
    let strategies = server.get(place, ADMIN).expect("strategies").json();
    let id = strategies[0]["id"].as_str().expect("an id").to_owned();
    server.administer(
        "/api/admin/segments/strategies",
        &json!({
            "projectId": "default", "strategyId": id, "environmentId": "development", "segmentIds": [segment["id"]],
        }),
    );
    server.administer("/api/admin/projects/default/features/child/dependencies", &json!({ "feature": "parent" }));
    let strategy = json!({
        "name": "flexibleRollout",
        "parameters": { "rollout": "100", "stickiness": "userId", "groupId": "g" },
        "variants": [
            { "name": "red", "weight": 500, "weightType": "variable", "stickiness": "userId",
              "payload": { "type": "json", "value": "{\"a\":1}" } },
            { "name": "blue", "weight": 500, "weightType": "variable", "stickiness": "userId" },
        ],
    });
    server.administer("/api/admin/projects/default/features/variants/environments/development/strategies", &strategy);
}

/// Path, token, headers, and a body where it is a POST.
type Question = (&'static str, &'static str, Vec<(&'static str, &'static str)>, Option<Value>);

/// Questions of programs.
fn questions() -> Vec<Question> {
    let spec = ("Unleash-Client-Spec", "5.2.0");
    let context = json!({ "context": { "userId": "7", "sessionId": "s", "remoteAddress": "10.0.0.1",
                                       "properties": { "tier": "gold" } } });
    let targeted = json!({ "context": { "targetingKey": "8", "sessionId": "s", "tier": "gold" } });
    vec![
        ("/api/client/features", CLIENT, vec![], None),
        ("/api/client/features", CLIENT, vec![spec], None),
        ("/api/client/features?namePrefix=s", CLIENT, vec![spec], None),
        ("/api/client/features?project=default&project=other", CLIENT, vec![spec], None),
        ("/api/client/features?project=other", CLIENT, vec![spec], None),
        ("/api/client/features/segmented", CLIENT, vec![spec], None),
        ("/api/client/features/segmented", CLIENT, vec![], None),
        ("/api/client/delta", CLIENT, vec![spec], None),
        ("/api/client/delta?namePrefix=se", CLIENT, vec![spec], None),
        ("/api/frontend?userId=7&sessionId=s&properties[tier]=gold", FRONTEND, vec![], None),
        ("/api/frontend?userId=9&sessionId=s", FRONTEND, vec![], None),
        ("/api/frontend", FRONTEND, vec![], Some(context)),
        ("/api/frontend", FRONTEND, vec![], Some(json!({ "userId": "7", "sessionId": "s", "tier": "gold" }))),
        ("/ofrep/v1/evaluate/flags", FRONTEND, vec![], Some(targeted.clone())),
        ("/ofrep/v1/evaluate/flags", CLIENT, vec![], Some(targeted.clone())),
        ("/ofrep/v1/evaluate/flags/variants", FRONTEND, vec![], Some(targeted.clone())),
        ("/ofrep/v1/evaluate/flags/nothing", FRONTEND, vec![], Some(targeted)),
        (
            "/edge/validate",
            CLIENT,
            vec![],
            Some(json!({ "tokens": [CLIENT, FRONTEND, "*:development.nobody-has-this"] })),
        ),
    ]
}

fn answer(program: &Program, question: &Question) -> Answer {
    let (path, token, headers, body) = question;
    let answer = match body {
        Some(body) => program.post(path, token, body),
        None => program.ask(path, &[&[("Authorization", *token)], &headers[..]].concat()),
    };
    answer.unwrap_or_else(|| panic!("no answer: {path}\n{}", program.log()))
}

fn compare(server: &Program, edge: &Program) {
    for question in questions() {
        let (expected, got) = (answer(server, &question), answer(edge, &question));
        assert_eq!(got, expected, "{question:?}");
        assert!(matches!(expected.status, 200 | 404), "{question:?} {expected:?}");
        if let (None, Some(etag)) = (&question.3, &got.etag) {
            let known = [("Authorization", question.1), ("If-None-Match", etag.as_str())];
            let again = edge.ask(question.0, &[&known[..], &question.2].concat()).expect("an answer");
            assert_eq!((again.status, &*again.body), (304, ""), "{question:?}");
        }
    }
    // Refusals differ by an id that is made for each.
    for (path, token) in [
        ("/api/client/features", "*:development.nobody-has-this"),
        ("/api/client/features", FRONTEND),
        ("/api/frontend", CLIENT),
        ("/api/client/features/nothing", CLIENT),
        ("/api/client/features?project=", CLIENT),
        ("/api/nothing", CLIENT),
    ] {
        let (expected, got) = (server.get(path, token).expect("an answer"), edge.get(path, token).expect("an answer"));
        assert_eq!((got.status, &got.json()["name"]), (expected.status, &expected.json()["name"]), "{path} {token}");
    }
    for program in [server, edge] {
        let refused = program.post("/ofrep/v1/evaluate/flags", "*:development.nobody-has-this", &json!({}));
        let refused = refused.expect("an answer");
        assert_eq!((refused.status, refused.challenge.as_deref()), (401, Some("Bearer")), "{refused:?}");
    }
}

fn same_after_changes(fetch: &str) {
    let (upstream, home, behind) = (Home::new(), Home::new(), Home::new());
    let server = upstream.server();
    story(&server);
    let edge = home.edge(server.address, &[("FLAGSTONE_EDGE_FETCH", fetch)]);
    edge.wait_until_ready();
    // An edge may be the upstream of another.
    let second = behind.edge(edge.address, &[("FLAGSTONE_EDGE_FETCH", fetch)]);
    second.wait_until_ready();
    let whole = |program: &Program| program.get("/api/client/features", CLIENT).map(|answer| answer.body);
    if fetch == "stream" {
        compare(&server, &edge);
        compare(&server, &second);
    }
    server.feature("later");
    server.administer("/api/admin/projects/default/features/plain/environments/development/off", &json!({}));
    server.delete("/api/admin/projects/default/features/split");
    for program in [&edge, &second] {
        program.wait("the change arrives", || whole(program) == whole(&server));
    }
    let frontend =
        |program: &Program| program.get("/api/frontend?userId=1&sessionId=s", FRONTEND).map(|answer| answer.body);
    assert_eq!(frontend(&edge), frontend(&server));
    assert_eq!(frontend(&second), frontend(&server));
    if fetch == "stream" {
        compare(&server, &edge);
    }
    assert!(edge.figure(&format!("flagstone_edge_feeds{{way=\"{fetch}\"}}")) >= 1.0, "{}", edge.log());
}

#[test]
fn answers_are_those_of_the_server_over_a_stream() {
    same_after_changes("stream");
}

#[test]
fn answers_are_those_of_the_server_by_differences() {
    same_after_changes("delta");
}

#[test]
fn answers_are_those_of_the_server_by_asking_for_everything() {
    same_after_changes("poll");
}

#[test]
fn old_addresses_and_other_doors_lead_to_the_same() {
    let (upstream, home) = (Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let edge = home.edge(
        server.address,
        &[("BASE_PATH", "/flags"), ("TOKEN_HEADER", "X-Token"), ("DISABLE_TOKENS_ENDPOINT", "true")],
    );
    // The server is asked with the same header, which it does not know: so nothing is fetched, and that is said.
    edge.wait("it answers", || edge.get("/flags/health", "").is_some());
    assert_eq!(edge.get("/health", "").map(|answer| answer.status), Some(404));
    drop(edge);
    let edge = home.edge(server.address, &[("BASE_PATH", "/flags")]);
    edge.wait("it becomes ready", || edge.get("/flags/ready", "").is_some_and(|answer| answer.status == 200));
    let frontend = edge.get("/flags/api/frontend", FRONTEND).expect("an answer");
    assert_eq!(edge.get("/flags/api/proxy", FRONTEND).expect("an answer"), frontend);
    assert!(frontend.body.contains("\"a\""), "{frontend:?}");
    let one = edge.get("/flags/api/proxy/features/a", FRONTEND).expect("an answer").json();
    assert_eq!((&one["name"], &one["enabled"]), (&json!("a"), &json!(true)));
    assert_eq!(edge.get("/flags/api/frontend/features/none", FRONTEND).map(|answer| answer.status), Some(404));
    server.administer("/api/admin/context", &json!({ "name": "tier" }));
    server.feature("gold");
    let place = "/api/admin/projects/default/features/gold/environments/development/strategies";
    let id = server.get(place, ADMIN).expect("strategies").json()[0]["id"].as_str().expect("an id").to_owned();
    let constraint = json!({ "contextName": "tier", "operator": "IN", "values": ["gold"] });
    server.administer(place, &json!({ "name": "default", "constraints": [constraint] }));
    // Only now: without any strategy it would be switched off.
    server.delete(&format!("{place}/{id}"));
    edge.wait("the change arrives", || {
        let answer = edge.get("/flags/api/frontend?tier=gold", FRONTEND).expect("an answer");
        answer.body.contains("\"gold\"")
            && !edge.get("/flags/api/frontend", FRONTEND).expect("an answer").body.contains("\"gold\"")
    });
    let tier = |body: &str, path: &str| {
        edge.post(path, FRONTEND, &serde_json::from_str(body).expect("JSON")).expect("an answer")
    };
    for base in ["/flags/api/frontend", "/flags/api/proxy"] {
        let feature = format!("{base}/features/gold");
        for (body, is_on) in [
            (r#"{"context":{"tier":"gold"}}"#, true),
            (r#"{"tier":"gold"}"#, true),
            (r#"{"properties":{"tier":"gold"}}"#, true),
            (r#"{"context":{"tier":"tin"},"tier":"gold"}"#, false),
        ] {
            assert_eq!(tier(body, base).body.contains("\"gold\""), is_on, "{base} {body}");
            assert_eq!(tier(body, &feature).json()["enabled"], is_on, "{feature} {body}");
        }
        for (body, place) in [
            (r#"{"tier":["gold"]}"#, "/body/tier"),
            (r#"{"context":["gold"]}"#, "/body/context"),
            (r#"{"currentTime":"nonsense"}"#, "/body/currentTime"),
        ] {
            for path in [base, &feature] {
                let answer = tier(body, path);
                assert!(answer.status == 400 && answer.body.contains(place), "{path} {body} {answer:?}");
            }
        }
        for path in [base, &feature] {
            let answer = edge.get(&format!("{path}?currentTime=nonsense"), FRONTEND).expect("an answer");
            assert!(answer.status == 400 && answer.body.contains("`currentTime`"), "{path} {answer:?}");
        }
    }
    let tagged = edge.get("/flags/api/client/features?tag=simple:x", CLIENT).expect("an answer");
    assert!(tagged.status == 400 && tagged.body.contains("/query/tag"), "{tagged:?}");
    for path in ["features", "tokens", "metricsbatch", "instancedata"] {
        let path = format!("/flags/internal-backstage/{path}");
        assert_eq!(edge.get(&path, "").map(|answer| answer.status), Some(401), "{path}");
        let told = edge.get(&path, CLIENT).expect("an answer");
        assert_eq!(told.status, 200, "{path} {told:?}");
        assert!(!told.body.contains("edges-are-tested"), "no secret: {told:?}");
    }
}

#[test]
fn tokens_come_and_go_in_headers_of_their_own() {
    let (upstream, home, behind) = (Home::new(), Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let former = [("WORKERS", "4"), ("DYNAMIC", "true"), ("LOG_FORMAT", "plain"), ("CORS_METHODS", "GET")];
    let edge = home.edge(server.address, &[&former[..], &[("EDGE_AUTH_HEADER", "X-Token")]].concat());
    edge.wait_until_ready();
    let log = edge.log();
    for name in ["WORKERS", "DYNAMIC", "CORS_METHODS"] {
        assert!(log.contains(&format!("{name} changes nothing here: ")), "{name}: {log}");
    }
    let ask = |token: (&str, &str)| edge.ask("/api/client/features", &[token]).expect("an answer");
    assert_eq!(ask(("Authorization", CLIENT)).status, 401);
    let told = ask(("X-Token", CLIENT));
    assert!(told.status == 200 && told.body.contains("\"name\":\"a\""), "{told:?}");
    let last = behind.edge(edge.address, &[("UPSTREAM_AUTH_HEADER", "X-Token"), ("TOKEN_HEADER", "X-Other")]);
    last.wait_until_ready();
    assert_eq!(last.ask("/api/client/features", &[("X-Other", CLIENT)]).expect("an answer").body, told.body);
}
