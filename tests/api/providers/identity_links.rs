//! Identities that the signed-in user or an administrator links to an account.

use poem::http::Method;
use serde_json::{Value, json};
use url::Url;

use super::{
    beside::Beside,
    browser::{Browser, SESSION},
    company::Company,
};
use crate::{calls, harness::role, second_factor::enrol, users::STRONG};

const USERS: &str = "/api/admin/user-admin";
const LINK: &str = "/api/admin/user/identities";
const ADMISSION: (u16, &str) = (403, "NotAdmittedError");
const STATE: (u16, &str) = (400, "SignInStateError");

/// A user with a password who is signed in, and their id.
pub(super) async fn with_password(company: &Company, username: &str) -> (Browser, i64) {
    let user = json!({ "username": username, "password": STRONG, "rootRole": role::EDITOR });
    let id = company.app.admin().post(USERS, user).await.expect(201)["id"].as_i64().expect("an id");
    let mut browser = company.browser();
    let login = json!({ "username": username, "password": STRONG });
    browser.json(Method::POST, "/auth/simple/login", &login).await.expect(200);
    (browser, id)
}

/// Begins to link an identity; the path that the browser comes back to.
pub(super) async fn begin(beside: &Beside, browser: &mut Browser) -> String {
    let body = json!({ "providerId": beside.id, "password": STRONG, "redirect": "/profile" });
    let begun = browser.json(Method::POST, LINK, &body).await.expect(200);
    let address = Url::parse(begun["url"].as_str().expect("a text")).expect("an address");
    beside.callback(&beside.provider.authorize(address.as_str()))
}

