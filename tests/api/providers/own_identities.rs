//! Identities that users list and remove themselves, and single ones that administrators remove.

use poem::http::Method;
use serde_json::{Value, json};

use super::{
    beside::Beside,
    browser::{Browser, SESSION},
    company::{Company, SIMPLE},
    identity_links::{begin, with_password},
};
use crate::{
    harness::Answer,
    second_factor::enrol,
    users::{STRONG, newest},
};

const USERS: &str = "/api/admin/user-admin";
const MINE: &str = "/api/admin/user/identities";

/// Links an identity of a provider to the signed-in user.
async fn link(beside: &Beside, browser: &mut Browser) {
    let callback = begin(beside, browser).await;
    assert_eq!(browser.get(&callback).await.status, 302);
}

/// The only identity of the signed-in user.
async fn only(browser: &mut Browser) -> Value {
    let listed = browser.get(MINE).await.expect(200);
    let [identity] = listed["identities"].as_array().expect("identities").as_slice() else { panic!("one: {listed}") };
    identity.clone()
}

fn removal(identity: &Value) -> String {
    format!("{MINE}/{}/remove", identity["id"].as_str().expect("an id"))
}

async fn remove(browser: &mut Browser, identity: &Value, proof: Value) -> Answer {
    browser.json(Method::POST, &removal(identity), &proof).await
}

