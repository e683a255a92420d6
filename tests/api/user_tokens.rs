//! Personal tokens of users, as administrators handle them, and what ends them besides.

use flagstone::store;
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    calls::{delete, last_event},
    harness::{Client, TestApp, role},
    users::{STRONG, USERS, cookie, user, with_cookie},
};

const TOKENS: &str = "/api/admin/user/tokens";
const OTHER: &str = "Another-horse-2";

/// Gives a person a token that lets them in until it ends.
async fn token(app: &TestApp, user_id: i64, description: &str) -> Client {
    let (secret, now) = (format!("user:{user_id}-{description}"), app.clock.now());
    let (tx, ends) = (app.tx().await, now.plus_days(30));
    store::tokens::insert_personal_token(&tx, user_id, description, &secret, ends, now).await.expect("a token");
    app.commit(tx).await;
    app.with_authorization(&secret)
}

#[tokio::test]
async fn administrators_see_what_tokens_somebody_has_and_take_them_away() {
    let app = TestApp::new().await;
    let ada = user(&app, "ada", role::VIEWER).await;
    let (laptop, phone) = (token(&app, ada, "laptop").await, token(&app, ada, "phone").await);
    let path = format!("{USERS}/{ada}/tokens");
    let list = app.admin().get(&path).await;
    assert!(!list.text.contains("user:"), "{}", list.text);
    let shown = |id: i64, description: &str| {
        json!({
            "id": id, "description": description, "userId": ada, "createdAt": "2026-01-15T12:00:00.000Z",
            "expiresAt": "2026-02-14T12:00:00.000Z", "seenAt": null,
        })
    };
    assert_eq!(list.expect(200), json!({ "pats": [shown(1, "laptop"), shown(2, "phone")] }));

    let answer = delete(&app.admin(), &format!("{path}/1")).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    let told = json!({
        "id": 1, "description": "laptop", "userId": ada, "createdAt": "2026-01-15T12:00:00.000Z",
        "expiresAt": "2026-02-14T12:00:00.000Z", "secret": "***",
    });
    assert_eq!(last_event(&app).await, json!(["pat-deleted", null, told, null]));
    let event = app.events().await.pop().expect("an event");
    assert_eq!(event.created_by, "tests", "who did it, not whose it was");
    laptop.get(TOKENS).await.refused(401, "AuthenticationRequired", "");
    phone.get(TOKENS).await.expect(200);
    assert_eq!(app.admin().get(&path).await.expect(200)["pats"], json!([shown(2, "phone")]));
}

#[tokio::test]
async fn tokens_of_somebody_else_nobody_and_of_no_form_are_refused() {
    let app = TestApp::new().await;
    let (ada, bob) = (user(&app, "ada", role::VIEWER).await, user(&app, "bob", role::VIEWER).await);
    let phone = token(&app, ada, "phone").await;
    let admin = app.admin();
    delete(&admin, &format!("{USERS}/{bob}/tokens/1")).await.refused(404, "NotFoundError", "id 1");
    delete(&admin, &format!("{USERS}/{ada}/tokens/7")).await.refused(404, "NotFoundError", "id 7");
    delete(&admin, &format!("{USERS}/{ada}/tokens/x")).await.refused(400, "ValidationError", "tokenId");
    for nobody in ["77", "-42", "ada"] {
        admin.get(&format!("{USERS}/{nobody}/tokens")).await.refused(404, "NotFoundError", "no user");
        delete(&admin, &format!("{USERS}/{nobody}/tokens/1")).await.refused(404, "NotFoundError", "no user");
    }
    // Whose it is does not matter: for themselves people have the other path.
    phone.get(&format!("{USERS}/{ada}/tokens")).await.refused(403, "NoAccessError", "ADMIN");
    app.editor().await.get(&format!("{USERS}/{ada}/tokens")).await.refused(403, "NoAccessError", "ADMIN");
    phone.get(TOKENS).await.expect(200);
    assert_eq!(app.event_types().await, ["user-created", "user-created"]);
}

#[tokio::test]
async fn every_new_password_ends_sessions_and_tokens_and_tells_how_many() {
    for way in ["administrator", "link", "self"] {
        let app = TestApp::new().await;
        let ada = user(&app, "ada", role::VIEWER).await;
        let (here, there) = (cookie(&app, "ada", STRONG).await, cookie(&app, "ada", STRONG).await);
        let tokens = [token(&app, ada, "laptop").await, token(&app, ada, "phone").await];
        let bystander = token(&app, user(&app, "bob", role::VIEWER).await, "laptop").await;
        let seen = app.events().await.len();
        match way {
            "administrator" => {
                let path = format!("{USERS}/{ada}/change-password");
                app.admin().post(&path, json!({ "password": OTHER })).await.expect(200);
            }
            "link" => {
                let link = app.admin().post(&format!("{USERS}/reset-password"), json!({ "id": ada })).await.expect(200);
                let link = link["resetPasswordUrl"].as_str().expect("a link").to_owned();
                let (_, secret) = link.split_once("token=").expect("a token");
                tokens[0].get(TOKENS).await.expect(200);
                let body = json!({ "token": secret, "password": OTHER });
                app.anonymous().post("/auth/reset/password", body).await.expect(200);
            }
            _ => {
                let body = json!({ "oldPassword": STRONG, "password": OTHER });
                let path = "/api/admin/user/change-password";
                with_cookie(&app, &here, Method::POST, path, body).await.expect(200);
            }
        }
        for token in &tokens {
            token.get(TOKENS).await.refused(401, "AuthenticationRequired", "");
        }
        with_cookie(&app, &there, Method::GET, TOKENS, Value::Null).await.refused(401, "AuthenticationRequired", "");
        let kept = with_cookie(&app, &here, Method::GET, TOKENS, Value::Null).await;
        assert_eq!(kept.status, if way == "self" { 200 } else { 401 }, "{way}");
        bystander.get(TOKENS).await.expect(200);

        let events = app.events().await.split_off(seen);
        let kinds: Vec<&str> = events.iter().map(|event| &*event.r#type).collect();
        assert_eq!(kinds, ["user-updated", "pat-deleted", "pat-deleted"], "{way}");
        let data: Value = serde_json::from_str(events[0].data.as_deref().expect("data")).expect("JSON");
        let sessions = if way == "self" { 1 } else { 2 };
        assert_eq!((&data["endedSessions"], &data["endedPersonalTokens"]), (&json!(sessions), &json!(2)), "{way}");
        let before: Value = serde_json::from_str(events[0].pre_data.as_deref().expect("data")).expect("JSON");
        assert_eq!((&data["id"], &before["endedSessions"]), (&before["id"], &Value::Null), "{way}");
    }
}
