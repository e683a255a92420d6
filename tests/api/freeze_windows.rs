//! Freeze windows: how they are set, whom they stop, and for how long.

mod rules;

use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    calls::{act, delete, last_event, put},
    harness::{Answer, Client, TestApp},
};

const WINDOWS: &str = "/api/admin/freeze-windows";
const FEATURE: &str = "/api/admin/projects/shop/features/f";
const FROZEN: &str = "EnvironmentFrozenError";

fn once(environment: Option<&str>, exempt: &[i64]) -> Value {
    json!({
        "environment": environment, "once": { "from": "2026-01-15T12:00:00Z", "to": "2026-01-16T12:00:00Z" },
        "zone": "Europe/Berlin", "reason": "Stocktaking", "exemptRoles": exempt,
    })
}

/// Freezes an environment, or all, for a day from the beginning of the test.
pub async fn freeze(app: &TestApp, environment: Option<&str>, exempt: &[i64]) -> Value {
    app.admin().post(WINDOWS, once(environment, exempt)).await.expect(201)["id"].clone()
}

async fn switch(client: &Client, environment: &str, word: &str) -> Answer {
    act(client, Method::POST, &format!("{FEATURE}/environments/{environment}/{word}")).await
}

#[tokio::test]
async fn a_window_is_created_changed_and_deleted_and_each_leaves_an_event() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let asked = json!({
        "environment": "production", "weekly": { "days": ["sunday", "friday", "friday"], "from": "18:30", "to": "06:00" },
        "zone": "Europe/Berlin", "reason": " Weekend ", "exemptRoles": [4, 1],
    });
    let created = admin.post(WINDOWS, asked).await;
    assert_eq!(created.headers["location"], WINDOWS);
    let created = created.expect(201);
    let id = created["id"].clone();
    let whole = json!({
        "id": id, "environment": "production", "weekly": { "days": ["friday", "sunday"], "from": "18:30", "to": "06:00" },
        "zone": "Europe/Berlin", "reason": "Weekend", "exemptRoles": [1, 4],
    });
    assert_eq!(created, whole);
    assert_eq!(last_event(&app).await, json!(["freeze-window-created", null, whole, null]));
    assert_eq!(app.events().await.last().expect("an event").environment.as_deref(), Some("production"));
    assert_eq!(admin.get(WINDOWS).await.expect(200), json!({ "windows": [whole] }));

    let path = format!("{WINDOWS}/{id}");
    let asked =
        json!({ "once": { "from": "2026-12-24T00:00:00Z", "to": "2027-01-02T00:00:00+01:00" }, "reason": "Holidays" });
    let changed = put(&admin, &path, asked.clone()).await.expect(200);
    let other = json!({
        "id": id, "environment": null,
        "once": { "from": "2026-12-24T00:00:00.000Z", "to": "2027-01-01T23:00:00.000Z" },
        "zone": "UTC", "reason": "Holidays", "exemptRoles": [],
    });
    assert_eq!(changed, other);
    assert_eq!(last_event(&app).await, json!(["freeze-window-updated", null, other, whole]));
    let events = app.events().await.len();
    assert_eq!(put(&admin, &path, asked.clone()).await.expect(200), other);
    assert_eq!(app.events().await.len(), events, "nothing changed");
    let found = admin.get("/api/admin/search/events?type=IS:freeze-window-updated").await.expect(200);
    assert_eq!((&found["total"], &found["events"][0]["type"]), (&json!(1), &json!("setting-updated")));
    assert_eq!(found["events"][0]["label"], "freeze-window-updated");

    delete(&admin, &path).await.expect(200);
    assert_eq!(last_event(&app).await, json!(["freeze-window-deleted", null, null, other]));
    assert_eq!(admin.get(WINDOWS).await.expect(200), json!({ "windows": [] }));
    delete(&admin, &path).await.refused(404, "NotFoundError", "no freeze window");
    put(&admin, &path, asked).await.refused(404, "NotFoundError", "no freeze window");
}

#[tokio::test]
async fn a_window_needs_a_time_a_reason_and_what_exists() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let weekly = |from: &str, to: &str| json!({ "days": ["monday"], "from": from, "to": to });
    let with = |name: &str, value: Value| {
        let mut body = once(None, &[]);
        body[name] = value;
        body
    };
    let without = |name: &str| {
        let mut body = once(None, &[]);
        body.as_object_mut().expect("an object").remove(name);
        body
    };
    let recurring = |value: Value| {
        let mut body = without("once");
        body["weekly"] = value;
        body
    };
    let id = freeze(&app, None, &[]).await;
    let before = app.events().await.len();
    for (body, pointer) in [
        (without("once"), "/body/once"),
        (without("reason"), "/body/reason"),
        (with("reason", " ".into()), "/body/reason"),
        (with("reason", "x".repeat(501).into()), "/body/reason"),
        (with("zone", "Mars/Olympus".into()), "/body/zone"),
        (with("weekly", weekly("18:00", "06:00")), "/body/weekly"),
        (with("once", json!({ "from": "2026-01-16T12:00:00Z", "to": "2026-01-16T12:00:00Z" })), "/body/once"),
        (with("environment", "nowhere".into()), "/body/environment"),
        (with("exemptRoles", json!([77])), "/body/exemptRoles"),
        (with("exemptRoles", json!((1..=51).collect::<Vec<_>>())), "/body/exemptRoles"),
        (recurring(weekly("18:00", "18:00")), "/body/weekly"),
        (recurring(weekly("24:00", "06:00")), "/body/weekly/from"),
        (recurring(weekly("18:00", "25:00")), "/body/weekly/to"),
        (recurring(json!({ "days": [], "from": "18:00", "to": "19:00" })), "/body/weekly/days"),
        (recurring(json!({ "days": ["someday"], "from": "18:00", "to": "19:00" })), "/body/weekly/days"),
    ] {
        for answer in [admin.post(WINDOWS, body.clone()).await, put(&admin, &format!("{WINDOWS}/{id}"), body).await] {
            assert_eq!((answer.status, &answer.body["name"]), (400, &json!("ValidationError")), "{}", answer.text);
            assert!(answer.text.contains(pointer), "{} does not name {pointer}", answer.text);
        }
    }
    assert_eq!(app.events().await.len(), before);
}

#[tokio::test]
async fn there_are_at_most_100_windows_of_an_environment_and_of_all() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for environment in [None, Some("production")] {
        for _ in 0..100 {
            freeze(&app, environment, &[]).await;
        }
        let answer = admin.post(WINDOWS, once(environment, &[])).await;
        answer.refused(400, "ExceedsLimitError", "limit of 100 is reached");
    }
    let moved = freeze(&app, Some("development"), &[]).await;
    let answer = put(&admin, &format!("{WINDOWS}/{moved}"), once(None, &[])).await;
    answer.refused(400, "ExceedsLimitError", "freeze window of all environments");
    let last = admin.get(WINDOWS).await.expect(200)["windows"][99].clone();
    assert_eq!(last["environment"], Value::Null);
    let mut renamed = once(None, &[]);
    renamed["reason"] = "Again".into();
    put(&admin, &format!("{WINDOWS}/{}", last["id"]), renamed).await.expect(200);
}
