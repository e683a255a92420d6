//! Answers with a passkey that prove nothing: refused, with the reason in the log, and without locking anybody out.

use flagstone::{accounts, config::Config, domain::actor::Actor, vault::Vault};
use serde_json::{Value, json};

use super::{
    ALONE, Authenticator, BEGIN, CHALLENGE, HOST, LOGIN, MINUTE_MS, ORIGIN, PASSKEYS, Registered, alone, answer,
    beside, encoded, log, post_empty, registered, secure, secure_app,
};
use crate::{
    calls::delete,
    harness::{TestApp, role},
    second_factor::{PROFILE, browser, sign_in},
    users::{STRONG, USERS, user},
};

const MISMATCH: &str = "PasskeyMismatchError";

/// Refused alone and beside the password, by one answer that tells nothing, with a reason in the log.
async fn is_refused(app: &TestApp, body: &Value, reason: &str, case: &str) {
    let answer = app.anonymous().post(ALONE, body.clone()).await;
    assert!(!answer.headers.contains_key("set-cookie"), "{case}");
    assert_eq!((answer.status, &answer.body["name"]), (401, &json!(MISMATCH)), "{case}: {}", answer.text);
    assert!(!answer.text.contains(reason), "{case}");
    let logged = log(app, 1).await.remove(0);
    assert_eq!((&logged[1], &logged[2]), (&json!("refused"), &json!(reason)), "{case}");
}

#[tokio::test]
async fn a_challenge_is_answered_once_on_all_nodes_together() {
    let app = secure_app().await;
    let other = app.beside(Vault::with_key(&[7; 32]));
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let body = answer(&app, &mut ada.passkey).await;
    other.anonymous().post(ALONE, body.clone()).await.expect(200);
    // A node writes its entries when it finds the time, and all of them before its log is read.
    assert_eq!(log(&other, 1).await[0][1], "signed-in");
    is_refused(&app, &body, "passkey-challenge", "answered on another node").await;
    is_refused(&other, &body, "passkey-challenge", "answered here").await;
    beside(&app, "ada", &body).await.refused(401, MISMATCH, "");
    // Also when it was answered wrongly first.
    let begun = post_empty(&app.anonymous(), CHALLENGE).await.expect(200);
    let right = ada.passkey.answer(&begun);
    let mut wrong = right.clone();
    wrong["credential"]["response"]["signature"] = json!("AAAA");
    is_refused(&app, &wrong, "passkey-answer", "a wrong signature").await;
    is_refused(&app, &right, "passkey-challenge", "the right one after it").await;
    let body = answer(&app, &mut ada.passkey).await;
    let attempt = || async { app.anonymous().post(ALONE, body.clone()).await.status };
    let (one, two, three) = tokio::join!(attempt(), attempt(), attempt());
    let mut statuses = [one, two, three];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 401, 401], "of several at once one gets in");
}

#[tokio::test]
async fn a_challenge_lasts_five_minutes() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let body = answer(&app, &mut ada.passkey).await;
    app.clock.advance(5 * MINUTE_MS - 1);
    app.anonymous().post(ALONE, body).await.expect(200);
    let body = answer(&app, &mut ada.passkey).await;
    app.clock.advance(5 * MINUTE_MS);
    is_refused(&app, &body, "passkey-challenge", "after five minutes").await;
    user(&app, "bob", role::VIEWER).await;
    let bob = browser(&app, &sign_in(&app, "bob", STRONG, None).await);
    let begun = bob.post(BEGIN, json!({ "password": STRONG })).await.expect(200);
    app.clock.advance(5 * MINUTE_MS);
    let late = bob.post(PASSKEYS, Authenticator::new(HOST, ORIGIN).make(&begun, "Phone")).await;
    late.refused(401, MISMATCH, "");
}

