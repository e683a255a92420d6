//! Delivery of events: which ones, when, in which order, and by whom.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use flagstone::{
    domain::{
        event_kind::EventKind,
        integration::{
            Parameters, Provider, Settings,
            delivery::{self, Outcome},
        },
        time::HOUR_MS,
    },
    store::{
        self,
        integrations::{NewIntegration, deliveries, spreading},
    },
    wire::Scalar,
};
use serde_json::json;

use super::{ADDONS, FIRST, deliver, event, log, make, put, receiver, told, webhook, with};
use crate::{
    harness::TestApp,
    metrics::figures,
    providers::server::{Reply, Server},
};

#[tokio::test]
async fn every_event_that_is_asked_for_is_delivered_once_and_logged() {
    let (app, server) = told(|_| Reply::with_headers(202, "", b"thanks")).await;
    make(&app, "till").await;
    make(&app, "cart").await;
    app.admin().post("/api/admin/segments", json!({ "name": "staff", "constraints": [] })).await.expect(201);
    deliver(&app).await;
    let seen = server.seen("/hook");
    let mut told: Vec<_> = seen.iter().map(|seen| event(seen)["featureName"].clone()).collect();
    told.sort_by_key(ToString::to_string);
    assert_eq!(told, ["cart", "till"]);
    assert!(seen.iter().all(|seen| seen.method == "POST" && seen.headers["content-type"] == "application/json"));
    let ids: BTreeSet<_> = seen.iter().map(|seen| seen.headers["webhook-id"].clone()).collect();
    assert_eq!(ids.len(), 2);

    let log = log(&app).await;
    assert_eq!(log.len(), 2);
    let newest = &log[0];
    assert_eq!(
        (&newest["state"], &newest["stateDetails"], &newest["attempts"]),
        (&json!("success"), &json!("Delivered."), &json!(1))
    );
    assert_eq!((&newest["id"], &newest["integrationId"]), (&json!("2"), &json!(1)));
    assert_eq!(newest["event"]["featureName"], "cart");
    assert_eq!(newest["details"]["url"], server.url(""));
    deliver(&app).await;
    assert_eq!(server.seen("/hook").len(), 2);
    let second = app.admin().get("/api/admin/addons/1/events?limit=1&offset=1").await.expect(200);
    assert_eq!(second["integrationEvents"], json!([log[1]]));
}

#[tokio::test]
async fn the_figures_tell_of_attempts_and_of_what_waits() {
    let status = Arc::new(AtomicUsize::new(202));
    let said = Arc::clone(&status);
    let (app, _server) = told(move |_| {
        let status = said.load(Ordering::SeqCst).try_into().expect("a status");
        Reply::with_headers(status, "", b"")
    })
    .await;
    let seen = async |name: &str| figures(&app.admin()).await.get(name).cloned();
    for (feature, answer) in [("a", 202), ("b", 503), ("c", 404)] {
        status.store(answer, Ordering::SeqCst);
        make(&app, feature).await;
        deliver(&app).await;
    }
    for ending in ["taken", "put_off", "refused"] {
        let count = seen(&format!("flagstone_delivery_attempts_total{{ending=\"{ending}\"}}")).await;
        assert_eq!(count.as_deref(), Some("1"), "{ending}");
    }
    for (name, figure) in [("waiting", "1"), ("under_way", "0")] {
        assert_eq!(seen(&format!("flagstone_deliveries_{name}")).await.as_deref(), Some(figure), "{name}");
    }
    assert_eq!(seen("flagstone_integrations_failing").await.as_deref(), Some("1"));
    assert!(seen("flagstone_deliveries_waiting_since_timestamp_seconds").await.is_some());
    status.store(202, Ordering::SeqCst);
    app.clock.advance(HOUR_MS);
    deliver(&app).await;
    assert_eq!(seen("flagstone_deliveries_waiting").await.as_deref(), Some("0"));
    assert_eq!(seen("flagstone_deliveries_waiting_since_timestamp_seconds").await, None);
    assert_eq!(seen("flagstone_integrations_failing").await.as_deref(), Some("0"));
}

