//! The second factor beside the password: enrolled, proved when signing in, and removed.

mod policy;
mod ways_back;

use data_encoding::BASE32_NOPAD;
use flagstone::{
    config::Config,
    domain::{
        secret,
        totp::{Secret, step_at},
    },
    store::entity::{recovery_code, second_factor},
};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::{
    harness::{Answer, Client, START, TestApp, role},
    users::{STRONG, newest, user},
};

const LOGIN: &str = "/auth/simple/login";
const OWN: &str = "/api/admin/user/second-factor";
const BEGIN: &str = "/api/admin/user/second-factor/totp";
const CONFIRM: &str = "/api/admin/user/second-factor/totp/confirm";
const CODES: &str = "/api/admin/user/second-factor/recovery-codes";
const REMOVE: &str = "/api/admin/user/second-factor/remove";
pub const POLICY: &str = "/api/admin/auth/second-factor";
pub const PROFILE: &str = "/api/admin/user/profile";
const STEP_MS: i64 = 30_000;

/// User who has enrolled an app, with its secrets.
struct Enrolled {
    id: i64,
    browser: Client,
    app: Secret,
    recovery: Vec<String>,
}

impl Enrolled {
    /// The digits that the app shows now.
    fn digits(&self, app: &TestApp) -> String {
        self.app.code(step_at(app.clock.now()))
    }
}

/// Signs in with a password and perhaps a code.
pub async fn sign_in(app: &TestApp, username: &str, password: &str, code: Option<&str>) -> Answer {
    let mut body = json!({ "username": username, "password": password });
    if let Some(code) = code {
        body["code"] = json!(code);
    }
    app.anonymous().post(LOGIN, body).await
}

/// The browser that an answer to a sign-in is for.
pub fn browser(app: &TestApp, answer: &Answer) -> Client {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let set = answer.headers["set-cookie"].to_str().expect("ASCII");
    app.anonymous().sending(&[("cookie", set.split(';').next().expect("a pair"))])
}

/// The secret of an app, as it is typed.
fn typed(secret: &Value) -> Secret {
    let bytes = BASE32_NOPAD.decode(secret.as_str().expect("a text").as_bytes()).expect("base32");
    Secret::read(&bytes).expect("a secret")
}

pub fn texts(list: &Value) -> Vec<String> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

pub async fn enrol(app: &TestApp, browser: &Client) -> (Secret, Vec<String>) {
    let begun = browser.post(BEGIN, json!({ "password": STRONG })).await.expect(200);
    let secret = typed(&begun["secret"]);
    let code = secret.code(step_at(app.clock.now()));
    let confirmed = browser.post(CONFIRM, json!({ "code": code })).await.expect(200);
    (secret, texts(&confirmed["codes"]))
}

/// The numbers of factors and of recovery codes that are stored.
pub async fn stored(app: &TestApp) -> (usize, usize) {
    let factors = second_factor::Entity::find().all(app.db()).await.expect("rows").len();
    (factors, recovery_code::Entity::find().all(app.db()).await.expect("rows").len())
}

/// A user who has enrolled an app a while ago.
async fn enrolled(app: &TestApp, username: &str, root_role: i64) -> Enrolled {
    let id = user(app, username, root_role).await;
    let browser = browser(app, &sign_in(app, username, STRONG, None).await);
    let (secret, recovery) = enrol(app, &browser).await;
    app.clock.advance(10 * STEP_MS);
    Enrolled { id, browser, app: secret, recovery }
}

