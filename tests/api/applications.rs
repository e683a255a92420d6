//! Programs that ask for features.

mod hidden;
mod usage_history;

use flagstone::{
    domain::time::Timestamp,
    store::{
        self,
        entity::{client_application, client_instance, client_metrics_hourly, client_metrics_variant_hourly},
    },
};
use poem::http::Method;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::harness::{Client, TestApp, role};

const ALL: &str = "/api/admin/metrics/applications";
const CHECKOUT: &str = "/api/admin/metrics/applications/checkout";

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("valid")
}

async fn registered(app: &TestApp, name: &str, strategies: &[&str]) {
    let row = client_application::ActiveModel {
        app_name: Set(name.to_owned()),
        strategies: Set(json!(strategies).to_string()),
        created_at: Set(app.clock.now()),
        updated_at: Set(app.clock.now()),
        seen_at: Set(app.clock.now()),
        ..Default::default()
    };
    let tx = app.tx().await;
    client_application::Entity::insert(row).exec_without_returning(&tx).await.expect("an application");
    app.commit(tx).await;
}

async fn instance(app: &TestApp, name: &str, id: &str, environment: &str, sdk: &str, seen: &str) {
    let row = client_instance::ActiveModel {
        app_name: Set(name.to_owned()),
        instance_id: Set(id.to_owned()),
        environment: Set(environment.to_owned()),
        sdk_version: Set(Some(sdk.to_owned())),
        last_seen_at: Set(at(seen)),
        created_at: Set(app.clock.now()),
    };
    let tx = app.tx().await;
    client_instance::Entity::insert(row).exec_without_returning(&tx).await.expect("an instance");
    app.commit(tx).await;
}

async fn report(app: &TestApp, name: &str, feature: &str, environment: &str, hour: &str, yes: i64, no: i64) {
    let row = client_metrics_hourly::ActiveModel {
        feature_name: Set(feature.to_owned()),
        app_name: Set(name.to_owned()),
        environment: Set(environment.to_owned()),
        timestamp: Set(at(hour)),
        yes: Set(yes),
        no: Set(no),
    };
    let tx = app.tx().await;
    client_metrics_hourly::Entity::insert(row).exec_without_returning(&tx).await.expect("a report");
    app.commit(tx).await;
}

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    app
}

async fn secret(app: &TestApp) {
    let tx = app.tx().await;
    let mut secret = store::projects::NewProject::named("secret", "Secret");
    "private".clone_into(&mut secret.mode);
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    app.commit(tx).await;
    app.feature("secret", "s").await;
}

async fn names(client: &Client, query: &str) -> (Vec<String>, Value) {
    let body = client.get(&format!("{ALL}{query}")).await.expect(200);
    let list = body["applications"].as_array().expect("applications");
    let names = list.iter().map(|one| one["appName"].as_str().expect("a name").to_owned()).collect();
    (names, body["total"].clone())
}

#[tokio::test]
async fn applications_are_listed_by_name_and_found_by_a_part_of_it() {
    let app = shop().await;
    for name in ["Checkout", "billing", "web_shop", "webshop"] {
        registered(&app, name, &["default"]).await;
    }
    let viewer = app.viewer().await;
    let (all, total) = names(&viewer, "").await;
    assert_eq!((all.len(), total), (4, json!(4)));
    assert_eq!(names(&viewer, "?query=CHECK").await, (vec!["Checkout".to_owned()], json!(1)));
    assert_eq!(names(&viewer, "?query=b_s").await, (vec!["web_shop".to_owned()], json!(1)));
    assert_eq!(names(&viewer, "?query=shop&limit=1&offset=1").await.1, json!(2));
    let (ascending, _) = names(&viewer, "?query=web").await;
    let (mut descending, _) = names(&viewer, "?query=web&sortOrder=desc").await;
    descending.reverse();
    assert_eq!(ascending, descending);
    for nonsense in ["?limit=0", "?limit=-1", "?offset=x"] {
        assert_eq!(names(&viewer, nonsense).await.0.len(), 4, "{nonsense}");
    }
    assert_eq!(names(&viewer, "?query=%00").await.1, json!(0));
    viewer.get(&format!("{ALL}?sortOrder=up")).await.refused(400, "ValidationError", "sortOrder");
}