#[tokio::test]
async fn the_signed_in_user_links_an_identity_and_comes_in_by_it_from_then_on() {
    let company = Company::new().await;
    let beside = Beside::with(&company, "github", "oidc", json!({}), &json!({})).await;
    beside.provider.claim("email", "private@elsewhere.example");
    assert_eq!(beside.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "not-invited");
    let (mut ada, id) = with_password(&company, "ada").await;
    let before = company.app.events().await.len();
    let callback = begin(&beside, &mut ada).await;
    let answer = ada.get(&callback).await;
    assert_eq!(super::browser::location(&answer).path(), "/profile");
    assert_eq!(ada.begun(), 0);
    assert_eq!(company.who(&mut ada).await["id"], id, "the session goes on");
    let events = company.app.events().await.split_off(before);
    let [linked] = events.as_slice() else { panic!("one event: {events:?}") };
    assert_eq!((&*linked.r#type, linked.created_by_user_id), ("user-updated", Some(id)));
    let data = calls::told(linked)[2].clone();
    assert_eq!((&data["linkedIdentity"]["providerId"], &data["endedPassword"]), (&json!("github"), &Value::Null));
    let entry = company.newest_entry().await;
    assert_eq!((&entry["outcome"], &entry["reason"]), (&json!("linked"), &json!("linked-by-user")));
    assert!(entry["explanation"].is_string(), "{entry}");
    assert_eq!(beside.signed_in(&company).await.1["id"], id);
    // Linking it again changes nothing.
    let callback = begin(&beside, &mut ada).await;
    assert_eq!(ada.get(&callback).await.status, 302);
    assert_eq!(company.app.events().await.len(), before + 1);
}

#[tokio::test]
async fn o42_an_identity_is_linked_in_the_browser_and_the_session_that_began() {
    let company = Company::new().await;
    let beside = Beside::with(&company, "github", "oidc", json!({}), &json!({})).await;
    let (mut ada, _) = with_password(&company, "ada").await;
    let (mut bob, bob_id) = with_password(&company, "bob").await;
    // Mallory has Ada's browser open what Mallory began.
    let callback = begin(&beside, &mut bob).await;
    let refused = ada.get(&callback).await;
    assert_eq!(company.reason(refused, STATE.0, STATE.1).await["reason"], "unknown-state");
    // The same browser, signed in as another user meanwhile, or as nobody.
    let mut signed_out = bob.clone();
    signed_out.jar.remove(SESSION);
    let refused = signed_out.get(&callback).await;
    assert_eq!(company.reason(refused, STATE.0, STATE.1).await["reason"], "unknown-state");
    let callback = begin(&beside, &mut bob).await;
    assert_eq!(bob.get(&callback).await.status, 302);
    // It is Bob's now, and nobody else's.
    let callback = begin(&beside, &mut ada).await;
    let refused = ada.get(&callback).await;
    let entry = company.reason(refused, ADMISSION.0, ADMISSION.1).await;
    assert_eq!(entry["reason"], "identity-of-another-user");
    assert_eq!(beside.signed_in(&company).await.1["id"], bob_id);
}

#[tokio::test]
async fn beginning_to_link_needs_a_session_the_password_and_a_provider_that_is_on() {
    let company = Company::new().await;
    let beside = Beside::with(&company, "github", "oidc", json!({}), &json!({})).await;
    let (mut ada, _) = with_password(&company, "ada").await;
    for body in [json!({ "providerId": "github" }), json!({ "providerId": "github", "password": "wrong" })] {
        ada.json(Method::POST, LINK, &body).await.refused(401, "PasswordMismatch", "");
    }
    assert_eq!(ada.begun(), 0);
    let unknown = json!({ "providerId": "unknown", "password": STRONG });
    ada.json(Method::POST, LINK, &unknown).await.refused(400, "ValidationError", "/body/providerId");
    beside.set(&company, false, json!({}), &json!({})).await.expect(200);
    let known = json!({ "providerId": "github", "password": STRONG });
    ada.json(Method::POST, LINK, &known).await.refused(400, "ValidationError", "/body/providerId");
    let foreign = [("content-type", "application/json"), ("origin", "https://evil.example")];
    let answer = ada.send(Method::POST, LINK, &foreign, known.to_string().into_bytes()).await;
    answer.refused(403, "ForbiddenError", "origin");
    company.app.root_admin().await.post(LINK, known).await.refused(403, "InvalidOperationError", "sign in");
}

#[tokio::test]
async fn whoever_has_a_second_factor_proves_it_before_linking() {
    let company = Company::new().await;
    let beside = Beside::with(&company, "github", "oidc", json!({}), &json!({})).await;
    let (mut ada, _) = with_password(&company, "ada").await;
    let cookie = format!("{SESSION}={}", ada.jar[SESSION]);
    let (_, recovery) = enrol(&company.app, &company.app.anonymous().sending(&[("cookie", &cookie)])).await;
    let body = |code: &str| json!({ "providerId": beside.id, "password": STRONG, "code": code });
    for (code, name) in [("", "SecondFactorRequiredError"), ("wrong", "SecondFactorMismatchError")] {
        ada.json(Method::POST, LINK, &body(code)).await.refused(401, name, "");
        assert_eq!(ada.begun(), 0);
    }
    ada.json(Method::POST, LINK, &body(&recovery[0])).await.expect(200);
    assert_eq!(ada.begun(), 1);
    ada.json(Method::POST, LINK, &body(&recovery[0])).await.refused(401, "SecondFactorMismatchError", "");
}

#[tokio::test]
async fn an_administrator_links_an_identity_by_its_subject() {
    let company = Company::new().await;
    let beside = Beside::with(&company, "staff", "oidc", json!({}), &json!({})).await;
    beside.provider.claim("email", "private@elsewhere.example");
    let admin = company.app.admin();
    let ids: Vec<Value> = {
        let mut ids = Vec::new();
        for username in ["ada", "bob"] {
            let user = json!({ "username": username, "rootRole": role::VIEWER });
            ids.push(admin.post(USERS, user).await.expect(201)["id"].clone());
        }
        ids
    };
    let identity = json!({ "providerId": "staff", "subject": "person-7" });
    let path = format!("{USERS}/{}/identities", ids[0]);
    let before = company.app.event_types().await.len();
    for _ in 0..2 {
        let linked = admin.post(&path, identity.clone()).await.expect(200);
        assert_eq!(linked["identities"][0]["issuer"], beside.provider.issuer());
        assert_eq!(linked["identities"][0]["email"], Value::Null);
    }
    assert_eq!(company.app.event_types().await[before..], ["user-updated"]);
    assert_eq!(beside.signed_in(&company).await.1["id"], ids[0]);
    let taken = admin.post(&format!("{USERS}/{}/identities", ids[1]), identity.clone()).await;
    taken.refused(409, "IdentityTakenError", "another user");
    admin.post(&format!("{USERS}/999/identities"), json!({ "providerId": "staff", "subject": "x" })).await.refused(
        404,
        "NotFoundError",
        "999",
    );
    let unknown = json!({ "providerId": "unknown", "subject": "x" });
    admin.post(&path, unknown).await.refused(400, "ValidationError", "/body/providerId");
}

#[tokio::test]
async fn users_are_relinked_at_the_provider_that_is_named() {
    let company = Company::new().await;
    let beside = Beside::new(&company, "staff").await;
    beside.provider.claim("email", "grace@example.com");
    let (_, user) = beside.signed_in(&company).await;
    beside.provider.claim("sub", "new-7");
    assert_eq!(beside.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "email-of-another-identity");
    let relink = format!("{USERS}/identities/relink");
    let admin = company.app.admin();
    let listed = admin.post(&relink, json!({ "provider": "oidc" })).await.expect(200);
    assert_eq!(listed["users"], json!([]), "nobody has an identity of the settings' provider");
    admin.post(&relink, json!({ "provider": "saml", "providerId": "staff" })).await.refused(
        400,
        "ValidationError",
        "/body/providerId",
    );
    let listed = admin.post(&relink, json!({ "provider": "oidc", "providerId": "staff" })).await.expect(200);
    assert_eq!(listed["users"][0]["id"], user["id"]);
    assert_eq!(beside.signed_in(&company).await.1["id"], user["id"]);
}
