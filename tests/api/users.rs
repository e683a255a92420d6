//! Making, changing and deleting users.

mod last_administrator;

use flagstone::{
    config::Config,
    domain::secret,
    store::{
        self,
        entity::{app_user, password_reset, personal_token, session, user_group_member},
    },
};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::harness::{Answer, START, TestApp, role};

pub const USERS: &str = "/api/admin/user-admin";
pub const STRONG: &str = "Correct-horse-1";
const LOGIN: &str = "/auth/simple/login";

/// Makes a user who signs in with a user name and [`STRONG`]; gives the id.
pub async fn user(app: &TestApp, username: &str, root_role: i64) -> i64 {
    let new = json!({
        "username": username,
        "email": format!("{username}@example.com"),
        "password": STRONG,
        "rootRole": root_role,
    });
    let made = app.admin().post(USERS, new).await.expect(201);
    made["id"].as_i64().expect("an id")
}

pub async fn sign_in(app: &TestApp, username: &str, password: &str) -> Answer {
    app.anonymous().post(LOGIN, json!({ "username": username, "password": password })).await
}

/// The cookie of a new session.
pub async fn cookie(app: &TestApp, username: &str, password: &str) -> String {
    let answer = sign_in(app, username, password).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let set = answer.headers["set-cookie"].to_str().expect("ASCII");
    set.split(';').next().expect("a pair").to_owned()
}

/// A request of a browser.
pub async fn with_cookie(app: &TestApp, cookie: &str, method: Method, path: &str, body: Value) -> Answer {
    let headers = [("cookie", cookie), ("content-type", "application/json")];
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    app.anonymous().request(method, path, &headers, body).await
}

