//! Trials of login providers in addition to the settings: what they show, and what they prove.

use flagstone::store::entity::{sign_in_provider, sign_in_trial};
use poem::http::Method;
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};

use super::{
    beside::{Beside, PROVIDERS},
    browser::{BASE, Browser, SESSION},
    company::{Company, SIMPLE},
    hostile::{CLIENT_ID, SECRET},
};
use crate::harness::role;

const USERS: &str = "/api/admin/user-admin";

fn proposal(settings: &Value, rules: &Value) -> Value {
    json!({ "kind": "oidc", "settings": settings, "rules": rules })
}

fn test_of(id: &str) -> String {
    format!("{PROVIDERS}/{id}/test")
}

/// Begins a trial; its id.
async fn begin(company: &Company, id: &str, body: Value) -> String {
    let trial = company.app.admin().post(&test_of(id), body).await.expect(200);
    trial["id"].as_str().expect("an id").to_owned()
}

/// Tries a proposal out in a browser of its own; what comes of it.
async fn tried(company: &Company, beside: &Beside, body: Value) -> Value {
    let id = begin(company, beside.id, body).await;
    let mut browser = company.browser();
    let returned = beside.begin_for(&mut browser, &format!("?trial={id}")).await;
    assert_eq!(browser.get(&beside.callback(&returned)).await.status, 200);
    assert!(!browser.jar.contains_key(SESSION) && browser.begun() == 0);
    company.app.admin().get(&format!("{}/{id}", test_of(beside.id))).await.expect(200)
}