#[tokio::test]
async fn what_is_not_taken_is_sent_again_under_the_same_id_and_given_up_in_the_end() {
    let (app, server) = told(|_| Reply::with_headers(503, "Retry-After: 120\r\n", b"out of order")).await;
    make(&app, "till").await;
    deliver(&app).await;
    assert_eq!(server.seen("/hook").len(), 1, "not at once");
    let waiting = log(&app).await.remove(0);
    assert_eq!((&waiting["state"], &waiting["attempts"]), (&json!("waiting"), &json!(1)));
    let words = waiting["stateDetails"].as_str().expect("words");
    assert_eq!(
        words,
        "The receiver answered 503: out of order. Attempt 1 of 10; the next is at 2026-01-15T12:02:00.000Z."
    );
    assert_eq!(app.admin().get(FIRST).await.expect(200)["failingSince"], "2026-01-15T12:00:00.000Z");
    app.clock.advance(119_999);
    deliver(&app).await;
    assert_eq!(server.seen("/hook").len(), 1, "not before it asked for");
    for _ in 0..12 {
        app.clock.advance(15 * HOUR_MS);
        deliver(&app).await;
    }
    let seen = server.seen("/hook");
    assert_eq!(seen.len(), 10);
    assert!(seen.iter().all(|one| one.headers["webhook-id"] == seen[0].headers["webhook-id"]));
    let failed = log(&app).await.remove(0);
    assert_eq!(failed["state"], "failed");
    assert!(failed["stateDetails"].as_str().is_some_and(|words| words.ends_with("Given up after 10 attempts.")));
}

#[tokio::test]
async fn what_failed_is_delivered_again_when_somebody_asks_for_it() {
    let works = Arc::new(AtomicUsize::new(0));
    let switch = Arc::clone(&works);
    let (app, server) =
        told(move |_| Reply::with_headers(if switch.load(Ordering::SeqCst) == 0 { 404 } else { 200 }, "", b"")).await;
    make(&app, "till").await;
    make(&app, "cart").await;
    deliver(&app).await;
    assert!(log(&app).await.iter().all(|one| one["state"] == "failed" && one["attempts"] == 1));
    works.store(1, Ordering::SeqCst);
    deliver(&app).await;
    assert_eq!(server.seen("/hook").len(), 2, "404 is for good");
    let again = "/api/admin/addons/1/redeliver";
    assert_eq!(app.admin().post(again, json!({ "ids": [1, 77] })).await.expect(200), json!({ "redelivered": 1 }));
    deliver(&app).await;
    assert_eq!(server.seen("/hook").len(), 3);
    assert_eq!(app.admin().post(again, json!({})).await.expect(200), json!({ "redelivered": 1 }));
    deliver(&app).await;
    assert!(log(&app).await.iter().all(|one| one["state"] == "success"));
    assert_eq!(app.admin().get(FIRST).await.expect(200)["failingSince"], json!(null));
    assert_eq!(app.admin().post(again, json!({})).await.expect(200), json!({ "redelivered": 0 }));
}

#[tokio::test]
async fn in_order_a_failure_holds_up_what_comes_after_and_otherwise_it_does_not() {
    for in_order in [true, false] {
        let app = TestApp::new().await;
        app.project("shop").await;
        let first = AtomicUsize::new(0);
        let server = Server::new(move |_| {
            Reply::with_headers(if first.fetch_add(1, Ordering::SeqCst) == 0 { 500 } else { 200 }, "", b"")
        });
        let body = with(webhook(""), "/parameters", json!({ "url": server.url("/hook"), "ordered": in_order }));
        app.admin().post(ADDONS, body).await.expect(201);
        make(&app, "a").await;
        deliver(&app).await;
        for name in ["b", "c"] {
            make(&app, name).await;
        }
        deliver(&app).await;
        assert_eq!(server.seen("/hook").len(), if in_order { 1 } else { 3 });
        app.clock.advance(60_000);
        deliver(&app).await;
        let told: Vec<_> = server.seen("/hook").iter().map(|seen| event(seen)["featureName"].clone()).collect();
        if in_order {
            assert_eq!(told, ["a", "a", "b", "c"]);
        } else {
            assert_eq!((told.len(), &told[0], &told[3]), (4, &json!("a"), &json!("a")));
        }
    }
}

