//! Receivers that hang, lie, redirect and never end: each leaves a line that a person understands.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use flagstone::{
    config::Config,
    outbound::{Lookup, Options, Outbound, Policy, Roots},
};
use serde_json::json;

use super::{ADDONS, deliver, log, make, webhook, with};
use crate::{
    harness::TestApp,
    providers::server::{Reply, Server},
};

/// Longer than anything takes that ends.
const LONG: Duration = Duration::from_mins(2);

/// A server whose outgoing requests may take this long, and go where `policy` says.
async fn waiting(call_timeout: Duration, policy: &str) -> TestApp {
    let policy: Policy = policy.parse().expect("a policy");
    Box::pin(connecting(Options { call_timeout, connect_timeout: LONG, ..Options::new(policy) })).await
}

async fn connecting(options: Options) -> TestApp {
    let outbound = Some(Outbound::new(options).expect("a client"));
    let app = TestApp::with_config(Config { outbound, ..Config::default() }).await;
    app.project("shop").await;
    app
}

/// Returns what the log says of an event that goes to an address.
async fn told_of(app: &TestApp, url: &str) -> (String, String) {
    app.admin().post(ADDONS, webhook(url)).await.expect(201);
    make(app, "till").await;
    deliver(app).await;
    let entry = log(app).await.remove(0);
    assert_eq!(entry["attempts"], 1);
    let text = |key: &str| entry[key].as_str().expect("a text").to_owned();
    (text("state"), text("stateDetails"))
}

/// An answer whose body is sent until the other side has enough.
fn sent_gigabyte(status: u16) -> Reply {
    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: 1073741824\r\n\r\n");
    Reply::Endless(head.into_bytes(), vec![b'x'; 64 * 1024])
}

#[tokio::test]
async fn whatever_goes_wrong_ends_and_is_told() {
    type Make = fn() -> Reply;
    let endless =
        || Reply::Endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec(), b"4\r\nxxxx\r\n".to_vec());
    let gigabyte = || Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\nxxxx".to_vec());
    let cases: [(&str, Make, &str, &str); 14] = [
        ("hangs", || Reply::Stalled(Vec::new()), "waiting", "did not answer in time"),
        ("hangs up", || Reply::Bytes(Vec::new()), "waiting", "broke off its answer"),
        ("is no HTTP", || Reply::Bytes(b"SSH-2.0-OpenSSH_9.2\r\n\r\n".to_vec()), "waiting", "does not speak HTTP"),
        ("answers noise", || Reply::Bytes((0..=255).cycle().take(9000).collect()), "waiting", "does not speak HTTP"),
        (
            "closes within its headers",
            || Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Le".to_vec()),
            "waiting",
            "broke off",
        ),
        ("sends a gigabyte", || sent_gigabyte(200), "success", "Delivered."),
        ("sends a gigabyte about why not", || sent_gigabyte(410), "failed", "The receiver answered 410: xxxx"),
        ("never ends its answer", endless, "success", "Delivered."),
        ("says a gigabyte and closes half way", gigabyte, "success", "Delivered."),
        ("fails", || Reply::with_headers(500, "", b"oops"), "waiting", "answered 500: oops."),
        ("wants less", || Reply::with_headers(429, "Retry-After: 60\r\n", b""), "waiting", "12:01:00.000Z"),
        ("does not know the way", || Reply::with_headers(404, "", b""), "failed", "answered 404."),
        (
            "redirects to the metadata",
            || Reply::redirect("http://169.254.169.254/latest"),
            "failed",
            "(to 169.254.169.254)",
        ),
        ("redirects to itself", || Reply::redirect("/other"), "failed", "redirect, which is not followed"),
    ];
    for (name, reply, state, words) in cases {
        // Only who never answers is not waited for.
        let is_silent = matches!(reply(), Reply::Stalled(_));
        let app = waiting(if is_silent { Duration::from_secs(1) } else { LONG }, "loopback").await;
        let server = Server::new(move |_| reply());
        let (told, details) = told_of(&app, &server.url("/s3cret")).await;
        assert_eq!(told, state, "{name}: {details}");
        assert!(details.contains(words), "{name}: {details}");
        assert!(!details.contains("s3cret"), "{name}: {details}");
    }
}

#[tokio::test]
async fn certificates_that_are_not_good_are_told_of() {
    let (valid, authority) =
        (include_bytes!("../providers/tls/valid.pem"), include_bytes!("../providers/tls/authority.pem"));
    let cases: [(&[u8], bool, &str, &str); 4] = [
        (valid, true, "success", "Delivered."),
        (valid, false, "waiting", "has a certificate of an authority that is not trusted here"),
        (include_bytes!("../providers/tls/expired.pem"), true, "waiting", "has a certificate that is not valid now"),
        (include_bytes!("../providers/tls/other-name.pem"), true, "waiting", "has a certificate for another name"),
    ];
    for (certificate, is_trusted, expected, words) in cases {
        let mut options = Options::new("loopback".parse().expect("a policy"));
        options.lookup = Lookup::Own(Arc::new(|_| vec![[127, 0, 0, 1].into()]));
        if is_trusted {
            options.roots = Roots::Pem(authority.to_vec());
        }
        let app = connecting(options).await;
        let server = Server::over_tls(certificate, |_| Reply::with_headers(204, "", b""));
        let url = format!("https://id.example.com:{}/", server.address().port());
        let (state, details) = told_of(&app, &url).await;
        assert_eq!(state, expected, "{details}");
        assert!(details.contains(words), "{details}");
        assert_eq!(
            server.seen("/").len(),
            usize::from(expected == "success"),
            "{words}: it was told before it was known"
        );
    }
}