#[tokio::test]
async fn what_a_passkey_did_not_sign_for_this_server_and_page_proves_nothing() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    for origin in [
        "https://evil.example",
        "https://flags.example.com.evil.example",
        "https://sub.flags.example.com",
        "https://flags.example.com:8443",
        "http://flags.example.com",
    ] {
        ada.passkey.origin = origin.to_owned();
        let body = answer(&app, &mut ada.passkey).await;
        is_refused(&app, &body, "passkey-answer", origin).await;
        beside(&app, "ada", &answer(&app, &mut ada.passkey).await).await.refused(401, MISMATCH, "");
        pay_off(&app);
    }
    ada.passkey.origin = ORIGIN.to_owned();
    for rp_id in ["evil.example", "example.com", "sub.flags.example.com"] {
        ada.passkey.rp_id = rp_id.to_owned();
        let body = answer(&app, &mut ada.passkey).await;
        is_refused(&app, &body, "passkey-answer", rp_id).await;
    }
    ada.passkey.rp_id = HOST.to_owned();
    pay_off(&app);
    ada.passkey.verifies_user = false;
    let body = answer(&app, &mut ada.passkey).await;
    is_refused(&app, &body, "passkey-answer", "without user verification").await;
    beside(&app, "ada", &answer(&app, &mut ada.passkey).await).await.refused(401, MISMATCH, "");
    ada.passkey.verifies_user = true;
    // A signature over something else.
    let signed = answer(&app, &mut ada.passkey).await;
    for part in ["authenticatorData", "clientDataJSON", "signature"] {
        let mut body = answer(&app, &mut ada.passkey).await;
        body["credential"]["response"][part] = signed["credential"]["response"][part].clone();
        is_refused(&app, &body, "passkey-answer", part).await;
    }
    alone(&app, &mut ada.passkey).await.expect(200);
}

/// Lets the time pass in which failed attempts are forgotten.
fn pay_off(app: &TestApp) {
    app.clock.advance(20 * MINUTE_MS);
}

