//! Several login providers at once: each signs in its own people, and nothing of one serves at another.

use flagstone::store::entity::sign_in_provider;
use poem::http::Method;
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};

use super::{
    beside::{Beside, PROVIDERS},
    browser::{BASE, SESSION},
    company::{Company, SIMPLE, callback},
    hostile::{CLIENT_ID, SECRET},
};
use crate::{calls, harness::role};

const USERS: &str = "/api/admin/user-admin";
const STATE: (u16, &str) = (400, "SignInStateError");
const WORD: (u16, &str) = (401, "SignInRefusedError");
const ADMISSION: (u16, &str) = (403, "NotAdmittedError");

#[tokio::test]
async fn each_signs_in_its_own_people_beside_the_provider_of_the_settings() {
    let company = Company::new().await;
    let (first, second) = (Beside::new(&company, "first").await, Beside::new(&company, "second").await);
    first.provider.claim("email", "grace@example.com");
    second.provider.claim("email", "alan@example.com");
    let mut ada = company.browser();
    company.sign_in(&mut ada).await;
    let ada = company.who(&mut ada).await;
    let (_, grace) = first.signed_in(&company).await;
    let entry = company.newest_entry().await;
    assert_eq!((&entry["method"], &entry["providerId"]), (&json!("oidc"), &json!("first")));
    let (_, alan) = second.signed_in(&company).await;
    assert_eq!(
        [&ada["email"], &grace["email"], &alan["email"]],
        ["ada@example.com", "grace@example.com", "alan@example.com"]
    );
    // All three have the same subject, each of their own provider.
    for (user, provider) in [(&ada, None), (&grace, Some(&first)), (&alan, Some(&second))] {
        let identities = company.app.admin().get(&format!("{USERS}/{}/identities", user["id"])).await.expect(200);
        let [identity] = identities["identities"].as_array().expect("identities").as_slice() else {
            panic!("one identity: {identities}")
        };
        assert_eq!((&identity["provider"], &identity["subject"]), (&json!("oidc"), &json!("person-7")));
        assert_eq!(identity["providerId"].as_str(), provider.map(|provider| provider.id));
        let issuer = provider.map_or_else(|| company.provider.issuer(), |provider| provider.provider.issuer());
        assert_eq!(identity["issuer"], issuer);
    }
}

#[tokio::test]
async fn a_sign_in_page_is_told_the_buttons_in_their_order() {
    let company = Company::new().await;
    Beside::new(&company, "first").await;
    let second = Beside::new(&company, "second").await;
    let option = |id: &str, icon: &str| {
        let path = format!("/auth/providers/{id}/login");
        json!({ "type": "oidc", "message": id, "path": path, "id": id, "icon": icon })
    };
    let of_settings = json!({ "type": "oidc", "message": "Sign in with OpenID Connect", "path": "/auth/oidc/login" });
    let options = || async { company.app.anonymous().get("/auth/options").await.expect(200)["options"].clone() };
    assert_eq!(options().await, json!([of_settings, option("first", "key"), option("second", "key")]));
    let order = format!("{PROVIDERS}/sort-order");
    let admin = company.app.admin();
    for ids in [json!(["second"]), json!(["second", "second"]), json!(["second", "first", "first"])] {
        admin.json(Method::PUT, &order, json!({ "ids": ids })).await.refused(400, "ValidationError", "/body/ids");
    }
    let before = company.app.event_types().await.len();
    for _ in 0..2 {
        admin.json(Method::PUT, &order, json!({ "ids": ["second", "first"] })).await.expect(200);
    }
    assert_eq!(company.app.event_types().await[before..], ["setting-updated"], "the present order leaves no event");
    assert_eq!(options().await, json!([of_settings, option("second", "key"), option("first", "key")]));
    second.set(&company, false, json!({}), &json!({})).await.expect(200);
    assert_eq!(options().await, json!([of_settings, option("first", "key")]));
    // Another node hears of it.
    let elsewhere = company.other_node();
    let there = elsewhere.anonymous().get("/auth/options").await.expect(200);
    assert_eq!(there["options"], json!([of_settings, option("first", "key")]));
}