#[tokio::test]
async fn nothing_is_told_of_while_it_is_off_and_a_change_holds_for_what_comes_after() {
    let (app, server) = told(|_| Reply::with_headers(200, "", b"")).await;
    let on = webhook(&server.url("/hook"));
    make(&app, "a").await;
    put(&app.admin(), with(on.clone(), "/events", json!(["feature-archived"]))).await.expect(200);
    make(&app, "b").await;
    put(&app.admin(), with(on.clone(), "/enabled", json!(false))).await.expect(200);
    make(&app, "c").await;
    deliver(&app).await;
    let told_so_far: Vec<_> = server.seen("/hook").iter().map(|seen| event(seen)["type"].clone()).collect();
    let changes = told_so_far.iter().filter(|kind| *kind == "addon-config-updated").count();
    assert_eq!((told_so_far.len(), changes), (3, 2), "what waited, and that there is less, and then nothing");
    put(&app.admin(), on).await.expect(200);
    make(&app, "d").await;
    deliver(&app).await;
    let told = server.seen("/hook").into_iter().map(|seen| event(&seen)["featureName"].clone());
    let mut told: Vec<_> = told.filter(|feature| !feature.is_null()).collect();
    told.sort_by_key(ToString::to_string);
    assert_eq!(told, ["a", "d"]);
}

#[tokio::test]
async fn what_a_dead_node_had_taken_on_is_taken_up_by_the_next() {
    let (app, server) = told(|_| Reply::with_headers(200, "", b"")).await;
    make(&app, "till").await;
    let (now, tx) = (app.clock.now(), app.tx().await);
    while spreading::spread(&tx, now).await.expect("spreads") {}
    let claimed = deliveries::claim(&tx, 1, false, 9, now, now.plus_millis(90_000)).await.expect("claims");
    app.commit(tx).await;
    assert_eq!((claimed.len(), claimed[0].attempts), (1, 1));
    deliver(&app).await;
    assert!(server.seen("/hook").is_empty(), "somebody has it");
    app.clock.advance(90_000);
    deliver(&app).await;
    assert_eq!(server.seen("/hook")[0].headers["webhook-id"], claimed[0].message_id);
    // The dead one comes back late and changes nothing.
    let step = delivery::after(Outcome::Never("late".to_owned()), 1, now, 0.5);
    let tx = app.tx().await;
    deliveries::finish(&tx, &claimed[0], &step, "{}").await.expect("writes");
    app.commit(tx).await;
    let log = log(&app).await;
    assert_eq!((&log[0]["state"], &log[0]["attempts"]), (&json!("success"), &json!(2)));
}

#[tokio::test]
async fn deliveries_do_not_wait_for_an_end_of_changes() {
    let (app, server) = told(|_| Reply::with_headers(200, "", b"")).await;
    make(&app, "first").await;
    let changes = async {
        for number in 0..2000 {
            make(&app, &format!("next-{number}")).await;
        }
    };
    let begun = tokio::select! {
        begun = flagstone::deliveries::round(&app.state) => begun.expect("a round"),
        () = changes => panic!("a round waits until nothing changes any more"),
    };
    for one in begun {
        one.await.expect("a delivery");
    }
    assert!(server.seen("/hook").iter().any(|seen| event(seen)["featureName"] == "first"));
}

#[tokio::test]
async fn five_hundred_integrations_are_told_of_one_event() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let server = receiver();
    let tx = app.tx().await;
    let parameters = |url: String| [("url".to_owned(), Scalar::from(url.as_str()))].into();
    for number in 0..500 {
        let new = NewIntegration {
            provider: Provider::Webhook,
            settings: Settings {
                enabled: true,
                description: None,
                events: vec![EventKind::FeatureCreated],
                projects: Vec::new(),
                environments: Vec::new(),
                instance_events: true,
            },
            parameters: Parameters::admit(Provider::Webhook, &parameters(server.url(&format!("/{number}"))), None)
                .expect("parameters"),
            owner: None,
        };
        store::integrations::insert(&tx, &app.state.vault, new, app.clock.now()).await.expect("an integration");
    }
    app.commit(tx).await;
    let more = app.admin().post(ADDONS, webhook("https://example.com")).await;
    assert!(more.status == 400 && more.text.contains("the limit of 500 is reached"), "{}", more.text);
    make(&app, "till").await;
    deliver(&app).await;
    let mut ids = BTreeSet::new();
    for number in 0..500 {
        let seen = server.seen(&format!("/{number}"));
        assert_eq!(seen.len(), 1, "{number}");
        ids.insert(seen[0].headers["webhook-id"].clone());
    }
    assert_eq!(ids.len(), 500, "no two know it by the same id");
}