#[tokio::test]
async fn users_list_and_remove_their_own_identities() {
    let company = Company::new().await;
    let beside = Beside::with(&company, "github", "oidc", json!({}), &json!({})).await;
    beside.provider.claim("email", "private@elsewhere.example");
    let (mut ada, id) = with_password(&company, "ada").await;
    assert_eq!(ada.get(MINE).await.expect(200), json!({ "identities": [] }));
    link(&beside, &mut ada).await;
    let listed = ada.get(MINE).await.expect(200);
    assert_eq!(company.app.admin().get(&format!("{USERS}/{id}/identities")).await.expect(200), listed);
    let identity = only(&mut ada).await;
    assert_eq!((&identity["providerId"], &identity["subject"]), (&json!("github"), &json!("person-7")));
    let (mut through, _) = beside.signed_in(&company).await;
    let elsewhere = company.other_node();
    let mut there = through.at(&elsewhere);
    there.get("/api/admin/user").await.expect(200);

    let before = company.app.events().await.len();
    remove(&mut ada, &identity, json!({ "password": STRONG })).await.expect(200);
    let events = company.app.events().await.split_off(before);
    let [event] = events.as_slice() else { panic!("one event: {events:?}") };
    assert_eq!((&*event.r#type, event.created_by_user_id), ("user-updated", Some(id)));
    let (_, data, before) = newest(&company.app).await;
    let issuer = beside.provider.issuer();
    assert_eq!((&before["id"], &before["identities"]), (&json!(id), &json!([issuer])));
    assert_eq!((&data["identities"], &data["endedSessions"]), (&json!([]), &json!(1)));
    let unlinked = json!([{ "provider": "oidc", "providerId": "github", "issuer": issuer, "subject": "person-7" }]);
    assert_eq!(data["unlinkedIdentities"], unlinked);
    for browser in [&mut through, &mut there] {
        browser.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    }
    assert_eq!(company.who(&mut ada).await["id"], id, "a session by the password goes on");
    assert_eq!(ada.get(MINE).await.expect(200), json!({ "identities": [] }));
    assert_eq!(beside.refused(&company, 403, "NotAdmittedError").await["reason"], "not-invited");
    remove(&mut ada, &identity, json!({ "password": STRONG })).await.refused(404, "NotFoundError", "no identity");
}

#[tokio::test]
async fn removing_needs_a_session_the_password_and_the_second_factor() {
    let company = Company::new().await;
    let beside = Beside::with(&company, "github", "oidc", json!({}), &json!({})).await;
    let (mut ada, _) = with_password(&company, "ada").await;
    link(&beside, &mut ada).await;
    let identity = only(&mut ada).await;
    let cookie = format!("{SESSION}={}", ada.jar[SESSION]);
    let (_, recovery) = enrol(&company.app, &company.app.anonymous().sending(&[("cookie", &cookie)])).await;
    let events = company.app.events().await.len();
    for (proof, name) in [
        (json!({}), "PasswordMismatch"),
        (json!({ "password": "wrong", "code": recovery[0] }), "PasswordMismatch"),
        (json!({ "password": STRONG }), "SecondFactorRequiredError"),
        (json!({ "password": STRONG, "code": "wrong" }), "SecondFactorMismatchError"),
    ] {
        remove(&mut ada, &identity, proof).await.refused(401, name, "");
    }
    let good = json!({ "password": STRONG, "code": recovery[0] });
    let foreign = [("content-type", "application/json"), ("origin", "https://evil.example")];
    let answer = ada.send(Method::POST, &removal(&identity), &foreign, good.to_string().into_bytes()).await;
    answer.refused(403, "ForbiddenError", "origin");
    let by_token = company.app.root_admin().await;
    by_token.get(MINE).await.refused(403, "InvalidOperationError", "sign in");
    by_token.post(&removal(&identity), json!({})).await.refused(403, "InvalidOperationError", "sign in");
    // Of somebody else.
    let (mut bob, _) = with_password(&company, "bob").await;
    assert_eq!(bob.get(MINE).await.expect(200), json!({ "identities": [] }));
    let answer = remove(&mut bob, &identity, json!({ "password": STRONG })).await;
    answer.refused(404, "NotFoundError", "no identity");
    assert_eq!(only(&mut ada).await, identity);
    remove(&mut ada, &identity, good).await.expect(200);
    // Besides it, that Bob was created.
    assert_eq!(company.app.event_types().await[events..], ["user-created", "user-updated"]);
}

#[tokio::test]
async fn nobody_removes_their_last_way_in() {
    let company = Company::new().await;
    let first = Beside::new(&company, "first").await;
    let second = Beside::with(&company, "second", "oidc", json!({}), &json!({})).await;
    first.provider.claim("email", "grace@example.com");
    let (mut grace, user) = first.signed_in(&company).await;
    let identity = only(&mut grace).await;
    let before = company.app.event_types().await.len();
    remove(&mut grace, &identity, json!({})).await.refused(409, "LastWayInError", "last way in");
    assert_eq!(company.app.event_types().await.len(), before);
    assert_eq!(company.who(&mut grace).await["id"], user["id"], "the session goes on");
    // Another one counts as long as its provider is on.
    link(&second, &mut grace).await;
    second.set(&company, false, json!({}), &json!({})).await.expect(200);
    remove(&mut grace, &identity, json!({})).await.refused(409, "LastWayInError", "last way in");
    second.set(&company, true, json!({}), &json!({})).await.expect(200);
    remove(&mut grace, &identity, json!({})).await.expect(200);
    grace.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    let (mut grace, again) = second.signed_in(&company).await;
    assert_eq!(again["id"], user["id"]);
    assert_eq!(only(&mut grace).await["providerId"], "second");
}

#[tokio::test]
async fn a_password_is_no_way_in_while_passwords_are_off() {
    let company = Company::with(json!({ "defaultRootRole": "Admin" })).await;
    let mut root = company.browser();
    company.sign_in(&mut root).await;
    let beside = Beside::with(&company, "github", "oidc", json!({}), &json!({})).await;
    let (mut bob, _) = with_password(&company, "bob").await;
    link(&beside, &mut bob).await;
    let identity = only(&mut bob).await;
    root.json(Method::POST, SIMPLE, &json!({ "disabled": true })).await.expect(200);
    let proof = json!({ "password": STRONG });
    remove(&mut bob, &identity, proof.clone()).await.refused(409, "LastWayInError", "switched off");
    root.json(Method::POST, SIMPLE, &json!({ "disabled": false })).await.expect(200);
    remove(&mut bob, &identity, proof).await.expect(200);
}

#[tokio::test]
async fn an_administrator_removes_one_identity_and_leaves_the_others() {
    let company = Company::new().await;
    let first = Beside::new(&company, "first").await;
    let second = Beside::with(&company, "second", "oidc", json!({}), &json!({})).await;
    first.provider.claim("email", "grace@example.com");
    let (mut grace, user) = first.signed_in(&company).await;
    let identity = only(&mut grace).await;
    link(&second, &mut grace).await;
    let (mut through_second, _) = second.signed_in(&company).await;
    let (_, bob) = with_password(&company, "bob").await;
    let admin = company.app.admin();
    let of_grace = format!("{USERS}/{}/identities", user["id"]);
    let id = identity["id"].as_str().expect("an id");
    for (path, said) in [
        (format!("{of_grace}/unknown"), "no identity"),
        (format!("{USERS}/{bob}/identities/{id}"), "no identity"),
        (format!("{USERS}/999/identities/{id}"), "999"),
    ] {
        admin.json(Method::DELETE, &path, Value::Null).await.refused(404, "NotFoundError", said);
    }
    grace.get("/api/admin/user").await.expect(200);
    let before = company.app.event_types().await.len();
    let path = format!("{of_grace}/{id}");
    admin.json(Method::DELETE, &path, Value::Null).await.expect(200);
    assert_eq!(company.app.event_types().await[before..], ["user-updated"]);
    let (_, data, old) = newest(&company.app).await;
    assert_eq!(old["identities"].as_array().map(Vec::len), Some(2), "{old}");
    assert_eq!((&data["identities"], &data["endedSessions"]), (&json!([second.provider.issuer()]), &json!(1)));
    assert_eq!(data["unlinkedIdentities"][0]["providerId"], "first");
    grace.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    assert_eq!(only(&mut through_second).await["providerId"], "second");
    assert_eq!(second.signed_in(&company).await.1["id"], user["id"]);
    admin.json(Method::DELETE, &path, Value::Null).await.refused(404, "NotFoundError", "no identity");
}

#[tokio::test]
async fn the_identity_of_the_last_administrator_stays() {
    let company = Company::with(json!({ "defaultRootRole": "Admin" })).await;
    let mut ada = company.browser();
    company.sign_in(&mut ada).await;
    let (id, identity) = (company.who(&mut ada).await["id"].clone(), only(&mut ada).await);
    let path = format!("{USERS}/{id}/identities/{}", identity["id"].as_str().expect("an id"));
    let admin = company.app.admin();
    admin.json(Method::DELETE, &path, Value::Null).await.refused(403, "InvalidOperationError", "administer");
    assert_eq!(only(&mut ada).await, identity);
    company.app.root_admin().await;
    admin.json(Method::DELETE, &path, Value::Null).await.expect(200);
    ada.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
}