#[tokio::test]
async fn o39_what_one_provider_begins_another_does_not_finish() {
    let company = Company::new().await;
    let (first, second) = (Beside::new(&company, "first").await, Beside::new(&company, "second").await);
    // An answer of one at the address of another: the state is of another provider.
    let mut browser = company.browser();
    let returned = first.begin(&mut browser).await;
    for path in [second.callback(&returned), callback(&returned)] {
        let refused = browser.get(&path).await;
        assert_eq!(company.reason(refused, STATE.0, STATE.1).await["reason"], "unknown-state", "{path}");
    }
    let of_settings = company.begin(&mut browser).await;
    let refused = browser.get(&first.callback(&of_settings)).await;
    assert_eq!(company.reason(refused, STATE.0, STATE.1).await["reason"], "unknown-state");
    // A code of another, in the name of either.
    let elsewhere = second.begin(&mut company.browser()).await;
    for (iss, status, reason) in
        [(elsewhere.iss.clone(), WORD, "callback-of-another-issuer"), (first.provider.issuer(), WORD, "token-refused")]
    {
        let mut browser = company.browser();
        let mut returned = first.begin(&mut browser).await;
        returned.code.clone_from(&elsewhere.code);
        returned.iss = iss;
        let refused = browser.get(&first.callback(&returned)).await;
        assert_eq!(company.reason(refused, status.0, status.1).await["reason"], reason);
        assert!(!browser.jar.contains_key(SESSION));
    }
    assert!(second.provider.server.seen("/token").is_empty(), "no code reaches the other provider");
    // A token of another, though the same key signs it.
    let issuer = second.provider.issuer();
    first.provider.claim("iss", issuer.clone());
    let entry = first.refused(&company, WORD.0, WORD.1).await;
    assert_eq!((&entry["reason"], &entry["found"]), (&json!("wrong-issuer"), &json!(issuer)));
    // The provider that was asked goes on.
    first.provider.state().claims.remove("iss");
    first.signed_in(&company).await;
}

#[tokio::test]
async fn o40_an_email_links_nothing_at_a_provider_that_is_not_trusted_for_it() {
    let company = Company::new().await;
    let boss = json!({ "email": "ada@example.com", "rootRole": role::ADMIN });
    let boss = company.app.admin().post(USERS, boss).await.expect(201)["id"].clone();
    let beside = Beside::new(&company, "contractors").await;
    let entry = beside.refused(&company, ADMISSION.0, ADMISSION.1).await;
    assert_eq!((&entry["reason"], &entry["userId"]), (&json!("linking-off"), &boss));
    // Trusted, it has to prove whose the email is.
    let trusted = json!({ "autoCreate": true, "linkByEmail": true });
    beside.set(&company, true, json!({ "requireVerifiedEmail": false }), &trusted).await.expect(200);
    beside.provider.claim("email_verified", Value::Null);
    assert_eq!(beside.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "linking-off");
    // That it proves nothing is refused at once, unless the settings say otherwise.
    beside.set(&company, true, json!({}), &trusted).await.expect(200);
    assert_eq!(beside.refused(&company, WORD.0, WORD.1).await["reason"], "email-unverified");
    beside.provider.claim("email_verified", true);
    let (_, user) = beside.signed_in(&company).await;
    assert_eq!(user["id"], boss);
}

#[tokio::test]
async fn o40_who_took_an_email_at_an_untrusted_provider_loses_the_account_to_its_owner() {
    let company = Company::new().await;
    let untrusted = Beside::new(&company, "untrusted").await;
    let (mut mallory, user) = untrusted.signed_in(&company).await;
    assert_eq!(user["email"], "ada@example.com");
    let before = company.app.events().await.len();
    // The provider of the settings is trusted, as it ever was.
    let mut ada = company.browser();
    assert_eq!(company.sign_in(&mut ada).await.status, 302);
    assert_eq!(company.who(&mut ada).await["id"], user["id"]);
    mallory.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    let events = company.app.events().await.split_off(before);
    let data = calls::told(&events[0])[2].clone();
    let replaced = json!([{
        "provider": "oidc", "providerId": "untrusted", "issuer": untrusted.provider.issuer(), "subject": "person-7",
    }]);
    assert_eq!((&data["replacedIdentities"], &data["endedSessions"]), (&replaced, &json!(1)));
    // The way in that Mallory came by leads nowhere.
    let entry = untrusted.refused(&company, ADMISSION.0, ADMISSION.1).await;
    assert_eq!(entry["reason"], "linking-off");
    assert_eq!(company.who(&mut ada).await["id"], user["id"], "and ends nothing of the owner's");
}

