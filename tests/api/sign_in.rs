//! Signing in with a password, and signing out.

use flagstone::{
    accounts,
    config::Config,
    domain::{actor::Actor, secret, time::HOUR_MS},
    store::{
        access::people::NewUser,
        entity::{app_user, session},
    },
};
use poem::http::Method;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::harness::{Answer, START, TestApp, role};

const LOGIN: &str = "/auth/simple/login";
const PROFILE: &str = "/api/admin/user/profile";
const PASSWORD: &str = "Correct-horse-1";
const JSON: (&str, &str) = ("content-type", "application/json");

async fn ada(app: &TestApp) -> i64 {
    let new = NewUser {
        username: Some("ada".to_owned()),
        email: Some("Ada@Example.com".to_owned()),
        name: Some("Ada".to_owned()),
        root_role_id: role::EDITOR,
        ..NewUser::default()
    };
    let passwords = &app.state.passwords;
    let made = accounts::create_user(app.db(), passwords, new, PASSWORD, app.clock.now(), &Actor::system()).await;
    made.expect("a user")
}

async fn login(app: &TestApp, username: &str, password: &str) -> Answer {
    app.anonymous().post(LOGIN, json!({ "username": username, "password": password })).await
}

/// The cookie as a browser sends it back.
fn cookie(answer: &Answer) -> String {
    let set = answer.headers["set-cookie"].to_str().expect("ASCII");
    set.split(';').next().expect("a pair").to_owned()
}

async fn signed_in(app: &TestApp) -> String {
    let answer = login(app, "ada", PASSWORD).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    cookie(&answer)
}

async fn profile(app: &TestApp, cookie: &str) -> Answer {
    app.anonymous().request(Method::GET, PROFILE, &[("cookie", cookie)], vec![]).await
}

async fn account(app: &TestApp, id: i64) -> app_user::Model {
    app_user::Entity::find_by_id(id).one(app.db()).await.expect("a row").expect("a user")
}

#[tokio::test]
async fn a_password_gives_the_user_and_a_cookie_that_stands_for_them() {
    let app = TestApp::new().await;
    let id = ada(&app).await;
    app.clock.advance(1000);
    let answer = login(&app, "ada", PASSWORD).await;
    let set = answer.headers["set-cookie"].to_str().expect("ASCII").to_owned();
    let (pair, attributes) = set.split_once("; ").expect("attributes");
    assert_eq!(attributes, "Path=/; Max-Age=172800; HttpOnly; SameSite=Lax");
    let value = pair.strip_prefix("unleash-session=").expect("the name of the cookie").to_owned();
    assert_eq!(value.len(), 56);
    assert_eq!(
        answer.expect(200),
        json!({
            "isAPI": false,
            "accountType": "User",
            "id": id,
            "name": "Ada",
            "username": "ada",
            "email": "ada@example.com",
            "imageUrl": flagstone::domain::user::image_url(Some("ada@example.com"), None, id),
            "seenAt": "2026-01-15T12:00:01.000Z",
            "loginAttempts": 0,
            "createdAt": START,
        })
    );
    assert_eq!(profile(&app, pair).await.expect(200)["rootRole"]["name"], "Editor");
    let sessions = session::Entity::find().all(app.db()).await.expect("rows");
    let stored: Vec<_> = sessions.iter().map(|row| (row.id_hash.clone(), row.user_id)).collect();
    assert_eq!(stored, [(secret::digest(&value), id)], "the secret itself is not stored");
    assert_eq!(account(&app, id).await.seen_at, Some(app.clock.now()));
    assert_eq!(app.event_types().await, ["user-created"], "signing in is no change");
}

#[tokio::test]
async fn the_email_serves_in_any_case_and_the_user_name_in_its_own() {
    let app = TestApp::new().await;
    ada(&app).await;
    for (name, status) in [("ada@example.com", 200), ("ADA@Example.COM", 200), ("ada", 200), ("Ada", 401)] {
        assert_eq!(login(&app, name, PASSWORD).await.status, status, "{name}");
    }
}