#[tokio::test]
async fn an_app_is_enrolled_by_the_password_and_a_code_of_it() {
    let app =
        TestApp::with_config(Config { base_url: "https://flags.example.com".to_owned(), ..Config::default() }).await;
    let id = user(&app, "ada", role::VIEWER).await;
    let first = browser(&app, &sign_in(&app, "ada", STRONG, None).await);
    let other = browser(&app, &sign_in(&app, "ada", STRONG, None).await);
    let nothing = json!({ "factors": [], "recoveryCodesLeft": 0, "required": false, "mustEnrol": false });
    assert_eq!(first.get(OWN).await.expect(200), nothing);
    first.post(BEGIN, json!({ "password": "wrong" })).await.refused(401, "PasswordMismatch", "");
    first.post(BEGIN, json!({})).await.refused(400, "ValidationError", "/body/password");
    first.post(CONFIRM, json!({ "code": "123456" })).await.refused(404, "NotFoundError", "begin one");
    let lapsed = typed(&first.post(BEGIN, json!({ "password": STRONG })).await.expect(200)["secret"]);
    let begun = first.post(BEGIN, json!({ "password": STRONG })).await.expect(200);
    let secret = typed(&begun["secret"]);
    assert_eq!(begun["uri"], secret.uri("Flagstone flags.example.com", "ada@example.com"));
    let picture = begun["qrCode"].as_str().expect("a text");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>"), "{picture}");
    assert_eq!(first.get(OWN).await.expect(200), nothing, "what is not confirmed does not count");
    sign_in(&app, "ada", STRONG, None).await.expect(200);

    let now = step_at(app.clock.now());
    for wrong in [lapsed.code(now), secret.code(now - 5), String::new(), "x".repeat(100)] {
        let answer = first.post(CONFIRM, json!({ "code": wrong })).await;
        answer.refused(401, "SecondFactorMismatchError", "wrong, too old, or was used before");
    }
    let events = app.events().await.len();
    let answer = first.post(CONFIRM, json!({ "code": secret.code(now) })).await.expect(200);
    let codes = texts(&answer["codes"]);
    assert_eq!(codes.len(), 10);
    let (kind, data, before) = newest(&app).await;
    assert_eq!(app.events().await.len(), events + 1);
    assert_eq!(kind, "user-updated");
    let ada = json!({
        "id": id, "username": "ada", "email": "ada@example.com", "rootRole": role::VIEWER, "secondFactor": false,
    });
    assert_eq!(before, ada);
    let mut after = ada;
    after["secondFactor"] = json!(true);
    after["endedSessions"] = json!(2);
    assert_eq!(data, after);
    let state = json!({
        "factors": [{ "kind": "totp", "since": START }],
        "recoveryCodesLeft": 10, "required": false, "mustEnrol": false,
    });
    assert_eq!(first.get(OWN).await.expect(200), state);
    other.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
    first.post(BEGIN, json!({ "password": STRONG })).await.refused(409, "SecondFactorExistsError", "remove");

    // Neither the secret nor a code is in the database as it is.
    let factors = second_factor::Entity::find().all(app.db()).await.expect("rows");
    assert_eq!(factors.len(), 1);
    assert!(factors[0].sealed.starts_with("v1:") && !factors[0].sealed.contains(&secret.text()));
    let stored = recovery_code::Entity::find().all(app.db()).await.expect("rows");
    let mut digests: Vec<String> = codes.iter().map(|code| secret::digest(&code.replace('-', ""))).collect();
    digests.sort_unstable();
    let mut kept: Vec<String> = stored.into_iter().map(|row| row.code_hash).collect();
    kept.sort_unstable();
    assert_eq!(kept, digests);
    let log = format!("{:?}", app.events().await);
    for told in [&secret.text(), &lapsed.text()].into_iter().chain(&codes) {
        assert!(!log.contains(told.as_str()), "the log of events has {told}");
    }
}

#[tokio::test]
async fn a_name_of_any_length_fits_into_a_picture() {
    let app = TestApp::new().await;
    let name = "\u{1f980}".repeat(255);
    let new = json!({ "username": name, "password": STRONG, "rootRole": role::VIEWER });
    app.admin().post("/api/admin/user-admin", new).await.expect(201);
    let browser = browser(&app, &sign_in(&app, &name, STRONG, None).await);
    let begun = browser.post(BEGIN, json!({ "password": STRONG })).await.expect(200);
    let uri = typed(&begun["secret"]).uri("Flagstone 127.0.0.1", &"\u{1f980}".repeat(60));
    assert_eq!(begun["uri"], uri);
}

