//! Asking what an import would do.

use serde_json::json;

use super::{IMPORT, everything, request, set_up_project, shop};

#[tokio::test]
async fn a_dry_run_tells_the_events_that_the_import_then_leaves() {
    let app = shop().await;
    app.feature("shop", "old").await;
    let data = || {
        request(json!({
            "features": [{ "name": "old", "stale": true }, { "name": "new" }],
            "featureStrategies": [{ "name": "default", "featureName": "new" }],
            "featureEnvironments": [{ "name": "new", "featureName": "new", "enabled": true }],
            "featureTags": [{ "featureName": "new", "tagValue": "beta" }],
            "tagTypes": [],
        }))
    };
    let before = everything(&app).await;
    let mut dry = app.admin().post(&format!("{IMPORT}?dryRun=true"), data()).await.expect(200);
    assert_eq!(everything(&app).await, before);
    assert_eq!(dry["dryRun"], true);
    assert_eq!(dry["findings"]["errors"], json!([]));
    assert_eq!(dry["findings"]["warnings"][0]["affectedItems"], json!(["old"]));
    let answer = app.admin().post(IMPORT, data()).await.expect(200);
    dry["dryRun"] = false.into();
    assert_eq!(dry, answer);
    let told: Vec<_> = answer["events"].as_array().expect("events").iter().map(|event| event["type"].clone()).collect();
    assert_eq!(told, app.event_types().await);
    assert_eq!(answer["totalEvents"], told.len());
}

#[tokio::test]
async fn a_dry_run_of_what_cannot_be_imported_tells_why() {
    let app = shop().await;
    set_up_project(&app, |row| row.feature_limit = sea_orm::ActiveValue::Set(Some(0))).await;
    let before = everything(&app).await;
    let path = format!("{IMPORT}?dryRun=true");
    let data = || request(json!({ "features": [{ "name": "new" }] }));
    let answer = app.admin().post(&path, data()).await.expect(200);
    let message = answer["findings"]["errors"][0]["message"].as_str().expect("a message");
    assert!(message.contains("at most 0"), "{message}");
    assert_eq!((&answer["events"], &answer["totalEvents"]), (&json!([]), &json!(0)));
    app.viewer().await.post(&path, data()).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    app.admin().post(&format!("{IMPORT}?dryRun=perhaps"), data()).await.refused(400, "ValidationError", "dryRun");
    assert_eq!(everything(&app).await, before);
}

#[tokio::test]
async fn a_long_answer_is_cut_and_still_counts() {
    let app = shop().await;
    let features: Vec<_> = (0..1200).map(|number| json!({ "name": format!("f-{number}") })).collect();
    let answer = app.admin().post(&format!("{IMPORT}?dryRun=true"), request(json!({ "features": features }))).await;
    let answer = answer.expect(200);
    assert_eq!(answer["events"].as_array().map(Vec::len), Some(1000));
    assert_eq!(answer["totalEvents"], 1201);
}
