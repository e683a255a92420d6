//! Names that an import brings.

use serde_json::{Value, json};

use crate::harness::TestApp;

const VALIDATE: &str = "/api/admin/features-batch/validate";
const IMPORT: &str = "/api/admin/features-batch/import";
const EXPORT: &str = "/api/admin/features-batch/export";

fn request(data: &Value) -> Value {
    let mut whole = json!({ "features": [], "featureStrategies": [], "tagTypes": [] });
    for (name, value) in data.as_object().expect("an object") {
        whole[name] = value.clone();
    }
    json!({ "project": "shop", "environment": "development", "data": whole })
}

/// Data sets with a name that nothing new may have, by kind, and the item that the finding names.
fn unnamed() -> Vec<(Value, &'static str, &'static str)> {
    let feature = |name: &str| json!({ "features": [{ "name": name }] });
    let tagged = |kind: &str, value: &str| {
        json!({
            "features": [{ "name": "f" }], "tagTypes": [{ "name": kind }],
            "featureTags": [{ "featureName": "f", "tagType": kind, "tagValue": value }],
        })
    };
    let field =
        |name: &str, value: &str| json!({ "contextFields": [{ "name": name, "legalValues": [{ "value": value }] }] });
    vec![
        (
            feature(".."),
            "features",
            "..: must not be \".\" or \"..\", which clients remove from addresses; \"dot-dot\" would do",
        ),
        (feature("."), "features", ".: must not be"),
        (feature("search"), "features", "search: must be another"),
        (feature("features"), "features", "\"features-1\" would do"),
        (tagged("simple", ".."), "these tags", "simple:..: must not be"),
        (tagged("simple", "%2e%2e"), "these tags", "simple:%2e%2e: must not be"),
        (tagged("simple", "a\u{7}b"), "these tags", "control"),
        (tagged("validate", "fine"), "These types", "validate"),
        (tagged("..", "fine"), "These types", ".."),
        (field("validate", "fine"), "New context fields", "validate"),
        (field("..", "fine"), "New context fields", ".."),
        (field("new", ".."), "New context fields", "new"),
    ]
}

#[tokio::test]
async fn an_import_takes_no_new_name_without_a_plain_address_and_proposes_one() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let events = app.event_types().await;
    for (data, message, item) in unnamed() {
        let findings = app.admin().post(VALIDATE, request(&data)).await.expect(200);
        let errors = findings["errors"].as_array().expect("a list");
        assert_eq!(errors.len(), 1, "{data}: {findings}");
        assert!(errors[0]["message"].as_str().is_some_and(|text| text.contains(message)), "{data}: {findings}");
        assert!(errors[0]["affectedItems"][0].as_str().is_some_and(|text| text.contains(item)), "{data}: {findings}");
        app.admin().post(IMPORT, request(&data)).await.refused(400, "ValidationError", message);
    }
    assert_eq!(app.event_types().await, events);
}

#[tokio::test]
async fn what_is_stored_comes_back_from_its_own_export() {
    let app = TestApp::new().await;
    app.project("shop").await;
    for name in ["..", "search"] {
        let id = app.feature("shop", name).await;
        app.tag(id, "simple", "..").await;
    }
    let wanted = json!({ "environment": "development", "project": "shop" });
    let data = app.admin().post(EXPORT, wanted).await.expect(200);
    assert_eq!(data["features"].as_array().map(Vec::len), Some(2));
    let findings = app.admin().post(VALIDATE, request(&data)).await.expect(200);
    assert_eq!(findings["errors"], json!([]), "{findings}");
    app.admin().post(IMPORT, request(&data)).await.expect(200);
}
