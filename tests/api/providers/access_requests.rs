//! People who sign in without an account request access, and administrators decide.

mod attacks;
mod decisions;

use flagstone::{domain::time::Timestamp, store::entity::event};
use poem::http::Method;
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};

use super::{beside::Beside, company::Company};
use crate::{
    calls::{delete, put, told},
    harness::{Answer, role},
};

const REQUESTS: &str = "/api/admin/user-access-requests";
const USERS: &str = "/api/admin/user-admin";
const POLICY: &str = "/api/admin/auth/policy";
const ASKED: (u16, &str) = (403, "AccessRequestedError");
const ADMISSION: (u16, &str) = (403, "NotAdmittedError");

/// A company whose provider of the settings lets people without an account request access.
async fn requesting() -> Company {
    let company = Company::with(json!({ "autoCreate": false })).await;
    request_access(&company, true).await;
    company
}

async fn request_access(company: &Company, on: bool) {
    let mut policy = company.app.admin().get(POLICY).await.expect(200);
    policy["requestAccess"] = json!(on);
    put(&company.app.admin(), POLICY, policy).await.expect(200);
}

/// A provider beside the settings whose people request access by these further rules.
async fn beside(company: &Company, id: &'static str, rules: Value) -> Beside {
    let mut all = json!({ "requestAccess": true });
    let Value::Object(rules) = rules else { panic!("an object") };
    all.as_object_mut().expect("an object").extend(rules);
    Beside::with(company, id, "oidc", json!({ "groupsPath": "groups" }), &all).await
}

/// The open requests.
async fn requests(company: &Company) -> Vec<Value> {
    let listed = company.app.admin().get(REQUESTS).await.expect(200);
    listed["userAccessRequests"].as_array().expect("requests").clone()
}

/// Returns the only open request.
async fn request(company: &Company) -> Value {
    let requests = requests(company).await;
    let [request] = requests.as_slice() else { panic!("one request: {requests:?}") };
    request.clone()
}

async fn approve(company: &Company, request: &Value, root_role: i64) -> Answer {
    let path = format!("{REQUESTS}/{}/approve", request["id"]);
    company.app.admin().post(&path, json!({ "rootRole": root_role })).await
}

async fn reject(company: &Company, request: &Value) -> Answer {
    delete(&company.app.admin(), &format!("{REQUESTS}/{}", request["id"])).await
}

async fn users(company: &Company) -> Vec<Value> {
    company.app.admin().get(USERS).await.expect(200)["users"].as_array().expect("users").clone()
}

async fn events_since(company: &Company, before: usize) -> Vec<event::Model> {
    company.app.events().await.split_off(before)
}

#[tokio::test]
async fn whoever_has_no_account_requests_access_once_and_comes_in_after_the_approval() {
    let company = requesting().await;
    company.provider.claim("name", "Ada Lovelace");
    let before = company.app.events().await.len();
    let entry = company.refused(ASKED.0, ASKED.1).await;
    assert_eq!((&entry["reason"], &entry["subject"]), (&json!("access-requested"), &json!("ada@example.com")));
    let at = company.app.clock.now();
    let asked = request(&company).await;
    let image =
        "https://gravatar.com/avatar/b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72?s=42&d=retro&r=g";
    let expected = json!({
        "id": asked["id"], "email": "ada@example.com", "name": "Ada Lovelace", "imageUrl": image, "provider": "oidc",
        "issuer": company.provider.issuer(), "subject": "person-7", "requestedAt": at, "lastRequestedAt": at,
        "endsAt": at.plus_days(30),
    });
    assert_eq!(asked, expected);
    let data = json!({
        "id": asked["id"], "email": "ada@example.com", "name": "Ada Lovelace", "provider": "oidc",
        "issuer": company.provider.issuer(), "subject": "person-7", "requestedAt": at,
    });
    let registered = events_since(&company, before).await;
    let [event] = registered.as_slice() else { panic!("one event: {registered:?}") };
    assert_eq!(told(event), json!(["user-access-request-registered", null, data, null]));
    let system = flagstone::domain::actor::Actor::system();
    assert_eq!(event.created_by, system.name);
    // Whoever signs in again asks for nothing more, and keeps the request open.
    company.advance(86_400);
    assert_eq!(company.refused(ASKED.0, ASKED.1).await["reason"], "access-requested");
    let now = company.app.clock.now();
    let again = request(&company).await;
    assert_eq!((&again["id"], &again["requestedAt"]), (&asked["id"], &json!(at)));
    assert_eq!((&again["lastRequestedAt"], &again["endsAt"]), (&json!(now), &json!(now.plus_days(30))));
    assert_eq!(company.app.events().await.len(), before + 1);
    assert_eq!(users(&company).await, Vec::<Value>::new(), "nobody is created");

    let answer = approve(&company, &asked, role::EDITOR).await;
    let place = answer.headers["location"].to_str().expect("a text").to_owned();
    let user = answer.expect(201);
    assert_eq!(place, format!("{USERS}/{}", user["id"]));
    assert_eq!(
        (&user["email"], &user["name"], &user["rootRole"]),
        (&json!("ada@example.com"), &json!("Ada Lovelace"), &json!(role::EDITOR))
    );
    let decided = events_since(&company, before + 1).await;
    let [created, approved] = decided.as_slice() else { panic!("two events: {decided:?}") };
    let mut data = data;
    data["userId"] = user["id"].clone();
    data["rootRole"] = json!(role::EDITOR);
    let created = told(created);
    assert_eq!((&created[0], &created[2]["id"]), (&json!("user-created"), &user["id"]));
    assert_eq!(told(approved), json!(["user-access-request-approved", null, data, null]));
    assert_eq!(requests(&company).await, Vec::<Value>::new());
    approve(&company, &asked, role::EDITOR).await.refused(404, "NotFoundError", "access request");
    reject(&company, &asked).await.refused(404, "NotFoundError", "access request");

    let mut ada = company.browser();
    assert_eq!(company.sign_in(&mut ada).await.status, 302);
    assert_eq!(company.who(&mut ada).await["id"], user["id"]);
    let identities = company.app.admin().get(&format!("{USERS}/{}/identities", user["id"])).await.expect(200);
    assert_eq!(identities["identities"][0]["subject"], "person-7");
    // The event is found by its own type, and shown with one that every client knows.
    let found = company.app.admin().get("/api/admin/search/events?type=IS:user-access-request-approved").await;
    let found = found.expect(200)["events"].clone();
    assert_eq!(
        (&found[0]["type"], &found[0]["label"]),
        (&json!("setting-updated"), &json!("user-access-request-approved"))
    );
}