#[tokio::test]
async fn o41_a_provider_that_is_disabled_or_deleted_ends_its_sessions_and_no_others() {
    let company = Company::new().await;
    let (first, second) = (Beside::new(&company, "first").await, Beside::new(&company, "second").await);
    first.provider.claim("email", "grace@example.com");
    second.provider.claim("email", "alan@example.com");
    let (mut grace, user) = first.signed_in(&company).await;
    let (mut alan, _) = second.signed_in(&company).await;
    let under_way = first.begin(&mut company.browser()).await;
    let rules = json!({ "autoCreate": true });
    first.set(&company, false, json!({}), &rules).await.expect(200);
    grace.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    alan.get("/api/admin/user").await.expect(200);
    for path in ["/auth/providers/first/login".to_owned(), first.callback(&under_way)] {
        company.browser().get(&path).await.refused(404, "NotFoundError", "first");
    }
    first.set(&company, true, json!({}), &rules).await.expect(200);
    let (mut grace, again) = first.signed_in(&company).await;
    assert_eq!(again["id"], user["id"]);
    let path = format!("{PROVIDERS}/first");
    company.app.admin().json(Method::DELETE, &path, Value::Null).await.expect(200);
    company.app.admin().json(Method::DELETE, &path, Value::Null).await.refused(404, "NotFoundError", "first");
    grace.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    alan.get("/api/admin/user").await.expect(200);
    let types = company.app.event_types().await;
    assert_eq!(types.last().map(String::as_str), Some("setting-deleted"));
    // Created again, it is of the same people; a provider elsewhere under the same id is not.
    let anew = Beside::new(&company, "first").await;
    anew.provider.claim("email", "grace@example.com");
    let entry = anew.refused(&company, ADMISSION.0, ADMISSION.1).await;
    assert_eq!((&entry["reason"], &entry["userId"]), (&json!("linking-off"), &user["id"]));
    let settings = json!({ "discoverUrl": first.provider.issuer() });
    anew.set(&company, true, settings, &json!({})).await.expect(200);
    let (_, known) = first.signed_in(&company).await;
    assert_eq!(known["id"], user["id"]);
}

