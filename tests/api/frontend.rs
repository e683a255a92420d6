//! Programs in the hands of users, which are told what is on.

mod context;
mod pages;
mod usage;

use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Client, TestApp, encoded};

const FRONTEND: &str = "/api/frontend";

/// Adds a strategy in `development`, as somebody does.
pub async fn strategy(admin: &Client, feature: &str, strategy: Value) {
    let path = format!("/api/admin/projects/shop/features/{feature}/environments/development/strategies");
    admin.post(&path, strategy).await.expect(200);
}

/// Makes a context field known.
pub async fn field(admin: &Client, name: &str) {
    admin.post("/api/admin/context", json!({ "name": name })).await.expect(201);
}

/// Switches a feature in `development`, as somebody does.
pub async fn switch(admin: &Client, feature: &str, word: &str) {
    let path = format!("/api/admin/projects/shop/features/{feature}/environments/development/{word}");
    admin.request(Method::POST, &path, &[], vec![]).await.expect(200);
}

pub fn only(field: &str, values: &[&str]) -> Value {
    let constraint = json!({ "contextName": field, "operator": "IN", "values": values });
    json!({ "name": "default", "constraints": [constraint] })
}

/// The texts of a context as an address carries them.
pub fn in_query(context: &Value) -> String {
    let context = context.as_object().expect("an object");
    let plain = context.iter().map(|(name, value)| (name.clone(), value));
    let properties = context.get("properties").and_then(Value::as_object).into_iter().flatten();
    let properties = properties.map(|(name, value)| (format!("properties[{name}]"), value));
    let texts = plain.chain(properties).filter_map(|(name, value)| Some((name, value.as_str()?)));
    texts.map(|(name, text)| format!("{}={}", encoded(&name), encoded(text))).collect::<Vec<_>>().join("&")
}

/// Asks one question in the address and in the body; the answers must agree.
async fn ask(browser: &Client, context: Value) -> Value {
    let asked = browser.get(&format!("{FRONTEND}?{}", in_query(&context))).await.expect(200);
    let posted = browser.post(FRONTEND, json!({ "context": context })).await.expect(200);
    assert_eq!(asked, posted);
    asked
}

