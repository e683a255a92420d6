//! Passkeys: registered, used alone and beside the password, renamed and removed.

mod attacks;
mod authenticator;
mod ways_back;

use flagstone::{
    config::Config,
    domain::{actor::Actor, event::NewEvent, event_kind::EventKind},
    store::entity::second_factor,
};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use self::authenticator::{Authenticator, encoded};
use crate::{
    calls::put,
    harness::{Answer, Client, START, TestApp, role},
    second_factor::{POLICY, PROFILE, browser, enrol, sign_in, stored, texts},
    users::{STRONG, newest, user},
};

const FACTORS: &str = "/api/admin/user/second-factor";
const PASSKEYS: &str = "/api/admin/user/passkeys";
const BEGIN: &str = "/api/admin/user/passkey-registrations";
const CHALLENGE: &str = "/auth/passkey/challenge";
const ALONE: &str = "/auth/passkey/login";
const LOGIN: &str = "/auth/simple/login";
const HOST: &str = "flags.example.com";
const ORIGIN: &str = "https://flags.example.com";
const MINUTE_MS: i64 = 60_000;

/// A server whose public address allows passkeys.
async fn secure_app() -> TestApp {
    TestApp::with_config(secure()).await
}

fn secure() -> Config {
    Config { base_url: format!("{ORIGIN}/team"), ..Config::default() }
}

async fn post_empty(client: &Client, path: &str) -> Answer {
    client.request(Method::POST, path, &[], Vec::new()).await
}

/// The answer of a passkey to a new challenge.
async fn answer(app: &TestApp, passkey: &mut Authenticator) -> Value {
    let begun = post_empty(&app.anonymous(), CHALLENGE).await.expect(200);
    passkey.answer(&begun)
}

/// Signs in with a passkey alone.
async fn alone(app: &TestApp, passkey: &mut Authenticator) -> Answer {
    let answer = answer(app, passkey).await;
    app.anonymous().post(ALONE, answer).await
}

/// Signs in with the password and a passkey.
async fn beside(app: &TestApp, username: &str, answer: &Value) -> Answer {
    let body = json!({ "username": username, "password": STRONG, "passkey": answer });
    app.anonymous().post(LOGIN, body).await
}

/// Registers a passkey of whoever is signed in and proves no second factor.
async fn register(browser: &Client, name: &str) -> (Authenticator, Value) {
    let begun = browser.post(BEGIN, json!({ "password": STRONG })).await.expect(200);
    let mut passkey = Authenticator::new(HOST, ORIGIN);
    let registered = browser.post(PASSKEYS, passkey.make(&begun, name)).await.expect(201);
    (passkey, registered)
}

/// User with a registered passkey.
struct Registered {
    user_id: i64,
    browser: Client,
    passkey: Authenticator,
    id: i64,
    recovery: Vec<String>,
}

async fn registered(app: &TestApp, username: &str, root_role: i64) -> Registered {
    let user_id = user(app, username, root_role).await;
    let browser = browser(app, &sign_in(app, username, STRONG, None).await);
    let (passkey, answer) = register(&browser, "Phone").await;
    let id = answer["id"].as_i64().expect("an id");
    Registered { user_id, browser, passkey, id, recovery: texts(&answer["recoveryCodes"]) }
}

/// Reasons of the latest attempts to sign in, newest first, with method and outcome.
async fn log(app: &TestApp, entries: usize) -> Vec<Value> {
    let list = app.admin().get("/api/admin/auth/sign-ins").await.expect(200);
    let entry = |at: usize| {
        let entry = &list["signIns"][at];
        json!([entry["method"], entry["outcome"], entry["reason"], entry["userId"]])
    };
    (0..entries).map(entry).collect()
}

