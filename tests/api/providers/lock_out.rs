//! That nobody is locked out, whatever administrators do with providers and passwords.

use flagstone::{sign_in, start};
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    browser::Browser,
    company::{Company, OIDC, SIMPLE},
};
use crate::harness::TestApp;

const LOGIN: &str = "/auth/simple/login";

/// Somebody who signed in and may do everything.
async fn administrator(company: &Company) -> Browser {
    let mut browser = company.browser();
    company.sign_in(&mut browser).await;
    browser
}

#[tokio::test]
async fn only_who_came_through_the_provider_as_it_is_set_switches_passwords_off() {
    let company = Company::with(json!({ "defaultRootRole": "Admin" })).await;
    let off = json!({ "disabled": true });
    company.app.admin().post(SIMPLE, off.clone()).await.refused(403, "InvalidOperationError", "login provider");
    let by_token = company.app.root_admin().await;
    by_token.post(SIMPLE, off.clone()).await.refused(403, "InvalidOperationError", "login provider");
    let mut ada = administrator(&company).await;
    company.set(json!({ "defaultRootRole": "Admin", "emailDomains": "example.com" })).await.expect(200);
    ada.json(Method::POST, SIMPLE, &off).await.refused(403, "InvalidOperationError", "present settings");
    let mut ada = administrator(&company).await;
    let before = company.app.event_types().await.len();
    for _ in 0..2 {
        assert_eq!(ada.json(Method::POST, SIMPLE, &off).await.expect(200), off);
    }
    assert_eq!(company.app.event_types().await[before..], ["setting-created"]);
    assert_eq!(ada.get(SIMPLE).await.expect(200), off);
    // From now on passwords let nobody in, and everybody is told.
    let login = json!({ "username": "ada", "password": "whatever" });
    company.app.anonymous().post(LOGIN, login.clone()).await.refused(422, "DisabledError", "login provider");
    let told = company.app.anonymous().get("/api/admin/user").await.expect(401);
    assert_eq!(told["defaultHidden"], true);
    let config = ada.get("/api/admin/ui-config").await.expect(200);
    assert_eq!(config["disablePasswordAuth"], true);
    ada.json(Method::POST, SIMPLE, &json!({ "disabled": false })).await.expect(200);
    company.app.anonymous().post(LOGIN, login).await.refused(401, "PasswordMismatch", "");
}

#[tokio::test]
async fn while_passwords_are_off_the_only_provider_stays_as_it_is() {
    let company = Company::with(json!({ "defaultRootRole": "Admin" })).await;
    let mut ada = administrator(&company).await;
    ada.json(Method::POST, SIMPLE, &json!({ "disabled": true })).await.expect(200);
    for change in [json!({ "enabled": false }), company.settings(json!({ "emailDomains": "example.org" }))] {
        ada.json(Method::POST, OIDC, &change).await.refused(403, "InvalidOperationError", "only login provider");
        company.app.admin().post(OIDC, change).await.refused(403, "InvalidOperationError", "only login provider");
    }
    assert_eq!(company.sign_in(&mut company.browser()).await.status, 302);
    // The last administrator is not taken away by other ways either.
    let id = company.who(&mut ada).await["id"].clone();
    let user = format!("/api/admin/user-admin/{id}");
    let admin = company.app.admin();
    admin.json(Method::DELETE, &user, Value::Null).await.refused(403, "InvalidOperationError", "");
    admin.json(Method::PUT, &user, json!({ "rootRole": 3 })).await.refused(403, "InvalidOperationError", "");
    let forget = format!("{user}/identities");
    admin.json(Method::DELETE, &forget, Value::Null).await.refused(403, "InvalidOperationError", "administer");
    // An administrator who has nothing but a password would not do.
    let bob = json!({ "username": "bob", "password": "Correct-horse-1", "rootRole": 1 });
    admin.post("/api/admin/user-admin", bob).await.expect(201);
    admin.json(Method::DELETE, &user, Value::Null).await.refused(403, "InvalidOperationError", "");
    ada.json(Method::POST, SIMPLE, &json!({ "disabled": false })).await.expect(200);
    admin.json(Method::DELETE, &user, Value::Null).await.expect(200);
}