/// The newest event: type, data, preData.
pub async fn newest(app: &TestApp) -> (String, Value, Value) {
    let event = app.events().await.pop().expect("an event");
    let read = |text: Option<String>| text.map_or(Value::Null, |text| serde_json::from_str(&text).expect("JSON"));
    (event.r#type, read(event.data), read(event.pre_data))
}

fn path_of(id: i64) -> String {
    format!("{USERS}/{id}")
}

#[tokio::test]
async fn a_user_without_a_password_gets_a_link_that_is_stored_by_digest_only() {
    let base_url = "https://flags.example.com".to_owned();
    let app = TestApp::with_config(Config { base_url, ..Config::default() }).await;
    let new = json!({ "email": "Grace@Example.com", "name": "Grace", "username": "", "rootRole": "Editor", "sendEmail": true });
    let answer = app.admin().post(USERS, new).await;
    assert_eq!(answer.headers["cache-control"], "private, no-store");
    let mut made = answer.expect(201);
    let link = made["inviteLink"].take();
    let id = made["id"].as_i64().expect("an id");
    assert_eq!(
        made,
        json!({
            "isAPI": false,
            "accountType": "User",
            "id": id,
            "name": "Grace",
            "email": "grace@example.com",
            "imageUrl": flagstone::domain::user::image_url(Some("grace@example.com"), None, id),
            "loginAttempts": 0,
            "rootRole": role::EDITOR,
            "createdAt": START,
            "inviteLink": null,
            "emailSent": false,
        })
    );
    let link = link.as_str().expect("a link");
    let token = link.strip_prefix("https://flags.example.com/new-user?token=").expect("the address");
    let stored = password_reset::Entity::find().all(app.db()).await.expect("rows");
    assert_eq!(stored.iter().map(|row| row.token_hash.clone()).collect::<Vec<_>>(), [secret::digest(token)]);
    let data = json!({ "id": id, "name": "Grace", "email": "grace@example.com", "rootRole": role::EDITOR });
    assert_eq!(newest(&app).await, ("user-created".to_owned(), data, Value::Null));
    assert!(!format!("{:?}", app.events().await).contains(token));

    app.anonymous().post("/auth/reset/password", json!({ "token": token, "password": STRONG })).await.expect(200);
    sign_in(&app, "grace@example.com", STRONG).await.expect(200);
}

#[tokio::test]
async fn a_user_with_a_password_can_sign_in_and_gets_no_link_that_sets_it() {
    let app = TestApp::new().await;
    let new = json!({ "username": "ada", "password": STRONG, "rootRole": role::VIEWER });
    let made = app.admin().post(USERS, new).await.expect(201);
    assert_eq!(made["inviteLink"], "http://127.0.0.1:4242");
    assert_eq!(password_reset::Entity::find().all(app.db()).await.expect("rows"), []);
    let events = format!("{:?}", app.events().await);
    assert!(!events.contains("horse") && !events.contains("argon2"), "{events}");
    sign_in(&app, "ada", STRONG).await.expect(200);
    let stored = app.admin().get(&path_of(made["id"].as_i64().expect("an id"))).await.expect(200);
    assert_eq!(stored["username"], "ada");
}

#[tokio::test]
async fn what_is_no_user_is_refused_and_nothing_is_stored() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    let (before, events) = (app.admin().get(USERS).await.expect(200), app.event_types().await);
    let strong = |new: Value| {
        let mut new = new;
        new["password"] = STRONG.into();
        new
    };
    for (new, property) in [
        (json!({ "username": "grace" }), "/body/rootRole"),
        (strong(json!({ "username": "grace", "rootRole": 99 })), "/body/rootRole"),
        (strong(json!({ "username": "grace", "rootRole": "Boss" })), "/body/rootRole"),
        (strong(json!({ "username": "grace", "rootRole": role::OWNER })), "/body/rootRole"),
        (strong(json!({ "username": "grace", "rootRole": [1] })), "/body/rootRole"),
        (strong(json!({ "username": "grace", "rootRole": 1.5 })), "/body/rootRole"),
        (json!({ "rootRole": 3 }), "/body/username"),
        (json!({ "username": "", "email": null, "rootRole": 3 }), "/body/username"),
        (json!({ "username": " ", "rootRole": 3 }), "/body/username"),
        (json!({ "username": "a\nb", "rootRole": 3 }), "/body/username"),
        (json!({ "username": "x".repeat(256), "rootRole": 3 }), "/body/username"),
        (json!({ "username": 7, "rootRole": 3 }), "/body/username"),
        (json!({ "email": "nobody", "rootRole": 3 }), "/body/email"),
        (json!({ "username": "grace", "password": "weak", "rootRole": 3 }), "/body/password"),
        (json!({ "username": "grace", "password": "A1!a".repeat(251), "rootRole": 3 }), "/body/password"),
        (json!({ "username": "ada", "rootRole": 3 }), "/body/username"),
        (json!({ "email": "ADA@example.com", "rootRole": 3 }), "/body/email"),
        (json!({ "username": "Ada@Example.com", "rootRole": 3 }), "/body/username"),
        (json!({ "username": "unleash_system_user", "rootRole": 3 }), "/body/username"),
    ] {
        let answer = app.admin().post(USERS, new).await;
        assert!(!answer.text.contains(STRONG));
        answer.refused(400, "ValidationError", property);
    }
    assert_eq!(app.admin().get(USERS).await.expect(200), before);
    assert_eq!(app.event_types().await, events);
}

#[tokio::test]
async fn the_list_shows_people_and_the_roles_they_can_have() {
    let app = TestApp::new().await;
    let (ada, grace) = (user(&app, "ada", role::ADMIN).await, user(&app, "grace", role::VIEWER).await);
    let list = app.admin().get(USERS).await.expect(200);
    let users = list["users"].as_array().expect("a list");
    let shown: Vec<_> = users.iter().map(|user| (user["id"].as_i64(), user["rootRole"].as_i64())).collect();
    assert_eq!(shown, [(Some(ada), Some(role::ADMIN)), (Some(grace), Some(role::VIEWER))]);
    let roles: Vec<_> = list["rootRoles"].as_array().expect("a list").iter().map(|role| &role["name"]).collect();
    assert_eq!(roles, ["Admin", "Editor", "Viewer"]);
}

