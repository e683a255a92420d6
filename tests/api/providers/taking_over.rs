//! Accounts that were made beforehand, and those who come to them through a provider.

use poem::http::Method;
use serde_json::{Value, json};

use super::company::Company;
use crate::{
    calls,
    harness::{Client, role},
    second_factor,
    users::STRONG,
};

const USERS: &str = "/api/admin/user-admin";
const LINKS: &str = "/api/admin/invite-link/tokens";
const LOGIN: &str = "/auth/simple/login";
const ADMISSION: (u16, &str) = (403, "NotAdmittedError");

/// Signs up with somebody's address and gives the id of the account, its session and its personal token.
async fn made_beforehand(company: &Company, email: &str) -> (i64, String, Client) {
    let app = &company.app;
    let link = json!({ "name": "welcome", "expiresAt": "2026-01-20T00:00:00.000Z" });
    let link = app.admin().post(LINKS, link).await.expect(201);
    let signup = json!({ "email": email, "name": "Mallory", "password": STRONG });
    let path = format!("/invite/{}/signup", link["secret"].as_str().expect("a secret"));
    let id = app.anonymous().post(&path, signup).await.expect(201)["id"].as_i64().expect("an id");
    let cookie = crate::users::cookie(app, email, STRONG).await;
    let token = json!({ "description": "mine", "expiresAt": "2026-01-30T00:00:00.000Z" });
    let made = crate::users::with_cookie(app, &cookie, Method::POST, "/api/admin/user/tokens", token).await;
    let secret = made.expect(201)["secret"].as_str().expect("a secret").to_owned();
    (id, cookie, app.with_authorization(&secret))
}

async fn whoami(company: &Company, cookie: &str) -> u16 {
    crate::users::with_cookie(&company.app, cookie, Method::GET, "/api/admin/user", Value::Null).await.status
}

