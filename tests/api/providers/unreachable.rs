//! Providers that are down, slow, endless, elsewhere, or lie about what they send.

use std::{io::Write as _, sync::LazyLock, time::Duration};

use flagstone::{
    outbound::FailureKind,
    providers::oidc::{Oidc, Reason, Refusal},
};
use flate2::{Compression, write::GzEncoder};
use serde_json::json;

use crate::address::ReservedAddress;

use super::{
    server::Reply,
    world::{World, outbound, outbound_with, told},
};

/// Eight mebibytes of blanks, compressed.
static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| gzipped(8 << 20));

const DOCUMENT: &str = "/.well-known/openid-configuration";

/// A sign-in whose request to this path gets this reply: what is said about it.
async fn refused_at(path: &'static str, reply: impl Fn() -> Reply + Send + 'static) -> (Reason, String, String) {
    let world = World::new();
    if path == "/userinfo" {
        world.provider.claim("email", json!(null));
    }
    // The start asks for the document alone.
    if path == DOCUMENT {
        world.provider.reply(path, reply);
        return told(world.oidc.discovery(&world.settings, world.now()).await.expect_err("refused"));
    }
    world.provider.reply(path, reply);
    world.refused().await
}

fn gzipped(length: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let zeros = vec![b' '; 1 << 16];
    for _ in 0..length >> 16 {
        encoder.write_all(&zeros).expect("memory");
    }
    encoder.finish().expect("memory")
}

#[tokio::test]
async fn o24_o27_whatever_goes_wrong_with_a_request_is_told_by_its_reason_and_host() {
    type Make = fn() -> Reply;
    let mut cases: Vec<(&str, Make, FailureKind, &str)> = vec![
        ("hangs up", || Reply::Bytes(Vec::new()), FailureKind::Broken, "broke off"),
        ("is no HTTP", || Reply::Bytes(b"SSH-2.0-OpenSSH_9.2\r\n\r\n".to_vec()), FailureKind::Broken, "broke off"),
        (
            "redirects",
            || Reply::redirect("https://evil.example:8443/x?code=1"),
            FailureKind::Redirected,
            "(to evil.example)",
        ),
        ("redirects to itself", || Reply::redirect("/keys"), FailureKind::Redirected, "(to 127.0.0.1)"),
        ("redirects oddly", || Reply::redirect("http://["), FailureKind::Redirected, "redirect, which is not followed"),
        (
            "promises more than it sends",
            || Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}".to_vec()),
            FailureKind::Broken,
            "broke off",
        ),
        (
            "has an endless head",
            || Reply::Endless(b"HTTP/1.1 200 OK\r\n".to_vec(), b"X-More: and more and more and more\r\n".to_vec()),
            FailureKind::Broken,
            "broke off",
        ),
        (
            "says two lengths",
            || Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x".to_vec()),
            FailureKind::Broken,
            "broke off",
        ),
        (
            "says what is compressed is not",
            || Reply::with_headers(200, "Content-Encoding: gzip\r\n", b"{}"),
            FailureKind::Broken,
            "broke off",
        ),
    ];
    let too_large: [(&str, Make); 5] = [
        ("is as large as it says", || {
            Reply::Endless(b"HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n".to_vec(), vec![b' '; 1 << 16])
        }),
        ("never ends", || Reply::Endless(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b' '; 1 << 16])),
        ("never ends in pieces", || {
            let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            Reply::Endless(head, [b"1000\r\n".as_slice(), &[b' '; 0x1000], b"\r\n"].concat())
        }),
        ("comes in pieces of a byte", || {
            let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            Reply::Endless(head, b"1\r\n \r\n".repeat(5000))
        }),
        ("grows when it is decompressed", || Reply::with_headers(200, "Content-Encoding: gzip\r\n", &BOMB)),
    ];
    cases.extend(too_large.map(|(what, make)| (what, make, FailureKind::TooLarge, "(over ")));
    for path in [DOCUMENT, "/keys", "/token", "/userinfo"] {
        for (what, reply, kind, said) in &cases {
            let (reason, _, found) = refused_at(path, *reply).await;
            assert_eq!(reason, Reason::Outbound(*kind), "{path} {what}");
            assert!(found.starts_with("127.0.0.1 ") && found.contains(said), "{path} {what}: {found}");
            assert!(!found.contains("code"), "{found}");
        }
    }
}

