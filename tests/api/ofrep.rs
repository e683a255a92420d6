//! OpenFeature's remote evaluation.

use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    frontend::{field, only, strategy, switch},
    harness::{Answer, Client, TestApp},
};

const FLAGS: &str = "/ofrep/v1/evaluate/flags";

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    for name in ["everybody", "gold", "off", "varied"] {
        app.feature("shop", name).await;
    }
    let admin = app.admin();
    field(&admin, "tier").await;
    strategy(&admin, "gold", only("tier", &["gold"])).await;
    let payloads = [("text", "string", "7"), ("number", "number", "7.5"), ("json", "json", "{\"a\":[1]}")];
    for (user, kind, value) in payloads {
        let mut given = only("userId", &[user]);
        given["variants"] = json!([{
            "name": user, "weight": 1000, "weightType": "variable", "stickiness": "default",
            "payload": { "type": kind, "value": value },
        }]);
        strategy(&admin, "varied", given).await;
    }
    let mut bare = only("userId", &["bare"]);
    bare["variants"] = json!([{ "name": "v", "weight": 1000, "weightType": "variable", "stickiness": "default" }]);
    strategy(&admin, "varied", bare).await;
    for name in ["everybody", "gold", "varied"] {
        switch(&admin, name, "on").await;
    }
    app
}

async fn one(client: &Client, key: &str, context: Value) -> Answer {
    client.post(&format!("{FLAGS}/{key}"), json!({ "context": context })).await
}

/// A refusal in the form of the protocol.
#[track_caller]
fn refused(answer: Answer, status: u16, expected: &Value, text: &str) {
    assert_eq!(answer.status, status, "{}", answer.text);
    let mut body = answer.body;
    let details = body.as_object_mut().expect("an object").remove("errorDetails").expect("details");
    assert!(details.as_str().is_some_and(|details| details.contains(text)), "{details} does not speak of {text}");
    assert_eq!(&body, expected);
}

#[tokio::test]
async fn all_flags_are_evaluated_with_their_reasons() {
    let app = shop().await;
    for client in [app.browser(&["shop"], "development").await, app.program(&["shop"], "development").await] {
        let context = json!({ "targetingKey": "number", "sessionId": "s", "tier": "tin" });
        let answer = client.post(FLAGS, json!({ "context": context })).await.expect(200);
        let flag = |key: &str, reason: &str, value: Value, enabled: bool| {
            let metadata = json!({ "enabled": enabled, "impressionData": false });
            let state = if enabled { "enabled" } else { "disabled" };
            json!({ "key": key, "reason": reason, "variant": state, "value": value, "metadata": metadata })
        };
        let mut varied = flag("varied", "SPLIT", json!(7.5), true);
        varied["variant"] = json!("number");
        let expected = json!({ "flags": [
            flag("everybody", "TARGETING_MATCH", json!(true), true),
            flag("gold", "DEFAULT", json!(false), false),
            flag("off", "DISABLED", json!(false), false),
            varied,
        ] });
        assert_eq!(answer, expected);
    }
    let nothing = app.browser(&["default"], "development").await;
    assert_eq!(nothing.post(FLAGS, json!({})).await.expect(200), json!({ "flags": [] }));
}

#[tokio::test]
async fn a_value_has_the_type_of_its_payload() {
    let app = shop().await;
    let client = app.browser(&["shop"], "development").await;
    for (user, value, variant) in [
        ("text", json!("7"), "text"),
        ("number", json!(7.5), "number"),
        ("json", json!({ "a": [1] }), "json"),
        ("bare", json!(true), "v"),
        ("nobody", json!(false), "disabled"),
    ] {
        let answer = one(&client, "varied", json!({ "targetingKey": user })).await.expect(200);
        assert_eq!((&answer["value"], &answer["variant"]), (&value, &json!(variant)), "{user}");
        assert_eq!(answer["key"], "varied");
        // What the user is called elsewhere wins over what OpenFeature calls them.
        let answer = one(&client, "varied", json!({ "targetingKey": "x", "userId": user })).await.expect(200);
        assert_eq!(answer["value"], value, "{user}");
    }
}