#[tokio::test]
async fn a_passkey_that_is_not_the_user_s_proves_nothing() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let mut eve = registered(&app, "eve", role::VIEWER).await;
    let mut foreign = Authenticator::new(HOST, ORIGIN);
    foreign.handle.clone_from(&ada.passkey.handle);
    let body = answer(&app, &mut foreign).await;
    is_refused(&app, &body, "passkey-unknown", "one that nobody registered").await;
    // Somebody else's at the second step: right for its owner, and for nobody else.
    let body = answer(&app, &mut eve.passkey).await;
    beside(&app, "ada", &body).await.refused(401, MISMATCH, "");
    assert_eq!(log(&app, 1).await, [json!(["simple", "refused", "passkey-unknown", ada.user_id])]);
    // With the id of the user's own, it lacks the key.
    let mut body = answer(&app, &mut eve.passkey).await;
    body["credential"]["id"] = json!(encoded(&ada.passkey.id));
    body["credential"]["response"]["userHandle"] = json!(ada.passkey.handle);
    beside(&app, "ada", &body).await.refused(401, MISMATCH, "");
    assert_eq!(log(&app, 1).await[0][2], "passkey-answer");
    // With the handle of another user.
    let own = std::mem::replace(&mut eve.passkey.handle, ada.passkey.handle.clone());
    let body = answer(&app, &mut eve.passkey).await;
    is_refused(&app, &body, "passkey-unknown", "another user's handle").await;
    eve.passkey.handle = own;
    alone(&app, &mut eve.passkey).await.expect(200);
    beside(&app, "ada", &answer(&app, &mut ada.passkey).await).await.expect(200);
    // Nor does it prove anything in the session of another.
    let proof = answer(&app, &mut eve.passkey).await;
    let removal = json!({ "password": STRONG, "passkey": proof });
    let path = format!("{PASSKEYS}/{}/remove", ada.id);
    ada.browser.post(&path, removal).await.refused(401, MISMATCH, "");
    assert_eq!(ada.browser.get(PASSKEYS).await.expect(200)["passkeys"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_counter_that_does_not_grow_shows_a_copy() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    ada.passkey.counter = 40;
    alone(&app, &mut ada.passkey).await.expect(200);
    for counter in [40, 39, 0] {
        ada.passkey.counter = counter;
        let body = answer(&app, &mut ada.passkey).await;
        is_refused(&app, &body, "passkey-counter", &counter.to_string()).await;
    }
    ada.passkey.counts = false;
    ada.passkey.counter = 0;
    let body = answer(&app, &mut ada.passkey).await;
    is_refused(&app, &body, "passkey-counter", "no counter any more").await;
    ada.passkey.counts = true;
    ada.passkey.counter = 41;
    beside(&app, "ada", &answer(&app, &mut ada.passkey).await).await.expect(200);
}

#[tokio::test]
async fn a_registration_is_for_its_user_and_its_challenge() {
    let app = secure_app().await;
    let ada = registered(&app, "ada", role::VIEWER).await;
    user(&app, "eve", role::VIEWER).await;
    let eve = browser(&app, &sign_in(&app, "eve", STRONG, None).await);
    let begun = eve.post(BEGIN, json!({ "password": STRONG })).await.expect(200);
    let mut key = Authenticator::new(HOST, ORIGIN);
    let made = key.make(&begun, "Key");
    ada.browser.post(PASSKEYS, made.clone()).await.refused(401, MISMATCH, "");
    eve.post(PASSKEYS, made).await.refused(401, MISMATCH, "");
    // A challenge for a proof registers nothing, nor the other way round.
    let mut proof = post_empty(&app.anonymous(), CHALLENGE).await.expect(200);
    proof["options"]["user"] = json!({ "id": "AAAA" });
    eve.post(PASSKEYS, key.make(&proof, "Key")).await.refused(401, MISMATCH, "");
    for (case, rp_id, origin, verifies_user) in [
        ("another page", HOST, "https://evil.example", true),
        ("another server", "evil.example", ORIGIN, true),
        ("an unverified user", HOST, ORIGIN, false),
    ] {
        let begun = eve.post(BEGIN, json!({ "password": STRONG })).await.expect(200);
        let mut device = Authenticator::new(rp_id, origin);
        device.verifies_user = verifies_user;
        let refused = eve.post(PASSKEYS, device.make(&begun, "Key")).await;
        assert_eq!((refused.status, &refused.body["name"]), (401, &json!(MISMATCH)), "{case}");
    }
    // The passkey of another user.
    let begun = eve.post(BEGIN, json!({ "password": STRONG })).await.expect(200);
    let mut copy = Authenticator::new(HOST, ORIGIN);
    copy.id.clone_from(&ada.passkey.id);
    let events = app.events().await.len();
    eve.post(PASSKEYS, copy.make(&begun, "Key")).await.refused(409, "PasskeyExistsError", "registered already");
    assert_eq!(app.events().await.len(), events);
    assert_eq!(eve.get(PASSKEYS).await.expect(200), json!({ "passkeys": [] }));
    sign_in(&app, "eve", STRONG, None).await.expect(200);
}

#[tokio::test]
async fn what_is_no_answer_is_named() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let right = answer(&app, &mut ada.passkey).await;
    for (pointer, value, named) in [
        ("/challengeId", json!(7), "/body/challengeId"),
        ("/credential", json!(null), "/body/credential"),
        ("/credential/id", json!("?"), "/body/credential/id"),
        ("/credential/id", json!("AAAAA"), "/body/credential"),
        ("/credential/response/signature", json!(""), "/body/credential/response/signature"),
        ("/credential/response/clientDataJSON", json!("A".repeat(8001)), "/body/credential/response/clientDataJSON"),
        ("/credential/response/userHandle", json!("AAAAA"), "/body/credential"),
    ] {
        let mut body = right.clone();
        *body.pointer_mut(pointer).expect("a place") = value;
        app.anonymous().post(ALONE, body).await.refused(400, "ValidationError", named);
    }
    // What has the form of one and no content.
    for part in ["authenticatorData", "clientDataJSON", "signature", "userHandle"] {
        for garbage in ["AAAA", "e30", &encoded(&[0xff; 64])] {
            let mut body = answer(&app, &mut ada.passkey).await;
            body["credential"]["response"][part] = json!(garbage);
            let refused = app.anonymous().post(ALONE, body).await;
            assert_eq!((refused.status, &refused.body["name"]), (401, &json!(MISMATCH)), "{part} {garbage}");
            pay_off(&app);
        }
    }
    let begun =
        |answer: &Value| json!({ "challengeId": answer["challengeId"], "options": { "user": { "id": "AAAA" } } });
    let mut made = Authenticator::new(HOST, ORIGIN).make(&begun(&right), "Key");
    made["credential"]["response"]["attestationObject"] = json!("AAAAA");
    ada.browser.post(PASSKEYS, made).await.refused(400, "ValidationError", "/body/credential");
}