#[tokio::test]
async fn one_address_makes_twenty_users_a_minute() {
    let app = TestApp::new().await;
    let new = |number: i64| json!({ "username": format!("user{number}"), "rootRole": 3 });
    for number in 0..20 {
        app.admin().post(USERS, new(number)).await.expect(201);
    }
    let answer = app.admin().post(USERS, new(20)).await;
    assert_eq!(answer.headers["retry-after"], "3");
    answer.refused(429, "RateLimitError", "3 seconds");
    app.clock.advance(3000);
    app.admin().post(USERS, new(20)).await.expect(201);
}

#[tokio::test]
async fn names_and_role_are_changed_and_told_with_what_was_before() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::VIEWER).await;
    let change = json!({ "name": "Ada", "email": "Countess@Example.com", "rootRole": "Editor" });
    let changed = app.admin().json(Method::PUT, &path_of(id), change.clone()).await.expect(200);
    assert_eq!((&changed["name"], &changed["email"]), (&json!("Ada"), &json!("countess@example.com")));
    assert_eq!((&changed["username"], &changed["rootRole"]), (&json!("ada"), &json!(role::EDITOR)));
    assert_eq!(app.admin().get(&path_of(id)).await.expect(200), changed);
    let before = json!({ "id": id, "username": "ada", "email": "ada@example.com", "rootRole": role::VIEWER });
    let after = json!({
        "id": id, "username": "ada", "email": "countess@example.com", "name": "Ada", "rootRole": role::EDITOR,
    });
    assert_eq!(newest(&app).await, ("user-updated".to_owned(), after, before));
    let events = app.event_types().await;
    for nothing in [change, json!({}), json!({ "name": null, "email": "", "rootRole": null })] {
        assert_eq!(app.admin().json(Method::PUT, &path_of(id), nothing).await.expect(200), changed);
    }
    assert_eq!(app.event_types().await, events, "a change that changes nothing leaves no event");
    sign_in(&app, "countess@example.com", STRONG).await.expect(200);
}

#[tokio::test]
async fn changes_that_are_none_are_refused() {
    let app = TestApp::new().await;
    let (id, _) = (user(&app, "ada", role::VIEWER).await, user(&app, "grace", role::VIEWER).await);
    let (before, events) = (app.admin().get(&path_of(id)).await.expect(200), app.event_types().await);
    for (change, property) in [
        (json!({ "rootRole": 99 }), "/body/rootRole"),
        (json!({ "email": "nobody" }), "/body/email"),
        (json!({ "email": "grace@example.com" }), "/body/email"),
        (json!({ "username": "grace" }), "/body/username"),
        (json!({ "name": "x".repeat(256) }), "/body/name"),
        (json!({ "name": ["x"] }), "/body/name"),
    ] {
        app.admin().json(Method::PUT, &path_of(id), change).await.refused(400, "ValidationError", property);
    }
    assert_eq!(app.admin().get(&path_of(id)).await.expect(200), before);
    assert_eq!(app.event_types().await, events);
}

#[tokio::test]
async fn nobody_is_404_everywhere() {
    let app = TestApp::new().await;
    let gone = user(&app, "ada", role::VIEWER).await;
    app.admin().request(Method::DELETE, &path_of(gone), &[], vec![]).await.expect(200);
    for id in [gone.to_string(), "77".into(), "-42".into(), "-1337".into(), "nobody".into(), "9".repeat(30)] {
        let path = format!("{USERS}/{id}");
        app.admin().get(&path).await.refused(404, "NotFoundError", "no user");
        app.admin().get(&format!("{path}/permissions")).await.refused(404, "NotFoundError", "no user");
        app.admin().json(Method::PUT, &path, json!({ "name": "x" })).await.refused(404, "NotFoundError", "no user");
        app.admin().request(Method::DELETE, &path, &[], vec![]).await.refused(404, "NotFoundError", "no user");
        let answer = app.admin().post(&format!("{path}/change-password"), json!({ "password": STRONG })).await;
        answer.refused(404, "NotFoundError", "no user");
    }
}

