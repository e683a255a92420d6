//! Upstreams that misbehave: the last good state is served, and the edge recovers by itself.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use serde_json::{Value, json};

use super::{
    program::{CLIENT, Home, Program},
    upstream::{Fake, Reply, Request},
};

const FEATURES: &str = r#"{"version":2,"features":[{"name":"good","type":"release","enabled":true,"project":"default","stale":false,"strategies":[{"name":"default","constraints":[],"parameters":{},"variants":[]}],"variants":[],"description":null,"impressionData":false}],"segments":[]}"#;

/// An upstream of the field, without streams and differences, that answers well.
fn well(request: &Request) -> Reply {
    if request.is_for("/edge/validate") {
        let tokens = json!({ "tokens": [{ "token": CLIENT, "type": "client", "projects": ["*"], "environment": "development" }] });
        return Reply::json(&tokens.to_string());
    }
    if request.is_for("/api/client/features") {
        return Reply::json(FEATURES);
    }
    if request.head.starts_with("POST") {
        return Reply::of(202, "application/json", "");
    }
    Reply::of(404, "application/json", "{}")
}

fn ready(fake: &Fake, home: &Home) -> Program {
    let edge = home.edge(fake.address, &[]);
    edge.wait_until_ready();
    assert!(edge.tells_of("good"), "{}", edge.log());
    edge
}

