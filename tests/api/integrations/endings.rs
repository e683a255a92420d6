//! The last that a receiver hears: that it was removed, changed or switched off, and by whom.

use flagstone::store::{
    entity::{delivery, integration},
    integrations::spreading::WAITING,
};
use poem::http::Method;
use sea_orm::{ColumnTrait as _, EntityTrait, PaginatorTrait as _, QueryFilter as _};
use serde_json::json;

use super::{ADDONS, FIRST, deliver, event, make, put, receiver, told, webhook, with};
use crate::{
    harness::{Client, TestApp},
    providers::server::{Reply, Seen, Server},
};

/// Type and feature of each event that was told.
fn heard(server: &Server, path: &str) -> Vec<String> {
    let told = |seen: &Seen| {
        let event = event(seen);
        format!("{} {}", event["type"].as_str().unwrap_or_default(), event["featureName"].as_str().unwrap_or_default())
    };
    server.seen(path).iter().map(told).map(|text| text.trim().to_owned()).collect()
}

async fn delete(client: &Client) -> u16 {
    client.request(Method::DELETE, FIRST, &[], Vec::new()).await.status
}

async fn tidy(app: &TestApp) {
    flagstone::jobs::remove_ended_deliveries(&app.state).await.expect("tidies");
}

async fn rows(app: &TestApp) -> u64 {
    integration::Entity::find().count(app.db()).await.expect("a count")
}

#[tokio::test]
async fn whoever_is_removed_hears_what_waits_and_then_that() {
    let (app, server) = told(|_| Reply::with_headers(204, "", b"")).await;
    make(&app, "waits").await;
    assert_eq!(delete(&app.admin()).await, 200);
    make(&app, "later").await;
    app.admin().get(FIRST).await.expect(404);
    assert_eq!(app.admin().get(ADDONS).await.expect(200)["addons"], json!([]));
    assert_eq!(delete(&app.admin()).await, 404);
    deliver(&app).await;
    assert_eq!(heard(&server, "/hook"), ["feature-created waits", "addon-config-deleted"]);
    let last = event(server.seen("/hook").last().expect("a message"));
    assert_eq!((&last["createdBy"], &last["preData"]["id"]), (&json!("tests"), &json!(1)));
    assert_eq!(rows(&app).await, 1, "until it has ended");
    tidy(&app).await;
    assert_eq!(rows(&app).await, 0);
}

#[tokio::test]
async fn one_that_leads_elsewhere_tells_the_receiver_of_before_so() {
    let (app, server) = told(|_| Reply::with_headers(204, "", b"")).await;
    make(&app, "waits").await;
    put(&app.admin(), webhook(&server.url("/new"))).await.expect(200);
    make(&app, "later").await;
    deliver(&app).await;
    assert_eq!(heard(&server, "/hook"), ["feature-created waits", "addon-config-updated"]);
    assert_eq!(heard(&server, "/new"), ["feature-created later"]);
    tidy(&app).await;
    assert_eq!(rows(&app).await, 1);
    let log = super::log(&app).await;
    assert_eq!(log.len(), 3, "what was told before stays in the log: {log:?}");
    // Another secret for the same address is told under the secret of before.
    let mut body = webhook(&server.url("/new"));
    body["parameters"]["authorization"] = json!("other");
    put(&app.admin(), body).await.expect(200);
    deliver(&app).await;
    let last = server.seen("/new").pop().expect("a message");
    assert_eq!(
        (event(&last)["type"].clone(), last.headers.get("authorization")),
        (json!("addon-config-updated"), None)
    );
}

#[tokio::test]
async fn one_that_is_switched_off_or_told_less_hears_that_last() {
    for (what, path, value) in [
        ("off", "/enabled", json!(false)),
        ("no types", "/events", json!([])),
        ("other projects", "/projects", json!(["default"])),
        ("other environments", "/environments", json!(["development"])),
    ] {
        let (app, server) = told(|_| Reply::with_headers(204, "", b"")).await;
        make(&app, "waits").await;
        let mut body = webhook("*****");
        body["projects"] = json!([]);
        body["environments"] = json!([]);
        put(&app.admin(), with(body.clone(), path, value)).await.expect(200);
        make(&app, "later").await;
        deliver(&app).await;
        let mut heard_so_far = heard(&server, "/hook");
        if what != "off" {
            // Four at a time, unless it asks for order.
            heard_so_far.sort_by_key(|text| (!text.ends_with("waits"), text.ends_with("later")));
        }
        let expected = ["feature-created waits", "addon-config-updated"];
        assert_eq!(heard_so_far[..2], expected, "{what}");
        assert!(heard_so_far.len() == 2 || what == "other environments", "{what}: {heard_so_far:?}");
        if what == "off" {
            // It has heard that already.
            assert_eq!(delete(&app.admin()).await, 200);
            deliver(&app).await;
            assert_eq!(heard(&server, "/hook").len(), 2);
        }
    }
}

