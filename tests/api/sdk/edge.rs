use serde_json::json;

use crate::harness::TestApp;

#[tokio::test]
async fn a_proxy_learns_which_tokens_are_valid() {
    let app = TestApp::new().await;
    let known = app.program_token(&["shop", "other"], "development", None).await;
    let ended = app.program_token(&["*"], "development", Some(app.clock.now())).await;
    let tokens = json!([known, "nobody", ended, "*:*.admin-token-of-the-tests", known, "user:x", ""]);
    let answer = app.anonymous().post("/edge/validate", json!({ "tokens": tokens })).await.expect(200);
    assert_eq!(
        answer,
        json!({ "tokens": [
            { "token": known, "type": "client", "projects": ["other", "shop"], "environment": "development" },
            { "token": "*:*.admin-token-of-the-tests", "type": "admin", "projects": ["*"], "environment": "*" },
        ] })
    );
    let answer = app.anonymous().post("/edge/validate", json!({ "tokens": [] })).await.expect(200);
    assert_eq!(answer, json!({ "tokens": [] }));
    let many = vec!["x"; 1001];
    for (body, place) in [
        (json!({}), "/body/tokens"),
        (json!({ "tokens": [1] }), "/body/tokens/0"),
        (json!({ "tokens": many }), "tokens"),
    ] {
        app.anonymous().post("/edge/validate", body).await.refused(400, "ValidationError", place);
    }
}

#[tokio::test]
async fn a_proxy_may_serve_and_tell_how_it_fares() {
    let app = TestApp::new().await;
    let program = app.program(&["*"], "development").await;
    let path = "/api/client/edge-licensing/heartbeat?connectionId=01JZK";
    let answer = program.request(poem::http::Method::POST, path, &[], vec![]).await.expect(202);
    assert_eq!(answer, json!({ "edgeLicenseState": "Valid" }));
    let fares = json!({ "identifier": "x", "connectedEdges": [], "processMetrics": null });
    assert_eq!(program.post("/api/client/metrics/edge", fares).await.status, 202);
    program.post("/api/client/metrics/edge", json!([])).await.refused(400, "ValidationError", "/body");
}
