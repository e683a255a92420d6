//! Level of the log, as an administrator sets it for a while.

use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::TestApp;

const PATH: &str = "/api/admin/log-level";

#[tokio::test]
async fn a_level_holds_for_as_long_as_it_was_set() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let log = &app.state.config.log;
    let usual = admin.get(PATH).await.expect(200);
    let initial = usual["initialLevel"].clone();
    assert_eq!(usual, json!({ "level": initial, "initialLevel": initial, "expiresAt": null }));
    let set =
        admin.json(Method::PUT, PATH, json!({ "level": "info,flagstone::sql=trace", "minutes": 5 })).await.expect(200);
    let expires_at = app.clock.now().plus_millis(5 * 60_000).to_string();
    let expected = json!({ "level": "info,flagstone::sql=trace", "initialLevel": initial, "expiresAt": expires_at });
    assert_eq!(set, expected);
    assert_eq!(admin.get(PATH).await.expect(200), expected);
    assert_eq!(log.in_force().as_deref(), Some("info,flagstone::sql=trace"));
    app.clock.advance(5 * 60_000);
    assert_eq!(admin.get(PATH).await.expect(200), usual);
    assert!(!flagstone::jobs::look_at_log_level(&app.state).await);
    assert_eq!(log.in_force(), None);
    admin.json(Method::PUT, PATH, json!({ "level": "debug" })).await.expect(200);
    app.clock.advance(59 * 60_000);
    assert_eq!(admin.get(PATH).await.expect(200)["level"], "debug");
    let gone = admin.request(Method::DELETE, PATH, &[], Vec::new()).await;
    assert_eq!(gone.expect(204), Value::Null);
    assert_eq!((admin.get(PATH).await.expect(200), log.in_force()), (usual, None));
}

#[tokio::test]
async fn each_change_is_told_and_what_is_no_level_is_refused() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for (body, named) in [
        (json!({}), "/body/level"),
        (json!({ "level": "" }), "/body/level"),
        (json!({ "level": "loud" }), "must be one of off, error, warn, info, debug, trace"),
        (json!({ "level": "flagstone[span]=debug" }), "/body/level property must be one of off"),
        (json!({ "level": "0".repeat(499) }), "/body/level property must be one of off"),
        (json!({ "level": "Info" }), "/body/level"),
        (json!({ "level": "x".repeat(501) }), "/body/level"),
        (json!({ "level": ["debug"] }), "/body/level"),
        (json!({ "level": "debug", "minutes": 0 }), "/body/minutes"),
        (json!({ "level": "debug", "minutes": 1441 }), "/body/minutes"),
    ] {
        admin.json(Method::PUT, PATH, body).await.refused(400, "ValidationError", named);
    }
    for client in [app.viewer().await, app.editor().await] {
        client.json(Method::PUT, PATH, json!({ "level": "debug" })).await.refused(403, "NoAccessError", "ADMIN");
        client.get(PATH).await.refused(403, "NoAccessError", "ADMIN");
        client.request(Method::DELETE, PATH, &[], Vec::new()).await.refused(403, "NoAccessError", "ADMIN");
    }
    admin.request(Method::DELETE, PATH, &[], Vec::new()).await.expect(204);
    assert!(app.events().await.is_empty(), "nothing changed");
    admin.json(Method::PUT, PATH, json!({ "level": "debug", "minutes": 1 })).await.expect(200);
    admin.request(Method::DELETE, PATH, &[], Vec::new()).await.expect(204);
    let events = app.events().await;
    let told: Vec<_> = events.iter().map(|event| (&*event.r#type, event.data.clone())).collect();
    let expires_at = app.clock.now().plus_millis(60_000).to_string();
    let set = json!({ "id": "flagstone.log-level", "level": "debug", "expiresAt": expires_at }).to_string();
    let unset = json!({ "id": "flagstone.log-level", "level": null, "expiresAt": null }).to_string();
    assert_eq!(told, [("setting-created", Some(set)), ("setting-updated", Some(unset))]);
}
