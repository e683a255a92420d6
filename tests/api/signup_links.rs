//! Links with which people become users by themselves.

use flagstone::{
    domain::{secret, time::DAY_MS},
    store::entity::signup_link,
};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::{
    harness::{START, TestApp, role},
    users::{STRONG, newest, sign_in, user},
};

const LINKS: &str = "/api/admin/invite-link/tokens";
const SOON: &str = "2026-01-20T00:00:00.000Z";

async fn link(app: &TestApp) -> Value {
    app.admin().post(LINKS, json!({ "name": "welcome", "expiresAt": SOON })).await.expect(201)
}

fn secret_of(link: &Value) -> String {
    link["secret"].as_str().expect("a secret").to_owned()
}

fn signup(name: &str) -> Value {
    json!({ "email": format!("{name}@Example.com"), "name": name, "username": name, "password": STRONG })
}

fn data() -> Value {
    json!({
        "id": 1, "name": "welcome", "enabled": true, "expiresAt": SOON, "createdAt": START, "createdBy": "tests",
    })
}

#[tokio::test]
async fn the_secret_of_a_link_is_shown_once_and_kept_nowhere() {
    let app = TestApp::new().await;
    let answer = app.admin().post(LINKS, json!({ "name": "welcome", "expiresAt": SOON })).await;
    assert_eq!(answer.headers["cache-control"], "private, no-store");
    let made = answer.expect(201);
    let secret = secret_of(&made);
    assert_eq!(
        (secret.len(), made["url"].as_str()),
        (56, Some(&*format!("http://127.0.0.1:4242/new-user?invite={secret}")))
    );
    assert_eq!((&made["role"]["name"], &made["users"]), (&json!("Viewer"), &json!([])));
    let stored = signup_link::Entity::find().all(app.db()).await.expect("rows");
    assert_eq!(stored.iter().map(|row| row.secret_hash.clone()).collect::<Vec<_>>(), [secret::digest(&secret)]);
    assert_eq!(newest(&app).await, ("public-signup-token-created".to_owned(), data(), Value::Null));
    assert!(!format!("{:?}", app.events().await).contains(&secret));

    let list = app.admin().get(LINKS).await.expect(200);
    let mut later = made.clone();
    later["secret"] = "1".into();
    later["url"] = Value::Null;
    assert_eq!(list, json!({ "tokens": [later.clone()] }));
    for name in ["1", &secret] {
        assert_eq!(app.admin().get(&format!("{LINKS}/{name}")).await.expect(200), later);
    }
    for unknown in ["2", "unknown", "-1"] {
        app.admin().get(&format!("{LINKS}/{unknown}")).await.refused(404, "NotFoundError", "sign-up link");
        let put = app.admin().json(Method::PUT, &format!("{LINKS}/{unknown}"), json!({ "enabled": false })).await;
        put.refused(404, "NotFoundError", "sign-up link");
    }
}

#[tokio::test]
async fn a_link_ends_within_a_month_and_not_in_the_past() {
    let app = TestApp::new().await;
    let far = json!({ "name": "far", "expiresAt": "2030-01-01T00:00:00Z" });
    let made = app.admin().post(LINKS, far).await.expect(201);
    assert_eq!(made["expiresAt"], "2026-02-14T12:00:00.000Z");
    let before = app.event_types().await;
    for (body, property) in [
        (json!({ "name": "past", "expiresAt": START }), "/body/expiresAt"),
        (json!({ "name": "never" }), "/body/expiresAt"),
        (json!({ "name": "odd", "expiresAt": "tomorrow" }), "/body/expiresAt"),
        (json!({ "name": "", "expiresAt": SOON }), "/body/name"),
        (json!({ "name": "  ", "expiresAt": SOON }), "/body/name"),
        (json!({ "name": "x".repeat(256), "expiresAt": SOON }), "/body/name"),
        (json!({ "expiresAt": SOON }), "/body/name"),
    ] {
        app.admin().post(LINKS, body).await.refused(400, "ValidationError", property);
    }
    let path = format!("{LINKS}/1");
    for past in [START, "2020-01-01T00:00:00Z"] {
        let put = app.admin().json(Method::PUT, &path, json!({ "expiresAt": past })).await;
        put.refused(400, "ValidationError", "/body/expiresAt");
    }
    assert_eq!(app.event_types().await, before);
    let far = json!({ "expiresAt": "2030-01-01T00:00:00Z" });
    app.clock.advance(DAY_MS);
    let put = app.admin().json(Method::PUT, &path, far).await.expect(200);
    assert_eq!(put["expiresAt"], "2026-02-15T12:00:00.000Z");
}

