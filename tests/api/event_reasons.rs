//! Reasons of changes: given in a header, kept by each event of the change, and found, exported, proved and hidden with it.

use flagstone::{
    audit,
    domain::{change_reason::ChangeReason, event_kind::EventKind},
    store,
};
use poem::http::Method;
use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};

use crate::{
    authorization::{access::Asker, client, row::Row, rows, shop_for},
    harness::{Answer, Client, TestApp, encoded},
};

const HEADER: &str = "x-change-reason";
const CONTEXT: &str = "/api/admin/context";
const SEARCH: &str = "/api/admin/search/events";
const EXPORT: &str = "/api/admin/event-log/export";

/// Creates a context field, with these reasons.
async fn create(client: &Client, name: &str, reasons: &[&str]) -> Answer {
    let mut headers = vec![("content-type", "application/json")];
    headers.extend(reasons.iter().map(|reason| (HEADER, *reason)));
    client.request(Method::POST, CONTEXT, &headers, json!({ "name": name }).to_string().into_bytes()).await
}

/// The newest event of a search.
async fn newest(client: &Client, query: &str) -> Value {
    client.get(&format!("{SEARCH}?limit=1&{query}")).await.expect(200)["events"][0].clone()
}

#[tokio::test]
async fn every_event_of_every_change_has_the_reason() {
    let is_of_people = |row: &Row| row.call.path.starts_with("/api/admin/");
    let mut changes = 0;
    for row in rows::all().into_iter().filter(|row| !row.is_read()) {
        if row.events.is_empty() || !is_of_people(&row) {
            continue;
        }
        let app = shop_for(&row).await;
        let asker = Asker::ALL.into_iter().find(|asker| row.access.refusal(*asker).is_none()).expect("somebody");
        let somebody = client(&app, asker).await.sending(&[(HEADER, "Gr%C3%B6%C3%9Fer")]);
        row.prepare(&somebody).await;
        let before = app.events().await.len();
        let answer = row.call.take(&somebody).await;
        assert_eq!(answer.status, row.success, "{}: {}", row.operation, answer.text);
        for event in &app.events().await[before..] {
            assert_eq!(event.reason.as_deref(), Some("Größer"), "{}: {}", row.operation, event.r#type);
        }
        changes += 1;
    }
    assert!(changes > 100, "{changes}");
}

#[tokio::test]
async fn a_reason_that_is_no_line_of_text_is_refused_before_anything_happens() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for (reason, rule) in [
        ("x".repeat(501), "at most 500 characters"),
        ("%F0%9F%9A%A9".repeat(501), "at most 500 characters"),
        ("two%0Alines".to_owned(), "one line"),
        ("bell%07".to_owned(), "one line"),
        ("nul%00".to_owned(), "one line"),
        ("100%".to_owned(), "`%25`"),
        ("Gr%F6%DFer".to_owned(), "UTF-8"),
    ] {
        let answer = create(&admin, "plan", &[reason.as_str()]).await;
        assert_eq!(answer.body["details"][0]["path"], "/header/X-Change-Reason", "{reason}");
        assert!(answer.body["message"].as_str().expect("a message").contains(rule), "{}", answer.text);
        answer.refused(400, "ValidationError", "X-Change-Reason");
    }
    create(&admin, "plan", &["one", "two"]).await.refused(400, "ValidationError", "X-Change-Reason");
    create(&app.anonymous(), "plan", &["100%"]).await.refused(401, "AuthenticationRequired", "");
    assert_eq!(app.events().await.len(), 0);
    // Whoever only looks is not asked why.
    admin.request(Method::GET, CONTEXT, &[(HEADER, "100%")], Vec::new()).await.expect(200);
    let longest = "🚩".repeat(ChangeReason::LONGEST);
    create(&admin, "plan", &[encoded(&longest).as_str()]).await.expect(201);
    assert_eq!(newest(&admin, "").await["reason"], json!(longest));
}