#[tokio::test]
async fn nobody_requests_access_where_no_rule_says_so() {
    let company = Company::with(json!({ "autoCreate": false })).await;
    assert_eq!(company.app.admin().get(POLICY).await.expect(200)["requestAccess"], false);
    assert_eq!(company.refused(ADMISSION.0, ADMISSION.1).await["reason"], "not-invited");
    let plain = Beside::with(&company, "plain", "oidc", json!({}), &json!({})).await;
    assert_eq!(plain.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "not-invited");
    // The policy is that of the two settings alone.
    request_access(&company, true).await;
    assert_eq!(plain.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "not-invited");
    assert_eq!(company.refused(ASKED.0, ASKED.1).await["reason"], "access-requested");
    // Whoever becomes a user needs no request, and the one that is open ends.
    company.set(json!({ "autoCreate": true })).await.expect(200);
    assert_eq!(company.sign_in(&mut company.browser()).await.status, 302);
    assert_eq!(requests(&company).await, Vec::<Value>::new());
    // Without the property, as clients made before send the policy, it is off.
    let mut policy = company.app.admin().get(POLICY).await.expect(200);
    policy.as_object_mut().expect("an object").remove("requestAccess");
    assert_eq!(put(&company.app.admin(), POLICY, policy).await.expect(200)["requestAccess"], false);
}

#[tokio::test]
async fn domains_and_required_groups_refuse_before() {
    let company = Company::new().await;
    let rules = json!({ "emailDomains": ["example.com"], "requiredGroups": ["ops"] });
    let staff = beside(&company, "staff", rules).await;
    let before = company.app.events().await.len();
    for (email, groups, reason) in [
        ("grace@example.com", json!([]), "required-group-missing"),
        ("grace@example.org", json!(["ops"]), "domain-not-allowed"),
    ] {
        staff.provider.claim("email", email);
        staff.provider.claim("groups", groups);
        assert_eq!(staff.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], reason);
    }
    assert_eq!(requests(&company).await, Vec::<Value>::new());
    assert_eq!(company.app.events().await.len(), before);
    staff.provider.claim("email", "grace@example.com");
    assert_eq!(staff.refused(&company, ASKED.0, ASKED.1).await["reason"], "access-requested");
    let asked = request(&company).await;
    assert_eq!((&asked["email"], &asked["providerId"]), (&json!("grace@example.com"), &json!("staff")));
    let user = approve(&company, &asked, role::VIEWER).await.expect(201);
    let (_, signed_in) = staff.signed_in(&company).await;
    assert_eq!(signed_in["id"], user["id"]);
    // An approval takes the place of no required group.
    staff.provider.claim("groups", json!([]));
    assert_eq!(staff.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "required-group-missing");
}

#[tokio::test]
async fn a_browser_is_shown_that_the_request_waits() {
    let company = requesting().await;
    let mut browser = company.browser();
    browser.accepts = "text/html";
    let answer = company.sign_in(&mut browser).await;
    assert_eq!(answer.status, 403);
    for part in ["Your request for one waits for an administrator", "/auth/oidc/login\">Try again"] {
        assert!(answer.text.contains(part), "{part}: {}", answer.text);
    }
    assert!(!answer.text.contains("ada@example.com"));
    let entry = company.newest_entry().await;
    assert!(answer.text.contains(entry["errorId"].as_str().expect("an id")));
    assert!(entry["explanation"].as_str().is_some_and(|text| text.contains("approveUserAccessRequest")), "{entry}");
}

