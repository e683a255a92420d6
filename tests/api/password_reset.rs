//! Setting a password with a link.

use flagstone::domain::time::HOUR_MS;
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    harness::{TestApp, role},
    user_passwords::WEAK,
    users::{STRONG, USERS, cookie, newest, sign_in, user, with_cookie},
};

const RESET: &str = "/auth/reset/password";
const EMAIL: &str = "/auth/reset/password-email";
const OTHER: &str = "Another-horse-2";

/// The secret of a link that an administrator makes.
pub async fn link(app: &TestApp, id: i64) -> String {
    let link = app.admin().post(&format!("{USERS}/reset-password"), json!({ "id": id })).await.expect(200);
    let url = link["resetPasswordUrl"].as_str().expect("a link").to_owned();
    url.split_once("token=").expect("a token").1.to_owned()
}

#[tokio::test]
async fn a_link_tells_whose_it_is_and_works_once() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::EDITOR).await;
    let session = cookie(&app, "ada", STRONG).await;
    let token = link(&app, id).await;
    let answer = app.anonymous().get(&format!("/auth/reset/validate?token={token}")).await;
    assert_eq!(answer.headers["cache-control"], "private, no-store");
    let owner = answer.expect(200);
    assert_eq!((&owner["id"], &owner["name"], &owner["role"]["name"]), (&json!(id), &json!("ada"), &json!("Editor")));
    assert_eq!((&owner["email"], &owner["createdBy"]), (&json!("ada@example.com"), &json!("tests")));

    let body = json!({ "token": token, "password": OTHER });
    let answer = app.anonymous().post(RESET, body.clone()).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    sign_in(&app, "ada", OTHER).await.expect(200);
    let me = with_cookie(&app, &session, Method::GET, "/api/admin/user", Value::Null).await;
    me.refused(401, "AuthenticationRequired", "");
    let event = app.events().await.pop().expect("an event");
    assert_eq!((event.created_by.as_str(), event.created_by_user_id), ("ada@example.com", Some(id)));
    let before = json!({ "id": id, "username": "ada", "email": "ada@example.com", "rootRole": role::EDITOR });
    let mut data = before.clone();
    data["endedSessions"] = json!(1);
    data["endedPersonalTokens"] = json!(0);
    assert_eq!(newest(&app).await, ("user-updated".to_owned(), data, before));
    let events = format!("{:?}", app.events().await);
    assert!(!events.contains("horse") && !events.contains(&token));

    app.anonymous().post(RESET, body).await.refused(401, "InvalidTokenError", "");
    let looked = app.anonymous().get(&format!("/auth/reset/validate?token={token}")).await;
    looked.refused(401, "InvalidTokenError", "");
}

#[tokio::test]
async fn of_two_who_use_a_link_at_once_one_is_refused() {
    let app = TestApp::new().await;
    let token = link(&app, user(&app, "ada", role::VIEWER).await).await;
    let use_it = |password: &'static str| {
        let client = app.anonymous();
        let body = json!({ "token": token, "password": password });
        async move { client.post(RESET, body).await.status }
    };
    let mut statuses: [u16; 2] = tokio::join!(use_it(OTHER), use_it("Yet-another-3")).into();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 401]);
    assert_eq!(app.event_types().await, ["user-created", "user-updated"]);
}

#[tokio::test]
async fn a_link_ends_after_a_day_and_with_its_user() {
    let app = TestApp::new().await;
    let (ada, grace) = (user(&app, "ada", role::VIEWER).await, user(&app, "grace", role::VIEWER).await);
    let (early, token) = (link(&app, ada).await, link(&app, grace).await);
    let set = |token: String| {
        let client = app.anonymous();
        async move { client.post(RESET, json!({ "token": token, "password": OTHER })).await }
    };
    app.admin().request(Method::DELETE, &format!("{USERS}/{grace}"), &[], vec![]).await.expect(200);
    set(token).await.refused(401, "InvalidTokenError", "");
    app.clock.advance(24 * HOUR_MS);
    set(early).await.refused(401, "InvalidTokenError", "");
    let late = link(&app, ada).await;
    app.clock.advance(24 * HOUR_MS - 1);
    set(late).await.expect(200);
}

#[tokio::test]
async fn weak_passwords_and_broken_bodies_leave_the_link_alone() {
    let app = TestApp::new().await;
    let token = link(&app, user(&app, "ada", role::VIEWER).await).await;
    for (weak, rule) in WEAK {
        let body = json!({ "token": token, "password": weak });
        app.anonymous().post(RESET, body).await.refused(400, "ValidationError", rule);
        let check = app.anonymous().post("/auth/reset/validate-password", json!({ "password": weak })).await;
        check.refused(400, "ValidationError", rule);
    }
    for (body, property) in [
        (json!({ "token": token }), "/body/password"),
        (json!({ "password": OTHER }), "/body/token"),
        (json!({ "token": "x".repeat(201), "password": OTHER }), "/body/token"),
    ] {
        app.anonymous().post(RESET, body).await.refused(400, "ValidationError", property);
    }
    app.anonymous().get("/auth/reset/validate").await.refused(400, "ValidationError", "token");
    app.anonymous().post("/auth/reset/validate-password", json!({ "password": OTHER })).await.expect(200);
    app.anonymous().post(RESET, json!({ "token": token, "password": OTHER })).await.expect(200);
}

#[tokio::test]
async fn guessing_links_is_limited_and_keeps_nobody_from_signing_in() {
    let app = TestApp::new().await;
    for _ in 0..10 {
        let body = json!({ "token": "guessed", "password": OTHER });
        app.anonymous().post(RESET, body).await.refused(401, "InvalidTokenError", "");
    }
    let body = json!({ "token": "guessed", "password": OTHER });
    app.anonymous().post(RESET, body).await.refused(429, "RateLimitError", "");
    sign_in(&app, "ada", STRONG).await.refused(401, "PasswordMismatch", "");
}

#[tokio::test]
async fn asking_for_a_link_does_not_tell_who_has_an_account_and_is_limited() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    let mut answers = Vec::new();
    for email in ["ada@example.com", "nobody@example.com", "' OR 1=1 --"] {
        let answer = app.anonymous().post(EMAIL, json!({ "email": email })).await;
        answers.push((answer.status, answer.text));
        let again = app.anonymous().post(EMAIL, json!({ "email": email })).await;
        assert_eq!(again.headers["retry-after"], "60");
        again.refused(429, "RateLimitError", "");
        app.clock.advance(60_000);
    }
    assert_eq!(answers, vec![(200, String::new()); 3]);
    app.anonymous().post(EMAIL, json!({})).await.refused(400, "ValidationError", "/body/email");
    assert_eq!(app.event_types().await, ["user-created"]);
}
