//! The switch and the token.

use flagstone::{domain::secret, store::entity::setting, vault::Vault};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{SETTINGS, USERS, directory, refused, with_new_token};
use crate::{calls::last_event, harness::TestApp};

const NEW_TOKEN: &str = "/api/admin/scim-settings/generate-new-token";

#[tokio::test]
async fn the_switch_and_the_token_are_told_without_the_secret_which_is_shown_once() {
    let app = TestApp::new().await;
    let admin = app.admin();
    assert_eq!(admin.get(SETTINGS).await.expect(200), json!({ "enabled": false, "hasToken": false }));
    admin.post(SETTINGS, json!({ "enabled": false })).await.expect(200);
    assert!(app.event_types().await.is_empty(), "nothing changed");
    let on = admin.post(SETTINGS, json!({ "enabled": true })).await.expect(200);
    assert_eq!(on, json!({ "enabled": true, "hasToken": false }));
    let told = json!({ "id": "flagstone.scim", "enabled": true, "hasToken": false });
    assert_eq!(last_event(&app).await, json!(["setting-created", null, told, null]));
    let token = admin.post(NEW_TOKEN, Value::Null).await.expect(200)["token"].as_str().expect("a token").to_owned();
    let now = json!({ "id": "flagstone.scim", "enabled": true, "hasToken": true, "newToken": true });
    assert_eq!(last_event(&app).await, json!(["setting-updated", null, now, told]));
    assert_eq!(admin.get(SETTINGS).await.expect(200), json!({ "enabled": true, "hasToken": true }));
    let rows: Vec<String> =
        setting::Entity::find().all(app.db()).await.expect("rows").into_iter().map(|row| row.content).collect();
    assert!(!rows.concat().contains(&token), "the secret is not kept");
    assert!(rows.concat().contains(&secret::digest(&token)));
    let events: Vec<String> = app.events().await.into_iter().filter_map(|event| event.data).collect();
    assert!(!events.concat().contains(&token) && !events.concat().contains(&secret::digest(&token)));
    admin.post(SETTINGS, json!({ "enabled": "yes" })).await.refused(400, "ValidationError", "/body/enabled");
    app.editor().await.get(SETTINGS).await.refused(403, "NoAccessError", "ADMIN");
}

#[tokio::test]
async fn what_is_off_or_replaced_serves_nobody_from_that_moment_on_at_every_node() {
    let app = TestApp::new().await;
    let off = app.with_authorization("Bearer x").get(USERS).await;
    refused(&off, 404, None, "switched off");
    let first = directory(&app).await;
    let other_node = app.beside(Vault::with_key(&[7; 32]));
    let there = other_node.with_authorization(&format!("Bearer {}", first.token));
    there.get(USERS).await.expect(200);
    let second = with_new_token(&app).await;
    for client in [&first.client, &there] {
        let answer = client.get(USERS).await;
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
        refused(&answer, 401, None, "Bearer");
    }
    second.get(USERS).await.expect(200);
    app.admin().post(SETTINGS, json!({ "enabled": false })).await.expect(200);
    refused(&second.get(USERS).await, 404, None, "switched off");
    refused(&there.get(USERS).await, 404, None, "switched off");
    app.admin().post(SETTINGS, json!({ "enabled": true })).await.expect(200);
    second.get(USERS).await.expect(200);
}

#[tokio::test]
async fn no_other_secret_serves_there_and_the_token_nowhere_else() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let root = app.root_admin().await;
    let program = app.program(&["*"], "development").await;
    for client in [app.anonymous(), app.admin(), app.in_session(&root).await, root, program] {
        refused(&client.get(USERS).await, 401, None, "Bearer");
    }
    for path in ["/api/admin/user-admin", "/api/admin/user", "/api/client/features"] {
        assert_eq!(directory.get(path).await.status, 401, "{path}");
    }
    // Who guesses is told to wait, and the directory is not.
    let guesser = app.with_authorization("Bearer scim-guess");
    let mut statuses = Vec::new();
    for _ in 0..120 {
        statuses.push(guesser.get(USERS).await.status);
    }
    assert_eq!((statuses[0], statuses[119]), (401, 429));
    refused(&guesser.get(USERS).await, 429, None, "Too many");
    directory.get(USERS).await.expect(200);
}

#[tokio::test]
async fn under_maintenance_nothing_is_changed() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    app.admin().post("/api/admin/maintenance", json!({ "enabled": true })).await.expect(204);
    let answer = directory.post(USERS, json!({ "userName": "ada@example.com" })).await;
    assert_eq!((answer.status, &answer.body["status"]), (503, &json!("503")));
    assert!(answer.body["detail"].as_str().is_some_and(|detail| detail.contains("maintenance")));
    assert!(answer.headers.contains_key("retry-after"));
    directory.get(USERS).await.expect(200);
}