#[tokio::test]
async fn who_made_an_account_for_somebody_else_s_address_loses_it_when_its_owner_comes() {
    let company = Company::new().await;
    let (id, cookie, token) = made_beforehand(&company, "ada@example.com").await;
    token.get("/api/admin/user").await.expect(200);
    assert_eq!(whoami(&company, &cookie).await, 200);
    second_factor::enrol(&company.app, &company.app.anonymous().sending(&[("cookie", &cookie)])).await;
    let before = company.app.event_types().await.len();
    let mut ada = company.browser();
    assert_eq!(company.sign_in(&mut ada).await.status, 302);
    assert_eq!(company.who(&mut ada).await["id"], id);
    assert_eq!(whoami(&company, &cookie).await, 401, "the session ended");
    token.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    let login = json!({ "username": "ada@example.com", "password": STRONG });
    company.app.anonymous().post(LOGIN, login).await.refused(401, "PasswordMismatch", "");
    assert_eq!(second_factor::stored(&company.app).await, (0, 0), "nor does their app lock the owner out");
    let events = company.app.events().await.split_off(before);
    let types: Vec<&str> = events.iter().map(|event| &*event.r#type).collect();
    assert_eq!(types[..2], ["user-updated", "pat-deleted"]);
    let data = calls::told(&events[0])[2].clone();
    assert_eq!(
        data["linkedIdentity"],
        json!({ "provider": "oidc", "issuer": company.provider.issuer(), "subject": "person-7" })
    );
    assert_eq!(
        (&data["endedSessions"], &data["endedPersonalTokens"], &data["endedPassword"]),
        (&json!(1), &json!(1), &json!(true))
    );
    let log = company.app.admin().get(super::company::SIGN_INS).await.expect(200);
    let linked = log["signIns"].as_array().expect("entries").iter().find(|entry| entry["outcome"] == "linked");
    let linked = linked.expect("an entry");
    assert_eq!((&linked["reason"], &linked["userId"]), (&json!("linked-by-email-and-ended"), &json!(id)));
    assert!(linked["explanation"].as_str().is_some_and(|text| text.contains("ended")), "{linked}");
    // From then on the person is known, and nothing of theirs ends by signing in.
    let own = json!({ "description": "own", "expiresAt": "2026-01-30T00:00:00.000Z" });
    let made = ada.json(Method::POST, "/api/admin/user/tokens", &own).await.expect(201);
    let own = company.app.with_authorization(made["secret"].as_str().expect("a secret"));
    company.sign_in(&mut company.browser()).await;
    own.get("/api/admin/user").await.expect(200);
}

#[tokio::test]
async fn linking_an_administrator_leaves_an_event_that_names_the_identity() {
    let company = Company::new().await;
    let boss = json!({ "email": "ada@example.com", "rootRole": role::ADMIN });
    let id = company.app.admin().post(USERS, boss).await.expect(201)["id"].clone();
    let before = company.app.event_types().await.len();
    company.sign_in(&mut company.browser()).await;
    let events = company.app.events().await.split_off(before);
    let linked = events.iter().find(|event| event.r#type == "user-updated").expect("an event");
    let data = calls::told(linked)[2].clone();
    assert_eq!((&data["id"], &data["linkedIdentity"]["subject"]), (&id, &json!("person-7")));
    // The link to set the first password, which somebody else may hold, went too.
    assert_eq!(data["endedPassword"], false);
    company.sign_in(&mut company.browser()).await;
    assert_eq!(company.app.event_types().await.len(), before + events.len(), "once");
}

#[tokio::test]
async fn an_invitation_of_an_administrator_is_worth_nothing_once_the_owner_came() {
    let company = Company::new().await;
    let body = json!({ "email": "ada@example.com", "rootRole": role::VIEWER });
    let made = company.app.admin().post(USERS, body).await.expect(201);
    let link = made["inviteLink"].as_str().expect("a link").to_owned();
    let token = link.split("token=").nth(1).expect("a token").to_owned();
    company.sign_in(&mut company.browser()).await;
    let body = json!({ "token": token, "password": STRONG });
    company.app.anonymous().post("/auth/reset/password", body).await.refused(401, "InvalidTokenError", "");
}

#[tokio::test]
async fn who_is_signed_in_as_the_user_is_the_one_who_was_there_before() {
    let company = Company::new().await;
    let (id, cookie, token) = made_beforehand(&company, "ada@example.com").await;
    let mut browser = company.browser();
    let login = json!({ "username": "ada@example.com", "password": STRONG });
    browser.json(Method::POST, LOGIN, &login).await.expect(200);
    assert_eq!(company.sign_in(&mut browser).await.status, 302);
    assert_eq!(company.who(&mut browser).await["id"], id);
    token.get("/api/admin/user").await.expect(200);
    assert_eq!(whoami(&company, &cookie).await, 200);
}

#[tokio::test]
async fn linking_by_email_can_be_switched_off_and_heeds_the_domains() {
    let company = Company::new().await;
    let body = json!({ "email": "ada@example.com", "rootRole": role::EDITOR });
    let id = company.app.admin().post(USERS, body).await.expect(201)["id"].clone();
    let policy = "/api/admin/auth/policy";
    let mut wanted = company.app.admin().get(policy).await.expect(200);
    assert_eq!(wanted["linkByEmail"], true);
    wanted["linkByEmail"] = json!(false);
    crate::calls::put(&company.app.admin(), policy, wanted.clone()).await.expect(200);
    let entry = company.refused(ADMISSION.0, ADMISSION.1).await;
    assert_eq!((&entry["reason"], &entry["userId"]), (&json!("linking-off"), &id));
    let relink = json!({ "provider": "oidc", "ids": [id] });
    company.app.admin().post(&format!("{USERS}/identities/relink"), relink).await.expect(200);
    company.provider.claim("email_verified", true);
    let mut invited = company.browser();
    assert_eq!(company.sign_in(&mut invited).await.status, 302);
    assert_eq!(company.who(&mut invited).await["id"], id);
    let identities = format!("{USERS}/{id}/identities");
    crate::calls::delete(&company.app.admin(), &identities).await.expect(200);
    // Without the property it is on: clients made before send none.
    wanted.as_object_mut().expect("an object").remove("linkByEmail");
    crate::calls::put(&company.app.admin(), policy, wanted).await.expect(200);
    company.set(json!({ "emailDomains": "example.org" })).await.expect(200);
    let entry = company.refused(ADMISSION.0, ADMISSION.1).await;
    assert_eq!((&entry["reason"], &entry["userId"]), (&json!("domain-not-allowed"), &id));
    company.set(json!({ "emailDomains": "example.com" })).await.expect(200);
    let mut ada = company.browser();
    company.sign_in(&mut ada).await;
    assert_eq!(company.who(&mut ada).await["id"], id);
}

#[tokio::test]
async fn an_address_of_other_letters_is_nobody_s() {
    let company = Company::new().await;
    let body = json!({ "email": "kate.sims@example.com", "username": "kate", "rootRole": role::ADMIN });
    let id = company.app.admin().post(USERS, body).await.expect(201)["id"].clone();
    let lookalikes = [
        "\u{212a}ate.sims@example.com",
        "kate.\u{17f}ims@example.com",
        "kate.s\u{130}ms@example.com",
        "kate.s\u{131}ms@example.com",
        "\u{ff4b}ate.sims@example.com",
        "kate.sims@example.com\u{a0}",
        "\u{a0}kate.sims@example.com",
        "kate.sims\u{200b}@example.com",
        "kate.sims@\u{212a}xample.com",
        "kate.sims@example\u{3002}com",
    ];
    for (number, email) in lookalikes.iter().enumerate() {
        company.provider.claim("email", *email);
        company.provider.claim("sub", format!("stranger-{number}"));
        // Asked where the token tells no address.
        company.provider.state().userinfo.insert("sub".to_owned(), json!(format!("stranger-{number}")));
        let entry = company.refused(401, "SignInRefusedError").await;
        assert_eq!(entry["reason"], "email-missing", "{email:?}");
        for (path, body) in [
            (USERS, json!({ "email": email, "rootRole": role::VIEWER })),
            (USERS, json!({ "email": email, "username": "x", "rootRole": role::VIEWER })),
        ] {
            company.app.admin().post(path, body).await.refused(400, "ValidationError", "/body/email");
        }
        let login = json!({ "username": email, "password": STRONG });
        company.app.anonymous().post(LOGIN, login).await.refused(401, "PasswordMismatch", "");
        company.advance(60);
    }
    // Upper and lower case of ASCII letters are the same.
    company.provider.claim("email", "KATE.Sims@EXAMPLE.com");
    company.provider.claim("sub", "kate");
    let mut kate = company.browser();
    company.sign_in(&mut kate).await;
    assert_eq!(company.who(&mut kate).await["id"], id);
}

#[tokio::test]
async fn sessions_end_with_their_provider() {
    let company = Company::new().await;
    company.app.root_admin().await;
    let mut ada = company.browser();
    company.sign_in(&mut ada).await;
    company.who(&mut ada).await;
    let other_node = company.other_node();
    let password = crate::users::user(&company.app, "bob", role::VIEWER).await;
    assert!(password > 0);
    let cookie = crate::users::cookie(&company.app, "bob", STRONG).await;
    company.app.admin().post(super::company::OIDC, json!({ "enabled": false })).await.expect(200);
    ada.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    assert_eq!(whoami(&company, &cookie).await, 200, "who came with a password stays");
    drop(other_node);
}

#[tokio::test]
async fn the_number_that_undoes_a_refusal_is_in_the_log() {
    let company = Company::new().await;
    let mut ada = company.browser();
    company.sign_in(&mut ada).await;
    let id = company.who(&mut ada).await["id"].clone();
    let admin = company.app.admin();
    crate::calls::delete(&admin, &format!("{USERS}/{id}")).await.expect(200);
    let entry = company.refused(ADMISSION.0, ADMISSION.1).await;
    assert_eq!((&entry["reason"], &entry["userId"]), (&json!("account-removed"), &id));
    crate::calls::delete(&admin, &format!("{USERS}/{id}/identities")).await.expect(200);
    assert_eq!(company.sign_in(&mut company.browser()).await.status, 302);
}

#[tokio::test]
async fn everybody_is_linked_anew_once_their_provider_was_made_anew_and_nobody_else_is() {
    let company = Company::new().await;
    let admin = company.app.admin();
    let come = async |subject: &str, email: &str, verified: Value| {
        company.provider.claim("sub", subject);
        company.provider.claim("email", email);
        company.provider.claim("email_verified", verified);
        let mut browser = company.browser();
        let answer = company.sign_in(&mut browser).await;
        (answer, browser)
    };
    let (_, mut ada) = come("ada-1", "ada@example.com", json!(true)).await;
    let id = company.who(&mut ada).await["id"].clone();
    let (_, mut bob) = come("bob-1", "bob@example.com", json!(true)).await;
    let bob_id = company.who(&mut bob).await["id"].clone();
    let refused = async |subject: &str, email: &str, verified: Value| {
        let (answer, _) = come(subject, email, verified).await;
        company.reason(answer, ADMISSION.0, ADMISSION.1).await["reason"].clone()
    };
    assert_eq!(refused("ada-2", "ada@example.com", json!(true)).await, "email-of-another-identity");
    let path = format!("{USERS}/identities/relink");
    let before = company.app.event_types().await.len();
    let preview = admin.post(&format!("{path}?dryRun=true"), json!({ "provider": "oidc" })).await.expect(200);
    assert_eq!(preview["users"].as_array().map(Vec::len), Some(2), "{preview}");
    assert_eq!(company.app.event_types().await.len(), before);
    assert_eq!(refused("ada-2", "ada@example.com", json!(true)).await, "email-of-another-identity");
    for body in [json!({}), json!({ "provider": "ldap" }), json!({ "provider": "oidc", "hours": 721 })] {
        admin.post(&path, body).await.refused(400, "ValidationError", "/body");
    }
    admin.post(&path, json!({ "provider": "saml" })).await.expect(200);
    assert_eq!(refused("ada-2", "ada@example.com", json!(true)).await, "email-of-another-identity");
    admin.post(&path, json!({ "provider": "oidc", "ids": [id], "hours": 1 })).await.expect(200);
    assert_eq!(refused("ada-2", "ada@example.com", Value::Null).await, "email-of-another-identity", "not verified");
    assert_eq!(refused("bob-2", "bob@example.com", json!(true)).await, "email-of-another-identity", "not asked for");
    let before = company.app.event_types().await.len();
    let (answer, mut again) = come("ada-2", "ADA@example.com", json!(true)).await;
    assert_eq!(answer.status, 302, "{}", answer.text);
    assert_eq!(company.who(&mut again).await["id"], id);
    assert_eq!(ada.get("/api/admin/user").await.status, 401, "the sessions of the old identity ended");
    let event = company.app.events().await.split_off(before).remove(0);
    let data = calls::told(&event)[2].clone();
    assert_eq!(
        (&data["linkedIdentity"]["subject"], &data["replacedIdentities"][0]["subject"]),
        (&json!("ada-2"), &json!("ada-1"))
    );
    let identities = admin.get(&format!("{USERS}/{id}/identities")).await.expect(200);
    assert_eq!(identities["identities"].as_array().map(Vec::len), Some(1), "{identities}");
    // Once: who is given the address later inherits nothing.
    assert_eq!(refused("ada-3", "ada@example.com", json!(true)).await, "email-of-another-identity");
    // And not for ever.
    admin.post(&path, json!({ "provider": "oidc", "ids": [bob_id], "hours": 1 })).await.expect(200);
    company.advance(3600);
    assert_eq!(refused("bob-2", "bob@example.com", json!(true)).await, "email-of-another-identity");
}