#[tokio::test]
async fn disabling_the_provider_does_not_take_the_only_administrator_who_comes_through_it() {
    let company = Company::with(json!({ "defaultRootRole": "Admin" })).await;
    let mut ada = administrator(&company).await;
    ada.json(Method::POST, OIDC, &json!({ "enabled": false })).await.refused(
        403,
        "InvalidOperationError",
        "administer",
    );
    company.app.root_admin().await;
    ada.json(Method::POST, OIDC, &json!({ "enabled": false })).await.expect(200);
}

#[tokio::test]
async fn settings_that_somebody_was_let_in_by_in_a_trial_may_take_the_place_of_the_only_ones() {
    let company = Company::with(json!({ "defaultRootRole": "Admin" })).await;
    let mut ada = administrator(&company).await;
    ada.json(Method::POST, SIMPLE, &json!({ "disabled": true })).await.expect(200);
    let wanted = company.settings(json!({ "emailDomains": "example.com" }));
    let trial = ada.json(Method::POST, "/api/admin/auth/oidc/test", &wanted).await.expect(200);
    for check in trial["checks"].as_array().expect("checks") {
        assert_eq!(check["ok"], true, "{check}");
    }
    let place = format!("/api/admin/auth/oidc/test/{}", trial["id"].as_str().expect("an id"));
    assert_eq!(ada.get(&place).await.expect(200)["state"], "waiting");
    ada.json(Method::POST, OIDC, &wanted).await.refused(403, "InvalidOperationError", "only login provider");
    let session = ada.jar.clone();
    let query = format!("?trial={}", trial["id"].as_str().expect("an id"));
    let returned = company.begin_for(&mut ada, &query).await;
    let answer = ada.get(&super::company::callback(&returned)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(ada.jar, session, "a trial begins no session and ends none");
    let outcome = ada.get(&place).await.expect(200);
    assert_eq!((&outcome["state"], &outcome["email"]), (&json!("admitted"), &json!("ada@example.com")));
    assert_eq!(outcome["userId"], company.who(&mut ada).await["id"]);
    assert!(outcome["claims"].as_str().is_some_and(|claims| claims.contains("person-7")));
    // Others than those that were tried are refused still.
    let other = company.settings(json!({ "emailDomains": "example.org" }));
    ada.json(Method::POST, OIDC, &other).await.refused(403, "InvalidOperationError", "only login provider");
    company.app.admin().post(OIDC, wanted.clone()).await.refused(403, "InvalidOperationError", "");
    ada.json(Method::POST, OIDC, &wanted).await.expect(200);
}

#[tokio::test]
async fn a_trial_tells_why_somebody_would_be_refused_and_what_would_become_of_groups() {
    let company = Company::new().await;
    let admin = company.app.admin();
    let group = json!({ "name": "Ops", "mappingsSSO": ["ops"] });
    admin.post("/api/admin/groups", group).await.expect(201);
    let tried = async |settings: Value| {
        let trial = admin.post("/api/admin/auth/oidc/test", settings).await.expect(200);
        let id = trial["id"].as_str().expect("an id").to_owned();
        let mut browser = company.browser();
        let returned = company.begin_for(&mut browser, &format!("?trial={id}")).await;
        assert_eq!(browser.get(&super::company::callback(&returned)).await.status, 200);
        admin.get(&format!("/api/admin/auth/oidc/test/{id}")).await.expect(200)
    };
    company.provider.claim("groups", json!(["ops", "else"]));
    let with_groups = json!({ "enableGroupSyncing": true, "groupJsonPath": "groups" });
    let outcome = tried(company.settings(with_groups)).await;
    let groups = &outcome["groups"];
    assert_eq!((&groups["joined"], &groups["unmapped"]), (&json!(["Ops"]), &json!(["else"])));
    assert_eq!((&outcome["userId"], &outcome["rootRoleId"]), (&Value::Null, &json!(3)));
    let outcome = tried(company.settings(json!({ "autoCreate": false }))).await;
    assert_eq!((&outcome["state"], &outcome["reason"]), (&json!("refused"), &json!("not-invited")));
    company.provider.claim("aud", "other");
    let outcome = tried(company.settings(json!({}))).await;
    assert_eq!((&outcome["reason"], &outcome["found"]), (&json!("wrong-audience"), &json!("other")));
    assert!(outcome["explanation"].is_string());
    let users = admin.get("/api/admin/user-admin").await.expect(200);
    assert_eq!(users["users"], json!([]), "a trial makes nobody");
    let off = admin.post("/api/admin/auth/oidc/test", json!({ "enabled": false })).await;
    off.refused(400, "ValidationError", "/body/enabled");
    company.app.clock.advance(15 * 60_000);
    admin.get("/api/admin/auth/oidc/test/unknown").await.refused(404, "NotFoundError", "over");
}

#[tokio::test]
async fn a_token_that_has_ended_is_no_way_in() {
    let company = Company::with(json!({ "defaultRootRole": "Admin" })).await;
    company.app.root_admin().await;
    company.advance(366 * 86_400);
    let mut ada = administrator(&company).await;
    ada.json(Method::POST, OIDC, &json!({ "enabled": false })).await.refused(
        403,
        "InvalidOperationError",
        "administer",
    );
    company.app.root_admin().await;
    ada.json(Method::POST, OIDC, &json!({ "enabled": false })).await.expect(200);
}

#[tokio::test]
async fn the_token_by_which_the_last_administrator_acts_stays() {
    let app = TestApp::new().await;
    let root = app.root_admin().await;
    let listed = root.get("/api/admin/user/tokens").await.expect(200);
    let own = format!("/api/admin/user/tokens/{}", listed["pats"][0]["id"]);
    let by_others =
        format!("/api/admin/user-admin/{}/tokens/{}", root.user_id.expect("a person"), listed["pats"][0]["id"]);
    let before = app.event_types().await;
    for (client, path) in [(&root, &own), (&app.admin(), &by_others)] {
        let refused = client.json(Method::DELETE, path, Value::Null).await;
        refused.refused(403, "InvalidOperationError", "nobody who can sign in and administer");
    }
    assert_eq!(root.get("/api/admin/user/tokens").await.expect(200), listed);
    assert_eq!(app.event_types().await, before);
    app.root_admin().await;
    root.json(Method::DELETE, &own, Value::Null).await.expect(200);
    root.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
}

/// Outcomes of making and using links, as the log tells them, newest first.
async fn ends_of_links(app: &TestApp) -> Vec<String> {
    let log = app.admin().get(super::company::SIGN_INS).await.expect(200);
    let entries = log["signIns"].as_array().expect("entries").iter();
    entries
        .filter(|entry| entry["method"] == "link")
        .map(|entry| entry["outcome"].as_str().expect("text").into())
        .collect()
}

#[tokio::test]
async fn the_operator_has_two_ways_back() {
    let company = Company::with(json!({ "defaultRootRole": "Admin" })).await;
    let mut ada = administrator(&company).await;
    ada.json(Method::POST, SIMPLE, &json!({ "disabled": true })).await.expect(200);
    let app = &company.app;
    let make = async |name: &str| sign_in::link::make(app.db(), &app.state.vault, name, app.clock.now()).await;
    assert!(make("nobody").await.is_err());
    let link = make("ada@example.com").await.expect("a link");
    let place = format!("/auth/link?token={link}");
    let mut browser = company.browser();
    let answer = browser.get(&place).await;
    assert_eq!(super::browser::location(&answer).as_str(), format!("{}/", super::browser::BASE));
    assert_eq!(company.who(&mut browser).await["email"], "ada@example.com");
    company.browser().get(&place).await.refused(401, "InvalidTokenError", "");
    // Sign-ins are noted in the background, links at once: what is read is written.
    assert_eq!(ends_of_links(app).await, ["signed-in", "link-made"]);
    let late = make("ada@example.com").await.expect("a link");
    app.clock.advance(10 * 60_000);
    company.browser().get(&format!("/auth/link?token={late}")).await.refused(401, "InvalidTokenError", "");
    assert_eq!(ends_of_links(app).await, ["link-made", "signed-in", "link-made"]);
    let before = app.event_types().await.len();
    assert!(start::switch_passwords_on(app.db(), app.clock.now()).await.expect("switches"));
    assert!(!start::switch_passwords_on(app.db(), app.clock.now()).await.expect("switches"));
    assert_eq!(app.event_types().await[before..], ["setting-updated"]);
    let login = json!({ "username": "ada", "password": "whatever" });
    app.anonymous().post(LOGIN, login).await.refused(401, "PasswordMismatch", "");
}

#[tokio::test]
async fn no_policy_and_no_untried_provider_locks_everybody_out() {
    let company = Company::with(json!({ "defaultRootRole": "Admin" })).await;
    let mut ada = administrator(&company).await;
    ada.json(Method::POST, SIMPLE, &json!({ "disabled": true })).await.expect(200);
    let policy = "/api/admin/auth/policy";
    let usual = ada.get(policy).await.expect(200);
    let with = |change: Value| {
        let mut policy = usual.clone();
        policy.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        policy
    };
    let put = async |browser: &mut Browser, body: &Value| browser.json(Method::PUT, policy, body).await;
    let before = company.app.event_types().await;
    // What nobody has signed in under: the provider says nothing of addresses, and knows no such scope.
    for change in [
        json!({ "requireVerifiedEmail": true }),
        json!({ "oidcExtraScopes": ["unheard-of"] }),
        json!({ "clockSkewSeconds": 0 }),
        json!({ "oidcSigningAlgorithm": "ES256" }),
        json!({ "oidcEmailClaim": "upn" }),
    ] {
        let refused = put(&mut ada, &with(change.clone())).await;
        refused.refused(403, "InvalidOperationError", "flagstone user sign-in-link");
        company.app.admin().json(Method::PUT, policy, with(change)).await.refused(
            403,
            "InvalidOperationError",
            "only login provider",
        );
    }
    assert_eq!(company.app.event_types().await, before);
    // What concerns the other protocol alone is nobody's way in.
    put(&mut ada, &with(json!({ "samlEntityId": "https://flags.example.com/other" }))).await.expect(200);
    // What people are called decides about nobody.
    put(&mut ada, &with(json!({ "oidcNameClaim": "nick", "samlEmailAttribute": "contact" }))).await.expect(200);
    // Another provider is enabled that nobody has tried, and the tried one is pointed elsewhere.
    let saml = super::saml::settings(json!({}));
    ada.json(Method::POST, "/api/admin/auth/saml/settings", &saml).await.expect(200);
    let elsewhere = company.settings(json!({ "discoverUrl": "https://id.example.org" }));
    for change in [elsewhere.clone(), json!({ "enabled": false })] {
        ada.json(Method::POST, OIDC, &change).await.refused(403, "InvalidOperationError", "only login provider");
    }
    // Passwords on, and still no administrator who has one.
    ada.json(Method::POST, SIMPLE, &json!({ "disabled": false })).await.expect(200);
    ada.json(Method::POST, OIDC, &elsewhere).await.refused(403, "InvalidOperationError", "administer");
    put(&mut ada, &with(json!({ "requireVerifiedEmail": true }))).await.refused(
        403,
        "InvalidOperationError",
        "administer",
    );
    let bob = json!({ "username": "bob", "password": "Correct-horse-1", "rootRole": 1 });
    company.app.admin().post("/api/admin/user-admin", bob).await.expect(201);
    put(&mut ada, &with(json!({ "requireVerifiedEmail": true }))).await.expect(200);
    ada.json(Method::POST, OIDC, &elsewhere).await.expect(200);
    // Off they go only by one who came through under what is in force now.
    ada.json(Method::POST, SIMPLE, &json!({ "disabled": true })).await.refused(
        403,
        "InvalidOperationError",
        "present settings",
    );
}