#[tokio::test]
async fn over_https_the_cookie_is_secure_and_of_this_host_alone() {
    for base_url in ["https://flags.example.com", "HTTPS://flags.example.com/team"] {
        let base_url = base_url.to_owned();
        let app = TestApp::with_config(Config { base_url, session_hours: 1, ..Config::default() }).await;
        ada(&app).await;
        let answer = login(&app, "ada", PASSWORD).await;
        let set = answer.headers["set-cookie"].to_str().expect("ASCII");
        let (pair, attributes) = set.split_once("; ").expect("attributes");
        assert_eq!(attributes, "Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure");
        let secret = pair.strip_prefix("__Host-unleash-session=").expect("a name that browsers guard");
        // A neighbour in the domain could plant one of the other name.
        let planted = format!("unleash-session={secret}");
        profile(&app, &planted).await.refused(401, "AuthenticationRequired", "");
        profile(&app, &format!("unleash-session=planted; {pair}")).await.expect(200);
        let out = app.anonymous().request(Method::POST, "/logout", &[("cookie", pair)], vec![]).await;
        let removed = "__Host-unleash-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure";
        assert_eq!(out.headers["set-cookie"], removed);
        profile(&app, pair).await.refused(401, "AuthenticationRequired", "");
    }
    let app = TestApp::new().await;
    ada(&app).await;
    let cookie = signed_in(&app).await;
    profile(&app, &format!("__Host-{cookie}")).await.refused(401, "AuthenticationRequired", "");
}

#[tokio::test]
async fn a_session_ends_when_its_time_is_over() {
    let app = TestApp::new().await;
    ada(&app).await;
    let cookie = signed_in(&app).await;
    app.clock.advance(48 * HOUR_MS - 1);
    profile(&app, &cookie).await.expect(200);
    app.clock.advance(1);
    profile(&app, &cookie).await.refused(401, "AuthenticationRequired", "");
    signed_in(&app).await;
    let left = session::Entity::find().all(app.db()).await.expect("rows");
    assert_eq!(left.len(), 1, "the next sign-in forgets what has ended");
}

