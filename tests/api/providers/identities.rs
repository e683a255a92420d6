//! Identities for which a provider vouches, their users here, and what administrators see of it.

use serde_json::{Value, json};

use super::{
    browser::Browser,
    company::{Company, OIDC},
};
use crate::{calls, harness::role};

const USERS: &str = "/api/admin/user-admin";
const ADMISSION: (u16, &str) = (403, "NotAdmittedError");

async fn signed_in(company: &Company) -> Value {
    let mut browser = company.browser();
    let answer = company.sign_in(&mut browser).await;
    assert_eq!(answer.status, 302, "{}", answer.text);
    company.who(&mut browser).await
}

#[tokio::test]
async fn o36_an_email_finds_an_account_once_and_then_the_subject_does() {
    let company = Company::new().await;
    let id = company.make_user("ada@example.com").await;
    assert_eq!(signed_in(&company).await["id"], id);
    let identities = company.app.admin().get(&format!("{USERS}/{id}/identities")).await.expect(200);
    let identity = &identities["identities"][0];
    assert_eq!(identity["issuer"], company.provider.issuer());
    assert_eq!((&identity["provider"], &identity["subject"]), (&json!("oidc"), &json!("person-7")));
    // The address changes at the provider, and here it stays what it was.
    company.provider.claim("email", "ada@example.org");
    let ada = signed_in(&company).await;
    assert_eq!((&ada["id"], &ada["email"]), (&json!(id), &json!("ada@example.com")));
    let identities = company.app.admin().get(&format!("{USERS}/{id}/identities")).await.expect(200);
    assert_eq!(identities["identities"][0]["email"], "ada@example.org");
    // Somebody else is given the address: that inherits nothing.
    company.provider.claim("email", "ada@example.com");
    company.provider.claim("sub", "person-8");
    let entry = company.refused(ADMISSION.0, ADMISSION.1).await;
    assert_eq!((&entry["reason"], &entry["subject"]), (&json!("email-of-another-identity"), &json!("ada@example.com")));
    // Until an administrator says so.
    let forget = format!("{USERS}/{id}/identities");
    company.app.admin().json(poem::http::Method::DELETE, &forget, Value::Null).await.expect(200);
    assert_eq!(signed_in(&company).await["id"], id);
}

#[tokio::test]
async fn o36_who_was_deleted_stays_out_until_the_identity_is_forgotten() {
    let company = Company::new().await;
    let id = signed_in(&company).await["id"].as_i64().expect("an id");
    let admin = company.app.admin();
    admin.json(poem::http::Method::DELETE, &format!("{USERS}/{id}"), Value::Null).await.expect(200);
    assert_eq!(company.refused(ADMISSION.0, ADMISSION.1).await["reason"], "account-removed");
    let identities = admin.get(&format!("{USERS}/{id}/identities")).await.expect(200);
    assert_eq!(identities["identities"].as_array().map(Vec::len), Some(1));
    let events = company.app.event_types().await.len();
    for _ in 0..2 {
        admin.json(poem::http::Method::DELETE, &format!("{USERS}/{id}/identities"), Value::Null).await.expect(200);
    }
    assert_eq!(company.app.event_types().await[events..], ["user-updated"], "forgetting nothing leaves no event");
    assert_ne!(signed_in(&company).await["id"], id);
    admin.get(&format!("{USERS}/999/identities")).await.refused(404, "NotFoundError", "999");
}

#[tokio::test]
async fn forgetting_an_identity_ends_its_sessions() {
    let company = Company::new().await;
    let mut browser = company.browser();
    company.sign_in(&mut browser).await;
    let id = company.who(&mut browser).await["id"].clone();
    let forget = format!("{USERS}/{id}/identities");
    company.app.admin().json(poem::http::Method::DELETE, &forget, Value::Null).await.expect(200);
    browser.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
}

#[tokio::test]
async fn o20_only_people_of_the_domains_become_users_and_all_refusals_look_alike() {
    let company = Company::with(json!({ "emailDomains": "example.com" })).await;
    for (email, subject) in
        [("eve@evil.example", "1"), ("eve@mail.example.com", "2"), ("eve@example.com.evil.example", "3")]
    {
        company.provider.claim("email", email);
        company.provider.claim("sub", subject);
        assert_eq!(company.refused(ADMISSION.0, ADMISSION.1).await["reason"], "domain-not-allowed", "{email}");
    }
    company.provider.claim("email", "ada@example.com");
    assert_eq!(signed_in(&company).await["email"], "ada@example.com");
    // Who is a user already is linked to nobody of another domain.
    let bob = company.make_user("bob@elsewhere.example").await;
    company.provider.claim("email", "bob@elsewhere.example");
    company.provider.claim("sub", "4");
    let entry = company.refused(ADMISSION.0, ADMISSION.1).await;
    assert_eq!((&entry["reason"], &entry["userId"]), (&json!("domain-not-allowed"), &json!(bob)));
    company.set(json!({ "autoCreate": false })).await.expect(200);
    company.provider.claim("email", "carol@example.com");
    company.provider.claim("sub", "5");
    assert_eq!(company.refused(ADMISSION.0, ADMISSION.1).await["reason"], "not-invited");
    company.provider.claim("email", "no address");
    // Asked where the token tells no address.
    company.provider.state().userinfo.insert("sub".to_owned(), json!("5"));
    company.set(json!({})).await.expect(200);
    assert_eq!(company.refused(401, "SignInRefusedError").await["reason"], "email-missing");
}