#[test]
fn bad_answers_change_nothing_and_good_ones_are_heeded_again() {
    let (fake, home) = (Fake::start(well), Home::new());
    let edge = ready(&fake, &home);
    let half = "HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{\"version\":2,";
    let bad: Vec<(&str, Reply)> = vec![
        ("a page", Reply::of(200, "text/html", "<html>Sign in</html>")),
        ("a page that says it is JSON", Reply::json("<html>")),
        ("half a body", Reply::Bytes(half.as_bytes().to_vec())),
        ("no HTTP", Reply::Bytes(b"SSH-2.0-nothing\r\n".to_vec())),
        ("another format", Reply::json(r#"{"version":9,"features":[]}"#)),
        ("no features", Reply::json(r#"{"version":2}"#)),
        ("a fault", Reply::of(500, "application/json", "{}")),
        (
            "elsewhere",
            Reply::Bytes(b"HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n".to_vec()),
        ),
        ("half a gigabyte", Reply::Bytes(huge())),
        ("nothing", Reply::Hang),
    ];
    for (what, reply) in bad {
        let before = fake.heard("/api/client/features").len();
        fake.answer(move |request| if request.is_for("/api/client/features") { reply.clone() } else { well(request) });
        edge.wait("it asks", || fake.heard("/api/client/features").len() > before);
        edge.wait("it notices", || edge.figure("flagstone_edge_upstream_connected") < 0.5);
        assert!(edge.tells_of("good"), "{what}");
        let ready = edge.get("/ready", "").expect("an answer");
        assert_eq!((ready.status, &ready.json()["upstream"]), (200, &json!("away")), "{what}");
        fake.answer(well);
        edge.wait("it recovers", || edge.figure("flagstone_edge_upstream_connected") > 0.5);
    }
    let newer = FEATURES.replace("good", "better");
    fake.answer(
        move |request| if request.is_for("/api/client/features") { Reply::json(&newer) } else { well(request) },
    );
    edge.wait("what is new arrives", || edge.tells_of("better") && !edge.tells_of("good"));
}

/// An answer that announces more than any edge reads.
fn huge() -> Vec<u8> {
    let mut bytes = b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: 524288000\r\n\r\n".to_vec();
    bytes.resize(bytes.len() + (1 << 20), b' ');
    bytes
}

#[test]
fn a_stream_of_a_past_that_was_put_back_is_told_anew() {
    let at = |revision: i64, name: &str| {
        let feature = FEATURES
            .split_once('[')
            .expect("a list")
            .1
            .rsplit_once("],\"segments\"")
            .expect("its end")
            .0
            .replace("good", name);
        format!(
            "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nevent: unleash-connected\nid: {revision}\n\
             data: {{\"events\":[{{\"eventId\":{revision},\"type\":\"hydration\",\"features\":[{feature}],\"segments\":[]}}]}}\n\n"
        )
    };
    let stream = |told: String| {
        move |request: &Request| {
            if request.is_for("/api/client/streaming") {
                Reply::Bytes(told.clone().into_bytes())
            } else {
                well(request)
            }
        }
    };
    let (fake, home) = (Fake::start(stream(at(50, "late"))), Home::new());
    let edge = home.edge(fake.address, &[]);
    edge.wait("the first state", || edge.tells_of("late"));
    let tag = edge.get("/api/client/delta", CLIENT).expect("an answer").etag.expect("a tag");
    assert_eq!(tag, "\"50\"");
    fake.answer(stream(at(20, "early")));
    edge.wait("the earlier state", || edge.tells_of("early"));
    let told = edge.ask("/api/client/delta", &[("Authorization", CLIENT), ("If-None-Match", &tag)]).expect("an answer");
    assert_eq!(told.json()["events"][0]["type"], "hydration", "{told:?}");
}

/// A change of a feature, as differences tell it.
fn change(revision: i64) -> String {
    let change = json!({ "eventId": revision, "type": "feature-updated", "feature": feature("changed") });
    json!({ "events": [change] }).to_string()
}

fn feature(name: &str) -> Value {
    let mut feature = serde_json::from_str::<Value>(FEATURES).expect("JSON")["features"][0].take();
    feature["name"] = name.into();
    feature
}

#[test]
fn differences_from_an_unknown_state_are_given_up_for_everything() {
    let counts = Arc::new(Mutex::new((0, 0)));
    let is_polled = AtomicBool::new(false);
    let counted = Arc::clone(&counts);
    let fake = Fake::start(move |request| {
        let mut counts = counted.lock().expect("a lock");
        if request.is_for("/api/client/features") {
            is_polled.store(true, Ordering::SeqCst);
        } else if is_polled.load(Ordering::SeqCst) {
            // The better ways are tried again after a while.
        } else if request.is_for("/api/client/streaming") {
            counts.0 += 1;
        } else if request.is_for("/api/client/delta") {
            counts.1 += 1;
        }
        if request.is_for("/api/client/streaming") {
            let head = "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
            return Reply::Bytes(format!("{head}event: unleash-updated\ndata: {}\n\n", change(7)).into_bytes());
        }
        if request.is_for("/api/client/delta") { Reply::json(&change(7)) } else { well(request) }
    });
    let home = Home::new();
    let edge = ready(&fake, &home);
    assert_eq!(*counts.lock().expect("a lock"), (3, 1), "{}", edge.log());
    assert!(edge.log().contains("differences from a state that it never told"), "{}", edge.log());
}

#[test]
fn differences_of_a_past_are_asked_for_anew_once_and_then_given_up_for_everything() {
    let tags = Arc::new(Mutex::new(Vec::new()));
    let is_polled = AtomicBool::new(false);
    let kept = Arc::clone(&tags);
    let fake = Fake::start(move |request| {
        if request.is_for("/api/client/features") {
            is_polled.store(true, Ordering::SeqCst);
        }
        if !request.is_for("/api/client/delta") {
            return well(request);
        }
        let mut tags = kept.lock().expect("a lock");
        let is_first = tags.is_empty();
        if !is_polled.load(Ordering::SeqCst) {
            let tag = request
                .head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("if-none-match: ").map(str::to_owned));
            tags.push(tag);
        }
        if is_first {
            let everything =
                json!({ "eventId": 50, "type": "hydration", "features": [feature("first")], "segments": [] });
            return Reply::json(&json!({ "events": [everything] }).to_string());
        }
        Reply::json(&change(7))
    });
    let home = Home::new();
    let edge = home.edge(fake.address, &[("FLAGSTONE_EDGE_FETCH", "delta")]);
    edge.wait("everything", || edge.tells_of("good"));
    let tags = tags.lock().expect("a lock");
    assert_eq!(*tags, [None, Some("\"50\"".to_owned()), None], "{}", edge.log());
}

#[test]
fn an_upstream_that_refuses_the_token_of_the_start_is_named() {
    let refusing = |request: &Request| {
        if request.is_for("/edge/validate") { Reply::json(r#"{"tokens":[]}"#) } else { well(request) }
    };
    let (fake, home) = (Fake::start(refusing), Home::new());
    let edge = home.edge(fake.address, &[]);
    edge.wait("it is said", || edge.log().contains("does not know a token that this edge was started with"));
    assert!(!edge.log().contains("edges-are-tested"), "no secret");
    let ready = edge.get("/ready", "").expect("an answer");
    assert_eq!(ready.status, 503, "{ready:?}");
    assert_eq!(edge.get("/api/client/features", CLIENT).map(|answer| answer.status), Some(401));
}