#[tokio::test]
async fn signing_out_ends_this_session_and_no_other() {
    let app = TestApp::new().await;
    ada(&app).await;
    let (one, other) = (signed_in(&app).await, signed_in(&app).await);
    assert_ne!(one, other);
    let answer = app.anonymous().request(Method::POST, "/logout", &[("cookie", &one)], vec![]).await;
    let first_page = "http://127.0.0.1:4242/".parse().expect("a header");
    assert_eq!((answer.status, &answer.headers["location"]), (302, &first_page));
    assert_eq!(answer.headers["set-cookie"], "unleash-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    profile(&app, &one).await.refused(401, "AuthenticationRequired", "");
    profile(&app, &other).await.expect(200);
    let again = app.anonymous().request(Method::POST, "/logout", &[], vec![]).await;
    assert_eq!(again.status, 302, "nobody is signed out too");
}

#[tokio::test]
async fn signing_in_again_ends_the_session_that_was() {
    let app = TestApp::new().await;
    ada(&app).await;
    let earlier = signed_in(&app).await;
    let body = json!({ "username": "ada", "password": PASSWORD }).to_string().into_bytes();
    let answer = app.anonymous().request(Method::POST, LOGIN, &[JSON, ("cookie", &earlier)], body).await;
    profile(&app, &earlier).await.refused(401, "AuthenticationRequired", "");
    profile(&app, &cookie(&answer)).await.expect(200);
}

#[tokio::test]
async fn an_unknown_name_and_a_wrong_password_look_alike() {
    let app = TestApp::new().await;
    let id = ada(&app).await;
    let nameless = |answer: Answer| {
        assert!(!answer.headers.contains_key("set-cookie"));
        assert!(!answer.text.contains("hunter2"));
        let mut body = answer.body;
        body["id"] = Value::Null;
        (answer.status, body)
    };
    let wrong = nameless(login(&app, "ada", "hunter2").await);
    assert_eq!((wrong.0, &wrong.1["name"]), (401, &json!("PasswordMismatch")));
    for unknown in ["hunter2", "", "admin", "unleash_system_user", "' OR 1=1 --"] {
        assert_eq!(nameless(login(&app, unknown, "hunter2").await), wrong, "{unknown}");
    }
    let without_password = app.viewer().await.user_id.expect("a person");
    let username = account(&app, without_password).await.username.expect("a name");
    assert_eq!(nameless(login(&app, &username, "").await), wrong);
    assert_eq!(account(&app, id).await.login_attempts, 1);
    assert_eq!(account(&app, without_password).await.login_attempts, 1);
    assert_eq!(session::Entity::find().all(app.db()).await.expect("rows"), []);
}

#[tokio::test]
async fn failed_attempts_are_counted_until_a_good_one() {
    let app = TestApp::new().await;
    let id = ada(&app).await;
    for attempts in 1..=3 {
        login(&app, "ada", "wrong").await.refused(401, "PasswordMismatch", "");
        assert_eq!(account(&app, id).await.login_attempts, attempts);
    }
    signed_in(&app).await;
    assert_eq!(account(&app, id).await.login_attempts, 0);
}

#[tokio::test]
async fn the_deleted_cannot_sign_in_and_their_sessions_are_over() {
    let app = TestApp::new().await;
    let id = ada(&app).await;
    let cookie = signed_in(&app).await;
    let tx = app.tx().await;
    let row = app_user::ActiveModel { id: Set(id), deleted_at: Set(Some(app.clock.now())), ..Default::default() };
    app_user::Entity::update(row).exec(&tx).await.expect("an update");
    app.commit(tx).await;
    login(&app, "ada", PASSWORD).await.refused(401, "PasswordMismatch", "");
    profile(&app, &cookie).await.refused(401, "AuthenticationRequired", "");
}

#[tokio::test]
async fn a_new_password_ends_every_session() {
    let app = TestApp::new().await;
    ada(&app).await;
    let cookie = signed_in(&app).await;
    let (db, passwords, now) = (app.db(), &app.state.passwords, app.clock.now());
    let refused = accounts::set_password(db, passwords, "nobody", "Another-horse-2", now, &Actor::system()).await;
    assert_eq!(refused.expect_err("nobody").to_string(), "There is no user named \"nobody\".");
    assert!(accounts::set_password(db, passwords, "ada", "weak", now, &Actor::system()).await.is_err());
    profile(&app, &cookie).await.expect(200);
    let set = accounts::set_password(db, passwords, "ada", "Another-horse-2", now, &Actor::system()).await;
    set.expect("a password");
    profile(&app, &cookie).await.refused(401, "AuthenticationRequired", "");
    login(&app, "ada", PASSWORD).await.refused(401, "PasswordMismatch", "");
    login(&app, "ada", "Another-horse-2").await.expect(200);
    let events = app.events().await;
    assert_eq!(events.iter().map(|event| event.r#type.as_str()).collect::<Vec<_>>(), ["user-created", "user-updated"]);
    assert!(!format!("{events:?}").contains("horse"));
}

#[tokio::test]
async fn one_address_has_ten_attempts_and_gets_one_back_in_six_seconds() {
    let app = TestApp::new().await;
    ada(&app).await;
    for _ in 0..10 {
        login(&app, "ada", "wrong").await.refused(401, "PasswordMismatch", "");
    }
    let answer = login(&app, "ada", PASSWORD).await;
    assert_eq!(answer.headers["retry-after"], "6");
    answer.refused(429, "RateLimitError", "6 seconds");
    app.clock.advance(6000);
    // What succeeds wears nothing out.
    for _ in 0..2 {
        login(&app, "ada", PASSWORD).await.expect(200);
    }
    login(&app, "ada", "wrong").await.refused(401, "PasswordMismatch", "");
    login(&app, "ada", PASSWORD).await.refused(429, "RateLimitError", "");
}

#[tokio::test]
async fn bodies_that_are_no_sign_in_are_refused_and_do_not_count() {
    let app = TestApp::new().await;
    ada(&app).await;
    for (body, property) in [
        (json!({ "password": "hunter2" }), "/body/username"),
        (json!({ "username": "ada" }), "/body/password"),
        (json!({ "username": "ada", "password": ["hunter2"] }), "/body/password"),
        (json!({ "username": 5, "password": "hunter2" }), "/body/username"),
        (json!({ "username": "ada", "password": "hunter2".repeat(1000) }), "/body/password"),
        (json!({ "username": "hunter2".repeat(100), "password": "x" }), "/body/username"),
        (json!({ "username": "a\u{0}da", "password": "x" }), "/body/username"),
        (json!("hunter2"), "/body"),
    ] {
        let answer = app.anonymous().post(LOGIN, body).await;
        assert!(!answer.text.contains("hunter2"), "{}", answer.text);
        answer.refused(400, "ValidationError", property);
    }
    let form = ("content-type", "application/x-www-form-urlencoded");
    let answer = app.anonymous().request(Method::POST, LOGIN, &[form], b"username=ada".to_vec()).await;
    answer.refused(415, "ContentTypeerror", "application/json");
    let large = vec![b' '; (1 << 20) + 1];
    app.anonymous().request(Method::POST, LOGIN, &[JSON], large).await.refused(413, "PayloadTooLargeError", "");
    for _ in 0..10 {
        signed_in(&app).await;
    }
}

#[tokio::test]
async fn signing_in_and_out_is_published_without_credentials() {
    let paths = &flagstone::api::document::DOCUMENT["paths"];
    for path in [LOGIN, "/logout"] {
        let operation = &paths[path]["post"];
        assert!(operation["operationId"].is_string());
        assert!(operation["security"].as_array().is_none_or(Vec::is_empty), "{operation:#}");
    }
    assert!(paths["/logout"]["post"]["responses"]["302"]["headers"]["Location"].is_object());
    assert!(paths[LOGIN]["post"]["responses"]["200"]["headers"]["Set-Cookie"].is_object());
}
