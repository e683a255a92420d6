//! Personal tokens of the caller.

use flagstone::{
    config::{Config, Limits},
    jobs::write_presence,
};
use serde_json::{Value, json};

use crate::{
    calls::{delete, last_event},
    harness::TestApp,
};

const TOKENS: &str = "/api/admin/user/tokens";
const ENDS: &str = "2026-01-16T12:00:00.000Z";

fn laptop() -> Value {
    json!({ "description": "laptop", "expiresAt": ENDS })
}

#[tokio::test]
async fn a_personal_token_lets_in_its_owner_until_it_ends_or_is_deleted() {
    let app = TestApp::new().await;
    let ada = app.in_session(&app.viewer().await).await;
    let user_id = ada.user_id.expect("a person");
    let made = ada.post(TOKENS, laptop()).await.expect(201);
    let secret = made["secret"].as_str().expect("a secret").to_owned();
    assert!(secret.starts_with("user:") && secret.len() == 61, "{secret}");
    let told = json!({
        "id": 2, "description": "laptop", "userId": user_id, "createdAt": "2026-01-15T12:00:00.000Z",
        "expiresAt": ENDS, "secret": "***",
    });
    assert_eq!(last_event(&app).await, json!(["pat-created", null, told, null]));
    let list = ada.get(TOKENS).await;
    assert!(!list.text.contains(&secret));
    let shown = json!({
        "id": 2, "description": "laptop", "userId": user_id, "createdAt": "2026-01-15T12:00:00.000Z",
        "expiresAt": ENDS, "seenAt": null,
    });
    assert_eq!(list.expect(200)["pats"][1], shown);
    let with_token = app.with_authorization(&secret);
    let other = ada.post(TOKENS, json!({ "description": "phone", "expiresAt": ENDS })).await.expect(201);
    let phone = app.with_authorization(other["secret"].as_str().expect("a secret"));
    phone.get(TOKENS).await.expect(200);

    delete(&ada, "/api/admin/user/tokens/3").await.expect(200);
    let mut told = told;
    told["id"] = json!(3);
    told["description"] = json!("phone");
    assert_eq!(last_event(&app).await, json!(["pat-deleted", null, told, null]));
    phone.get(TOKENS).await.refused(401, "AuthenticationRequired", "");
    with_token.get(TOKENS).await.expect(200);
    app.clock.advance(24 * 3_600_000);
    with_token.get(TOKENS).await.refused(401, "AuthenticationRequired", "");
    for event in app.events().await {
        assert!(!format!("{event:?}").contains(&secret));
    }
}

#[tokio::test]
async fn what_is_taken_past_or_malformed_makes_no_token() {
    let app = TestApp::new().await;
    let ada = app.in_session(&app.viewer().await).await;
    ada.post(TOKENS, laptop()).await.expect(201);
    ada.post(TOKENS, laptop()).await.refused(409, "NameExistsError", "laptop");
    // Somebody else's descriptions are their own.
    app.in_session(&app.viewer().await).await.post(TOKENS, laptop()).await.expect(201);
    for (body, text) in [
        (json!({ "expiresAt": ENDS }), "/body/description"),
        (json!({ "description": "", "expiresAt": ENDS }), "/body/description"),
        (json!({ "description": " ", "expiresAt": ENDS }), "/body/description"),
        (json!({ "description": "x" }), "/body/expiresAt"),
        (json!({ "description": "x", "expiresAt": "tomorrow" }), "/body/expiresAt"),
        (json!({ "description": "x", "expiresAt": "2026-01-15T12:00:00Z" }), "must be in the future"),
    ] {
        ada.post(TOKENS, body).await.refused(400, "ValidationError", text);
    }
    assert_eq!(app.event_types().await, ["pat-created", "pat-created"]);
}

