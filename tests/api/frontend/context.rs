//! Context of an evaluation, as a browser sends it.

use serde_json::{Value, json};

use super::{FRONTEND, field, names, only, strategy, switch};
use crate::harness::{Client, TestApp, encoded};

/// A browser that is told which one value of a context field it was known by.
async fn mirror(app: &TestApp, name: &str, values: &[&str]) -> Client {
    app.project("shop").await;
    let admin = app.admin();
    if name != "environment" {
        field(&admin, name).await;
    }
    for value in values {
        app.feature("shop", value).await;
        strategy(&admin, value, only(name, &[value])).await;
        switch(&admin, value, "on").await;
    }
    app.browser(&["shop"], "development").await
}

async fn asked(browser: &Client, query: &str) -> Vec<String> {
    let answer = browser.get(&format!("{FRONTEND}?{query}")).await.expect(200);
    names(&answer).into_iter().map(str::to_owned).collect()
}

async fn posted(browser: &Client, context: Value) -> Vec<String> {
    let answer = browser.post(FRONTEND, json!({ "context": context })).await.expect(200);
    names(&answer).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn values_of_context_fields_come_in_any_form() {
    let app = TestApp::new().await;
    let browser = mirror(&app, "tier", &["gold", "7", "true"]).await;
    assert_eq!(asked(&browser, "tier=gold").await, ["gold"]);
    assert_eq!(asked(&browser, "properties[tier]=gold").await, ["gold"]);
    assert_eq!(asked(&browser, "properties%5Btier%5D=gold&tier=7").await, ["7"]);
    assert_eq!(posted(&browser, json!({ "properties": { "tier": "gold" } })).await, ["gold"]);
    assert_eq!(posted(&browser, json!({ "properties": { "tier": "gold" }, "tier": 7 })).await, ["7"]);
    assert_eq!(posted(&browser, json!({ "tier": true, "properties": null })).await, ["true"]);
    for nothing in [json!({ "tier": null }), json!({ "tier": ["gold"] }), json!({ "tier": { "gold": "gold" } })] {
        assert_eq!(posted(&browser, nothing).await, Vec::<String>::new());
    }
    assert_eq!(browser.post(FRONTEND, json!({})).await.expect(200), json!({ "toggles": [] }));
}

#[tokio::test]
async fn the_environment_is_the_tokens_and_the_session_is_made_up() {
    let app = TestApp::new().await;
    let browser = mirror(&app, "environment", &["development", "production"]).await;
    assert_eq!(asked(&browser, "environment=production").await, ["development"]);
    assert_eq!(posted(&browser, json!({ "environment": "production" })).await, ["development"]);
    let admin = app.admin();
    app.feature("shop", "session").await;
    let no_session =
        json!({ "contextName": "sessionId", "operator": "STR_CONTAINS", "values": ["a", "b", "0", "1", "4"] });
    strategy(&admin, "session", json!({ "name": "default", "constraints": [no_session] })).await;
    switch(&admin, "session", "on").await;
    assert_eq!(asked(&browser, "").await, ["development", "session"], "a random one holds one of these signs");
    for query in ["sessionId=xyz", "sessionId="] {
        assert_eq!(asked(&browser, query).await, ["development"], "{query}");
    }
    for session in [json!("xyz"), json!(""), json!(null)] {
        assert_eq!(posted(&browser, json!({ "sessionId": session })).await, ["development"], "{session}");
    }
}

#[tokio::test]
async fn time_and_address_can_be_told() {
    let app = TestApp::new().await;
    app.project("shop").await;
    for name in ["later", "near"] {
        app.feature("shop", name).await;
    }
    let admin = app.admin();
    let later = json!({ "contextName": "currentTime", "operator": "DATE_AFTER", "value": "2030-01-01T00:00:00Z" });
    strategy(&admin, "later", json!({ "name": "default", "constraints": [later] })).await;
    strategy(&admin, "near", json!({ "name": "remoteAddress", "parameters": { "IPs": "192.0.2.0/24" } })).await;
    for name in ["later", "near"] {
        switch(&admin, name, "on").await;
    }
    let browser = app.browser(&["shop"], "development").await;
    assert_eq!(asked(&browser, "").await, Vec::<String>::new());
    assert_eq!(asked(&browser, "currentTime=2031-01-01T00:00:00Z").await, ["later"]);
    assert_eq!(asked(&browser, "remoteAddress=192.0.2.200").await, ["near"]);
    assert_eq!(asked(&browser, "remoteAddress=no-address&currentTime=").await, Vec::<String>::new());
    app.clock.advance(5 * 366 * 86_400_000);
    assert_eq!(asked(&browser, "").await, ["later"], "time goes on where nobody tells one");
}

#[tokio::test]
async fn a_context_may_be_the_body_itself_or_stand_in_it() {
    let app = TestApp::new().await;
    let browser = mirror(&app, "tier", &["gold", "7", "true"]).await;
    let nothing: [&str; 0] = [];
    for (body, on) in [
        (json!({ "tier": "gold" }), &["gold"][..]),
        (json!({ "userId": "7", "tier": 7 }), &["7"]),
        (json!({ "tier": true, "properties": { "tier": "gold" } }), &["true"]),
        (json!({ "properties": { "tier": "gold" } }), &["gold"]),
        (json!({ "context": null, "tier": "gold", "userId": null }), &["gold"]),
        (json!({ "context": {}, "tier": "gold" }), &["gold"]),
        (json!({ "context": { "tier": "7" }, "tier": "gold" }), &["7"]),
        (json!({ "tier": null }), &nothing),
        (json!({}), &nothing),
    ] {
        assert_eq!(names(&browser.post(FRONTEND, body.clone()).await.expect(200)), on, "{body}");
    }
    for (body, place) in [
        (json!({ "tier": ["gold"] }), "/body/tier"),
        (json!({ "userId": { "id": "7" } }), "/body/userId"),
        (json!({ "properties": { "tier": ["gold"] } }), "/body/properties/tier"),
        (json!({ "properties": ["gold"] }), "/body/properties"),
        (json!({ "context": { "tier": "gold" }, "toggles": ["gold"] }), "/body/toggles"),
        (json!({ "context": "gold" }), "/body/context"),
        (json!({ "context": ["gold"] }), "/body/context"),
        (json!({ "tier": "x".repeat(10_001) }), "/body/tier"),
        (json!(["gold"]), "/body"),
        (json!("gold"), "/body"),
    ] {
        browser.post(FRONTEND, body).await.refused(400, "ValidationError", place);
    }
}

#[tokio::test]
async fn what_is_no_time_is_refused_wherever_it_is_said() {
    let app = TestApp::new().await;
    let browser = app.browser(&["*"], "development").await;
    for time in ["nonsense", "2026-02-30T00:00:00Z", "2026-01-15", " "] {
        for name in ["currentTime", "properties[currentTime]"] {
            let answer = browser.get(&format!("{FRONTEND}?{name}={}", encoded(time))).await;
            answer.refused(400, "ValidationError", &format!("`{name}` must be a time of RFC 3339"));
        }
        for (body, place) in [
            (json!({ "currentTime": time }), "/body/currentTime"),
            (json!({ "context": { "currentTime": time } }), "/body/context/currentTime"),
            (json!({ "context": { "properties": { "currentTime": time } } }), "/body/context/properties/currentTime"),
        ] {
            browser.post(FRONTEND, body.clone()).await.refused(400, "ValidationError", place);
            let answer = browser.post("/ofrep/v1/evaluate/flags", body).await;
            assert_eq!((answer.status, &answer.body["errorCode"]), (400, &json!("INVALID_CONTEXT")), "{}", answer.text);
            assert!(answer.text.contains(place), "{}", answer.text);
        }
    }
    for context in [json!({ "currentTime": 1_768_478_400_000_i64 }), json!({ "currentTime": true })] {
        browser.post(FRONTEND, context).await.refused(400, "ValidationError", "/body/currentTime");
    }
    for context in [
        json!({ "currentTime": null }),
        json!({ "currentTime": "" }),
        json!({ "currentTime": "2026-01-15T12:00:00+01:00" }),
    ] {
        browser.post(FRONTEND, context).await.expect(200);
    }
}

#[tokio::test]
async fn a_context_has_bounds() {
    let app = TestApp::new().await;
    let browser = app.browser(&["*"], "development").await;
    let long = "x".repeat(10_001);
    let many = (0..101).map(|number| format!("p{number}=1")).collect::<Vec<_>>().join("&");
    for (query, name) in [
        (format!("userId={long}"), "userId"),
        (format!("tier={long}"), "tier"),
        (format!("properties[tier]={long}"), "properties[tier]"),
        (many, "p100"),
        ("userId=1&userId=2".to_owned(), "userId"),
        ("tier=1&tier=2".to_owned(), "tier"),
    ] {
        let answer = browser.get(&format!("{FRONTEND}?{query}")).await;
        answer.refused(400, "ValidationError", &format!("`{name}`"));
    }
    let many: Value =
        (0..101).map(|number| (format!("p{number}"), json!("1"))).collect::<serde_json::Map<_, _>>().into();
    let halves: Value =
        (0..60).map(|number| (format!("p{number}"), json!("1"))).collect::<serde_json::Map<_, _>>().into();
    let mut together: Value =
        (60..120).map(|number| (format!("p{number}"), json!("1"))).collect::<serde_json::Map<_, _>>().into();
    together["properties"] = halves;
    for (context, place) in [
        (json!({ "userId": long }), "/body/context/userId"),
        (json!({ "properties": { "tier": long } }), "/body/context/properties/tier"),
        (many, "/body/context"),
        (together, "/body/context/p"),
        (json!("7"), "/body/context"),
    ] {
        browser.post(FRONTEND, json!({ "context": context })).await.refused(400, "ValidationError", place);
    }
    let fits = format!("userId={}&tier={}", "x".repeat(4000), encoded("é".repeat(1000).as_str()));
    browser.get(&format!("{FRONTEND}?{fits}")).await.expect(200);
}