#[tokio::test]
async fn an_enrolment_lapses_after_an_hour() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    let browser = browser(&app, &sign_in(&app, "ada", STRONG, None).await);
    let secret = typed(&browser.post(BEGIN, json!({ "password": STRONG })).await.expect(200)["secret"]);
    app.clock.advance(3_600_000);
    let code = secret.code(step_at(app.clock.now()));
    browser.post(CONFIRM, json!({ "code": code })).await.refused(404, "NotFoundError", "within an hour");
}

#[tokio::test]
async fn tokens_of_every_kind_change_no_second_factor() {
    let app = TestApp::new().await;
    for client in [app.viewer().await, app.root_admin().await, app.admin()] {
        client.get(OWN).await.refused(403, "InvalidOperationError", "");
        client.post(BEGIN, json!({ "password": STRONG })).await.refused(403, "InvalidOperationError", "");
        client.post(CODES, json!({ "code": "123456" })).await.refused(403, "InvalidOperationError", "");
        let removal = json!({ "password": STRONG, "code": "123456" });
        client.post(REMOVE, removal).await.refused(403, "InvalidOperationError", "");
    }
}

#[tokio::test]
async fn signing_in_needs_the_password_and_then_a_code_that_serves_once() {
    let app = TestApp::new().await;
    let ada = enrolled(&app, "ada", role::VIEWER).await;
    // Whoever does not know the password does not learn that there is a second factor.
    let digits = ada.digits(&app);
    let wrong = sign_in(&app, "ada", "wrong", Some(&digits)).await;
    let unknown = sign_in(&app, "nobody", "wrong", Some(&digits)).await;
    for property in ["name", "message"] {
        assert_eq!(wrong.body[property], unknown.body[property]);
    }
    wrong.refused(401, "PasswordMismatch", "");
    let missing = sign_in(&app, "ada", STRONG, None).await;
    assert!(!missing.headers.contains_key("set-cookie"));
    missing.refused(401, "SecondFactorRequiredError", "`code`");
    let now = step_at(app.clock.now());
    for wrong in [ada.app.code(now - 2), ada.app.code(now + 2), "000".to_owned(), "no code at all".to_owned()] {
        sign_in(&app, "ada", STRONG, Some(&wrong)).await.refused(401, "SecondFactorMismatchError", "");
    }
    // Typed a moment late, by a clock that is slow, and as an app shows it.
    let early = ada.app.code(now - 1);
    let signed_in = sign_in(&app, "ada", STRONG, Some(&format!("{} {}", &early[..3], &early[3..]))).await;
    browser(&app, &signed_in).get(PROFILE).await.expect(200);
    assert_eq!(signed_in.expect(200)["loginAttempts"], 0);
    sign_in(&app, "ada", STRONG, Some(&early)).await.refused(401, "SecondFactorMismatchError", "used before");
    sign_in(&app, "ada", STRONG, Some(&digits)).await.expect(200);
    // The one before it is used up with it.
    sign_in(&app, "ada", STRONG, Some(&early)).await.refused(401, "SecondFactorMismatchError", "");
    sign_in(&app, "ada", STRONG, Some(&digits)).await.refused(401, "SecondFactorMismatchError", "");
    app.clock.advance(STEP_MS);
    sign_in(&app, "ada", STRONG, Some(&ada.digits(&app))).await.expect(200);
}

#[tokio::test]
async fn the_code_that_confirmed_an_app_signs_nobody_in() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    let browser = browser(&app, &sign_in(&app, "ada", STRONG, None).await);
    let (secret, _) = enrol(&app, &browser).await;
    let code = secret.code(step_at(app.clock.now()));
    sign_in(&app, "ada", STRONG, Some(&code)).await.refused(401, "SecondFactorMismatchError", "");
}

