//! Reports of programs in the hands of users.

use flagstone::jobs;
use serde_json::json;

use crate::harness::TestApp;

#[tokio::test]
async fn reports_count_as_those_of_servers_do() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let browser = app.browser(&["shop"], "development").await;
    let start = app.clock.now().to_string();
    let application = json!({
        "appName": "web", "instanceId": "browser", "sdkVersion": "unleash-client-js:3.7.5", "strategies": [],
        "started": start, "interval": 30_000, "environment": "production",
    });
    let answer = browser.post("/api/frontend/client/register", application).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    let bucket = json!({ "start": start, "stop": start, "toggles": {
        "f": { "yes": 3, "no": 1, "variants": { "red": 3 } }, "unknown": { "yes": 1, "no": 0 },
    } });
    let metrics = json!({ "appName": "web", "instanceId": "browser", "environment": "production", "bucket": bucket });
    let answer = browser.post("/api/frontend/client/metrics", metrics).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    jobs::write_usage(&app.state).await.expect("writes");

    let admin = app.admin();
    let found = admin.get("/api/admin/search/features").await.expect(200);
    let development = &found["features"][0]["environments"][0];
    assert_eq!(
        (&development["name"], &development["yes"], &development["no"]),
        (&json!("development"), &json!(3), &json!(1))
    );
    assert_eq!(found["features"][0]["environments"][1]["yes"], 0);
    let known = admin.get("/api/admin/metrics/applications/web").await.expect(200);
    assert_eq!(known["appName"], "web");
    assert_eq!(app.event_types().await, ["application-created"]);
    for path in ["/api/frontend/client/register", "/api/frontend/client/metrics"] {
        browser.post(path, json!({})).await.refused(400, "ValidationError", "/body/appName");
    }
}
