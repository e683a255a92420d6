//! Configuration that the console must know before it shows anything.

use flagstone::config::{Config, Limits};
use serde_json::{Value, json};

use crate::harness::TestApp;

const PATH: &str = "/api/admin/ui-config";

#[tokio::test]
async fn it_tells_addresses_limits_and_settings_as_they_are() {
    let limits = Limits { environments: 7, segment_values: 9, ..Limits::default() };
    let base_url = "https://flags.example.com/team".to_owned();
    let app = TestApp::with_config(Config { limits, base_url, ..Config::default() }).await;
    let config = app.viewer().await.get(PATH).await.expect(200);
    assert_eq!(config["unleashUrl"], "https://flags.example.com/team");
    assert_eq!(config["baseUriPath"], "/team");
    assert_eq!(config["links"][0]["href"], "https://flags.example.com/team/docs/openapi/");
    assert_eq!(config["resourceLimits"]["environments"], 7);
    assert_eq!((&config["resourceLimits"]["segmentValues"], &config["segmentValuesLimit"]), (&json!(9), &json!(9)));
    // The reference's console takes all limits from here, also those of what is not there.
    for (limit, number) in [
        ("signalEndpoints", 5),
        ("signalTokensPerEndpoint", 5),
        ("actionSetsPerProject", 5),
        ("actionSetFilters", 5),
        ("actionSetFilterValues", 25),
        ("actionSetActions", 10),
    ] {
        assert_eq!(config["resourceLimits"][limit], number, "{limit}");
    }
    assert_eq!(config["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(config["frontendApiOrigins"], json!([]));
    let flags = config["flags"].as_object().expect("flags");
    for opened in ["featuresExportImport", "embedProxyFrontend", "enableLegacyVariants", "userAccessUIEnabled", "UG"] {
        assert_eq!(flags.get(opened), Some(&json!(true)), "{opened}");
    }
    // Licences, tracking and what this server does not do stay closed.
    for closed in ["T", "UNLEASH_CLOUD", "enableLicense", "signals", "automatedActions", "caseInsensitiveInOperators"] {
        assert_eq!(flags.get(closed), None, "{closed}");
    }
    // Or the reference's console would not show the page on which the first provider is set up.
    assert_eq!(config["authenticationType"], "enterprise");
    assert_eq!(config["disablePasswordAuth"], false);
    let id = config["versionInfo"]["instanceId"].as_str().expect("an id").to_owned();
    let id = uuid::Uuid::parse_str(&id).expect("a UUID");
    assert_eq!(id.get_version_num(), 4);
    let again = app.admin().get(PATH).await.expect(200);
    assert_eq!(again["versionInfo"]["instanceId"], id.to_string());
    app.anonymous().get(PATH).await.refused(401, "AuthenticationRequired", "");
}

#[tokio::test]
async fn pages_of_the_paid_edition_are_shown_by_a_setting_alone() {
    assert!(!Config::default().unleash_console_paid_pages);
    let app = TestApp::new().await;
    let mut closed = app.viewer().await.get(PATH).await.expect(200);
    let app = TestApp::with_config(Config { unleash_console_paid_pages: true, ..Config::default() }).await;
    let mut open = app.viewer().await.get(PATH).await.expect(200);
    let versions = |config: &Value| {
        let of = |edition: &str| config["versionInfo"]["current"][edition].as_str().expect("a text").to_owned();
        (of("oss"), of("enterprise"))
    };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    assert_eq!(versions(&closed), (version.clone(), String::new()));
    assert_eq!(versions(&open), (version.clone(), version));
    assert_eq!(closed["flags"]["disableImpactMetrics"], Value::Null);
    assert_eq!(open["flags"]["disableImpactMetrics"], true);
    // And nothing else: not even the edition that is shown below each page.
    assert_eq!(open["environment"], "Open Source");
    for config in [&mut closed, &mut open] {
        config["versionInfo"] = Value::Null;
        config["flags"].as_object_mut().expect("flags").remove("disableImpactMetrics");
    }
    assert_eq!(closed, open);
}

#[tokio::test]
async fn origins_of_the_frontend_api_are_set_and_told_once() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let body = json!({ "frontendSettings": { "frontendApiOrigins": ["https://shop.example.com"] } });
    for _ in 0..2 {
        assert_eq!(admin.post(PATH, body.clone()).await.expect(204), json!(null));
    }
    admin.post(PATH, json!({})).await.expect(204);
    assert_eq!(admin.get(PATH).await.expect(200)["frontendApiOrigins"], json!(["https://shop.example.com"]));
    let events = app.events().await;
    assert_eq!(events.len(), 1);
    let data = r#"{"id":"unleash.frontend","frontendApiOrigins":["https://shop.example.com"]}"#;
    assert_eq!((&*events[0].r#type, events[0].data.as_deref()), ("setting-created", Some(data)));
    for wrong in ["shop.example.com", "https://shop.example.com/", ""] {
        let body = json!({ "frontendSettings": { "frontendApiOrigins": ["*", wrong] } });
        let answer = admin.post(PATH, body).await;
        answer.refused(400, "ValidationError", "/body/frontendSettings/frontendApiOrigins/1");
    }
    let body = json!({ "frontendSettings": { "frontendApiOrigins": "*" } });
    let answer = admin.post(PATH, body).await;
    answer.refused(400, "ValidationError", "/body/frontendSettings/frontendApiOrigins");
    assert_eq!(app.events().await.len(), 1);
}