#[tokio::test]
async fn a_context_may_be_the_body_itself() {
    let app = shop().await;
    let client = app.browser(&["shop"], "development").await;
    for (body, value) in [
        (json!({ "context": { "targetingKey": "number" } }), json!(7.5)),
        (json!({ "targetingKey": "number" }), json!(7.5)),
        (json!({ "targetingKey": "x", "userId": "text" }), json!("7")),
        (json!({ "context": { "targetingKey": "text", "user": { "name": "of OpenFeature" } } }), json!("7")),
        (json!({ "context": null }), json!(false)),
    ] {
        let answer = client.post(&format!("{FLAGS}/varied"), body.clone()).await.expect(200);
        assert_eq!(answer["value"], value, "{body}");
    }
    let invalid = json!({ "key": "gold", "errorCode": "INVALID_CONTEXT" });
    let answer = client.post(&format!("{FLAGS}/gold"), json!({ "tier": ["gold"] })).await;
    refused(answer, 400, &invalid, "/body/tier");
}

#[tokio::test]
async fn refusals_have_the_form_of_the_protocol() {
    let app = shop().await;
    let client = app.browser(&["shop"], "development").await;
    let unknown = |key: &str| json!({ "key": key, "errorCode": "FLAG_NOT_FOUND" });
    refused(one(&client, "nope", json!({})).await, 404, &unknown("nope"), "nope");
    refused(one(&client, "caf%C3%A9+", json!({})).await, 404, &unknown("café+"), "café+");
    let elsewhere = app.browser(&["default"], "development").await;
    refused(one(&elsewhere, "gold", json!({})).await, 404, &unknown("gold"), "gold");
    let long = json!({ "tier": "x".repeat(10_001) });
    let invalid = json!({ "key": "gold", "errorCode": "INVALID_CONTEXT" });
    refused(one(&client, "gold", long.clone()).await, 400, &invalid, "/body/context/tier");
    refused(one(&client, "gold", json!(7)).await, 400, &invalid, "/body/context");
    let bulk = client.post(FLAGS, json!({ "context": long })).await;
    refused(bulk, 400, &json!({ "errorCode": "INVALID_CONTEXT" }), "/body/context/tier");
    let json_type = [("content-type", "application/json")];
    let broken = client.request(Method::POST, FLAGS, &json_type, b"{".to_vec()).await;
    refused(broken, 400, &json!({ "errorCode": "PARSE_ERROR" }), "line 1, column 1");
    let broken = client.request(Method::POST, &format!("{FLAGS}/gold"), &json_type, b"[]".to_vec()).await;
    refused(broken, 400, &json!({ "key": "gold", "errorCode": "PARSE_ERROR" }), "/body");
    let strange = client.request(Method::POST, &format!("{FLAGS}/%FF"), &json_type, b"{}".to_vec()).await;
    assert!(matches!(strange.status, 400 | 404), "{}", strange.text);
    assert_eq!(strange.body["key"], "\u{FFFD}");
    // What the protocol leaves open has the form that it has everywhere here.
    for path in [FLAGS, &format!("{FLAGS}/gold")] {
        let answer = app.anonymous().post(path, json!({})).await;
        assert_eq!(answer.headers["www-authenticate"], "Bearer", "{path}");
        answer.refused(401, "AuthenticationRequired", "token");
    }
    let answer = app.anonymous().get("/api/admin/projects").await;
    assert_eq!(answer.headers.get("www-authenticate"), None, "only the protocol asks for it");
    app.admin().post(FLAGS, json!({})).await.refused(403, "NoAccessError", "kind");
    client.request(Method::POST, FLAGS, &[], b"{}".to_vec()).await.refused(415, "ContentTypeerror", "json");
    client.get(FLAGS).await.refused(405, "MethodNotAllowedError", "POST");
}

#[tokio::test]
async fn what_somebody_has_is_not_sent_again() {
    let app = shop().await;
    let client = app.browser(&["shop"], "development").await;
    let body = json!({ "context": { "targetingKey": "7", "sessionId": "s" } });
    let first = client.post(FLAGS, body.clone()).await;
    let etag = first.headers["etag"].to_str().expect("a text").to_owned();
    let again = async || {
        let headers = [("content-type", "application/json"), ("if-none-match", &*etag)];
        client.request(Method::POST, FLAGS, &headers, body.to_string().into_bytes()).await
    };
    let same = again().await;
    assert_eq!((same.status, same.text.as_str()), (304, ""));
    assert_eq!(same.headers["etag"], etag);
    switch(&app.admin(), "everybody", "off").await;
    let changed = again().await.expect(200);
    assert_eq!(changed["flags"][0]["reason"], "DISABLED");
}