#[tokio::test]
async fn without_a_reason_an_event_is_as_it_always_was() {
    let app = TestApp::new().await;
    let admin = app.admin();
    create(&admin, "plain", &[]).await.expect(201);
    create(&admin, "blank", &["%20 "]).await.expect(201);
    let events = admin.get(SEARCH).await.expect(200)["events"].clone();
    for event in events.as_array().expect("a list") {
        assert_eq!(event.get("reason"), None, "{event}");
    }
    assert!(app.events().await.iter().all(|event| event.reason.is_none()));
    let lines = admin.get(EXPORT).await.text;
    assert_eq!((lines.lines().count(), lines.contains("reason")), (2, false), "{lines}");
}

#[tokio::test]
async fn a_reason_is_found_by_both_searches_and_told_by_whatever_tells_of_events() {
    let app = TestApp::new().await;
    let admin = app.admin();
    create(&admin, "plan", &["Ticket 4711: \"fewer\" complaints, %C3%A4nd so on"]).await.expect(201);
    create(&admin, "other", &["something else"]).await.expect(201);
    let reason = "Ticket 4711: \"fewer\" complaints, änd so on";
    for text in ["4711", "TICKET 4711: \"FEWER\"", "ÄND", "än"] {
        let query = format!("query={}", encoded(text));
        assert_eq!(newest(&admin, &query).await["reason"], json!(reason), "{text}");
        let found = admin.post("/api/admin/events/search", json!({ "query": text, "limit": 1 })).await.expect(200);
        assert_eq!(found["events"][0]["reason"], json!(reason), "{text}");
    }
    assert_eq!(admin.get(&format!("{SEARCH}?query=4711")).await.expect(200)["total"], 1);
    assert_eq!(newest(&admin, "query=nowhere").await, Value::Null);

    let stored = app.events().await;
    let told = store::events::log::with_ids(app.db(), &[stored[0].id]).await.expect("events");
    assert_eq!((told[0].kind, told[0].reason.as_deref()), (EventKind::ContextFieldCreated, Some(reason)));
    let lines = admin.get(EXPORT).await.text;
    let line: Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    assert_eq!(line["reason"], json!(reason));
    let table = admin.get(&format!("{EXPORT}?format=csv")).await.text;
    assert!(table.starts_with("id,") && table.contains(",hash,reason\r\n"), "{table}");
    assert!(table.contains(",\"Ticket 4711: \"\"fewer\"\" complaints, änd so on\"\r\n"), "{table}");
}

#[tokio::test]
async fn the_chain_proves_the_reason_and_that_there_was_none() {
    for (statement, first) in [
        ("UPDATE event SET reason = NULL WHERE id = 2", Some(2)),
        ("UPDATE event SET reason = 'another' WHERE id = 2", Some(2)),
        ("UPDATE event SET reason = '' WHERE id = 1", Some(1)),
        ("UPDATE event SET reason = 'made up' WHERE id = 3", Some(3)),
        ("UPDATE event SET reason = reason WHERE id > 0", None),
    ] {
        let app = TestApp::new().await;
        let admin = app.admin();
        for (name, reasons) in [("a", &[][..]), ("b", &["why"][..]), ("c", &[][..])] {
            create(&admin, name, reasons).await.expect(201);
        }
        audit::extend(&app.state).await.expect("hashes");
        let tx = app.tx().await;
        tx.execute_unprepared(statement).await.expect(statement);
        app.commit(tx).await;
        let told = admin.get("/api/admin/event-log/integrity").await.expect(200);
        let expected = first.map_or(Value::Null, |id| json!(id));
        assert_eq!((&told["fault"]["eventId"], &told["holds"]), (&expected, &json!(first.is_none())), "{statement}");
    }
}

#[tokio::test]
async fn a_request_that_comes_again_keeps_its_first_reason() {
    let app = TestApp::new().await;
    let admin = app.admin().sending(&[("idempotency-key", "k")]);
    // A refused reason does not use up the key.
    create(&admin, "plan", &["100%"]).await.refused(400, "ValidationError", "X-Change-Reason");
    create(&admin, "plan", &["first"]).await.expect(201);
    let again = create(&admin, "plan", &["second"]).await;
    assert_eq!((again.status, again.headers["idempotency-replayed"].as_bytes()), (201, &b"true"[..]));
    let reasons: Vec<_> = app.events().await.into_iter().map(|event| event.reason).collect();
    assert_eq!(reasons, [Some("first".to_owned())]);
}
