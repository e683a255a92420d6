//! Refusing every change for a while.

use poem::http::Method;
use serde_json::json;

use crate::harness::TestApp;

const PATH: &str = "/api/admin/maintenance";
const ENVIRONMENTS: &str = "/api/admin/environments";

#[tokio::test]
async fn nothing_changes_under_maintenance_until_it_ends() {
    let app = TestApp::new().await;
    let admin = app.admin();
    assert_eq!(admin.get(PATH).await.expect(200), json!({ "enabled": false }));
    assert_eq!(admin.post(PATH, json!({ "enabled": true })).await.expect(204), json!(null));
    assert_eq!(admin.get(PATH).await.expect(200), json!({ "enabled": true }));
    assert_eq!(admin.get("/api/admin/ui-config").await.expect(200)["maintenanceMode"], true);
    let environment = json!({ "name": "qa", "type": "test" });
    for client in [&admin, &app.root_admin().await, &app.viewer().await] {
        let answer = client.post(ENVIRONMENTS, environment.clone()).await;
        assert_eq!(answer.headers["retry-after"], "60");
        answer.refused(503, "MaintenanceError", "maintenance");
    }
    let delete = admin.request(Method::DELETE, "/api/admin/environments/production", &[], Vec::new()).await;
    delete.refused(503, "MaintenanceError", "maintenance");
    app.anonymous().post(ENVIRONMENTS, environment.clone()).await.refused(401, "AuthenticationRequired", "");
    assert_eq!(admin.get(ENVIRONMENTS).await.expect(200)["environments"].as_array().expect("a list").len(), 3);
    let sign_in = json!({ "username": "nobody", "password": "wrong" });
    app.anonymous().post("/auth/simple/login", sign_in).await.refused(401, "PasswordMismatch", "");
    app.viewer().await.post(PATH, json!({ "enabled": false })).await.refused(
        403,
        "NoAccessError",
        "UPDATE_MAINTENANCE_MODE",
    );
    admin.post(PATH, json!({ "enabled": false })).await.expect(204);
    admin.post(ENVIRONMENTS, environment).await.expect(201);
}

#[tokio::test]
async fn each_change_of_the_mode_is_told_once() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for enabled in [false, true, true, false, false] {
        admin.post(PATH, json!({ "enabled": enabled })).await.expect(204);
    }
    admin.post(PATH, json!({})).await.refused(400, "ValidationError", "/body/enabled");
    let events = app.events().await;
    let told: Vec<_> =
        events.iter().map(|event| (&*event.r#type, event.data.as_deref(), event.pre_data.as_deref())).collect();
    let on = r#"{"id":"maintenance.mode","enabled":true}"#;
    let off = r#"{"id":"maintenance.mode","enabled":false}"#;
    assert_eq!(told, [("setting-created", Some(on), None), ("setting-updated", Some(off), Some(on))]);
}