#[tokio::test]
async fn a_new_name_is_taken_with_an_event_and_the_same_one_without() {
    let company = Company::new().await;
    signed_in(&company).await;
    for (name, events) in [("Ada", &["user-updated"][..]), ("Ada", &[]), ("Ada Lovelace", &["user-updated"])] {
        company.provider.claim("name", name);
        let before = company.app.event_types().await.len();
        assert_eq!(signed_in(&company).await["name"], name);
        assert_eq!(company.app.event_types().await[before..], *events);
    }
}

#[tokio::test]
async fn two_first_sign_ins_at_once_make_one_user() {
    let company = Company::new().await;
    let (mut one, mut other) = (company.browser(), company.browser());
    let (first, second) = (company.begin(&mut one).await, company.begin(&mut other).await);
    let (first, second) = (super::company::callback(&first), super::company::callback(&second));
    let (answer, another) = tokio::join!(one.get(&first), other.get(&second));
    assert_eq!((answer.status, another.status), (302, 302), "{} {}", answer.text, another.text);
    let users = company.app.admin().get(USERS).await.expect(200);
    assert_eq!(users["users"].as_array().map(Vec::len), Some(1));
}

async fn make_group(company: &Company, name: &str, mappings: &[&str], root_role: Option<i64>) -> i64 {
    let group = json!({ "name": name, "mappingsSSO": mappings, "rootRole": root_role });
    company.app.admin().post("/api/admin/groups", group).await.expect(201)["id"].as_i64().expect("an id")
}

async fn members(company: &Company, id: i64) -> usize {
    let group = company.app.admin().get(&format!("/api/admin/groups/{id}")).await.expect(200);
    group["users"].as_array().expect("users").len()
}

#[tokio::test]
async fn o21_groups_follow_the_provider_and_hand_made_memberships_stay() {
    let company = Company::with(json!({ "enableGroupSyncing": true, "groupJsonPath": "$.realm.groups" })).await;
    let (ops, dev, by_hand) = (
        make_group(&company, "Ops", &["ops", "admins"], None).await,
        make_group(&company, "Dev", &["dev"], None).await,
        make_group(&company, "Hand", &["gone"], None).await,
    );
    company.provider.claim("realm", json!({ "groups": ["dev", "ops", "unmapped"] }));
    let before = company.app.event_types().await.len();
    let id = signed_in(&company).await["id"].as_i64().expect("an id");
    assert_eq!(company.app.event_types().await[before..], ["user-created", "group-user-added", "group-user-added"]);
    let hand = json!({ "name": "Hand", "mappingsSSO": ["gone"], "users": [{ "user": { "id": id } }] });
    company.app.admin().json(poem::http::Method::PUT, &format!("/api/admin/groups/{by_hand}"), hand).await.expect(200);
    // A text is one group; what was given is taken back.
    company.provider.claim("realm", json!({ "groups": "admins" }));
    let before = company.app.events().await.len();
    signed_in(&company).await;
    let events = &company.app.events().await[before..];
    let [left] = events else { panic!("one event: {events:?}") };
    assert_eq!((&*left.r#type, left.created_by_user_id), ("group-user-removed", Some(-1337)));
    let data = calls::told(left)[3].clone();
    assert_eq!(data, json!({ "groupId": dev, "groupName": "Dev", "userId": id }));
    assert_eq!(
        (members(&company, ops).await, members(&company, dev).await, members(&company, by_hand).await),
        (1, 0, 1)
    );
    // What nobody can read changes nothing, and says so in the log.
    for (odd, reason) in [(json!({ "groups": { "a": 1 } }), "groups-shape"), (json!({ "groups": [7] }), "groups-shape")]
    {
        company.provider.claim("realm", odd);
        signed_in(&company).await;
        let entry = company.newest_entry().await;
        assert_eq!((&entry["outcome"], &entry["reason"]), (&json!("groups-left"), &json!(reason)));
        assert_eq!(members(&company, ops).await, 1);
    }
    let many: Vec<String> = (0..10_001).map(|number| format!("group-{number}")).collect();
    company.provider.claim("realm", json!({ "groups": many }));
    signed_in(&company).await;
    assert_eq!(company.newest_entry().await["reason"], "groups-too-many");
    // None is none.
    company.provider.claim("realm", Value::Null);
    signed_in(&company).await;
    assert_eq!((members(&company, ops).await, members(&company, by_hand).await), (0, 1));
}

#[tokio::test]
async fn a_sign_in_never_takes_the_last_administrator_and_never_fails_over_it() {
    let company = Company::with(json!({ "enableGroupSyncing": true, "groupJsonPath": "groups" })).await;
    let admins = make_group(&company, "Admins", &["admins"], Some(role::ADMIN)).await;
    company.provider.claim("groups", json!(["admins"]));
    let mut browser: Browser = company.browser();
    company.sign_in(&mut browser).await;
    browser.get("/api/admin/groups").await.expect(200);
    company.provider.claim("groups", json!([]));
    company.sign_in(&mut browser).await;
    let entry = company.newest_entry().await;
    assert_eq!(entry["reason"], "last-administrator-stays");
    assert!(entry["explanation"].is_string(), "{entry}");
    assert_eq!(members(&company, admins).await, 1);
    browser.get("/api/admin/groups").await.expect(200);
    // With another administrator it is taken.
    company.app.root_admin().await;
    company.sign_in(&mut browser).await;
    assert_eq!(members(&company, admins).await, 0);
    assert_eq!(browser.get(OIDC).await.status, 403);
}