#[tokio::test]
async fn a_passkey_is_registered_by_the_password_and_what_the_device_makes() {
    let app = secure_app().await;
    let id = user(&app, "ada", role::VIEWER).await;
    let first = browser(&app, &sign_in(&app, "ada", STRONG, None).await);
    let other = browser(&app, &sign_in(&app, "ada", STRONG, None).await);
    assert_eq!(first.get(PASSKEYS).await.expect(200), json!({ "passkeys": [] }));
    first.post(BEGIN, json!({ "password": "wrong" })).await.refused(401, "PasswordMismatch", "");
    first.post(BEGIN, json!({})).await.refused(400, "ValidationError", "/body/password");
    let begun = first.post(BEGIN, json!({ "password": STRONG })).await.expect(200);
    let options = &begun["options"];
    assert_eq!(options["rp"], json!({ "id": HOST, "name": "Flagstone flags.example.com" }));
    assert_eq!(options["user"]["name"], "ada@example.com");
    assert_eq!(options["user"]["displayName"], "ada@example.com");
    assert_eq!(options["attestation"], "none");
    assert_eq!(options["timeout"], 300_000);
    assert_eq!(options["excludeCredentials"], json!([]));
    assert_eq!(options["pubKeyCredParams"][0], json!({ "type": "public-key", "alg": -7 }));
    let selection = json!({ "residentKey": "required", "requireResidentKey": true, "userVerification": "required" });
    assert_eq!(options["authenticatorSelection"], selection);
    assert_eq!(first.get(PASSKEYS).await.expect(200), json!({ "passkeys": [] }));
    sign_in(&app, "ada", STRONG, None).await.expect(200);

    let mut passkey = Authenticator::new(HOST, ORIGIN);
    for (name, rule) in [("", "/body/name"), ("   ", "/body/name"), ("a\nb", "control characters")] {
        first.post(PASSKEYS, passkey.make(&begun, name)).await.refused(400, "ValidationError", rule);
    }
    let events = app.events().await.len();
    let answer = first.post(PASSKEYS, passkey.make(&begun, " Ada's phone ")).await;
    assert_eq!(answer.headers["location"], "/team/api/admin/user/passkeys");
    let mut made = answer.expect(201);
    let codes = texts(&made["recoveryCodes"].take());
    assert_eq!(codes.len(), 10);
    let number = made["id"].clone();
    let expected = json!({
        "id": number, "name": "Ada's phone", "createdAt": START, "lastUsedAt": null, "recoveryCodes": null,
    });
    assert_eq!(made, expected);
    assert_eq!(app.events().await.len(), events + 1);
    let (kind, data, before) = newest(&app).await;
    assert_eq!(kind, "user-updated");
    let ada = json!({
        "id": id, "username": "ada", "email": "ada@example.com", "rootRole": role::VIEWER, "secondFactor": false,
    });
    assert_eq!(before, ada);
    let mut after = ada;
    after["secondFactor"] = json!(true);
    after["endedSessions"] = json!(2);
    after["passkey"] = json!({ "id": number, "name": "Ada's phone" });
    assert_eq!(data, after);
    other.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
    let factors = json!({
        "factors": [{ "kind": "passkey", "since": START }],
        "recoveryCodesLeft": 10, "required": false, "mustEnrol": false,
    });
    assert_eq!(first.get(FACTORS).await.expect(200), factors);

    let rows = second_factor::Entity::find().all(app.db()).await.expect("rows");
    assert_eq!(rows.len(), 1);
    assert!(rows[0].sealed.starts_with("v1:"));
    assert!(!format!("{rows:?}").contains(&encoded(&passkey.id)), "the passkey is kept by a digest of its id");
    assert!(app.admin().get("/api/admin/user-admin").await.text.contains("\"secondFactor\":true"));
}

#[tokio::test]
async fn a_passkey_signs_in_alone() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    registered(&app, "bob", role::VIEWER).await;
    app.clock.advance(MINUTE_MS);
    let begun = post_empty(&app.anonymous(), CHALLENGE).await.expect(200);
    assert_eq!(begun["options"]["rpId"], HOST);
    assert_eq!(begun["options"]["userVerification"], "required");
    assert_eq!(begun["options"]["timeout"], 300_000);
    let answer = app.anonymous().post(ALONE, ada.passkey.answer(&begun)).await;
    let signed_in = browser(&app, &answer);
    assert_eq!(answer.expect(200)["id"], ada.user_id);
    let profile = signed_in.get("/api/admin/user").await.expect(200);
    assert_eq!((&profile["user"]["username"], profile.get("mustEnrol")), (&json!("ada"), None));
    let sessions = signed_in.get("/api/admin/user/sessions").await.expect(200);
    assert_eq!(sessions["sessions"][0]["method"], "passkey");
    let list = signed_in.get(PASSKEYS).await.expect(200);
    let expected = json!([
        { "id": ada.id, "name": "Phone", "createdAt": START, "lastUsedAt": "2026-01-15T12:01:00.000Z" },
    ]);
    assert_eq!(list["passkeys"], expected);
    assert_eq!(log(&app, 1).await, [json!(["passkey", "signed-in", null, ada.user_id])]);

    // One that a cloud keeps counts nothing, and signs in as often as it likes.
    let mut synchronised = Authenticator::new(HOST, ORIGIN);
    synchronised.counts = false;
    let proof = self::answer(&app, &mut ada.passkey).await;
    let begun = signed_in.post(BEGIN, json!({ "password": STRONG, "passkey": proof })).await.expect(200);
    signed_in.post(PASSKEYS, synchronised.make(&begun, "Cloud")).await.expect(201);
    alone(&app, &mut synchronised).await.expect(200);
    alone(&app, &mut synchronised).await.expect(200);
}