#[tokio::test]
async fn a_token_makes_no_tokens() {
    let app = TestApp::new().await;
    for person in [app.viewer().await, app.root_admin().await] {
        person.post(TOKENS, laptop()).await.refused(403, "InvalidOperationError", "sign in");
        // It is refused before the body is looked at, and may do everything else with them.
        person.post(TOKENS, json!({})).await.refused(403, "InvalidOperationError", "sign in");
        assert_eq!(person.get(TOKENS).await.expect(200)["pats"].as_array().map(Vec::len), Some(1));
    }
    assert_eq!(app.event_types().await, [""; 0]);
}

#[tokio::test]
async fn none_lives_longer_than_the_operator_allows() {
    let app = TestApp::with_config(Config { personal_token_days: 30, ..Config::default() }).await;
    let ada = app.in_session(&app.viewer().await).await;
    for ends in ["2026-02-14T12:00:00.001Z", "2099-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"] {
        let body = json!({ "description": "long", "expiresAt": ends });
        ada.post(TOKENS, body).await.refused(
            400,
            "ValidationError",
            "/body/expiresAt property must be in the future, and at most 30 days",
        );
    }
    assert_eq!(app.event_types().await, [""; 0]);
    let body = json!({ "description": "long", "expiresAt": "2026-02-14T12:00:00.000Z" });
    ada.post(TOKENS, body).await.expect(201);
    let app = TestApp::new().await;
    let ada = app.in_session(&app.viewer().await).await;
    let year = |ends: &str| json!({ "description": "a year", "expiresAt": ends });
    ada.post(TOKENS, year("2027-01-15T12:00:01Z")).await.refused(400, "ValidationError", "365 days");
    ada.post(TOKENS, year("2027-01-15T12:00:00Z")).await.expect(201);
}

#[tokio::test]
async fn it_is_known_when_a_token_was_last_used() {
    let app = TestApp::new().await;
    let ada = app.viewer().await;
    let session = app.in_session(&ada).await;
    session.post(TOKENS, laptop()).await.expect(201);
    app.clock.advance(1000);
    ada.get(TOKENS).await.expect(200);
    app.clock.advance(1000);
    session.get(TOKENS).await.expect(200);
    write_presence(&app.state).await.expect("writes");
    let seen: Vec<Value> = session.get(TOKENS).await.expect(200)["pats"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|token| token["seenAt"].clone())
        .collect();
    assert_eq!(seen, [json!("2026-01-15T12:00:01.000Z"), Value::Null]);
}

#[tokio::test]
async fn only_people_have_them_and_only_their_own() {
    let app = TestApp::new().await;
    let (ada, bob) = (app.viewer().await, app.root_admin().await);
    let nobody = "An API token is nobody";
    app.admin().get(TOKENS).await.refused(403, "InvalidOperationError", nobody);
    app.admin().post(TOKENS, laptop()).await.refused(403, "InvalidOperationError", nobody);
    delete(&app.admin(), "/api/admin/user/tokens/1").await.refused(403, "InvalidOperationError", nobody);
    // The token 1 is Ada's.
    delete(&bob, "/api/admin/user/tokens/1").await.refused(404, "NotFoundError", "1");
    delete(&ada, "/api/admin/user/tokens/x").await.refused(400, "ValidationError", "id");
    let of_bob = bob.get(TOKENS).await.expect(200);
    assert_eq!(of_bob["pats"].as_array().map(Vec::len), Some(1));
    ada.get(TOKENS).await.expect(200);
    assert_eq!(app.event_types().await, [""; 0]);
}

#[tokio::test]
async fn there_are_at_most_as_many_as_the_operator_allows() {
    let limits = Limits { personal_tokens: 2, ..Limits::default() };
    let app = TestApp::with_config(Config { limits, ..Config::default() }).await;
    let ada = app.in_session(&app.viewer().await).await;
    ada.post(TOKENS, laptop()).await.expect(201);
    let another = json!({ "description": "phone", "expiresAt": ENDS });
    ada.post(TOKENS, another.clone()).await.refused(400, "ExceedsLimitError", "limit of 2");
    delete(&ada, "/api/admin/user/tokens/2").await.expect(200);
    ada.post(TOKENS, another).await.expect(201);
}