#[tokio::test]
async fn a_recovery_code_serves_once_and_new_ones_replace_all() {
    let app = TestApp::new().await;
    let ada = enrolled(&app, "ada", role::VIEWER).await;
    let bob = enrolled(&app, "bob", role::VIEWER).await;
    let theirs = &bob.recovery[0];
    sign_in(&app, "ada", STRONG, Some(theirs)).await.refused(401, "SecondFactorMismatchError", "");
    let typed = ada.recovery[0].to_uppercase().replace('-', " ");
    sign_in(&app, "ada", STRONG, Some(&typed)).await.expect(200);
    sign_in(&app, "ada", STRONG, Some(&ada.recovery[0])).await.refused(401, "SecondFactorMismatchError", "");
    assert_eq!(ada.browser.get(OWN).await.expect(200)["recoveryCodesLeft"], 9);
    ada.browser.post(CODES, json!({ "code": "000 000" })).await.refused(401, "SecondFactorMismatchError", "");
    let renewed = ada.browser.post(CODES, json!({ "code": ada.digits(&app) })).await.expect(200);
    let renewed = texts(&renewed["codes"]);
    let (kind, data, _) = newest(&app).await;
    assert_eq!((kind.as_str(), &data["secondFactor"]), ("user-updated", &json!(true)));
    assert_eq!(data["renewedRecoveryCodes"], true);
    assert!(renewed.iter().all(|code| !data.to_string().contains(code)));
    assert_eq!(ada.browser.get(OWN).await.expect(200)["recoveryCodesLeft"], 10);
    sign_in(&app, "ada", STRONG, Some(&ada.recovery[1])).await.refused(401, "SecondFactorMismatchError", "");
    sign_in(&app, "ada", STRONG, Some(&renewed[9])).await.expect(200);
    // The digits that renewed them are used up.
    sign_in(&app, "ada", STRONG, Some(&ada.digits(&app))).await.refused(401, "SecondFactorMismatchError", "");
}

#[tokio::test]
async fn of_two_who_use_one_code_at_once_one_gets_in() {
    let app = TestApp::new().await;
    let ada = enrolled(&app, "ada", role::VIEWER).await;
    for code in [ada.digits(&app), ada.recovery[0].clone()] {
        let attempt = || sign_in(&app, "ada", STRONG, Some(&code));
        let (one, other, third) = tokio::join!(attempt(), attempt(), attempt());
        let mut statuses = [one.status, other.status, third.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 401, 401]);
    }
    assert_eq!(ada.browser.get(OWN).await.expect(200)["recoveryCodesLeft"], 9);
}