#[tokio::test]
async fn a_passkey_is_a_second_factor_beside_the_password() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    sign_in(&app, "ada", STRONG, None).await.refused(401, "SecondFactorRequiredError", "`passkey`");
    sign_in(&app, "ada", STRONG, Some("123456")).await.refused(401, "SecondFactorMismatchError", "");
    let proof = answer(&app, &mut ada.passkey).await;
    let both = json!({ "username": "ada", "password": STRONG, "passkey": proof, "code": "123456" });
    app.anonymous().post(LOGIN, both).await.refused(400, "ValidationError", "/body/code");
    let wrong = json!({ "username": "ada", "password": "wrong", "passkey": proof });
    app.anonymous().post(LOGIN, wrong).await.refused(401, "PasswordMismatch", "");
    // With a wrong password nothing was proved, and the answer still serves.
    let signed_in = beside(&app, "ada", &proof).await;
    browser(&app, &signed_in).get(PROFILE).await.expect(200);
    assert_eq!(log(&app, 1).await, [json!(["simple", "signed-in", null, ada.user_id])]);
    sign_in(&app, "ada", STRONG, Some(&ada.recovery[0])).await.expect(200);
    assert_eq!(ada.browser.get(FACTORS).await.expect(200)["recoveryCodesLeft"], 9);
}

#[tokio::test]
async fn a_further_passkey_needs_a_proof_of_the_second_factor() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let without = ada.browser.post(BEGIN, json!({ "password": STRONG })).await;
    without.refused(401, "SecondFactorRequiredError", "");
    let proof = answer(&app, &mut ada.passkey).await;
    let begun = ada.browser.post(BEGIN, json!({ "password": STRONG, "passkey": proof })).await.expect(200);
    let known = json!([{ "type": "public-key", "id": encoded(&ada.passkey.id) }]);
    assert_eq!(begun["options"]["excludeCredentials"], known);
    assert_eq!(begun["options"]["user"]["id"], ada.passkey.handle);
    let mut key = Authenticator::new(HOST, ORIGIN);
    let other = browser(&app, &sign_in(&app, "ada", STRONG, Some(&ada.recovery[0])).await);
    let made = ada.browser.post(PASSKEYS, key.make(&begun, "Key")).await.expect(201);
    assert_eq!(made["recoveryCodes"], json!([]));
    let (_, data, before) = newest(&app).await;
    assert_eq!(
        (&before["secondFactor"], &data["secondFactor"], &data["endedSessions"]),
        (&json!(true), &json!(true), &json!(0))
    );
    other.get(PROFILE).await.expect(200);
    alone(&app, &mut key).await.expect(200);
    alone(&app, &mut ada.passkey).await.expect(200);
    // An app beside them needs a proof, too, and its recovery codes take the place of those before.
    let totp = format!("{FACTORS}/totp");
    ada.browser.post(&totp, json!({ "password": STRONG })).await.refused(401, "SecondFactorRequiredError", "");
    let proof = answer(&app, &mut ada.passkey).await;
    ada.browser.post(&totp, json!({ "password": STRONG, "passkey": proof })).await.expect(200);
    let proof = answer(&app, &mut key).await;
    let codes = ada.browser.post(&format!("{FACTORS}/recovery-codes"), json!({ "passkey": proof })).await.expect(200);
    sign_in(&app, "ada", STRONG, Some(&ada.recovery[1])).await.refused(401, "SecondFactorMismatchError", "");
    sign_in(&app, "ada", STRONG, Some(&texts(&codes["codes"])[0])).await.expect(200);
}

