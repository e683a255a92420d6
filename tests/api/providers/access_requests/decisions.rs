//! Decisions of administrators on requests for access, and what may stand in the way by then.

use serde_json::{Value, json};

use super::{
    ADMISSION, ASKED, REQUESTS, USERS, approve, beside, events_since, reject, request, requesting, requests, users,
};
use crate::{
    calls::{delete, told},
    harness::role,
    providers::{beside::PROVIDERS, company::Company},
};

#[tokio::test]
async fn an_approval_names_a_root_role_that_exists() {
    let company = requesting().await;
    company.refused(ASKED.0, ASKED.1).await;
    let asked = request(&company).await;
    let path = format!("{REQUESTS}/{}/approve", asked["id"]);
    let admin = company.app.admin();
    let before = company.app.events().await.len();
    for body in [json!({}), json!({ "rootRole": 999 }), json!({ "rootRole": "Owner" }), json!({ "rootRole": [] })] {
        admin.post(&path, body).await.refused(400, "ValidationError", "rootRole");
    }
    let missing = format!("{REQUESTS}/999/approve");
    admin.post(&missing, json!({ "rootRole": "Viewer" })).await.refused(404, "NotFoundError", "999");
    delete(&admin, &format!("{REQUESTS}/999")).await.refused(404, "NotFoundError", "999");
    delete(&admin, &format!("{REQUESTS}/x")).await.refused(400, "ValidationError", "requestId");
    assert_eq!(company.app.events().await.len(), before);
    assert_eq!(requests(&company).await, std::slice::from_ref(&asked), "it is open still");
    let user = admin.post(&path, json!({ "rootRole": "Editor" })).await.expect(201);
    assert_eq!(user["rootRole"], role::EDITOR);
}

#[tokio::test]
async fn a_user_who_has_the_email_by_now_keeps_it() {
    let company = requesting().await;
    company.refused(ASKED.0, ASKED.1).await;
    let asked = request(&company).await;
    // As an email, and as the name that somebody signs in with.
    for names in [json!({ "email": "Ada@Example.com" }), json!({ "username": "ADA@example.com" })] {
        let mut body = names;
        body["rootRole"] = json!(role::VIEWER);
        let user = company.app.admin().post(USERS, body).await.expect(201);
        let before = company.app.events().await.len();
        approve(&company, &asked, role::ADMIN).await.refused(409, "NameExistsError", "email of this request");
        assert_eq!(company.app.events().await.len(), before);
        assert_eq!(users(&company).await.len(), 1);
        delete(&company.app.admin(), &format!("{USERS}/{}", user["id"])).await.expect(200);
    }
    // A provider that is trusted for emails links the identity instead, and the request ends.
    let user = json!({ "email": "ada@example.com", "rootRole": role::VIEWER });
    let user = company.app.admin().post(USERS, user).await.expect(201);
    let mut ada = company.browser();
    assert_eq!(company.sign_in(&mut ada).await.status, 302);
    assert_eq!(company.who(&mut ada).await["id"], user["id"]);
    assert_eq!(requests(&company).await, Vec::<Value>::new());
}

#[tokio::test]
async fn an_identity_that_is_linked_meanwhile_requests_nothing() {
    let company = Company::new().await;
    let staff = beside(&company, "staff", json!({})).await;
    staff.refused(&company, ASKED.0, ASKED.1).await;
    let asked = request(&company).await;
    let user = json!({ "username": "ada", "rootRole": role::EDITOR });
    let user = company.app.admin().post(USERS, user).await.expect(201);
    let link = json!({ "providerId": "staff", "subject": "person-7" });
    company.app.admin().post(&format!("{USERS}/{}/identities", user["id"]), link).await.expect(200);
    assert_eq!(requests(&company).await, Vec::<Value>::new());
    approve(&company, &asked, role::ADMIN).await.refused(404, "NotFoundError", "access request");
    let (_, signed_in) = staff.signed_in(&company).await;
    assert_eq!(signed_in["id"], user["id"]);
}

#[tokio::test]
async fn o46_a_rejected_identity_asks_again_after_thirty_days() {
    let company = requesting().await;
    company.refused(ASKED.0, ASKED.1).await;
    let asked = request(&company).await;
    let before = company.app.events().await.len();
    reject(&company, &asked).await.expect(200);
    let rejected = events_since(&company, before).await;
    let [event] = rejected.as_slice() else { panic!("one event: {rejected:?}") };
    let data = json!({
        "id": asked["id"], "email": "ada@example.com", "provider": "oidc", "issuer": asked["issuer"],
        "subject": "person-7", "requestedAt": asked["requestedAt"],
    });
    let mut event = told(event);
    event[3].as_object_mut().expect("data").remove("name");
    assert_eq!(event, json!(["user-access-request-rejected", null, null, data]));
    assert_eq!(requests(&company).await, Vec::<Value>::new());
    // Neither a later attempt nor another email opens it again, nor prolongs the time.
    for (days, email) in [(0, "ada@example.com"), (29, "countess@example.com")] {
        company.advance(days * 86_400);
        company.provider.claim("email", email);
        assert_eq!(company.refused(ADMISSION.0, ADMISSION.1).await["reason"], "access-rejected", "{email}");
    }
    assert_eq!(requests(&company).await, Vec::<Value>::new());
    assert_eq!(company.app.events().await.len(), before + 1);
    approve(&company, &asked, role::VIEWER).await.refused(404, "NotFoundError", "access request");
    reject(&company, &asked).await.refused(404, "NotFoundError", "access request");
    company.advance(86_400);
    assert_eq!(company.refused(ASKED.0, ASKED.1).await["reason"], "access-requested");
    assert_ne!(request(&company).await["id"], asked["id"]);
}

#[tokio::test]
async fn o46_a_provider_that_is_disabled_admits_nobody_and_one_that_is_deleted_takes_its_requests_along() {
    let company = Company::new().await;
    let staff = beside(&company, "staff", json!({})).await;
    staff.refused(&company, ASKED.0, ASKED.1).await;
    let asked = request(&company).await;
    let rules = json!({ "requestAccess": true });
    staff.set(&company, false, json!({}), &rules).await.expect(200);
    let before = company.app.events().await.len();
    approve(&company, &asked, role::ADMIN).await.refused(409, "LoginProviderOffError", "disabled or deleted");
    assert_eq!(company.app.events().await.len(), before);
    assert_eq!((users(&company).await, requests(&company).await.len()), (Vec::new(), 1));
    staff.set(&company, true, json!({}), &rules).await.expect(200);
    assert_eq!(request(&company).await["id"], asked["id"]);
    delete(&company.app.admin(), &format!("{PROVIDERS}/staff")).await.expect(200);
    assert_eq!(requests(&company).await, Vec::<Value>::new());
    // Another provider under the id has people of its own.
    let anew = beside(&company, "staff", json!({})).await;
    approve(&company, &asked, role::ADMIN).await.refused(404, "NotFoundError", "access request");
    anew.refused(&company, ASKED.0, ASKED.1).await;
    assert_eq!(request(&company).await["issuer"], anew.provider.issuer());
    // One of the settings can only be switched off.
    delete(&company.app.admin(), &format!("{PROVIDERS}/staff")).await.expect(200);
    let company = requesting().await;
    company.refused(ASKED.0, ASKED.1).await;
    company.set(json!({ "enabled": false })).await.expect(200);
    let asked = request(&company).await;
    approve(&company, &asked, role::ADMIN).await.refused(409, "LoginProviderOffError", "disabled or deleted");
    reject(&company, &asked).await.expect(200);
}
