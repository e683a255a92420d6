//! Receivers that hang, lie, redirect and never end: each leaves a line that a person understands.

use std::time::Duration;

use flagstone::{
    config::Config,
    outbound::{Options, Outbound, Policy},
};
use serde_json::json;

use super::{ADDONS, deliver, log, make, webhook};
use crate::{
    harness::TestApp,
    providers::server::{Reply, Server},
};

/// A server whose outgoing requests may take a second, and go where `policy` says.
async fn impatient(policy: &str) -> TestApp {
    let policy: Policy = policy.parse().expect("a policy");
    let options = Options { call_timeout: Duration::from_secs(1), ..Options::new(policy) };
    let outbound = Some(Outbound::new(options).expect("a client"));
    let app = TestApp::with_config(Config { outbound, ..Config::default() }).await;
    app.project("shop").await;
    app
}

/// What the log says of an event that goes to an address.
async fn told_of(app: &TestApp, url: &str) -> (String, String) {
    app.admin().post(ADDONS, webhook(url)).await.expect(201);
    make(app, "till").await;
    deliver(app).await;
    let entry = log(app).await.remove(0);
    assert_eq!(entry["attempts"], 1);
    let text = |key: &str| entry[key].as_str().expect("a text").to_owned();
    (text("state"), text("stateDetails"))
}

#[tokio::test]
async fn whatever_goes_wrong_ends_and_is_told() {
    type Make = fn() -> Reply;
    let endless =
        || Reply::Endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec(), b"4\r\nxxxx\r\n".to_vec());
    let gigabyte = || Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\nxxxx".to_vec());
    let cases: [(&str, Make, &str, &str); 10] = [
        ("hangs", || Reply::Stalled(Vec::new()), "waiting", "did not answer in time"),
        ("hangs up", || Reply::Bytes(Vec::new()), "waiting", "broke off its answer"),
        ("is no HTTP", || Reply::Bytes(b"SSH-2.0-OpenSSH_9.2\r\n\r\n".to_vec()), "waiting", "does not speak HTTP"),
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
        let app = impatient("loopback").await;
        let server = Server::new(move |_| reply());
        let (told, details) = told_of(&app, &server.url("/s3cret")).await;
        assert_eq!(told, state, "{name}: {details}");
        assert!(details.contains(words), "{name}: {details}");
        assert!(!details.contains("s3cret"), "{name}: {details}");
    }
}

#[tokio::test]
async fn certificates_that_are_not_good_are_told_of() {
    let app = impatient("loopback").await;
    let server = Server::over_tls(include_bytes!("../providers/tls/valid.pem"), |_| Reply::json(&json!({})));
    let (state, details) = told_of(&app, &format!("https://localhost:{}/", server.address().port())).await;
    assert_eq!(state, "waiting", "{details}");
    assert!(details.contains("has a certificate of an authority that is not trusted here"), "{details}");
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
        let app = impatient(policy).await;
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
    let app = impatient("loopback").await;
    let (slow, quick) = (Server::new(|_| Reply::Stalled(Vec::new())), super::receiver());
    for server in [&slow, &quick] {
        app.admin().post(ADDONS, webhook(&server.url("/hook"))).await.expect(201);
    }
    for number in 0..8 {
        make(&app, &format!("till-{number}")).await;
    }
    let begun = flagstone::deliveries::round(&app.state).await.expect("a round");
    assert_eq!(begun.len(), 8, "four to each at a time");
    let mut rounds = 0;
    while quick.seen("/hook").len() < 8 {
        flagstone::deliveries::round(&app.state).await.expect("a round");
        tokio::task::yield_now().await;
        rounds += 1;
        assert!(rounds < 1_000_000, "the quick one waits for the slow one");
    }
    for one in begun {
        one.await.expect("a delivery");
    }
}

#[tokio::test]
async fn a_trial_goes_the_same_way_and_leaves_nothing() {
    let app = impatient("loopback").await;
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
