//! Reception of bodies: after the caller is known, and no more of them than the server has room for.

mod dense;

use std::{
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use futures_util::{StreamExt as _, stream};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Answer, Client, TestApp};

const VALIDATE: &str = "/api/admin/features-batch/validate";
const IMPORT: &str = "/api/admin/features-batch/import";
const EXPORT: &str = "/api/admin/features-batch/export";
const FEATURE: &str = "/api/admin/projects/default/features/f";
const JSON: (&str, &str) = ("content-type", "application/json");

/// A body that ends at once, and whether anybody looked.
fn watched() -> (poem::Body, Arc<AtomicBool>) {
    let seen = Arc::new(AtomicBool::new(false));
    let look = Arc::clone(&seen);
    let body = stream::poll_fn(move |_| {
        look.store(true, Ordering::SeqCst);
        std::task::Poll::Ready(None::<Result<Bytes, std::io::Error>>)
    });
    (poem::Body::from_bytes_stream(body), seen)
}

/// A body that arrives piece by piece, and breaks off when `is_whole` is false.
fn in_pieces(bytes: &[u8], is_whole: bool) -> poem::Body {
    let mut pieces: Vec<Result<Bytes, std::io::Error>> =
        bytes.chunks(1000).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    if !is_whole {
        pieces.push(Err(std::io::Error::other("gone")));
    }
    poem::Body::from_bytes_stream(stream::iter(pieces))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// So many lists, each in the next.
fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

#[tokio::test]
async fn json_that_is_not_followed_is_told_from_what_is_no_json() {
    let app = TestApp::new().await;
    for (body, told) in [
        (nested(127), "The /body property must be of type object."),
        (
            nested(128),
            "The body is JSON that is nested too deeply: it has more than 127 levels near line 1, column 128.",
        ),
        (r#"{"limit":1e400}"#.to_owned(), "The body is JSON with a number that is too large, near line 1, column 14."),
        (r#"{"limit":1e}"#.to_owned(), "The body is not valid JSON: the mistake is near line 1, column 12."),
    ] {
        let answer = app.admin().request(Method::POST, "/api/admin/events/search", &[JSON], body.into_bytes()).await;
        assert_eq!(answer.body["message"], told);
        answer.refused(400, "ValidationError", told);
    }
}

/// An import of these lists, given as they stand in the body.
fn import(features: &str, others: &str) -> Vec<u8> {
    format!(
        r#"{{"project":"default","environment":"development","data":{{"features":{features},"featureStrategies":[],"tagTypes":[]{others}}}}}"#
    )
    .into_bytes()
}

async fn send(client: &Client, path: &str, body: Vec<u8>) -> Answer {
    client.request(Method::POST, path, &[JSON], body).await
}

#[tokio::test]
async fn nobody_reads_the_body_of_who_may_not_import() {
    let app = TestApp::new().await;
    let viewer = app.viewer().await;
    let (body, seen) = watched();
    viewer.send(Method::POST, IMPORT, &[JSON], body).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    assert!(!seen.load(Ordering::SeqCst), "the body was read");
    for path in [IMPORT, VALIDATE, EXPORT] {
        let (body, seen) = watched();
        app.anonymous().send(Method::POST, path, &[JSON], body).await.refused(401, "AuthenticationRequired", "");
        assert!(!seen.load(Ordering::SeqCst), "{path}: the body was read");
    }
    // Who may import somewhere is told what is wrong with the body, and who may only look may have it validated.
    let member = app.member("default").await;
    let (body, seen) = watched();
    member.send(Method::POST, IMPORT, &[JSON], body).await.refused(400, "ValidationError", "JSON");
    assert!(seen.load(Ordering::SeqCst));
    send(&viewer, VALIDATE, import("[]", "")).await.expect(200);
    assert_eq!(app.event_types().await, Vec::<String>::new());
}

#[tokio::test]
async fn bodies_that_never_end_make_room_for_those_that_do() {
    const SIGN_IN: &str = "/auth/simple/login";
    let app = TestApp::new().await;
    let mut attackers = JoinSet::new();
    for _ in 0..100 {
        let nobody = app.anonymous();
        let piece = stream::once(async { Ok::<_, std::io::Error>(Bytes::from(vec![b' '; (1 << 20) - 1])) });
        let body = poem::Body::from_bytes_stream(piece.chain(stream::pending()));
        attackers.spawn(async move { nobody.send(Method::POST, SIGN_IN, &[JSON], body).await });
    }
    let mut refused = async || {
        let answer = attackers.join_next().await.expect("an attacker").expect("an answer");
        assert_eq!(answer.headers["retry-after"], "1");
        answer.refused(503, "UnavailableError", "this body took the longest");
    };
    // There is room for 32 of them.
    for _ in 0..68 {
        refused().await;
    }
    let body = json!({ "username": "nobody", "password": "wrong" });
    app.anonymous().post(SIGN_IN, body).await.refused(401, "PasswordMismatch", "");
    refused().await;
    assert_eq!(attackers.len(), 31);
}

#[tokio::test]
async fn an_import_of_ten_thousand_features_passes() {
    let app = TestApp::new().await;
    let text = "a description of the usual length, as people write it ".repeat(4);
    let name = |number: usize| format!("feature-{number:05}");
    let features: Vec<Value> = (0..10_000)
        .map(|number| json!({ "name": name(number), "description": text, "type": "release", "project": "default" }))
        .collect();
    let strategies: Vec<Value> = (0..30_000)
        .map(|number| {
            json!({
                "name": "flexibleRollout", "featureName": name(number / 3), "title": "some", "disabled": false,
                "parameters": { "rollout": "50", "stickiness": "default", "groupId": name(number / 3) },
                "constraints": [{ "contextName": "userId", "operator": "IN", "values": ["1", "2", "3"], "inverted": false, "caseInsensitive": false }],
                "variants": [], "segments": [],
            })
        })
        .collect();
    let data = json!({ "features": features, "featureStrategies": strategies, "tagTypes": [] });
    let body = json!({ "project": "default", "environment": "development", "data": data }).to_string();
    assert!(body.len() > 12_000_000, "{}", body.len());
    app.admin().send(Method::POST, IMPORT, &[JSON], in_pieces(body.as_bytes(), true)).await.expect(200);
    let stored = flagstone::store::entity::feature_strategy::Entity::find().all(app.db()).await.expect("strategies");
    assert_eq!(stored.len(), 30_000);
}

#[tokio::test]
async fn a_large_import_is_read_like_a_small_one() {
    reads_like_a_small_one(&"x".repeat(100_000)).await;
}

#[tokio::test]
async fn an_import_that_is_read_while_it_arrives_is_read_like_a_small_one() {
    reads_like_a_small_one(&"x".repeat(1 << 20)).await;
}

/// Imports with so much in a property that is not known.
async fn reads_like_a_small_one(filler: &str) {
    let app = TestApp::new().await;
    let with = |features: &str, others: &str| {
        import(features, &format!(r#","featureTags":null,"unknown":[{{"a":["{filler}"]}}]{others}"#))
    };
    // Of two members of one name the last counts, wherever the parts of the body stand.
    let twice = with(r#"[{"name":"f"}]"#, r#","features":[{"name":"f"},{"name":"g","description":"1"}],"segments":[]"#);
    let found = send(&app.admin(), VALIDATE, twice).await;
    found.refused(400, "ValidationError", "/body/data/featureTags");
    let padded =
        |features: &str, others: &str| import(features, &format!(r#","unknown":[{{"a":["{filler}"]}}]{others}"#));
    let twice = padded(r#"[{"name":"f"}]"#, r#","features":[{"name":"g","description":"1"}],"segments":[]"#);
    let outcome = send(&app.admin(), IMPORT, twice).await.expect(200);
    assert_eq!(outcome["findings"]["errors"], json!([]));
    assert_eq!(app.admin().get("/api/admin/projects/default/features/g").await.expect(200)["description"], "1");
    assert_eq!(app.admin().get(FEATURE).await.status, 404);
    for (body, place) in [
        (padded(r#"[{"name":"a"},{"name":"b","stale":1}]"#, ""), "/body/data/features/1/stale"),
        (padded(r#"[{"name":"a"},{}]"#, ""), "/body/data/features/1/name"),
        (padded(r#"[{"name":"a\u0000b"}]"#, ""), "/body/data/features/0/name"),
        (padded("[0]", ""), "/body/data/features/0"),
        (padded("{}", ""), "/body/data/features"),
        (padded("[]", r#","tagTypes":7"#), "/body/data/tagTypes"),
        (padded("[", ""), "not valid JSON"),
        ([padded("[]", ""), b"x".to_vec()].concat(), "not valid JSON"),
        (padded("[]", &format!(r#","x":{}"#, nested(128))), "The body is JSON that is nested too deeply"),
        (padded("[]", r#","x":-1e400"#), "The body is JSON with a number that is too large"),
        (format!("[\"{filler}\"]").into_bytes(), "/body"),
        (format!("{{\"project\":\"{filler}\"}}").into_bytes(), "/body/"),
        (format!("{{\"x\":\"{filler}\",\"project\":\"p\",\"data\":[]}}").into_bytes(), "/body/"),
    ] {
        send(&app.admin(), IMPORT, body).await.refused(400, "ValidationError", place);
    }
    let broken = in_pieces(&padded("[]", ""), false);
    let answer = app.admin().send(Method::POST, IMPORT, &[JSON], broken).await;
    answer.refused(400, "ValidationError", "ended before its announced length");
    let bytes = gzip(&padded("[]", ""));
    let headers = [JSON, ("content-encoding", "gzip")];
    let answer = app.admin().request(Method::POST, IMPORT, &headers, bytes[..bytes.len() / 2].to_vec()).await;
    answer.refused(400, "ValidationError", "not compressed as its Content-Encoding says");
}
