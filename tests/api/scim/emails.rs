//! Addresses of email that a directory gives.

use serde_json::json;

use super::{USERS, directory, place, refused};
use crate::{emails::NO_EMAILS, harness::TestApp};

#[tokio::test]
async fn what_is_no_address_is_refused_wherever_a_directory_gives_it() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let user = directory.make_user("ada@example.com").await;
    let body = json!({ "userName": "grace", "externalId": "7", "emails": [{ "value": "grace@example.com" }] });
    let former = place(&directory.post(USERS, body.clone()).await.expect(201));
    directory.delete(&former).await;
    let events = app.event_types().await;
    for email in NO_EMAILS {
        let emails = json!([{ "value": email, "primary": true }]);
        let new = json!({ "userName": "eve", "emails": emails });
        refused(&directory.post(USERS, new.clone()).await, 400, Some("invalidValue"), "email");
        refused(&directory.put(&user, new).await, 400, Some("invalidValue"), "email");
        let patch = json!([{ "op": "replace", "path": "emails", "value": emails }]);
        refused(&directory.patch(&user, patch).await, 400, Some("invalidValue"), "email");
        // Somebody who comes back is judged as somebody new is.
        let mut back = body.clone();
        back["emails"] = emails;
        refused(&directory.post(USERS, back).await, 400, Some("invalidValue"), "email");
    }
    assert_eq!(app.event_types().await, events);
}

#[tokio::test]
async fn a_name_to_sign_in_with_that_is_no_address_is_a_user_name() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    for name in ["ada@home@example.com", "ada lovelace@example.com", "ada@"] {
        let made = directory.post(USERS, json!({ "userName": name })).await.expect(201);
        assert_eq!((&made["userName"], &made["emails"]), (&json!(name), &json!(null)));
    }
    let users = app.admin().get("/api/admin/user-admin").await.expect(200);
    let names: Vec<_> = users["users"].as_array().expect("users").iter().map(|user| &user["username"]).collect();
    assert_eq!(names, ["ada@home@example.com", "ada lovelace@example.com", "ada@"]);
}