#[tokio::test]
async fn nobody_cuts_off_what_they_may_not_see() {
    let server = receiver();
    let app = TestApp::new().await;
    app.project("shop").await;
    // Of an administrator: told of everything, and seen by all in the list.
    let mut body = webhook(&server.url("/hook"));
    body["events"] = json!(["feature-created", "user-created"]);
    app.admin().post(ADDONS, body).await.expect(201);
    let editor = app.editor().await;
    let post = async |path: &str| editor.post(&format!("{FIRST}{path}"), json!({})).await.status;
    assert_eq!((delete(&editor).await, post("/test").await, post("/redeliver").await), (403, 403, 403));
    assert_eq!(put(&editor, webhook("*****")).await.status, 403);
    make(&app, "till").await;
    deliver(&app).await;
    assert_eq!(heard(&server, "/hook"), ["feature-created till"], "it goes on, and no sample came");
}

#[tokio::test]
async fn secrets_go_to_no_address_that_was_not_given_with_them() {
    let (app, server) = told(|_| Reply::with_headers(204, "", b"")).await;
    let mut body = webhook(&server.url("/hook"));
    body["parameters"]["authorization"] = json!("Bearer s3cret");
    body["parameters"]["customHeaders"] = json!("{\"x-key\":\"s3cret\"}");
    put(&app.admin(), body.clone()).await.expect(200);
    let masked = json!({ "url": "*****", "authorization": "*****", "customHeaders": "*****" });
    for (path, value, names) in [
        ("url", json!(server.url("/stolen")), vec!["authorization", "customHeaders"]),
        ("bodyTemplate", json!("{{event.type}}"), vec!["url", "authorization", "customHeaders"]),
        ("contentType", json!("text/plain"), vec!["url", "authorization", "customHeaders"]),
    ] {
        let mut parameters = masked.clone();
        parameters[path] = value;
        let refused = put(&app.admin(), with(body.clone(), "/parameters", parameters)).await;
        assert_eq!(refused.status, 400, "{path}");
        for name in names {
            assert!(refused.text.contains(&format!("/body/parameters/{name}")), "{path}: {}", refused.text);
        }
    }
    let mut other = masked.clone();
    other["ordered"] = json!("true");
    put(&app.admin(), with(body, "/parameters", other)).await.expect(200);
    make(&app, "till").await;
    deliver(&app).await;
    assert!(server.seen("/stolen").is_empty());
    // The messages that it was changed go as they went before, side by side with this one.
    let seen = server.seen("/hook");
    let created = seen.iter().find(|seen| event(seen)["type"] == "feature-created").expect("a message");
    assert_eq!(created.headers["authorization"], "Bearer s3cret");
}

/// Two hundred events and a receiver that takes nothing: what waits is bounded, and nothing is lost.
#[tokio::test]
async fn what_waits_for_a_receiver_is_bounded_and_nothing_is_lost() {
    use std::sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    };
    let status = Arc::new(AtomicU16::new(503));
    let said = Arc::clone(&status);
    let (app, server) = told(move |_| Reply::with_headers(said.load(Ordering::SeqCst), "", b"")).await;
    let other = receiver();
    app.admin().post(ADDONS, webhook(&other.url("/quick"))).await.expect(201);
    let many = 2 * WAITING + 20;
    for number in 0..many {
        make(&app, &format!("till-{number}")).await;
    }
    deliver(&app).await;
    let waiting = async || {
        let waiting = delivery::Entity::find().filter(delivery::Column::State.eq("waiting"));
        waiting.count(app.db()).await.expect("a count")
    };
    assert_eq!(waiting().await, WAITING as u64);
    assert_eq!(other.seen("/quick").len(), many, "the others are told of everything");
    status.store(204, Ordering::SeqCst);
    for _ in 0..5 {
        app.clock.advance(60_000);
        deliver(&app).await;
    }
    let told: std::collections::BTreeSet<String> =
        server.seen("/hook").iter().map(|seen| event(seen)["featureName"].to_string()).collect();
    assert_eq!((told.len(), waiting().await), (many, 0));
    // Removed while it is behind: it hears all of it, and the end last.
    status.store(503, Ordering::SeqCst);
    for number in 0..WAITING + 10 {
        make(&app, &format!("cart-{number}")).await;
    }
    deliver(&app).await;
    assert_eq!(delete(&app.admin()).await, 200);
    make(&app, "never").await;
    status.store(204, Ordering::SeqCst);
    for _ in 0..5 {
        app.clock.advance(60_000);
        deliver(&app).await;
    }
    let told = heard(&server, "/hook");
    let carts: std::collections::BTreeSet<&String> = told.iter().filter(|text| text.contains("cart-")).collect();
    assert_eq!(carts.len(), WAITING + 10);
    assert!(told.contains(&"addon-config-deleted".to_owned()) && !told.iter().any(|text| text.contains("never")));
}

#[tokio::test]
async fn whoever_does_not_administer_is_not_shown_what_a_receiver_answers() {
    let server = Server::new(|_| Reply::with_headers(418, "", b"of an internal service"));
    let app = TestApp::new().await;
    app.project("shop").await;
    let mut body = webhook(&server.url("/hook"));
    body["projects"] = json!(["shop"]);
    let editor = app.editor().await;
    editor.post(ADDONS, body).await.expect(201);
    let told = editor.post(&format!("{FIRST}/test"), json!({})).await.expect(200);
    assert_eq!(told["stateDetails"], "The receiver answered 418.");
    let told = app.admin().post(&format!("{FIRST}/test"), json!({})).await.expect(200);
    assert_eq!(told["stateDetails"], "The receiver answered 418: of an internal service.");
}
