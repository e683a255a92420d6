//! Addresses of email: what is none comes in by no way. `domain::email` has the rule; ways of the directory are in
//! `scim::emails`, that of OpenID Connect in `providers::people`, that of SAML in `tests/saml`, that of the command line
//! in `command_line`, and what moves in keeps the address that it has.

use flagstone::store::entity::app_user;
use poem::http::Method;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::{
    harness::{TestApp, role},
    users::{STRONG, user},
};

/// Texts with something around an `@` that are no address.
pub const NO_EMAILS: [&str; 18] = [
    "ada@home@example.com",
    "ada@@example.com",
    "\"a@b\"@example.com",
    "ada lovelace@example.com",
    "ada@exam ple.com",
    " ada@example.com",
    "ada@example.com ",
    "ada\t@example.com",
    "ada@example.com\n",
    "ada\u{a0}@example.com",
    "\u{feff}ada@example.com",
    "ada@example.com\u{200b}",
    "zo\u{eb}@example.com",
    "ada@b\u{fc}cher.example",
    "Ada <ada@example.com>",
    "ada@example.com,eve",
    "@example.com",
    "ada@",
];

const USERS: &str = "/api/admin/user-admin";
const LINKS: &str = "/api/admin/invite-link/tokens";

#[tokio::test]
async fn users_are_neither_made_nor_changed_nor_sign_up_with_what_is_no_address() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let id = user(&app, "ada", role::VIEWER).await;
    let link = json!({ "name": "welcome", "expiresAt": "2026-01-20T00:00:00.000Z" });
    let link = admin.post(LINKS, link).await.expect(201);
    let signup = format!("/invite/{}/signup", link["secret"].as_str().expect("a secret"));
    let (events, before) = (app.event_types().await, admin.get(&format!("{USERS}/{id}")).await.expect(200));
    for email in NO_EMAILS {
        for body in [
            json!({ "email": email, "rootRole": 3 }),
            json!({ "email": email, "username": "grace", "password": STRONG, "rootRole": 3 }),
        ] {
            admin.post(USERS, body).await.refused(400, "ValidationError", "/body/email");
        }
        let change = json!({ "email": email });
        let changed = admin.json(Method::PUT, &format!("{USERS}/{id}"), change).await;
        changed.refused(400, "ValidationError", "/body/email");
        let body = json!({ "email": email, "name": "Grace", "password": STRONG });
        app.anonymous().post(&signup, body).await.refused(400, "ValidationError", "/body/email");
    }
    assert_eq!(app.event_types().await, events);
    assert_eq!(admin.get(&format!("{USERS}/{id}")).await.expect(200), before);
}

#[tokio::test]
async fn who_moved_in_with_another_address_is_changed_and_signs_in_as_before() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::VIEWER).await;
    let tx = app.tx().await;
    let old = "ada lovelace@example.com";
    let row = app_user::ActiveModel { id: Set(id), email: Set(Some(old.to_owned())), ..Default::default() };
    app_user::Entity::update(row).exec(&tx).await.expect("updates");
    app.commit(tx).await;
    let path = format!("{USERS}/{id}");
    let signed_in = async |name: &str| {
        let body = json!({ "username": name, "password": STRONG });
        app.anonymous().post("/auth/simple/login", body).await.expect(200)["email"].clone()
    };
    assert_eq!(signed_in(old).await, old);
    for change in [json!({ "name": "Ada" }), json!({ "email": old, "rootRole": "Editor" })] {
        assert_eq!(app.admin().json(Method::PUT, &path, change).await.expect(200)["email"], old);
    }
    let others = json!({ "email": "lovelace ada@example.com" });
    app.admin().json(Method::PUT, &path, others).await.refused(400, "ValidationError", "/body/email");
    let sound = json!({ "email": "ada@example.com" });
    assert_eq!(app.admin().json(Method::PUT, &path, sound).await.expect(200)["email"], "ada@example.com");
    assert_eq!(signed_in("ada@example.com").await, Value::from("ada@example.com"));
}
