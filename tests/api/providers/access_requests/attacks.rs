//! Requests for access that are to bring somebody in who should not come in.

use poem::http::Method;
use serde_json::{Value, json};

use super::{
    ADMISSION, ASKED, REQUESTS, USERS, approve, beside, events_since, reject, request, requesting, requests, users,
};
use crate::{
    harness::role,
    providers::{beside::Beside, company::Company},
};

#[tokio::test]
async fn o46_a_second_person_with_the_same_email_at_another_provider_gets_nothing_of_the_first() {
    let company = Company::new().await;
    let staff = beside(&company, "staff", json!({})).await;
    let others = beside(&company, "others", json!({})).await;
    for provider in [&staff, &others] {
        provider.refused(&company, ASKED.0, ASKED.1).await;
    }
    let both = requests(&company).await;
    let of: Vec<_> = both.iter().map(|asked| (&asked["providerId"], &asked["email"])).collect();
    let ada = json!("ada@example.com");
    assert_eq!(of, [(&json!("staff"), &ada), (&json!("others"), &ada)]);
    let user = approve(&company, &both[0], role::EDITOR).await.expect(201);
    let before = company.app.events().await.len();
    approve(&company, &both[1], role::ADMIN).await.refused(409, "NameExistsError", "email of this request");
    assert_eq!(company.app.events().await.len(), before);
    // The other one has an account in front of them that is not theirs.
    assert_eq!(others.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "linking-off");
    let (_, signed_in) = staff.signed_in(&company).await;
    assert_eq!(signed_in["id"], user["id"]);
    assert_eq!(request(&company).await["id"], both[1]["id"], "it waits for a decision");
    reject(&company, &both[1]).await.expect(200);
    assert_eq!(users(&company).await.len(), 1);
}

#[tokio::test]
async fn o46_an_email_that_is_not_proven_requests_nothing() {
    let company = Company::new().await;
    let settings = json!({ "requireVerifiedEmail": false });
    let staff = Beside::with(&company, "staff", "oidc", settings, &json!({ "requestAccess": true })).await;
    staff.provider.claim("email_verified", Value::Null);
    let before = company.app.events().await.len();
    assert_eq!(staff.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "unproven-email");
    staff.provider.claim("email_verified", false);
    assert_eq!(staff.refused(&company, 401, "SignInRefusedError").await["reason"], "email-unverified");
    assert_eq!(requests(&company).await, Vec::<Value>::new());
    assert_eq!(company.app.events().await.len(), before);
    staff.provider.claim("email_verified", true);
    staff.refused(&company, ASKED.0, ASKED.1).await;
    request(&company).await;
}

#[tokio::test]
async fn o46_of_two_approvals_at_once_one_creates_the_user() {
    let company = requesting().await;
    company.refused(ASKED.0, ASKED.1).await;
    let asked = request(&company).await;
    let before = company.app.events().await.len();
    let (one, other) = tokio::join!(approve(&company, &asked, role::VIEWER), approve(&company, &asked, role::EDITOR));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 404], "{} {}", one.text, other.text);
    let types = company.app.event_types().await.split_off(before);
    assert_eq!(types, ["user-created", "user-access-request-approved"]);
    assert_eq!(users(&company).await.len(), 1);
}

#[tokio::test]
async fn o46_of_an_approval_and_a_rejection_at_once_one_counts() {
    let company = requesting().await;
    company.refused(ASKED.0, ASKED.1).await;
    let asked = request(&company).await;
    let (approved, rejected) = tokio::join!(approve(&company, &asked, role::VIEWER), reject(&company, &asked));
    match (approved.status, rejected.status) {
        (201, 404) => assert_eq!(users(&company).await.len(), 1),
        (404, 200) => assert_eq!(users(&company).await, Vec::<Value>::new()),
        statuses => panic!("{statuses:?}: {} {}", approved.text, rejected.text),
    }
}