#[tokio::test]
async fn a_change_meant_for_another_state_is_refused() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::VIEWER).await;
    let tag = |answer: &Answer| answer.headers["etag"].to_str().expect("ASCII").to_owned();
    let first = tag(&app.admin().get(&path_of(id)).await);
    sign_in(&app, "ada", STRONG).await.expect(200);
    let put = |tag: String, name: &'static str| {
        let admin = app.admin();
        async move {
            let headers = [("if-match", tag.as_str()), ("content-type", "application/json")];
            let body = json!({ "name": name }).to_string().into_bytes();
            admin.request(Method::PUT, &path_of(id), &headers, body).await
        }
    };
    put(first.clone(), "Ada").await.expect(200);
    let events = app.event_types().await;
    put(first.clone(), "Augusta").await.refused(412, "PreconditionFailedError", "If-Match");
    let deleted = app.admin().request(Method::DELETE, &path_of(id), &[("if-match", &first)], vec![]).await;
    deleted.refused(412, "PreconditionFailedError", "If-Match");
    assert_eq!(app.admin().get(&path_of(id)).await.expect(200)["name"], "Ada");
    assert_eq!(app.event_types().await, events);
    let second = tag(&app.admin().get(&path_of(id)).await);
    app.admin().request(Method::DELETE, &path_of(id), &[("if-match", &second)], vec![]).await.expect(200);
}

#[tokio::test]
async fn the_deleted_are_out_at_once_and_their_names_are_free() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::VIEWER).await;
    let session = cookie(&app, "ada", STRONG).await;
    app.group("team", &[id]).await;
    let (tx, now) = (app.tx().await, app.clock.now());
    let token = "user:of-ada";
    store::tokens::insert_personal_token(&tx, id, "laptop", token, now.plus_days(1), now).await.expect("a token");
    app.commit(tx).await;
    app.admin().post(&format!("{USERS}/reset-password"), json!({ "id": id })).await.expect(200);
    app.with_authorization(token).get("/api/admin/user").await.expect(200);

    let answer = app.admin().request(Method::DELETE, &path_of(id), &[], vec![]).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    let data = json!({ "id": id, "username": "ada", "email": "ada@example.com", "rootRole": role::VIEWER });
    assert_eq!(newest(&app).await, ("user-deleted".to_owned(), Value::Null, data));
    with_cookie(&app, &session, Method::GET, "/api/admin/user", Value::Null).await.refused(
        401,
        "AuthenticationRequired",
        "",
    );
    app.with_authorization(token).get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    sign_in(&app, "ada", STRONG).await.refused(401, "PasswordMismatch", "");
    assert_eq!(session::Entity::find().all(app.db()).await.expect("rows"), []);
    assert_eq!(personal_token::Entity::find().all(app.db()).await.expect("rows"), []);
    assert_eq!(password_reset::Entity::find().all(app.db()).await.expect("rows"), []);
    assert_eq!(user_group_member::Entity::find().all(app.db()).await.expect("rows"), []);
    let row = app_user::Entity::find_by_id(id).one(app.db()).await.expect("a query").expect("the row stays");
    assert_eq!((row.username.as_deref(), row.deleted_at), (Some("ada"), Some(now)));
    assert_eq!(row.password_hash, None);

    let again = user(&app, "ada", role::EDITOR).await;
    assert_ne!(again, id);
    let user = sign_in(&app, "ada", STRONG).await.expect(200);
    assert_eq!(user["id"], again);
    let users = app.admin().get(USERS).await.expect(200)["users"].as_array().expect("a list").len();
    assert_eq!(users, 1);
}