#[tokio::test]
async fn a_trial_tells_that_access_would_be_requested_and_requests_none() {
    let company = requesting().await;
    let admin = company.app.admin();
    let tried = async || {
        let trial = admin.post("/api/admin/auth/oidc/test", company.settings(json!({ "autoCreate": false }))).await;
        let id = trial.expect(200)["id"].as_str().expect("an id").to_owned();
        let mut browser = company.browser();
        let returned = company.begin_for(&mut browser, &format!("?trial={id}")).await;
        assert_eq!(browser.get(&super::company::callback(&returned)).await.status, 200);
        admin.get(&format!("/api/admin/auth/oidc/test/{id}")).await.expect(200)
    };
    let before = company.app.events().await.len();
    let outcome = tried().await;
    assert_eq!((&outcome["state"], &outcome["reason"]), (&json!("refused"), &json!("access-requested")));
    assert!(outcome["explanation"].is_string(), "{outcome}");
    assert_eq!(requests(&company).await, Vec::<Value>::new());
    assert_eq!(company.app.events().await.len(), before);
    company.refused(ASKED.0, ASKED.1).await;
    reject(&company, &request(&company).await).await.expect(200);
    assert_eq!(tried().await["reason"], "access-rejected");
}

#[tokio::test]
async fn a_request_ends_after_thirty_days_without_another_attempt() {
    let company = requesting().await;
    company.refused(ASKED.0, ASKED.1).await;
    let asked = request(&company).await;
    company.advance(30 * 86_400 - 1);
    assert_eq!(requests(&company).await.len(), 1);
    company.advance(1);
    assert_eq!(requests(&company).await, Vec::<Value>::new());
    approve(&company, &asked, role::VIEWER).await.refused(404, "NotFoundError", "access request");
    // It is as if there had been none, also before the upkeep.
    let before = company.app.events().await.len();
    company.refused(ASKED.0, ASKED.1).await;
    assert_ne!(request(&company).await["id"], asked["id"]);
    assert_eq!(company.app.event_types().await[before..], ["user-access-request-registered"]);
    company.advance(30 * 86_400);
    flagstone::jobs::remove_ended_sessions(&company.app.state).await.expect("runs");
    let rows = flagstone::store::entity::user_access_request::Entity::find().all(company.app.db()).await;
    assert!(rows.expect("rows").is_empty());
}

#[tokio::test]
async fn the_number_of_open_requests_is_bounded() {
    use flagstone::{
        domain::{
            access_request::{AccessRequest, MOST},
            sign_in::ProviderKey,
        },
        store::sign_in::access_requests,
    };

    let company = requesting().await;
    let now: Timestamp = company.app.clock.now();
    let tx = company.app.tx().await;
    for number in 0..MOST {
        let request = AccessRequest {
            id: 0,
            provider: ProviderKey::OIDC,
            issuer: company.provider.issuer(),
            subject: format!("stranger-{number}"),
            email: format!("stranger-{number}@example.com"),
            name: None,
            proves_owner: false,
            requested_at: now,
            last_requested_at: now,
            ends_at: now.plus_days(30),
            rejected_at: None,
        };
        access_requests::insert(&tx, &request).await.expect("a request");
    }
    company.app.commit(tx).await;
    let before = company.app.events().await.len();
    assert_eq!(company.refused(ADMISSION.0, ADMISSION.1).await["reason"], "too-many-access-requests");
    assert_eq!(company.app.events().await.len(), before);
    let all = requests(&company).await;
    assert_eq!((all.len(), &all[0]["email"]), (500, &json!("stranger-0@example.com")));
    // One that is there stays open, however many there are.
    company.provider.claim("sub", "stranger-7");
    company.provider.claim("email", "stranger-7@example.com");
    assert_eq!(company.refused(ASKED.0, ASKED.1).await["reason"], "access-requested");
    // What is rejected makes room.
    reject(&company, &all[0]).await.expect(200);
    company.provider.claim("sub", "person-7");
    company.provider.claim("email", "ada@example.com");
    assert_eq!(company.refused(ASKED.0, ASKED.1).await["reason"], "access-requested");
}

#[tokio::test]
async fn what_one_node_registers_another_approves() {
    let company = requesting().await;
    company.refused(ASKED.0, ASKED.1).await;
    let asked = request(&company).await;
    let elsewhere = company.other_node();
    let there = elsewhere.admin().get(REQUESTS).await.expect(200);
    assert_eq!(there["userAccessRequests"], json!([asked]));
    let path = format!("{REQUESTS}/{}/approve", asked["id"]);
    let user = elsewhere.admin().json(Method::POST, &path, json!({ "rootRole": "Viewer" })).await.expect(201);
    assert_eq!(requests(&company).await, Vec::<Value>::new());
    let mut ada = company.browser();
    assert_eq!(company.sign_in(&mut ada).await.status, 302);
    assert_eq!(company.who(&mut ada).await["id"], user["id"]);
}