#[tokio::test]
async fn o46_an_email_that_changes_after_the_administrator_looked_is_another_request() {
    let company = requesting().await;
    company.refused(ASKED.0, ASKED.1).await;
    let asked = request(&company).await;
    let before = company.app.events().await.len();
    company.provider.claim("email", "boss@example.com");
    company.refused(ASKED.0, ASKED.1).await;
    approve(&company, &asked, role::ADMIN).await.refused(404, "NotFoundError", "access request");
    let anew = request(&company).await;
    assert_eq!((&anew["email"], anew["id"] == asked["id"]), (&json!("boss@example.com"), false));
    let types: Vec<_> = events_since(&company, before).await.into_iter().map(|event| event.r#type).collect();
    assert_eq!(types, ["user-access-request-registered"]);
    // Letters of another case are the same email.
    company.provider.claim("email", "Boss@Example.COM");
    company.refused(ASKED.0, ASKED.1).await;
    assert_eq!(request(&company).await["id"], anew["id"]);
}

#[tokio::test]
async fn o46_whoever_has_an_account_or_had_one_requests_none() {
    let company = requesting().await;
    let untrusted = beside(&company, "untrusted", json!({})).await;
    let ada = json!({ "email": "ada@example.com", "rootRole": role::ADMIN });
    let ada = company.app.admin().post(USERS, ada).await.expect(201)["id"].clone();
    let entry = untrusted.refused(&company, ADMISSION.0, ADMISSION.1).await;
    assert_eq!((&entry["reason"], &entry["userId"]), (&json!("linking-off"), &ada));
    // An email that is the name of somebody else to sign in with can be nobody's.
    let bob = json!({ "username": "bob@example.com", "rootRole": role::VIEWER });
    company.app.admin().post(USERS, bob).await.expect(201);
    untrusted.provider.claim("email", "bob@example.com");
    assert_eq!(untrusted.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "unusable-email");
    // A deleted user stays one, until an administrator forgets the identity.
    company.provider.claim("email", "carol@example.com");
    company.refused(ASKED.0, ASKED.1).await;
    let carol = approve(&company, &request(&company).await, role::VIEWER).await.expect(201)["id"].clone();
    let path = format!("{USERS}/{carol}");
    company.app.admin().json(Method::DELETE, &path, Value::Null).await.expect(200);
    assert_eq!(company.refused(ADMISSION.0, ADMISSION.1).await["reason"], "account-removed");
    assert_eq!(requests(&company).await, Vec::<Value>::new());
}

#[tokio::test]
async fn o46_the_owner_of_an_email_takes_over_what_an_untrusted_provider_was_approved_for() {
    let company = requesting().await;
    let untrusted = beside(&company, "untrusted", json!({})).await;
    untrusted.refused(&company, ASKED.0, ASKED.1).await;
    let user = approve(&company, &request(&company).await, role::EDITOR).await.expect(201);
    let (mut mallory, signed_in) = untrusted.signed_in(&company).await;
    assert_eq!(signed_in["id"], user["id"]);
    // The provider of the settings is trusted for emails.
    let mut ada = company.browser();
    assert_eq!(company.sign_in(&mut ada).await.status, 302);
    assert_eq!(company.who(&mut ada).await["id"], user["id"]);
    mallory.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    assert_eq!(untrusted.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "linking-off");
}

#[tokio::test]
async fn a_subject_that_no_list_could_show_requests_nothing() {
    let company = requesting().await;
    for subject in ["person\u{0}7", "person\n7"] {
        company.provider.claim("sub", subject);
        assert_eq!(company.refused(ADMISSION.0, ADMISSION.1).await["reason"], "not-invited", "{subject:?}");
    }
    assert_eq!(requests(&company).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_key_repeats_the_answer_of_an_approval() {
    let company = requesting().await;
    company.refused(ASKED.0, ASKED.1).await;
    let path = format!("{REQUESTS}/{}/approve", request(&company).await["id"]);
    let admin = company.app.admin();
    let send = async || {
        let headers = [("idempotency-key", "k"), ("content-type", "application/json")];
        let body = json!({ "rootRole": "Viewer" }).to_string().into_bytes();
        admin.request(Method::POST, &path, &headers, body).await.expect(201)
    };
    assert_eq!(send().await, send().await);
    assert_eq!(users(&company).await.len(), 1);
}
