//! Who leaves the company is out at once, on every node.

use flagstone::vault::Vault;
use serde_json::{Value, json};

use super::{USERS, directory, refused};
use crate::{
    calls::last_event,
    harness::{TestApp, role},
    users::{STRONG, sign_in, user},
};

const PROFILE: &str = "/api/admin/user/profile";
const SIGN_INS: &str = "/api/admin/auth/sign-ins";

#[tokio::test]
async fn a_deactivated_user_has_neither_session_nor_token_nor_password_and_all_but_those_again_later() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let token = app.person(role::EDITOR, Some(("default", role::MEMBER))).await;
    let session = app.in_session(&token).await;
    let other_node = app.beside(Vault::with_key(&[7; 32]));
    let there = other_node.in_session(&token).await;
    for client in [&token, &session, &there] {
        client.get(PROFILE).await.expect(200);
    }
    let id = token.user_id.expect("a person");
    let place = format!("{USERS}/{id}");
    app.admin().post(&format!("/api/admin/user-admin/{id}/scim-link"), Value::Null).await.expect(200);
    let before = directory.get(&place).await.expect(200);
    let off = json!([{ "op": "replace", "path": "active", "value": false }]);
    directory.patch(&place, off.clone()).await.expect(200);
    let event = last_event(&app).await;
    assert_eq!((&event[2]["endedSessions"], &event[2]["endedPersonalTokens"]), (&json!(2), &json!(1)));
    for client in [&token, &session, &there] {
        assert_eq!(client.get(PROFILE).await.status, 401);
    }
    let events = app.event_types().await.len();
    directory.patch(&place, off).await.expect(200);
    assert_eq!(app.event_types().await.len(), events, "nothing changed");
    let on = json!([{ "op": "replace", "path": "active", "value": true }]);
    let after = directory.patch(&place, on).await.expect(200);
    assert_eq!(after["userName"], before["userName"]);
    for client in [&token, &session, &there] {
        assert_eq!(client.get(PROFILE).await.status, 401, "what was ended stays so");
    }
    let again = app.in_session(&token).await;
    let profile = again.get(PROFILE).await.expect(200);
    assert_eq!((&profile["rootRole"]["id"], &profile["projects"]), (&json!(role::EDITOR), &json!(["default"])));
}

#[tokio::test]
async fn a_deactivated_user_is_refused_as_a_stranger_is_and_the_log_tells_administrators_why() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let id = user(&app, "bob", role::VIEWER).await;
    let place = format!("{USERS}/{id}");
    app.admin().post(&format!("/api/admin/user-admin/{id}/scim-link"), Value::Null).await.expect(200);
    assert_eq!(sign_in(&app, "bob", STRONG).await.status, 200);
    directory.patch(&place, json!([{ "op": "replace", "path": "active", "value": false }])).await.expect(200);
    let refused = sign_in(&app, "bob", STRONG).await;
    let stranger = sign_in(&app, "nobody", STRONG).await;
    assert_eq!((refused.status, &refused.body["name"]), (401, &json!("PasswordMismatch")));
    assert_eq!((stranger.status, &stranger.body["message"]), (401, &refused.body["message"]));
    flagstone::sign_in::log::write(&app.state).await.expect("writes");
    let log = app.admin().get(SIGN_INS).await.expect(200);
    let entry = log["signIns"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|entry| entry["userId"] == id && entry["outcome"] == "refused");
    let entry = entry.expect("an entry");
    assert_eq!(entry["reason"], "account-inactive");
    assert!(entry.to_string().contains("deactivated"), "{entry}");
    directory.patch(&place, json!([{ "op": "replace", "path": "active", "value": true }])).await.expect(200);
    assert_eq!(sign_in(&app, "bob", STRONG).await.status, 200);
}

#[tokio::test]
async fn a_deleted_user_is_gone_for_people_and_there_for_the_log() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let token = app.viewer().await;
    let place = format!("{USERS}/{}", token.user_id.expect("a person"));
    token.get(PROFILE).await.expect(200);
    assert_eq!(directory.delete(&place).await.status, 204);
    assert_eq!(token.get(PROFILE).await.status, 401);
    refused(
        &directory.patch(&place, json!([{ "op": "replace", "path": "active", "value": true }])).await,
        404,
        None,
        "",
    );
    let event = last_event(&app).await;
    assert_eq!((&event[0], &event[2]), (&json!("user-deleted"), &json!(null)));
    assert_eq!(app.events().await.pop().expect("an event").created_by, "scim");
}