#[tokio::test]
async fn an_app_and_a_passkey_stand_in_for_each_other() {
    let app = secure_app().await;
    user(&app, "ada", role::VIEWER).await;
    let ada = browser(&app, &sign_in(&app, "ada", STRONG, None).await);
    let (_, recovery) = enrol(&app, &ada).await;
    let begun = ada.post(BEGIN, json!({ "password": STRONG, "code": recovery[0] })).await.expect(200);
    let mut passkey = Authenticator::new(HOST, ORIGIN);
    let made = ada.post(PASSKEYS, passkey.make(&begun, "Phone")).await.expect(201);
    assert_eq!(made["recoveryCodes"], json!([]), "those of the app go on serving");
    sign_in(&app, "ada", STRONG, Some(&recovery[1])).await.expect(200);
    let kinds = ada.get(FACTORS).await.expect(200);
    assert_eq!((&kinds["factors"][0]["kind"], &kinds["factors"][1]["kind"]), (&json!("totp"), &json!("passkey")));
    let proof = answer(&app, &mut passkey).await;
    let removed = ada.post(&format!("{FACTORS}/remove"), json!({ "password": STRONG, "passkey": proof })).await;
    assert_eq!(removed.status, 200, "{}", removed.text);
    assert_eq!(stored(&app).await, (0, 0));
    alone(&app, &mut passkey).await.refused(401, "PasskeyMismatchError", "");
}

#[tokio::test]
async fn a_passkey_gets_another_name() {
    let app = secure_app().await;
    let ada = registered(&app, "ada", role::VIEWER).await;
    let bob = registered(&app, "bob", role::VIEWER).await;
    let path = format!("{PASSKEYS}/{}", ada.id);
    let events = app.events().await.len();
    put(&bob.browser, &path, json!({ "name": "Mine" })).await.refused(404, "NotFoundError", "passkey");
    put(&ada.browser, &path, json!({ "name": "\u{7}" })).await.refused(400, "ValidationError", "/body/name");
    put(&ada.browser, &path, json!({ "name": " Phone " })).await.expect(200);
    assert_eq!(app.events().await.len(), events, "what stays as it was leaves no event");
    let renamed = put(&ada.browser, &path, json!({ "name": "Old phone" })).await.expect(200);
    let expected = json!({ "id": ada.id, "name": "Old phone", "createdAt": START, "lastUsedAt": null });
    assert_eq!(renamed, expected);
    assert_eq!(ada.browser.get(PASSKEYS).await.expect(200)["passkeys"], json!([expected]));
    let (kind, data, before) = newest(&app).await;
    assert_eq!(kind, "user-updated");
    assert_eq!(before["passkey"], json!({ "id": ada.id, "name": "Phone" }));
    assert_eq!(data["passkey"], json!({ "id": ada.id, "name": "Old phone" }));
    assert_eq!((&before["secondFactor"], &data["secondFactor"]), (&json!(true), &json!(true)));
}

#[tokio::test]
async fn the_policy_counts_a_passkey_and_a_session_that_must_enrol_registers_one() {
    let app = secure_app().await;
    user(&app, "ada", role::VIEWER).await;
    put(&app.admin(), POLICY, json!({ "requiredOf": "everybody" })).await.expect(200);
    let ada = browser(&app, &sign_in(&app, "ada", STRONG, None).await);
    ada.get(PROFILE).await.refused(403, "SecondFactorEnrolmentError", "registerPasskey");
    let (mut passkey, made) = register(&ada, "Phone").await;
    ada.get(PROFILE).await.expect(200);
    let alone = browser(&app, &alone(&app, &mut passkey).await);
    alone.get(PROFILE).await.expect(200);
    // Without the passkey, its session has to enrol another factor.
    let proof = answer(&app, &mut passkey).await;
    let path = format!("{PASSKEYS}/{}/remove", made["id"]);
    let removed = alone.post(&path, json!({ "password": STRONG, "passkey": proof })).await;
    assert_eq!(removed.status, 200, "{}", removed.text);
    alone.get(PROFILE).await.refused(403, "SecondFactorEnrolmentError", "");
    register(&alone, "Another phone").await;
    alone.get(PROFILE).await.expect(200);
}