#[tokio::test]
async fn o26_a_document_may_be_256_kib_and_another_answer_a_mebibyte() {
    let world = World::new();
    let padded = |path: &'static str, to: usize| {
        let body = match path {
            DOCUMENT => json!(world.provider.state().discovery.clone()),
            _ => json!({ "keys": world.provider.state().keys.clone() }),
        };
        let mut body = body.to_string().into_bytes();
        body.resize(to, b' ');
        world.provider.reply(path, move || Reply::with_headers(200, "", &body));
    };
    for (path, limit) in [(DOCUMENT, 256 << 10), ("/keys", 1 << 20)] {
        padded(path, limit);
        let oidc = Oidc::new(outbound());
        oidc.keys(&world.settings, world.now()).await.expect("keys");
        padded(path, limit + 1);
        let oidc = Oidc::new(outbound());
        let refused = oidc.keys(&world.settings, world.now()).await.expect_err("refused");
        assert_eq!(refused.reason, Reason::Outbound(FailureKind::TooLarge), "{path}");
        assert_eq!(refused.found, Some(format!("127.0.0.1 answers more than may be read (over {limit} bytes)")));
        padded(path, limit);
    }
}

#[tokio::test]
async fn o26_what_is_compressed_nothing_without_end_is_nothing() {
    for (path, malformed) in [(DOCUMENT, Reason::DiscoveryMalformed), ("/keys", Reason::KeysMalformed)] {
        let nothing =
            || Reply::Endless(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec(), gzipped(0).repeat(1000));
        assert_eq!(refused_at(path, nothing).await.0, malformed);
    }
}

#[tokio::test]
async fn an_answer_may_be_compressed() {
    let world = World::new();
    let keys = json!({ "keys": world.provider.state().keys.clone() }).to_string();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(keys.as_bytes()).expect("memory");
    let compressed = encoder.finish().expect("memory");
    world.provider.reply("/keys", move || Reply::with_headers(200, "Content-Encoding: GZip\r\n", &compressed));
    world.sign_in().await.expect("a person");
    assert_eq!(world.provider.server.seen("/keys")[0].headers["accept-encoding"], "gzip");
}

#[tokio::test]
async fn o27_an_answer_that_is_an_error_or_something_else_is_told_by_its_status_and_place() {
    for (path, place, malformed) in [
        (DOCUMENT, "the discovery document", Reason::DiscoveryMalformed),
        ("/keys", "the keys", Reason::KeysMalformed),
        ("/token", "the token endpoint", Reason::TokenAnswerMalformed),
        ("/userinfo", "the user info endpoint", Reason::UserinfoMalformed),
    ] {
        for status in [500, 503, 204, 304] {
            let (reason, expected, found) = refused_at(path, move || Reply::status(status, &json!({ "a": 1 }))).await;
            assert_eq!((reason, &*expected), (Reason::ProviderStatus, "200"), "{path} {status}");
            assert_eq!(found, format!("{status} from {place}"));
        }
        for body in ["", "<html>secret</html>", "[]", "\"x\"", "{", "{\"a\":1}{}", &"[".repeat(100_000)] {
            let sent = body.to_owned();
            let (reason, expected, found) =
                refused_at(path, move || Reply::with_headers(200, "", sent.as_bytes())).await;
            assert_eq!(
                (reason, &*expected, &*found),
                (malformed, "a JSON object", "something else, which says it is application/json"),
                "{path} {body:.10}"
            );
        }
    }
    for (status, body, found) in [
        (400, json!({ "error": "invalid_grant", "error_description": "s3cret" }), "400, invalid_grant"),
        (401, json!({ "error": "invalid_client" }), "401, invalid_client"),
        (403, json!({ "error": "<b>\u{1b}" }), "403, no code"),
        (404, json!("x"), "404, no code"),
    ] {
        let (reason, _, said) = refused_at("/token", move || Reply::status(status, &body)).await;
        assert_eq!((reason, &*said), (Reason::TokenRefused, found));
    }
    for answer in [json!({}), json!({ "id_token": null }), json!({ "id_token": "" }), json!({ "id_token": 7 })] {
        let (reason, ..) = refused_at("/token", move || Reply::json(&answer)).await;
        assert_eq!(reason, Reason::IdTokenMissing);
    }
}