#[tokio::test]
async fn who_may_not_come_in_does_not_by_a_passkey() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let deactivated = accounts::deactivate_user(app.db(), "ada", app.clock.now(), &Actor::system()).await;
    assert!(deactivated.expect("a change"));
    let body = answer(&app, &mut ada.passkey).await;
    is_refused(&app, &body, "account-inactive", "a deactivated user").await;
    let mut eve = registered(&app, "eve", role::VIEWER).await;
    assert_eq!(delete(&app.admin(), &format!("{USERS}/{}", eve.user_id)).await.status, 200);
    let body = answer(&app, &mut eve.passkey).await;
    is_refused(&app, &body, "passkey-unknown", "a deleted user").await;
}

#[tokio::test]
async fn failures_wear_out_an_address_for_a_while_and_lock_nobody_out() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    for _ in 0..30 {
        alone(&app, &mut ada.passkey).await.expect(200);
    }
    let mut foreign = Authenticator::new(HOST, ORIGIN);
    foreign.handle.clone_from(&ada.passkey.handle);
    for _ in 0..10 {
        alone(&app, &mut foreign).await.refused(401, MISMATCH, "");
    }
    alone(&app, &mut ada.passkey).await.refused(429, "RateLimitError", "");
    // The password, the recovery codes and the passkey beside it go on serving, and alone it does again soon.
    beside(&app, "ada", &answer(&app, &mut ada.passkey).await).await.expect(200);
    sign_in(&app, "ada", STRONG, Some(&ada.recovery[0])).await.expect(200);
    app.clock.advance(6000);
    alone(&app, &mut ada.passkey).await.expect(200);
    pay_off(&app);
    for _ in 0..120 {
        post_empty(&app.anonymous(), CHALLENGE).await.expect(200);
    }
    post_empty(&app.anonymous(), CHALLENGE).await.refused(429, "RateLimitError", "");
}

#[tokio::test]
async fn wrong_passkeys_beside_the_password_count_as_wrong_codes() {
    let app = TestApp::with_config(Config { sign_in_attempts_per_minute: 1000, ..secure() }).await;
    let Registered { mut passkey, browser, .. } = registered(&app, "ada", role::VIEWER).await;
    passkey.verifies_user = false;
    for _ in 0..10 {
        beside(&app, "ada", &answer(&app, &mut passkey).await).await.refused(401, MISMATCH, "");
    }
    passkey.verifies_user = true;
    beside(&app, "ada", &answer(&app, &mut passkey).await).await.refused(429, "RateLimitError", "60 seconds");
    browser.get(PROFILE).await.expect(200);
    alone(&app, &mut passkey).await.expect(200);
    app.clock.advance(MINUTE_MS);
    beside(&app, "ada", &answer(&app, &mut passkey).await).await.expect(200);
}

#[tokio::test]
async fn a_page_of_another_origin_gets_no_session() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let page = app.anonymous().sending(&[("origin", "https://evil.example")]);
    post_empty(&page, CHALLENGE).await.refused(403, "ForbiddenError", "Origin");
    let body = answer(&app, &mut ada.passkey).await;
    page.post(ALONE, body.clone()).await.refused(403, "ForbiddenError", "Origin");
    let with_password = json!({ "username": "ada", "password": STRONG, "passkey": body });
    page.post(LOGIN, with_password).await.refused(403, "ForbiddenError", "Origin");
    app.anonymous().sending(&[("origin", ORIGIN)]).post(ALONE, body).await.expect(200);
}