fn names(answer: &Value) -> Vec<&str> {
    let toggles = answer["toggles"].as_array().expect("a list");
    toggles.iter().map(|toggle| toggle["name"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn only_what_is_on_is_told_with_its_variant() {
    let app = TestApp::new().await;
    app.project("shop").await;
    for name in ["plain", "gold", "off", "varied", "elsewhere"] {
        app.feature("shop", name).await;
    }
    let admin = app.admin();
    admin
        .patch(
            "/api/admin/projects/shop/features/plain",
            json!([{ "op": "replace", "path": "/impressionData", "value": true }]),
        )
        .await
        .expect(200);
    field(&admin, "tier").await;
    admin.post("/api/admin/strategies", json!({ "name": "homeMade", "parameters": [] })).await.expect(201);
    strategy(&admin, "plain", json!({ "name": "default" })).await;
    strategy(&admin, "gold", only("tier", &["gold"])).await;
    strategy(&admin, "off", json!({ "name": "default" })).await;
    let mut varied = json!({ "name": "flexibleRollout", "parameters": { "rollout": "100", "stickiness": "default", "groupId": "varied" } });
    varied["variants"] = json!([{
        "name": "red", "weight": 1000, "weightType": "variable", "stickiness": "default",
        "payload": { "type": "json", "value": "{\"a\":1}" },
    }]);
    strategy(&admin, "varied", varied).await;
    strategy(&admin, "elsewhere", json!({ "name": "homeMade" })).await;
    for name in ["plain", "gold", "varied", "elsewhere"] {
        switch(&admin, name, "on").await;
    }
    let browser = app.browser(&["shop"], "development").await;
    let answer = ask(&browser, json!({ "appName": "web", "userId": "7" })).await;
    let expected = json!({ "toggles": [
        {
            "name": "plain", "enabled": true, "impressionData": true,
            "variant": { "name": "disabled", "enabled": false, "feature_enabled": true },
        },
        {
            "name": "varied", "enabled": true, "impressionData": false,
            "variant": {
                "name": "red", "enabled": true, "feature_enabled": true,
                "payload": { "type": "json", "value": "{\"a\":1}" },
            },
        },
    ] });
    assert_eq!(answer, expected);
    let gold = ask(&browser, json!({ "properties": { "tier": "gold" } })).await;
    assert_eq!(names(&gold), ["gold", "plain", "varied"]);
    let production = app.browser(&["shop"], "production").await;
    assert_eq!(ask(&production, json!({})).await, json!({ "toggles": [] }));
}

#[tokio::test]
async fn segments_dependencies_and_projects_count() {
    let app = TestApp::new().await;
    for project in ["shop", "bank"] {
        app.project(project).await;
    }
    for name in ["parent", "child", "segmented"] {
        app.feature("shop", name).await;
    }
    app.feature("bank", "vault").await;
    let admin = app.admin();
    let constraint = json!({ "contextName": "userId", "operator": "STR_ENDS_WITH", "values": ["7"] });
    let segment = json!({ "name": "sevens", "constraints": [constraint] });
    let id = admin.post("/api/admin/segments", segment).await.expect(201)["id"].clone();
    field(&admin, "tier").await;
    strategy(&admin, "segmented", json!({ "name": "default", "segments": [id] })).await;
    strategy(&admin, "parent", only("tier", &["gold"])).await;
    for name in ["parent", "child", "segmented"] {
        switch(&admin, name, "on").await;
    }
    let dependency = json!({ "feature": "parent" });
    admin.post("/api/admin/projects/shop/features/child/dependencies", dependency).await.expect(200);
    let on = "/api/admin/projects/bank/features/vault/environments/development/on";
    admin.request(Method::POST, on, &[], vec![]).await.expect(200);

    let browser = app.browser(&["shop"], "development").await;
    assert_eq!(names(&ask(&browser, json!({ "userId": "17" })).await), ["segmented"]);
    assert_eq!(names(&ask(&browser, json!({ "userId": "18", "tier": "gold" })).await), ["child", "parent"]);
    let everywhere = app.browser(&["*"], "development").await;
    assert_eq!(names(&ask(&everywhere, json!({ "userId": "18" })).await), ["vault"]);
    let both = app.browser(&["bank", "shop"], "development").await;
    assert_eq!(names(&ask(&both, json!({ "userId": "7" })).await), ["segmented", "vault"]);
}

#[tokio::test]
async fn an_answer_is_told_once_until_something_changes() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let browser = app.browser(&["shop"], "development").await;
    let question = format!("{FRONTEND}?userId=7&sessionId=s");
    let first = browser.get(&question).await;
    assert_eq!(first.headers["cache-control"], "private, no-cache");
    let etag = first.headers["etag"].to_str().expect("a text").to_owned();
    assert_eq!(first.expect(200), json!({ "toggles": [] }));
    let known = [("if-none-match", etag.as_str()), ("content-type", "application/json")];
    let again = browser.request(Method::GET, &question, &known[..1], vec![]).await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    assert_eq!(again.headers["etag"], etag);
    let body = json!({ "context": { "userId": "7", "sessionId": "s" } }).to_string();
    let posted = browser.request(Method::POST, FRONTEND, &known, body.clone().into_bytes()).await;
    assert_eq!((posted.status, posted.text.as_str()), (304, ""));
    // The very next question sees a change.
    switch(&app.admin(), "f", "on").await;
    let changed = browser.request(Method::GET, &question, &known[..1], vec![]).await;
    assert_ne!(changed.headers["etag"].to_str().expect("a text"), etag);
    assert_eq!(names(&changed.expect(200)), ["f"]);
    let posted = browser.request(Method::POST, FRONTEND, &known, body.into_bytes()).await;
    assert_eq!(names(&posted.expect(200)), ["f"]);
}

#[tokio::test]
async fn nobody_waits_for_the_database() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    switch(&app.admin(), "f", "on").await;
    let browser = app.browser(&["shop"], "development").await;
    assert_eq!(names(&ask(&browser, json!({})).await), ["f"]);
    app.db().clone().close().await.expect("closes");
    assert_eq!(names(&ask(&browser, json!({})).await), ["f"]);
    // Something changed, and nobody can see what: the last known state is told on.
    app.db().note_change();
    assert_eq!(names(&ask(&browser, json!({})).await), ["f"]);
}

#[tokio::test]
async fn a_token_serves_until_it_ends_or_is_taken_away() {
    use flagstone::domain::secret::TokenKind;
    let app = TestApp::new().await;
    let ends = app.clock.now().plus_millis(1000);
    let ending = app.token(TokenKind::Frontend, &["*"], "development", Some(ends)).await;
    let other = app.token(TokenKind::Frontend, &["*"], "development", None).await;
    for token in [&ending, &other] {
        app.with_authorization(token).get(FRONTEND).await.expect(200);
    }
    app.clock.advance(1000);
    app.with_authorization(&ending).get(FRONTEND).await.refused(401, "AuthenticationRequired", "token");
    let listed = app.admin().get("/api/admin/api-tokens").await.expect(200);
    for token in listed["tokens"].as_array().expect("a list") {
        if token["type"] == "frontend" {
            let path = format!("/api/admin/api-tokens/{}", encoded(token["secret"].as_str().expect("a text")));
            app.admin().request(Method::DELETE, &path, &[], vec![]).await.expect(200);
        }
    }
    app.with_authorization(&other).get(FRONTEND).await.refused(401, "AuthenticationRequired", "token");
}