#[tokio::test]
async fn an_application_shows_what_it_uses() {
    let app = shop().await;
    registered(&app, "checkout", &["default", "ownStrategy"]).await;
    report(&app, "checkout", "f", "production", "2026-01-15T11:00:00Z", 5, 1).await;
    report(&app, "checkout", "f", "development", "2026-01-15T11:00:00Z", 5, 1).await;
    report(&app, "checkout", "gone", "production", "2026-01-15T11:00:00Z", 0, 9).await;
    instance(&app, "checkout", "a", "production", "unleash-client-node:6.1.0", "2026-01-15T11:00:00Z").await;
    instance(&app, "checkout", "b", "production", "unleash-client-js:3.7.5", "2026-01-15T11:30:00Z").await;
    let viewer = app.viewer().await;
    let shown = viewer.get(CHECKOUT).await.expect(200);
    assert_eq!(shown["usage"], json!([{ "project": "shop", "environments": ["development", "production"] }]));
    assert_eq!(shown["strategies"], json!(["default", "ownStrategy"]));
    let overview = viewer.get(&format!("{CHECKOUT}/overview")).await.expect(200);
    assert_eq!((&overview["projects"], &overview["featureCount"]), (&json!(["shop"]), &json!(1)));
    assert_eq!(overview["issues"], json!({ "missingStrategies": ["ownStrategy"] }));
    let production = json!({
        "name": "production", "instanceCount": 2, "sdks": ["unleash-client-js:3.7.5", "unleash-client-node:6.1.0"],
        "frontendSdks": ["unleash-client-js:3.7.5"], "backendSdks": ["unleash-client-node:6.1.0"],
        "lastSeen": "2026-01-15T11:30:00.000Z", "issues": { "missingFeatures": ["gone"], "outdatedSdks": [] },
    });
    assert_eq!(overview["environments"][1], production);
    assert_eq!(overview["environments"][0]["instanceCount"], 0);
    assert_eq!(overview["environments"][0]["lastSeen"], Value::Null);
    let path = "/api/admin/metrics/instances/checkout/environment/production";
    let instances = viewer.get(path).await.expect(200);
    let ids: Vec<&Value> =
        instances["instances"].as_array().expect("instances").iter().map(|one| &one["instanceId"]).collect();
    assert_eq!(ids, ["b", "a"]);
    for path in [
        "/api/admin/metrics/applications/none",
        "/api/admin/metrics/applications/none/overview",
        "/api/admin/metrics/instances/none/environment/production",
    ] {
        viewer.get(path).await.refused(404, "NotFoundError", "none");
    }
}

#[tokio::test]
async fn an_application_is_made_once_and_described_at_will() {
    let app = shop().await;
    let admin = app.admin();
    let made = json!({ "description": "The till", "strategies": ["default"] });
    assert_eq!(admin.post(CHECKOUT, made).await.expect(202), Value::Null);
    admin.post(CHECKOUT, json!({ "url": "https://example.com/till" })).await.expect(202);
    let shown = admin.get(CHECKOUT).await.expect(200);
    let expected = json!({
        "appName": "checkout", "description": "The till", "url": "https://example.com/till",
        "strategies": ["default"], "createdAt": "2026-01-15T12:00:00.000Z", "seenAt": "2026-01-15T12:00:00.000Z",
        "usage": [],
    });
    assert_eq!(shown, expected);
    let events = app.events().await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].r#type, "application-created");
    assert!(events[0].data.as_deref().expect("data").contains("The till"));
    for (body, property) in
        [(json!({ "color": "x".repeat(101) }), "/body/color"), (json!({ "strategies": "default" }), "/body/strategies")]
    {
        admin.post(CHECKOUT, body).await.refused(400, "ValidationError", property);
    }
    let long = format!("{ALL}/{}", "x".repeat(256));
    admin.post(&long, json!({})).await.refused(400, "ValidationError", "`appName`");
    instance(&app, "checkout", "a", "production", "x:1", "2026-01-15T11:00:00Z").await;
    admin.request(Method::DELETE, CHECKOUT, &[], Vec::new()).await.expect(200);
    admin.get(CHECKOUT).await.refused(404, "NotFoundError", "checkout");
    let again = admin.request(Method::DELETE, CHECKOUT, &[], Vec::new()).await;
    again.refused(404, "NotFoundError", "checkout");
}

