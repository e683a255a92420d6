//! Answers and bodies that are compressed on the way.

use std::io::{Read as _, Write as _};

use flagstone::{
    config::{BodyLimits, Config},
    store,
};
use flate2::{
    Compression,
    read::GzDecoder,
    write::{GzEncoder, ZlibEncoder},
};
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::TestApp;

const FEATURES: &str = "/api/admin/projects/default/features";
const BROWSER: &str = "/api/frontend";
const FEATURE: &str = "/api/admin/projects/default/features/f";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Operations that describe the feature so.
fn described(description: &str) -> Vec<u8> {
    json!([{ "op": "replace", "path": "/description", "value": description }]).to_string().into_bytes()
}

async fn patch(app: &TestApp, coding: &str, body: Vec<u8>) -> crate::harness::Answer {
    let headers = [("content-type", "application/json"), ("content-encoding", coding)];
    app.admin().request(Method::PATCH, FEATURE, &headers, body).await
}

#[tokio::test]
async fn long_answers_are_compressed_for_whoever_takes_it() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    // One that is compressed at once, and one that others do not wait for.
    for features in [10, 500] {
        for number in 0..features {
            app.feature("default", &format!("feature-{features}-{number}")).await;
        }
        let plain = app.admin().get(FEATURES).await;
        assert!(!plain.headers.contains_key("content-encoding"));
        for accepted in ["gzip", "br, gzip;q=0.5", "deflate, GZIP"] {
            let (headers, short) = app.admin().bytes(FEATURES, &[("accept-encoding", accepted)]).await;
            assert_eq!(headers["content-encoding"], "gzip", "{accepted}");
            assert_eq!(headers["vary"], "Accept-Encoding");
            assert_eq!(headers["etag"], plain.headers["etag"]);
            let mut text = String::new();
            GzDecoder::new(&*short).read_to_string(&mut text).expect("compressed text");
            assert_eq!(text, plain.text);
            assert!(short.len() * 4 < text.len(), "{} of {}", short.len(), text.len());
        }
        for accepted in ["gzip;q=0", "br", "zstd", "*", ""] {
            let (headers, bytes) = app.admin().bytes(FEATURES, &[("accept-encoding", accepted)]).await;
            assert!(!headers.contains_key("content-encoding"), "{accepted}");
            assert_eq!(bytes, plain.text.as_bytes(), "{accepted}");
        }
    }
}

#[tokio::test]
async fn answers_in_several_pieces_tell_their_length_and_are_compressed_piece_by_piece() {
    for features in [5, 500] {
        let app = TestApp::new().await;
        let mut ids = Vec::new();
        for number in 0..features {
            ids.push(app.feature("default", &format!("feature-{number:-<200}")).await);
        }
        let tx = app.tx().await;
        for id in ids {
            store::features::set_enabled(&tx, id, "development", true).await.expect("on");
        }
        app.commit(tx).await;
        let browser = app.browser(&["default"], "development").await;
        let plain = browser.get(BROWSER).await;
        let length = plain.headers.get("content-length").map(|length| length.to_str().expect("text").to_owned());
        let expected = (features > 5).then(|| plain.text.len().to_string());
        assert_eq!((length, plain.text.len() > 2 << 16), (expected, features > 5));
        assert_eq!(plain.body["toggles"].as_array().map(Vec::len), Some(features));
        let (headers, short) = browser.bytes(BROWSER, &[("accept-encoding", "gzip")]).await;
        let mut text = String::new();
        GzDecoder::new(&*short).read_to_string(&mut text).expect("compressed text");
        assert_eq!((text, &headers["etag"]), (plain.text, &plain.headers["etag"]));
        assert!(!headers.contains_key("content-length"), "that of the plain text");
    }
}

#[tokio::test]
async fn short_answers_and_what_has_no_body_stay_as_they_are() {
    let app = TestApp::new().await;
    let (headers, bytes) = app.anonymous().bytes("/health", &[("accept-encoding", "gzip")]).await;
    assert!(!headers.contains_key("content-encoding"));
    assert_eq!(serde_json::from_slice::<Value>(&bytes).expect("JSON"), json!({ "health": "GOOD" }));
    let tag = app.admin().get(FEATURES).await.headers["etag"].to_str().expect("text").to_owned();
    let headers = [("accept-encoding", "gzip"), ("if-none-match", tag.as_str())];
    let known = app.admin().request(Method::GET, FEATURES, &headers, vec![]).await;
    assert_eq!((known.status, known.text.as_str()), (304, ""));
    assert!(!known.headers.contains_key("content-encoding"));
}

#[tokio::test]
async fn compressed_bodies_are_read_like_others() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    for (coding, body) in [
        ("gzip", gzip(&described("gzip"))),
        ("GZIP", [gzip(&described("GZIP")[..9]), gzip(&described("GZIP")[9..])].concat()),
        ("x-gzip", gzip(&described("x-gzip"))),
        ("deflate", deflate(&described("deflate"))),
        ("identity", described("identity")),
    ] {
        let answer = patch(&app, coding, body).await.expect(200);
        assert_eq!(answer["description"], coding);
    }
}

#[tokio::test]
async fn a_coding_that_is_unknown_or_not_what_it_says_is_refused_and_changes_nothing() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    patch(&app, "br", described("new")).await.refused(415, "ContentTypeerror", "\"br\" is not supported; send gzip");
    for (coding, body) in [
        ("gzip", described("new")),
        ("deflate", gzip(&described("new"))),
        ("gzip", gzip(&described("new"))[..20].to_vec()),
        ("gzip", vec![]),
    ] {
        patch(&app, coding, body).await.refused(400, "ValidationError", "not compressed as its Content-Encoding says");
    }
    assert_eq!(app.admin().get(FEATURE).await.expect(200)["description"], Value::Null);
}

#[tokio::test]
async fn a_body_that_grows_beyond_the_bound_is_refused() {
    let limits = BodyLimits { standard_bytes: 1 << 16, ..BodyLimits::default() };
    let app = TestApp::with_config(Config { body_limits: limits, ..Config::default() }).await;
    app.feature("default", "f").await;
    let large = described(&"x".repeat(1 << 24));
    for (coding, body) in [("gzip", gzip(&large)), ("deflate", deflate(&large))] {
        let answer = patch(&app, coding, body).await;
        assert_eq!(answer.status, 413, "{}", answer.text);
        answer.refused(413, "PayloadTooLargeError", "larger than 65536 bytes");
    }
}
