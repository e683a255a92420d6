//! Passwords of users, as administrators handle them.

use flagstone::{domain::secret, store::entity::password_reset};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::{
    harness::{TestApp, role},
    users::{STRONG, USERS, cookie, newest, sign_in, user, with_cookie},
};

const OTHER: &str = "Another-horse-2";
pub const WEAK: [(&str, &str); 3] =
    [("Ab1!", "at least 10"), ("alllowercase1!", "upper-case"), ("NoDigitHere!", "a digit")];

#[tokio::test]
async fn a_new_password_ends_the_sessions_and_is_told_without_being_said() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::VIEWER).await;
    let session = cookie(&app, "ada", STRONG).await;
    let path = format!("{USERS}/{id}/change-password");
    let link = app.admin().post(&format!("{USERS}/reset-password"), json!({ "id": id })).await.expect(200);
    let answer = app.admin().post(&path, json!({ "password": OTHER, "confirmPassword": OTHER })).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    let me = with_cookie(&app, &session, Method::GET, "/api/admin/user", Value::Null).await;
    me.refused(401, "AuthenticationRequired", "");
    sign_in(&app, "ada", STRONG).await.refused(401, "PasswordMismatch", "");
    sign_in(&app, "ada", OTHER).await.expect(200);
    let before = json!({ "id": id, "username": "ada", "email": "ada@example.com", "rootRole": role::VIEWER });
    let mut data = before.clone();
    data["endedSessions"] = json!(1);
    data["endedPersonalTokens"] = json!(0);
    assert_eq!(newest(&app).await, ("user-updated".to_owned(), data, before));
    assert!(!format!("{:?}", app.events().await).contains("horse"));
    assert!(link["resetPasswordUrl"].is_string());
    assert_eq!(password_reset::Entity::find().all(app.db()).await.expect("rows"), [], "earlier links are void");
}

#[tokio::test]
async fn weak_and_missing_passwords_are_refused_and_change_nothing() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::VIEWER).await;
    let events = app.event_types().await;
    for path in [format!("{USERS}/{id}/change-password"), format!("{USERS}/validate-password")] {
        for (weak, rule) in WEAK {
            let answer = app.admin().post(&path, json!({ "password": weak })).await;
            assert_eq!(answer.body["details"][0]["path"], "/body/password");
            assert!(!answer.text.contains(weak));
            answer.refused(400, "ValidationError", rule);
        }
        app.admin().post(&path, json!({})).await.refused(400, "ValidationError", "/body/password");
        let long = json!({ "password": "Aa1!".repeat(251) });
        app.admin().post(&path, long).await.refused(400, "ValidationError", "/body/password");
    }
    app.admin().post(&format!("{USERS}/validate-password"), json!({ "password": OTHER })).await.expect(200);
    assert_eq!(app.event_types().await, events);
    sign_in(&app, "ada", STRONG).await.expect(200);
}

#[tokio::test]
async fn a_link_replaces_the_one_before_and_leaves_the_password_alone() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::VIEWER).await;
    let path = format!("{USERS}/reset-password");
    let link = || async {
        let answer = app.admin().post(&path, json!({ "id": id })).await;
        assert_eq!(answer.headers["cache-control"], "private, no-store");
        let url = answer.expect(200)["resetPasswordUrl"].as_str().expect("a link").to_owned();
        url.strip_prefix("http://127.0.0.1:4242/reset-password?token=").expect("the address").to_owned()
    };
    let (first, second) = (link().await, link().await);
    assert_eq!((first.len(), first == second), (56, false));
    let stored = password_reset::Entity::find().all(app.db()).await.expect("rows");
    assert_eq!(stored.iter().map(|row| row.token_hash.clone()).collect::<Vec<_>>(), [secret::digest(&second)]);
    let validate = |token: &str| format!("/auth/reset/validate?token={token}");
    app.anonymous().get(&validate(&first)).await.refused(401, "InvalidTokenError", "");
    app.anonymous().get(&validate(&second)).await.expect(200);
    sign_in(&app, "ada", STRONG).await.expect(200);
    for nobody in [json!({ "id": 77 }), json!({ "id": 9_007_199_254_740_991_i64 })] {
        app.admin().post(&path, nobody).await.refused(404, "NotFoundError", "no user");
    }
    for broken in [json!({}), json!({ "id": "ada" }), json!({ "id": -42 }), json!({ "id": 1.5 })] {
        app.admin().post(&path, broken).await.refused(400, "ValidationError", "/body/id");
    }
    assert_eq!(app.event_types().await, ["user-created"], "a link is no change until it is used");
}