#[tokio::test]
async fn a_link_is_switched_off_and_on_and_told_with_what_was_before() {
    let app = TestApp::new().await;
    let secret = secret_of(&link(&app).await);
    let validate = format!("/invite/{secret}/validate");
    let valid = app.anonymous().get(&validate).await;
    assert_eq!((valid.status, valid.text.as_str()), (200, ""));
    let path = format!("{LINKS}/{secret}");
    let tag = app.admin().get(&path).await.headers["etag"].to_str().expect("ASCII").to_owned();
    let off = app.admin().json(Method::PUT, &path, json!({ "enabled": false })).await.expect(200);
    assert_eq!((&off["enabled"], &off["expiresAt"]), (&json!(false), &json!(SOON)));
    let mut after = data();
    after["enabled"] = false.into();
    assert_eq!(newest(&app).await, ("public-signup-token-updated".to_owned(), after, data()));
    app.anonymous().get(&validate).await.refused(400, "ValidationError", "/path/token");
    let events = app.event_types().await;
    app.admin().json(Method::PUT, &path, json!({ "enabled": false, "expiresAt": SOON })).await.expect(200);
    app.admin().json(Method::PUT, &path, json!({})).await.expect(200);
    let headers = [("if-match", tag.as_str()), ("content-type", "application/json")];
    let stale = app.admin().request(Method::PUT, &path, &headers, br#"{"enabled":true}"#.to_vec()).await;
    stale.refused(412, "PreconditionFailedError", "");
    app.admin().json(Method::PUT, &path, json!({ "enabled": "no" })).await.refused(
        400,
        "ValidationError",
        "/body/enabled",
    );
    assert_eq!(app.event_types().await, events, "nothing has changed");
    app.admin().json(Method::PUT, &path, json!({ "enabled": true })).await.expect(200);
    app.anonymous().get(&validate).await.expect(200);
    app.clock.advance(5 * DAY_MS);
    app.anonymous().get(&validate).await.refused(400, "ValidationError", "/path/token");
}

#[tokio::test]
async fn whoever_has_a_link_becomes_a_viewer_and_signs_in() {
    let app = TestApp::new().await;
    let secret = secret_of(&link(&app).await);
    let made = app.anonymous().post(&format!("/invite/{secret}/signup"), signup("Ada")).await.expect(201);
    let id = made["id"].as_i64().expect("an id");
    assert_eq!((&made["email"], &made["rootRole"]), (&json!("ada@example.com"), &json!(role::VIEWER)));
    sign_in(&app, "ada@example.com", STRONG).await.expect(200);
    let events = app.events().await;
    let told: Vec<_> = events[1..].iter().map(|event| (event.r#type.as_str(), event.created_by_user_id)).collect();
    assert_eq!(told, [("user-created", Some(id)), ("public-signup-token-user-added", Some(id))]);
    assert_eq!(events[1].created_by, "ada@example.com");
    let joined = json!({ "id": 1, "name": "welcome", "userId": id });
    assert_eq!(newest(&app).await, ("public-signup-token-user-added".to_owned(), joined, Value::Null));
    let text = format!("{events:?}");
    assert!(!text.contains(&secret) && !text.contains("horse"));
    let shown = app.admin().get(&format!("{LINKS}/1")).await.expect(200);
    assert_eq!(shown["users"][0]["id"], id);
}

#[tokio::test]
async fn a_signup_that_cannot_be_is_refused_and_nothing_is_stored() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    let secret = secret_of(&link(&app).await);
    let path = format!("/invite/{secret}/signup");
    let before = app.event_types().await;
    let with = |property: &str, value: Value| {
        let mut body = signup("grace");
        body[property] = value;
        body
    };
    for (body, property) in [
        (with("email", "nobody".into()), "/body/email"),
        (with("email", "x".into()), "/body/email"),
        (with("email", Value::Null), "/body/email"),
        (with("name", "".into()), "/body/name"),
        (with("password", "weak".into()), "/body/password"),
        (with("username", "a\nb".into()), "/body/username"),
        (json!({}), "/body/email"),
    ] {
        app.anonymous().post(&path, body).await.refused(400, "ValidationError", property);
    }
    for taken in [with("email", "Ada@Example.com".into()), with("username", "ada".into())] {
        app.anonymous().post(&path, taken).await.refused(409, "NameExistsError", "already");
    }
    let shadow = with("username", "ada@example.com".into());
    app.anonymous().post(&path, shadow).await.refused(409, "NameExistsError", "username");
    for closed in ["/invite/unknown/signup", "/invite/1/signup"] {
        app.anonymous().post(closed, signup("grace")).await.refused(400, "ValidationError", "/path/token");
    }
    app.admin().json(Method::PUT, &format!("{LINKS}/1"), json!({ "enabled": false })).await.expect(200);
    app.anonymous().post(&path, signup("grace")).await.refused(400, "ValidationError", "/path/token");
    assert_eq!(app.event_types().await.len(), before.len() + 1, "only that the link was switched off");
    assert_eq!(app.admin().get(&format!("{LINKS}/1")).await.expect(200)["users"], json!([]));
}

#[tokio::test]
async fn one_address_signs_up_twenty_users_a_minute() {
    let app = TestApp::new().await;
    let path = format!("/invite/{}/signup", secret_of(&link(&app).await));
    for number in 0..20 {
        app.anonymous().post(&path, signup(&format!("user{number}"))).await.expect(201);
    }
    app.anonymous().post(&path, signup("grace")).await.refused(429, "RateLimitError", "");
}

#[tokio::test]
async fn a_link_that_was_sent_to_an_address_is_of_use_to_no_other() {
    let app = TestApp::new().await;
    let wanted = json!({ "name": "for ada", "expiresAt": SOON, "email": "Ada@Example.com" });
    let made = app.admin().post(LINKS, wanted).await.expect(201);
    assert_eq!(made["email"], "ada@example.com");
    assert_eq!(newest(&app).await.1["email"], "ada@example.com");
    let path = format!("/invite/{}/signup", secret_of(&made));
    for email in ["eve@example.com", "ada@example.org", "\u{e1}da@example.com", "ada@example.com@evil.com"] {
        let body = json!({ "email": email, "name": "Eve", "password": STRONG });
        app.anonymous().post(&path, body).await.refused(400, "ValidationError", "/body/email");
    }
    let body = json!({ "email": "ADA@example.com", "name": "Ada", "password": STRONG });
    assert_eq!(app.anonymous().post(&path, body.clone()).await.expect(201)["email"], "ada@example.com");
    app.anonymous().post(&path, body).await.refused(409, "NameExistsError", "email");
    for email in ["ada", "ada@example.com, eve@example.com", "\u{212a}@example.com"] {
        let wanted = json!({ "name": "odd", "expiresAt": SOON, "email": email });
        app.admin().post(LINKS, wanted).await.refused(400, "ValidationError", "/body/email");
    }
}