#[tokio::test]
async fn secrets_are_neither_answered_nor_logged_nor_stored_in_clear() {
    let company = Company::new().await;
    let beside = Beside::new(&company, "first").await;
    let admin = company.app.admin();
    let path = format!("{PROVIDERS}/first");
    let shown = admin.get(&path).await.expect(200);
    assert_eq!(shown["settings"]["secret"], "********");
    assert_eq!(shown["addresses"]["redirectUrl"], format!("{BASE}/auth/providers/first/callback"));
    let listed = admin.get(PROVIDERS).await.expect(200);
    assert_eq!(listed["providers"], json!([shown]));
    // A mask keeps what is stored, as long as it goes nowhere else.
    let content = |settings: Value| {
        let rules = json!({ "autoCreate": true });
        json!({ "label": "First", "icon": "key", "enabled": true, "settings": settings, "rules": rules })
    };
    let masked = |more: Value| beside.settings(json!({ "secret": "********", "scopes": more }));
    let before = company.app.events().await.len();
    let updated = admin.json(Method::PUT, &path, content(masked(json!(["offline_access"])))).await.expect(200);
    assert_eq!(updated["settings"]["secret"], "********");
    beside.signed_in(&company).await;
    let elsewhere = json!({ "clientId": CLIENT_ID, "secret": "********", "discoverUrl": "https://evil.example" });
    let refused = admin.json(Method::PUT, &path, content(elsewhere)).await;
    refused.refused(400, "ValidationError", "/body/settings/secret");
    let other = json!({
        "id": "other", "kind": "google", "label": "Other", "settings": { "clientId": "c", "secret": "********" },
    });
    admin.post(PROVIDERS, other).await.refused(400, "ValidationError", "/body/settings/secret");
    let events = company.app.events().await.split_off(before);
    let changed = events.iter().find(|event| event.r#type == "setting-updated").expect("an event");
    let data = calls::told(changed)[2].clone();
    assert_eq!(
        (&data["id"], &data["changedSettings"], &data["issuer"]),
        (&json!("flagstone.sign-in-providers.first"), &json!(["scopes"]), &json!(beside.provider.issuer()))
    );
    let told = format!("{shown} {listed} {updated} {:?}", company.app.events().await);
    assert!(!told.contains(SECRET) && !told.contains("s3cret"), "{told}");
    let rows = sign_in_provider::Entity::find().all(company.app.db()).await.expect("rows");
    let [row] = rows.as_slice() else { panic!("one row: {rows:?}") };
    assert!(row.settings.starts_with("v1:") && !format!("{row:?}").contains(CLIENT_ID));
}

#[tokio::test]
async fn what_a_kind_needs_or_cannot_have_is_named() {
    let company = Company::new().await;
    let admin = company.app.admin();
    let body = |id: &str, kind: &str, settings: Value, rules: Value| json!({ "id": id, "kind": kind, "label": "A provider", "settings": settings, "rules": rules });
    let client = json!({ "clientId": "c", "secret": "s" });
    for (body, named) in [
        (body("No", "google", client.clone(), json!({})), "/body/id"),
        (body("sort-order", "google", client.clone(), json!({})), "/body/id"),
        (body("a", "ldap", client.clone(), json!({})), "/body/kind"),
        (body("a", "oidc", client.clone(), json!({})), "/body/settings/discoverUrl"),
        (body("a", "entra", client.clone(), json!({})), "/body/settings/tenant"),
        (body("a", "entra", json!({ "tenant": "common" }), json!({})), "/body/settings/tenant"),
        (
            body("a", "github", json!({ "clientId": "c", "secret": "s", "acrValues": "x" }), json!({})),
            "/body/settings/acrValues",
        ),
        (
            body(
                "a",
                "google",
                json!({ "clientId": "c", "secret": "s", "discoverUrl": "http://id.example.com" }),
                json!({}),
            ),
            "/body/settings/discoverUrl",
        ),
        (
            body(
                "a",
                "saml",
                json!({ "entityId": "e", "signOnUrl": "https://id.example.com", "certificate": "none" }),
                json!({}),
            ),
            "/body/settings/certificate",
        ),
        (body("a", "google", client.clone(), json!({ "requiredGroups": ["ops"] })), "/body/settings/groupsPath"),
        (body("a", "google", client.clone(), json!({ "defaultRootRoleId": 999 })), "/body/rules/defaultRootRoleId"),
        (
            body(
                "a",
                "google",
                client.clone(),
                json!({ "rootRoles": [{ "claim": "hd", "value": "x", "roleId": 999 }] }),
            ),
            "/body/rules/rootRoles/0/roleId",
        ),
    ] {
        let refused = admin.post(PROVIDERS, body.clone()).await;
        assert_eq!(refused.status, 400, "{body}");
        assert!(refused.text.contains(named), "{} lacks {named}", refused.text);
    }
    admin.post(PROVIDERS, body("a", "google", client.clone(), json!({}))).await.expect(201);
    admin.post(PROVIDERS, body("a", "google", client, json!({}))).await.refused(409, "NameExistsError", "\"a\"");
}

#[tokio::test]
async fn the_only_way_in_that_an_administrator_walked_stays() {
    let company = Company::with(json!({ "enabled": false })).await;
    let rules = json!({ "autoCreate": true, "defaultRootRoleId": role::ADMIN });
    let beside = Beside::with(&company, "staff", "oidc", json!({}), &rules).await;
    let (mut ada, _) = beside.signed_in(&company).await;
    ada.json(Method::POST, SIMPLE, &json!({ "disabled": true })).await.expect(200);
    let admin = company.app.admin();
    let path = format!("{PROVIDERS}/staff");
    let forbidden = (403, "InvalidOperationError", "login provider");
    beside.set(&company, false, json!({}), &rules).await.refused(forbidden.0, forbidden.1, forbidden.2);
    let moved = json!({ "clientId": "another" });
    beside.set(&company, true, moved, &rules).await.refused(forbidden.0, forbidden.1, forbidden.2);
    admin.json(Method::DELETE, &path, Value::Null).await.refused(forbidden.0, forbidden.1, forbidden.2);
    // What decides about nobody who is known can be changed.
    beside.set(&company, true, json!({}), &json!({ "autoCreate": false })).await.expect(200);
    let (_, again) = beside.signed_in(&company).await;
    assert_eq!(again["email"], "ada@example.com");
}