#[tokio::test]
async fn the_log_of_sign_ins_tells_what_was_missing_or_wrong() {
    let app = TestApp::new().await;
    let ada = enrolled(&app, "ada", role::VIEWER).await;
    sign_in(&app, "ada", STRONG, None).await;
    sign_in(&app, "ada", STRONG, Some("654 321")).await;
    sign_in(&app, "ada", STRONG, Some(&ada.recovery[0])).await.expect(200);
    let answer = app.admin().get("/api/admin/auth/sign-ins").await;
    assert!(!answer.text.contains("654") && !answer.text.contains(&ada.recovery[0]), "{}", answer.text);
    let list = answer.expect(200);
    let told: Vec<Value> = (0..3)
        .map(|at| {
            let entry = &list["signIns"][at];
            assert!(entry["explanation"].as_str().is_some_and(|words| words.ends_with('.')), "{entry}");
            json!([entry["outcome"], entry["reason"], entry["userId"], entry["subject"]])
        })
        .collect();
    let expected = [
        json!(["signed-in", "recovery-code", ada.id, "ada"]),
        json!(["refused", "wrong-second-factor", ada.id, "ada"]),
        json!(["refused", "second-factor-missing", ada.id, "ada"]),
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn wrong_codes_wear_out_the_attempts_of_the_address_and_of_the_user() {
    let app = TestApp::new().await;
    let ada = enrolled(&app, "ada", role::VIEWER).await;
    // A password that is right wears nothing out, or a company behind one address could not sign in.
    for _ in 0..30 {
        sign_in(&app, "ada", STRONG, None).await.refused(401, "SecondFactorRequiredError", "");
    }
    for _ in 0..10 {
        sign_in(&app, "ada", STRONG, Some("000 000")).await.refused(401, "SecondFactorMismatchError", "");
    }
    let digits = ada.digits(&app);
    sign_in(&app, "ada", STRONG, Some(&digits)).await.refused(429, "RateLimitError", "");
    sign_in(&app, "nobody", "wrong", None).await.refused(429, "RateLimitError", "");

    // Where the address may try more, the user may not.
    let app = TestApp::with_config(Config { sign_in_attempts_per_minute: 1000, ..Config::default() }).await;
    let ada = enrolled(&app, "ada", role::VIEWER).await;
    for _ in 0..10 {
        sign_in(&app, "ada", STRONG, Some("000 000")).await.refused(401, "SecondFactorMismatchError", "");
    }
    sign_in(&app, "ada", STRONG, Some(&ada.digits(&app))).await.refused(429, "RateLimitError", "60 seconds");
    ada.browser.post(CODES, json!({ "code": ada.digits(&app) })).await.refused(429, "RateLimitError", "");
    sign_in(&app, "ada", STRONG, None).await.refused(401, "SecondFactorRequiredError", "");
    sign_in(&app, "nobody", "wrong", None).await.refused(401, "PasswordMismatch", "");
    app.clock.advance(60_000);
    sign_in(&app, "ada", STRONG, Some(&ada.digits(&app))).await.expect(200);
}

#[tokio::test]
async fn it_is_removed_by_the_password_and_a_code() {
    let app = TestApp::new().await;
    let ada = enrolled(&app, "ada", role::VIEWER).await;
    let other = browser(&app, &sign_in(&app, "ada", STRONG, Some(&ada.recovery[0])).await);
    let removal = |password: &str, code: &str| json!({ "password": password, "code": code });
    let digits = ada.digits(&app);
    ada.browser.post(REMOVE, removal("wrong", &digits)).await.refused(401, "PasswordMismatch", "");
    ada.browser.post(REMOVE, removal(STRONG, &ada.recovery[0])).await.refused(401, "SecondFactorMismatchError", "");
    let events = app.events().await.len();
    let removed = ada.browser.post(REMOVE, removal(STRONG, &digits)).await;
    assert_eq!(removed.status, 200, "{}", removed.text);
    let (kind, data, before) = newest(&app).await;
    assert_eq!((app.events().await.len(), kind.as_str()), (events + 1, "user-updated"));
    assert_eq!((&before["secondFactor"], &data["secondFactor"]), (&json!(true), &json!(false)));
    assert_eq!(data["endedSessions"], 1);
    other.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
    ada.browser.get(PROFILE).await.expect(200);
    assert_eq!(ada.browser.get(OWN).await.expect(200)["recoveryCodesLeft"], 0);
    ada.browser.post(REMOVE, removal(STRONG, &digits)).await.refused(404, "NotFoundError", "no second factor");
    sign_in(&app, "ada", STRONG, None).await.expect(200);
    // Another one can be enrolled, and the old one does not serve.
    let (secret, _) = enrol(&app, &ada.browser).await;
    app.clock.advance(10 * STEP_MS);
    sign_in(&app, "ada", STRONG, Some(&ada.digits(&app))).await.refused(401, "SecondFactorMismatchError", "");
    let code = secret.code(step_at(app.clock.now()));
    sign_in(&app, "ada", STRONG, Some(&code)).await.expect(200);
}

#[tokio::test]
async fn maintenance_keeps_nobody_from_enrolling() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    let browser = browser(&app, &sign_in(&app, "ada", STRONG, None).await);
    app.admin().post("/api/admin/maintenance", json!({ "enabled": true })).await.expect(204);
    enrol(&app, &browser).await;
    app.clock.advance(STEP_MS);
    let removal = json!({ "password": STRONG, "code": "123456" });
    browser.post(REMOVE, removal).await.refused(503, "MaintenanceError", "");
    browser.request(Method::GET, OWN, &[], Vec::new()).await.expect(200);
}