#[tokio::test]
async fn what_hidden_projects_use_stays_hidden() {
    let app = shop().await;
    secret(&app).await;
    for (name, features) in [("both", &["f", "s"][..]), ("hidden", &["s"]), ("idle", &[])] {
        registered(&app, name, &[]).await;
        for feature in features {
            report(&app, name, feature, "production", "2026-01-15T11:00:00Z", 1, 1).await;
        }
    }
    let viewer = app.viewer().await;
    assert_eq!(names(&viewer, "").await, (vec!["both".to_owned()], json!(1)));
    viewer.get(&format!("{ALL}/hidden")).await.refused(404, "NotFoundError", "hidden");
    let both = viewer.get(&format!("{ALL}/both")).await.expect(200);
    assert_eq!(both["usage"], json!([{ "project": "shop", "environments": ["production"] }]));
    let overview = viewer.get(&format!("{ALL}/both/overview")).await.expect(200);
    assert_eq!((&overview["projects"], &overview["featureCount"]), (&json!(["shop"]), &json!(1)));
    assert_eq!(overview["environments"][0]["issues"]["missingFeatures"], json!([]));
    for path in ["/api/admin/client-metrics/features/s", "/api/admin/client-metrics/features/s/raw"] {
        viewer.get(path).await.refused(404, "NotFoundError", "\"s\"");
    }
    let member = app.person(role::VIEWER, Some(("secret", role::MEMBER))).await;
    assert_eq!(names(&member, "").await.1, json!(3));
    // Of one that uses nothing it is not known whose it is.
    viewer.get(&format!("{ALL}/idle")).await.refused(404, "NotFoundError", "idle");
}

#[tokio::test]
async fn usage_of_a_feature_is_told_by_hour_and_added_up() {
    let app = shop().await;
    report(&app, "a", "f", "production", "2026-01-15T12:00:00Z", 5, 1).await;
    report(&app, "b", "f", "production", "2026-01-15T11:00:00Z", 3, 2).await;
    report(&app, "c", "f", "production", "2026-01-14T12:00:00Z", 1, 0).await;
    report(&app, "d", "f", "development", "2026-01-13T12:00:00Z", 7, 7).await;
    report(&app, "d", "f", "development", "2026-01-13T11:00:00Z", 9, 9).await;
    let variant = client_metrics_variant_hourly::ActiveModel {
        feature_name: Set("f".to_owned()),
        app_name: Set("a".to_owned()),
        environment: Set("production".to_owned()),
        timestamp: Set(at("2026-01-15T12:00:00Z")),
        variant: Set("red".to_owned()),
        count: Set(4),
    };
    let tx = app.tx().await;
    client_metrics_variant_hourly::Entity::insert(variant).exec_without_returning(&tx).await.expect("a report");
    app.commit(tx).await;
    let viewer = app.viewer().await;
    let summary = viewer.get("/api/admin/client-metrics/features/f").await.expect(200);
    let expected = json!({
        "version": 1, "maturity": "stable", "featureName": "f", "seenApplications": ["a", "b", "c"],
        "lastHourUsage": [{
            "featureName": "f", "environment": "production", "timestamp": "2026-01-15T12:00:00.000Z", "yes": 8,
            "no": 3, "variants": { "red": 4 },
        }],
    });
    assert_eq!(summary, expected);
    let hours = async |query: &str| {
        let path = format!("/api/admin/client-metrics/features/f/raw{query}");
        viewer.get(&path).await.expect(200)["data"].as_array().expect("data").clone()
    };
    let all = hours("").await;
    assert_eq!(all.len(), 4);
    let first = json!({
        "featureName": "f", "appName": "a", "environment": "production", "timestamp": "2026-01-15T12:00:00.000Z",
        "yes": 5, "no": 1, "variants": { "red": 4 },
    });
    assert_eq!(all[0], first);
    assert_eq!(hours("?hoursBack=1").await.len(), 2);
    assert_eq!(hours("?hoursBack=24").await.len(), 3);
    for nonsense in ["?hoursBack=0", "?hoursBack=49", "?hoursBack=x"] {
        assert_eq!(hours(nonsense).await.len(), 4, "{nonsense}");
    }
    viewer.get("/api/admin/client-metrics/features/none").await.refused(404, "NotFoundError", "none");
    viewer.get("/api/admin/client-metrics/features/a%00b/raw").await.refused(404, "NotFoundError", "a");
}