#[tokio::test]
async fn o27_a_provider_that_does_not_answer_in_time_is_given_up() {
    let silent: [&[u8]; 3] = [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n\x1f\x8b",
    ];
    for reply in silent {
        let world = World::through(outbound_with(|options| options.call_timeout = Duration::from_millis(50)));
        world.provider.reply(DOCUMENT, move || Reply::Stalled(reply.to_vec()));
        let (reason, _, found) = told(world.oidc.discovery(&world.settings, world.now()).await.expect_err("refused"));
        assert_eq!(reason, Reason::Outbound(FailureKind::TimedOut));
        assert_eq!(found, "127.0.0.1 did not answer in time");
    }
}

#[tokio::test]
async fn o27_where_nobody_listens_is_told() {
    let nobody = ReservedAddress::new();
    let mut world = World::new();
    world.settings.discover_url = Some(format!("http://{}", nobody.get()));
    let refusal: Refusal = world.oidc.discovery(&world.settings, world.now()).await.expect_err("refused");
    assert!(refusal.is_providers_fault());
    assert_eq!(told(refusal).0, Reason::Outbound(FailureKind::Unreachable));
}

#[tokio::test]
async fn o27_a_provider_that_went_down_is_known_for_a_day() {
    let world = World::new();
    world.sign_in().await.expect("a person");
    world.provider.reply(DOCUMENT, || Reply::status(503, &json!({})));
    world.provider.reply("/keys", || Reply::Bytes(Vec::new()));
    for hours in [1, 23] {
        world.advance(hours * 3600 - 1);
        world.sign_in().await.expect("a person");
        world.advance(1);
    }
    let refused = world.oidc.discovery(&world.settings, world.now()).await.expect_err("refused");
    assert_eq!(refused.reason, Reason::ProviderStatus);
    // Once it is back, it is asked again.
    world.provider.state().replies.clear();
    world.sign_in().await.expect("a person");
}

#[tokio::test]
async fn o23_the_document_of_another_issuer_is_refused() {
    let world = World::new();
    let evil = World::new();
    world.provider.describe("issuer", evil.provider.issuer());
    let (reason, expected, found) =
        told(world.oidc.discovery(&world.settings, world.now()).await.expect_err("refused"));
    assert_eq!(reason, Reason::DiscoveryIssuer);
    assert_eq!(expected, format!("{}{DOCUMENT}", world.provider.issuer()));
    assert_eq!(found, format!("{}{DOCUMENT}", evil.provider.issuer()));
}

#[tokio::test]
async fn o25_settings_or_endpoints_of_plain_http_are_refused_before_anything_is_sent() {
    let mut world = World::new();
    for (address, reason) in [
        (None, Reason::DiscoverUrlMissing),
        (Some("  "), Reason::DiscoverUrlMissing),
        (Some("http://id.example.com"), Reason::EndpointUnsafe),
        (Some("https://user:secret@id.example.com"), Reason::EndpointUnsafe),
        (Some("id.example.com"), Reason::EndpointUnsafe),
        (Some("file:///etc/passwd"), Reason::EndpointUnsafe),
    ] {
        world.settings.discover_url = address.map(str::to_owned);
        let refusal = world.oidc.discovery(&world.settings, world.now()).await.expect_err("refused");
        assert_eq!(refusal.reason, reason, "{address:?}");
    }
    let world = World::new();
    world.provider.describe("token_endpoint", "http://id.example.com/token");
    let (reason, expected, found) =
        told(world.oidc.discovery(&world.settings, world.now()).await.expect_err("refused"));
    assert_eq!((reason, &*expected, &*found), (Reason::EndpointUnsafe, "https", "token_endpoint"));
}
