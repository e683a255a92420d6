//! Values that an import writes more narrowly than the data set says, so that nothing is on for more than before.

use serde_json::{Value, json};

use super::{IMPORT, command::Shell, import, names, shop, validate};
use crate::harness::TestApp;

/// Features whose strategies apply segments that the instance lacks: alone, beside another, and disabled already.
fn file() -> Value {
    let strategy = |feature: &str, segments: Value, disabled: bool| json!({ "name": "default", "featureName": feature, "segments": segments, "disabled": disabled });
    let on = |feature: &str| json!({ "name": feature, "featureName": feature, "enabled": true });
    json!({
        "features": [{ "name": "alone" }, { "name": "beside" }, { "name": "contrary" }, { "name": "plain" }],
        "featureStrategies": [
            strategy("alone", json!([1]), false),
            strategy("beside", json!([1, 2]), false),
            {
                "name": "default", "featureName": "beside",
                "constraints": [{ "contextName": "userId", "operator": "IN", "values": ["7"] }],
            },
            strategy("plain", json!([]), false),
        ],
        "featureEnvironments": [on("alone"), on("beside"), on("contrary"), on("plain")],
        "segments": [{ "id": 1, "name": "staff" }, { "id": 2, "name": "alpine" }],
        "dependencies": [{ "feature": "contrary", "dependencies": [{ "feature": "alone", "enabled": false }] }],
        "tagTypes": [],
    })
}

fn exported(shell: &Shell, environment: &str) -> Value {
    let arguments = ["export", "--environment", environment, "--project", "webshop"];
    serde_json::from_str(&shell.print(&arguments)).expect("JSON")
}

#[test]
fn a_strategy_of_a_segment_that_had_to_be_made_is_disabled_in_each_environment() {
    let shell = Shell::new();
    let path = shell.path("file.json");
    std::fs::write(&path, file().to_string()).expect("writes");
    // The second run finds the segments of the first, which still hold nothing.
    for environment in ["development", "production"] {
        let arguments = ["import", &path, "--project", "webshop", "--environment", environment, "--create-missing"];
        let printed = shell.print(&arguments);
        for line in [
            "warning: These strategies apply segments that an import made without constraints. They are written disabled; \
             give the segments their constraints, then enable them:",
            "  alone: staff",
            "  beside: staff",
            "warning: These features would be on for more than before. They are switched off in the environment:",
            "  alone",
            "  contrary",
        ] {
            assert!(printed.lines().any(|printed| printed == line), "{line:?} is not in {printed}");
        }
        let exported = exported(&shell, environment);
        let disabled: Vec<_> = exported["featureStrategies"]
            .as_array()
            .expect("strategies")
            .iter()
            .map(|strategy| json!([strategy["featureName"], strategy["disabled"]]))
            .collect();
        let expected = json!([["alone", true], ["beside", true], ["beside", false], ["plain", false]]);
        assert_eq!(json!(disabled), expected, "{environment}");
        let on: Vec<_> = exported["featureEnvironments"]
            .as_array()
            .expect("switches")
            .iter()
            .map(|state| json!([state["featureName"], state["enabled"]]))
            .collect();
        assert_eq!(
            json!(on),
            json!([["alone", false], ["beside", true], ["contrary", false], ["plain", true]]),
            "{environment}"
        );
    }
}

async fn on(app: &TestApp) -> Vec<String> {
    let browser = app.browser(&["shop"], "development").await;
    names(&browser.get("/api/frontend").await.expect(200)["toggles"], "name")
}

/// Two features that are on for one user alone, by what the API makes.
async fn narrow() -> TestApp {
    let app = shop().await;
    let one = json!([{ "contextName": "userId", "operator": "IN", "values": ["7"] }]);
    let strategy = |feature: &str| json!({ "name": "default", "featureName": feature, "constraints": one });
    import(
        &app.admin(),
        json!({
            "features": [{ "name": "a" }, { "name": "b" }],
            "featureStrategies": [strategy("a"), strategy("b")],
            "featureEnvironments": [
                { "name": "a", "featureName": "a", "enabled": true }, { "name": "b", "featureName": "b", "enabled": true }
            ],
        }),
    )
    .await;
    assert_eq!(on(&app).await, Vec::<String>::new());
    app
}

#[tokio::test]
async fn a_feature_that_loses_its_strategies_is_off_unless_the_data_set_says_that_it_is_on() {
    let app = narrow().await;
    let silent = json!({ "features": [{ "name": "a" }] });
    let findings = validate(&app.admin(), silent.clone()).await;
    assert_eq!(findings["errors"], json!([]));
    let warning = &findings["warnings"][1];
    assert_eq!(warning["affectedItems"], json!(["a"]));
    assert!(warning["message"].as_str().is_some_and(|text| text.contains("switched off")), "{findings}");
    let before = app.event_types().await.len();
    import(&app.admin(), silent).await;
    assert_eq!(
        app.event_types().await[before..],
        ["feature-metadata-updated", "feature-strategy-remove", "feature-environment-disabled", "features-imported"]
    );
    assert_eq!(on(&app).await, Vec::<String>::new());
    // The data set decides.
    let spoken = json!({
        "features": [{ "name": "b" }], "featureEnvironments": [{ "name": "b", "featureName": "b", "enabled": true }],
    });
    assert_eq!(validate(&app.admin(), spoken.clone()).await["warnings"].as_array().map(Vec::len), Some(1));
    import(&app.admin(), spoken).await;
    assert_eq!(on(&app).await, ["b"]);
}

#[tokio::test]
async fn a_segment_that_exists_serves_by_its_name_be_it_empty() {
    let app = shop().await;
    let segment = |name: &str| json!({ "name": name, "constraints": [] });
    for name in ["staff", "alpine"] {
        app.admin().post("/api/admin/segments", segment(name)).await.expect(201);
    }
    let data = file();
    let findings = validate(&app.admin(), data.clone()).await;
    assert_eq!((&findings["errors"], &findings["warnings"]), (&json!([]), &json!([])));
    app.admin()
        .post(IMPORT, json!({ "project": "shop", "environment": "development", "data": data }))
        .await
        .expect(200);
    assert_eq!(on(&app).await, ["alone", "beside", "plain"]);
}