#[tokio::test]
async fn tls_that_is_none_is_told_of() {
    let noise: fn() -> Reply = || Reply::Bytes((0..=255).cycle().take(9000).collect());
    let answers: [fn() -> Reply; 3] = [noise, || Reply::with_headers(200, "", b"{}"), || Reply::Bytes(Vec::new())];
    for answer in answers {
        let app = connecting(Options::new("loopback".parse().expect("a policy"))).await;
        let server = Server::new(move |_| answer());
        let (state, details) = told_of(&app, &format!("https://{}/s3cret", server.address())).await;
        assert_eq!(state, "waiting", "{details}");
        assert!(details.contains("does not agree to a connection over TLS"), "{details}");
        assert!(!details.contains("s3cret"), "{details}");
    }
}

#[tokio::test]
async fn a_template_that_does_not_render_is_told_of_and_not_tried_again() {
    let app = connecting(Options::new("loopback".parse().expect("a policy"))).await;
    let server = super::receiver();
    // Each can be read, and none makes a text of this event: there is no such helper, and no end.
    let grows = "{{#each event}}{{#each ../event}}{{#each ../../event}}{{#each ../../../event}}\
                 {{#each ../../../../event}}{{#each ../../../../../event}}xxxxxxxxxx{{/each}}{{/each}}{{/each}}{{/each}}\
                 {{/each}}{{/each}}";
    let idles = grows.replace('x', "");
    let templates = ["{{nobody event.type}}", grows, &idles];
    for (template, path) in templates.into_iter().zip(["/0", "/1", "/2"]) {
        let parameters = json!({ "url": server.url(path), "bodyTemplate": template });
        app.admin().post(ADDONS, with(webhook("https://example.com"), "/parameters", parameters)).await.expect(201);
    }
    make(&app, "till").await;
    deliver(&app).await;
    for id in 1..=templates.len() {
        let log = app.admin().get(&format!("/api/admin/addons/{id}/events")).await.expect(200);
        let entry = &log["integrationEvents"][0];
        assert_eq!((&entry["state"], &entry["attempts"]), (&json!("failed"), &json!(1)), "{entry}");
        let details = entry["stateDetails"].as_str().expect("a text");
        assert!(details.starts_with("The body template cannot be rendered"), "{details}");
    }
    assert!(["/0", "/1", "/2"].iter().all(|path| server.seen(path).is_empty()));
}

#[tokio::test]
async fn nothing_goes_where_the_policy_does_not_lead() {
    for (policy, address) in [
        ("public,private", "http://127.0.0.1:9/"),
        ("public,private,loopback", "http://169.254.169.254/latest/meta-data"),
        ("public,private,loopback", "http://[::ffff:169.254.169.254]/"),
        ("public", "http://10.1.2.3/"),
        ("public,private,loopback", "http://0x7f.1.2.3.4.5/"),
    ] {
        let app = waiting(LONG, policy).await;
        if address.contains("0x7f.1.2") {
            let refused = app.admin().post(ADDONS, webhook(address)).await;
            assert!(refused.status == 400 && refused.text.contains("/body/parameters/url"), "{}", refused.text);
            continue;
        }
        let (state, details) = told_of(&app, address).await;
        assert_eq!(state, "failed", "{address}: {details}");
        assert!(details.contains("is where this server must not connect to"), "{address}: {details}");
    }
}

#[tokio::test]
async fn one_slow_receiver_holds_up_no_other() {
    let app = waiting(LONG, "loopback").await;
    let is_open = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(&is_open);
    let slow = Server::new(move |_| {
        while !gate.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Reply::with_headers(204, "", b"")
    });
    let quick = super::receiver();
    for server in [&slow, &quick] {
        app.admin().post(ADDONS, webhook(&server.url("/hook"))).await.expect(201);
    }
    for number in 0..8 {
        make(&app, &format!("till-{number}")).await;
    }
    let begun = flagstone::deliveries::round(&app.state).await.expect("a round");
    assert_eq!(begun.len(), 8, "four to each at a time");
    let start = Instant::now();
    while quick.seen("/hook").len() < 8 {
        flagstone::deliveries::round(&app.state).await.expect("a round");
        tokio::task::yield_now().await;
        assert!(start.elapsed() < LONG / 2, "the quick one waits for the slow one");
    }
    is_open.store(true, Ordering::SeqCst);
    for one in begun {
        one.await.expect("a delivery");
    }
}

#[tokio::test]
async fn a_trial_goes_the_same_way_and_leaves_nothing() {
    let app = waiting(LONG, "loopback").await;
    let server = Server::new(|_| Reply::with_headers(400, "", b"invalid_payload"));
    app.admin().post(ADDONS, webhook(&server.url("/hook"))).await.expect(201);
    let before = app.event_types().await;
    let trial = app.admin().post("/api/admin/addons/1/test", json!({ "type": "feature-archived" })).await.expect(200);
    assert_eq!((&trial["state"], &trial["event"]["type"]), (&json!("failed"), &json!("feature-archived")));
    assert_eq!(trial["stateDetails"], "The receiver answered 400: invalid_payload.");
    let sent = super::event(&server.seen("/hook")[0]);
    assert_eq!(sent, trial["event"]);
    assert_eq!(trial["details"]["body"], sent);
    assert_eq!(app.event_types().await, before);
    assert!(log(&app).await.is_empty());
    let usual = app.admin().post("/api/admin/addons/1/test", json!({})).await.expect(200);
    assert_eq!(usual["event"]["type"], "feature-created");
}