#[tokio::test]
async fn as_many_passkeys_as_can_be() {
    let app = TestApp::with_config(Config { sign_in_attempts_per_minute: 1000, ..secure() }).await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    for number in 1..20 {
        let proof = answer(&app, &mut ada.passkey).await;
        let begun = ada.browser.post(BEGIN, json!({ "password": STRONG, "passkey": proof })).await.expect(200);
        let name = format!("Key {number}");
        ada.browser.post(PASSKEYS, Authenticator::new(HOST, ORIGIN).make(&begun, &name)).await.expect(201);
    }
    let proof = answer(&app, &mut ada.passkey).await;
    let refused = ada.browser.post(BEGIN, json!({ "password": STRONG, "passkey": proof })).await;
    refused.refused(400, "ExceedsLimitError", "20 passkeys");
    assert_eq!(ada.browser.get(PASSKEYS).await.expect(200)["passkeys"].as_array().map(Vec::len), Some(20));
}

#[tokio::test]
async fn where_browsers_offer_none_there_are_no_passkeys() {
    for (base_url, offered) in [
        ("http://127.0.0.1:4242", false),
        ("http://flags.example.com", false),
        ("https://192.0.2.1", false),
        ("http://localhost:4242", true),
        (ORIGIN, true),
    ] {
        let app = TestApp::with_config(Config { base_url: base_url.to_owned(), ..Config::default() }).await;
        assert_eq!(app.anonymous().get("/auth/options").await.expect(200)["passkeys"], offered, "{base_url}");
        assert_eq!(app.anonymous().get(PROFILE).await.expect(401)["passkeys"], offered, "{base_url}");
        let challenge = post_empty(&app.anonymous(), CHALLENGE).await;
        user(&app, "ada", role::VIEWER).await;
        let ada = browser(&app, &sign_in(&app, "ada", STRONG, None).await);
        let begun = ada.post(BEGIN, json!({ "password": STRONG })).await;
        if offered {
            challenge.expect(200);
            begun.expect(200);
            continue;
        }
        challenge.refused(422, "DisabledError", "FLAGSTONE_BASE_URL");
        begun.refused(422, "DisabledError", "FLAGSTONE_BASE_URL");
        let mut passkey = Authenticator::new(HOST, base_url);
        let begun = json!({ "challengeId": "none", "options": { "challenge": "AAAA", "user": { "id": "AAAA" } } });
        ada.post(PASSKEYS, passkey.make(&begun, "Phone")).await.refused(422, "DisabledError", "");
        app.anonymous().post(ALONE, passkey.answer(&begun)).await.refused(422, "DisabledError", "");
    }
}

#[tokio::test]
async fn where_passwords_are_off_a_passkey_is_no_way_around_the_provider() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let tx = app.tx().await;
    let (provider, off) = (json!({ "oidc": true }), json!({ "disabled": true }));
    for (id, content) in [("flagstone.login-providers", provider), ("unleash.auth.simple", off)] {
        flagstone::store::preferences::put(&tx, id, &content, app.clock.now()).await.expect("a setting");
    }
    let changed = NewEvent::new(EventKind::SettingUpdated, &Actor::new(-42, "token"));
    tx.commit(app.clock.now(), [changed]).await.expect("commits");
    assert_eq!(app.anonymous().get("/auth/options").await.expect(200)["passkeys"], false);
    alone(&app, &mut ada.passkey).await.refused(422, "DisabledError", "provider");
}

#[tokio::test]
async fn tokens_of_every_kind_change_no_passkey() {
    let app = secure_app().await;
    for client in [app.viewer().await, app.root_admin().await, app.admin()] {
        client.get(PASSKEYS).await.refused(403, "InvalidOperationError", "");
        client.post(BEGIN, json!({ "password": STRONG })).await.refused(403, "InvalidOperationError", "");
        put(&client, &format!("{PASSKEYS}/1"), json!({ "name": "x" })).await.refused(403, "InvalidOperationError", "");
        let removal = json!({ "password": STRONG, "code": "123456" });
        client.post(&format!("{PASSKEYS}/1/remove"), removal).await.refused(403, "InvalidOperationError", "");
    }
}