#[tokio::test]
async fn exactly_the_content_that_let_somebody_in_may_take_the_place_of_the_only_way_in() {
    let company = Company::with(json!({ "enabled": false })).await;
    let rules = json!({ "autoCreate": true, "defaultRootRoleId": role::ADMIN });
    let beside = Beside::with(&company, "staff", "oidc", json!({}), &rules).await;
    let (mut ada, user) = beside.signed_in(&company).await;
    ada.json(Method::POST, SIMPLE, &json!({ "disabled": true })).await.expect(200);
    let path = format!("{PROVIDERS}/staff");
    let masked = |change: Value| {
        let mut settings = beside.settings(json!({ "secret": "********" }));
        settings.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        settings
    };
    let content = |settings: Value, rules: &Value| json!({ "label": "staff", "icon": "key", "enabled": true, "settings": settings, "rules": rules });
    let wanted = masked(json!({ "scopes": ["offline_access"] }));
    let refused = async |ada: &mut Browser, body: &Value| {
        ada.json(Method::PUT, &path, body).await.refused(403, "InvalidOperationError", "only login provider");
    };
    refused(&mut ada, &content(wanted.clone(), &rules)).await;

    let before = company.app.event_types().await;
    let stored = ada.get(&path).await.expect(200);
    let trial = ada.json(Method::POST, &test_of("staff"), &proposal(&wanted, &rules)).await.expect(200);
    let id = trial["id"].as_str().expect("an id");
    assert_eq!(trial["url"], format!("{BASE}/auth/providers/staff/login?trial={id}"));
    let names: Vec<&str> =
        trial["checks"].as_array().expect("checks").iter().filter_map(|check| check["name"].as_str()).collect();
    assert_eq!(names, ["discoverUrl", "clientAuthentication", "keys"]);
    for check in trial["checks"].as_array().expect("checks") {
        assert_eq!(check["ok"], true, "{check}");
    }
    let outcome = format!("{}/{id}", test_of("staff"));
    assert_eq!(ada.get(&outcome).await.expect(200)["state"], "waiting");
    // Begun is not finished.
    refused(&mut ada, &content(wanted.clone(), &rules)).await;

    let session = ada.jar.clone();
    let returned = beside.begin_for(&mut ada, &format!("?trial={id}")).await;
    // Finished before another node.
    let node = company.other_node();
    let mut elsewhere = ada.at(&node);
    let answer = elsewhere.get(&beside.callback(&returned)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(elsewhere.jar, session, "a trial begins no session and ends none");
    let outcome = ada.get(&outcome).await.expect(200);
    assert_eq!((&outcome["state"], &outcome["email"]), (&json!("admitted"), &json!("ada@example.com")));
    assert_eq!((&outcome["userId"], &outcome["rootRoleId"]), (&user["id"], &json!(role::ADMIN)));
    assert!(outcome["claims"].as_str().is_some_and(|claims| claims.contains("person-7")));
    assert_eq!(ada.get(&path).await.expect(200), stored, "nothing is stored");
    assert_eq!(company.app.event_types().await, before);

    // Another connection, the same with other rules, and the very content by somebody else.
    refused(&mut ada, &content(masked(json!({ "scopes": ["groups"] })), &rules)).await;
    refused(&mut ada, &content(wanted.clone(), &json!({ "autoCreate": true }))).await;
    let by_token = company.app.admin().json(Method::PUT, &path, content(wanted.clone(), &rules)).await;
    by_token.refused(403, "InvalidOperationError", "only login provider");
    ada.json(Method::PUT, &path, &content(wanted, &rules)).await.expect(200);
    assert_eq!(beside.signed_in(&company).await.1["id"], user["id"]);
}

#[tokio::test]
async fn a_trial_proves_nothing_once_it_is_over_or_of_somebody_who_is_not_let_in() {
    let company = Company::with(json!({ "enabled": false })).await;
    let rules = json!({ "autoCreate": true, "defaultRootRoleId": role::ADMIN });
    let beside = Beside::with(&company, "staff", "oidc", json!({}), &rules).await;
    let (mut ada, user) = beside.signed_in(&company).await;
    ada.json(Method::POST, SIMPLE, &json!({ "disabled": true })).await.expect(200);
    let wanted = beside.settings(json!({ "groupsPath": "groups" }));
    let strict = json!({ "autoCreate": true, "defaultRootRoleId": role::ADMIN, "requiredGroups": ["ops"] });
    let content = json!({ "label": "staff", "icon": "key", "enabled": true, "settings": wanted, "rules": strict });
    let path = format!("{PROVIDERS}/staff");
    let forbidden = (403, "InvalidOperationError", "only login provider");
    let try_out = async |ada: &mut Browser| {
        let trial = ada.json(Method::POST, &test_of("staff"), &proposal(&wanted, &strict)).await.expect(200);
        let id = trial["id"].as_str().expect("an id").to_owned();
        let returned = beside.begin_for(ada, &format!("?trial={id}")).await;
        assert_eq!(ada.get(&beside.callback(&returned)).await.status, 200);
        ada.get(&format!("{}/{id}", test_of("staff"))).await.expect(200)
    };
    beside.provider.claim("groups", json!(["staff"]));
    let outcome = try_out(&mut ada).await;
    assert_eq!((&outcome["state"], &outcome["reason"]), (&json!("refused"), &json!("required-group-missing")));
    assert_eq!((&outcome["userId"], &outcome["groups"]["received"]), (&Value::Null, &json!(["staff"])));
    ada.json(Method::PUT, &path, &content).await.refused(forbidden.0, forbidden.1, forbidden.2);
    beside.provider.claim("groups", json!(["ops", "staff"]));
    let outcome = try_out(&mut ada).await;
    assert_eq!((&outcome["state"], &outcome["userId"]), (&json!("admitted"), &user["id"]));
    company.advance(15 * 60);
    beside.provider.state().now += 15 * 60;
    ada.json(Method::PUT, &path, &content).await.refused(forbidden.0, forbidden.1, forbidden.2);
    assert_eq!(try_out(&mut ada).await["state"], "admitted");
    ada.json(Method::PUT, &path, &content).await.expect(200);
}

#[tokio::test]
async fn a_trial_of_a_provider_that_is_not_there_yet_shows_whom_it_would_create() {
    let company = Company::new().await;
    let beside = Beside::unknown("new");
    let admin = company.app.admin();
    admin.post("/api/admin/groups", json!({ "name": "Ops", "mappingsSSO": ["ops"] })).await.expect(201);
    beside.provider.claim("groups", json!(["ops", "else"]));
    let settings = beside.settings(json!({ "groupsPath": "groups" }));
    let rules = json!({
        "autoCreate": true, "requiredGroups": ["ops"],
        "rootRoles": [{ "claim": "groups", "value": "else", "roleId": role::EDITOR }],
    });
    let outcome = tried(&company, &beside, proposal(&settings, &rules)).await;
    assert_eq!((&outcome["state"], &outcome["userId"]), (&json!("admitted"), &Value::Null));
    assert_eq!(outcome["rootRoleId"], role::EDITOR);
    // Groups decide about admission alone, until memberships follow them.
    let told = json!({ "received": ["ops", "else"], "joined": [], "left": [], "unmapped": [], "problem": null });
    assert_eq!(outcome["groups"], told);
    let mut synced = rules.clone();
    synced["syncGroups"] = json!(true);
    let outcome = tried(&company, &beside, proposal(&settings, &synced)).await;
    let told =
        json!({ "received": ["ops", "else"], "joined": ["Ops"], "left": [], "unmapped": ["else"], "problem": null });
    assert_eq!(outcome["groups"], told);
    // Without rules, only those come in to whom an identity is linked.
    let outcome = tried(&company, &beside, json!({ "kind": "oidc", "settings": settings })).await;
    assert_eq!((&outcome["reason"], &outcome["groups"]), (&json!("not-invited"), &Value::Null));
    assert!(outcome["explanation"].as_str().is_some_and(|text| text.ends_with('.')));
    beside.provider.claim("aud", "other");
    let outcome = tried(&company, &beside, proposal(&settings, &rules)).await;
    assert_eq!((&outcome["reason"], &outcome["found"]), (&json!("wrong-audience"), &json!("other")));
    // Nobody was created, and there is no such provider.
    assert_eq!(admin.get(USERS).await.expect(200)["users"], json!([]));
    assert_eq!(admin.get(PROVIDERS).await.expect(200)["providers"], json!([]));
    company.browser().get("/auth/providers/new/login").await.refused(404, "NotFoundError", "new");
    let rows = sign_in_provider::Entity::find().all(company.app.db()).await.expect("rows");
    let trials = sign_in_trial::Entity::find().all(company.app.db()).await.expect("rows");
    assert_eq!((rows.len(), trials.len()), (0, 4));
    let kept = format!("{trials:?} {:?}", company.app.events().await);
    assert!(!kept.contains(CLIENT_ID) && !kept.contains(SECRET), "{kept}");
}

#[tokio::test]
async fn a_trial_shows_the_user_whom_the_rules_find_or_refuse() {
    let company = Company::new().await;
    let beside = Beside::unknown("new");
    let admin = company.app.admin();
    let boss = json!({ "email": "ada@example.com", "rootRole": role::ADMIN });
    let boss = admin.post(USERS, boss).await.expect(201)["id"].clone();
    let settings = beside.settings(json!({}));
    let outcome = tried(&company, &beside, proposal(&settings, &json!({ "autoCreate": true }))).await;
    assert_eq!((&outcome["reason"], &outcome["userId"]), (&json!("linking-off"), &Value::Null));
    let trusted = json!({ "autoCreate": true, "linkByEmail": true });
    let outcome = tried(&company, &beside, proposal(&settings, &trusted)).await;
    assert_eq!((&outcome["userId"], &outcome["rootRoleId"]), (&boss, &json!(role::ADMIN)));
    let identities = admin.get(&format!("{USERS}/{boss}/identities")).await.expect(200);
    assert_eq!(identities["identities"], json!([]), "none is linked");
    admin.json(Method::PUT, &format!("{USERS}/{boss}"), json!({ "active": false })).await.expect(200);
    let outcome = tried(&company, &beside, proposal(&settings, &trusted)).await;
    assert_eq!((&outcome["state"], &outcome["reason"]), (&json!("refused"), &json!("account-inactive")));
}

#[tokio::test]
async fn o44_a_trial_of_one_provider_serves_at_no_other() {
    let company = Company::new().await;
    let (first, second) = (Beside::new(&company, "first").await, Beside::new(&company, "second").await);
    let admin = company.app.admin();
    let of_first = begin(&company, "first", proposal(&first.settings(json!({})), &json!({ "autoCreate": true }))).await;
    let of_settings = admin.post("/api/admin/auth/oidc/test", company.settings(json!({}))).await.expect(200);
    let of_settings = of_settings["id"].as_str().expect("an id");
    for path in [
        format!("/auth/providers/second/login?trial={of_first}"),
        format!("/auth/oidc/login?trial={of_first}"),
        format!("/auth/saml/login?trial={of_first}"),
        format!("/auth/providers/first/login?trial={of_settings}"),
        "/auth/providers/first/login?trial=unknown".to_owned(),
    ] {
        company.browser().get(&path).await.refused(404, "NotFoundError", "trial");
    }
    for path in [
        format!("{}/{of_first}", test_of("second")),
        format!("/api/admin/auth/oidc/test/{of_first}"),
        format!("{}/{of_settings}", test_of("first")),
    ] {
        admin.get(&path).await.refused(404, "NotFoundError", "trial");
    }
    let mut browser = company.browser();
    let returned = first.begin_for(&mut browser, &format!("?trial={of_first}")).await;
    let refused = browser.get(&second.callback(&returned)).await;
    assert_eq!(company.reason(refused, 400, "SignInStateError").await["reason"], "unknown-state");
    // A browser that did not begin it finishes nothing.
    let refused = company.browser().get(&first.callback(&returned)).await;
    assert_eq!(company.reason(refused, 400, "SignInStateError").await["reason"], "unknown-state");
    let outcome = admin.get(&format!("{}/{of_first}", test_of("first"))).await.expect(200);
    assert_eq!(outcome["state"], "waiting");
    // Begun in time, and finished when it is over.
    company.advance(8 * 60);
    let returned = first.begin_for(&mut browser, &format!("?trial={of_first}")).await;
    company.advance(8 * 60);
    browser.get(&first.callback(&returned)).await.refused(404, "NotFoundError", "over");
    assert!(!browser.jar.contains_key(SESSION));
}

#[tokio::test]
async fn what_would_not_be_stored_is_not_tried_out() {
    let company = Company::new().await;
    let beside = Beside::new(&company, "staff").await;
    let admin = company.app.admin();
    let rules = json!({});
    let masked = |change: Value| {
        let mut settings = beside.settings(json!({ "secret": "********" }));
        settings.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        settings
    };
    let elsewhere = masked(json!({ "discoverUrl": "https://evil.example" }));
    for (id, body, named) in [
        ("staff", proposal(&elsewhere, &rules), "/body/settings/secret"),
        ("other", proposal(&masked(json!({})), &rules), "/body/settings/secret"),
        ("staff", json!({ "kind": "okta", "settings": masked(json!({})) }), "/body/kind"),
        ("staff", proposal(&masked(json!({ "hostedDomains": ["a.example"] })), &rules), "/body/settings/hostedDomains"),
        ("staff", proposal(&masked(json!({})), &json!({ "requiredGroups": ["ops"] })), "/body/settings/groupsPath"),
        ("staff", proposal(&masked(json!({})), &json!({ "defaultRootRoleId": 999 })), "/body/rules/defaultRootRoleId"),
        ("sort-order", proposal(&beside.settings(json!({})), &rules), "providerId"),
    ] {
        admin.post(&test_of(id), body.clone()).await.refused(400, "ValidationError", named);
    }
    let none = admin.post(&test_of("No"), proposal(&beside.settings(json!({})), &rules)).await;
    assert_eq!(none.status, 400, "{}", none.text);
    let seen = beside.provider.server.seen("/.well-known/openid-configuration");
    assert!(seen.is_empty(), "nothing was asked");
    let trials = sign_in_trial::Entity::find().all(company.app.db()).await.expect("rows");
    assert_eq!(trials.len(), 0);
}

#[tokio::test]
async fn trials_from_one_address_are_limited() {
    let company = Company::new().await;
    let beside = Beside::new(&company, "staff").await;
    let mut statuses = Vec::new();
    for _ in 0..30 {
        let body = proposal(&beside.settings(json!({ "secret": "********" })), &json!({}));
        statuses.push(company.app.admin().post(&test_of("staff"), body).await.status);
    }
    assert_eq!((statuses.first(), statuses.last()), (Some(&200), Some(&429)));
}
