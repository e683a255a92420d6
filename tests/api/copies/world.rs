//! A feature that has everything.

use flagstone::store::entity::{
    client_metrics_daily, client_metrics_hourly, client_metrics_variant_daily, client_metrics_variant_hourly, feature,
    feature_environment,
};
use poem::http::Method;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};

use super::snapshot::Snapshot;
use crate::harness::{TestApp, role};

pub const FEATURES: &str = "/api/admin/projects/shop/features";
/// Its columns that are as in any other feature: where it is, and what only archived features have.
const USUAL: [&str; 6] = [
    "feature.archived_at",
    "feature.project",
    "feature_environment.environment",
    "feature_environment.live",
    "feature_environment.feature_created_at",
    "feature.created_at",
];

async fn put(app: &TestApp, path: &str, body: Value) {
    app.admin().json(Method::PUT, path, body).await.expect(200);
}

/// Makes the surroundings that its features need: a project that uses two environments, and a segment.
pub async fn surroundings(app: &TestApp, segments: &[&str]) {
    app.project("shop").await;
    app.admin().post("/api/admin/context", json!({ "name": "email", "stickiness": true })).await.expect(201);
    for name in segments {
        let constraint = json!({ "contextName": "email", "operator": "STR_ENDS_WITH", "values": ["@example.com"] });
        let body = json!({ "name": name, "constraints": [constraint] });
        app.admin().post("/api/admin/segments", body).await.expect(201);
    }
}

/// A feature in use of the project `shop`.
pub async fn plain(app: &TestApp, name: &str) {
    app.admin().post(FEATURES, json!({ "name": name })).await.expect(201);
}

/// An instance with the feature `original` of the project `shop`, which has everything, and the features `parent` and
/// `absent` on which it depends.
pub async fn furnished() -> TestApp {
    let app = TestApp::new().await;
    let admin = app.admin();
    surroundings(&app, &["others", "employees"]).await;
    let field = json!({ "contextName": "region", "operator": "IN", "values": ["north"], "inverted": true });
    admin.post("/api/admin/context", json!({ "name": "region" })).await.expect(201);
    let kind = json!({
        "name": "original", "type": "experiment", "description": "Has everything", "impressionData": true,
        "tags": [{ "type": "simple", "value": "beta" }, { "type": "simple", "value": "alpha" }],
    });
    let person = app.person(role::ADMIN, None).await;
    person.post(FEATURES, kind).await.expect(201);
    for name in ["parent", "absent"] {
        plain(&app, name).await;
    }
    let variant = |name: &str, weight: i64, stickiness: &str| {
        json!({
            "name": name, "weight": weight, "weightType": "fix", "stickiness": stickiness,
            "payload": { "type": "json", "value": "{\"a\":1}" },
        })
    };
    let last = |name: &str, stickiness: &str| {
        let mut variant = json!({ "weight": 700, "weightType": "variable" });
        variant["name"] = name.into();
        variant["stickiness"] = stickiness.into();
        variant
    };
    for environment in ["development", "production"] {
        let here = format!("{FEATURES}/original/environments/{environment}");
        for (title, disabled, segments) in [("First", false, json!([2, 1])), ("Second", true, json!([]))] {
            let strategy = json!({
                "name": "flexibleRollout", "title": format!("{title} in {environment}"), "disabled": disabled,
                "parameters": { "rollout": "42", "stickiness": "email", "groupId": "group" },
                "constraints": [field], "segments": segments,
                "variants": [variant("blue", 300, "email"), last("red", "email")],
            });
            admin.post(&format!("{here}/strategies"), strategy).await.expect(200);
        }
        let own = json!({ "name": "userWithId", "parameters": { "userIds": "ada,eve" } });
        admin.post(&format!("{here}/strategies"), own).await.expect(200);
        put(&app, &format!("{here}/variants"), json!([variant("one", 300, "default"), last("two", "default")])).await;
        admin.post(&format!("{here}/on"), json!({})).await.expect(200);
    }
    let given = json!({ "feature": "parent", "enabled": true, "variants": ["one", "two"] });
    admin.post(&format!("{FEATURES}/original/dependencies"), given).await.expect(200);
    let given = json!({ "feature": "absent", "enabled": false });
    admin.post(&format!("{FEATURES}/original/dependencies"), given).await.expect(200);
    let ticket = json!({ "url": "https://tickets.example.com/7", "title": "Ticket" });
    admin.post(&format!("{FEATURES}/original/link"), ticket).await.expect(204);
    let stale = json!([{ "op": "replace", "path": "/stale", "value": true }]);
    admin.patch(&format!("{FEATURES}/original"), stale).await.expect(200);
    let complete = json!({ "status": "kept", "statusValue": "blue" });
    admin.post(&format!("{FEATURES}/original/lifecycle/complete"), complete).await.expect(200);
    person.post(&format!("{FEATURES}/original/favorites"), json!({})).await.expect(200);
    reported(&app).await;
    app.clock.advance(3_600_000);
    plain(&app, "plain").await;
    let (original, plain) =
        (Snapshot::of(app.db(), "original", None).await, Snapshot::of(app.db(), "plain", None).await);
    let usual: Vec<&str> = original.equal_columns(&plain);
    let lacking: Vec<&&str> =
        usual.iter().filter(|column| !USUAL.contains(column) && !column.starts_with("archived_dependency.")).collect();
    assert!(lacking.is_empty(), "the feature lacks {lacking:?}");
    app
}

/// Writes what the server notes by itself: usage, and that the feature has become old.
async fn reported(app: &TestApp) {
    let now = app.clock.now();
    let tx = app.tx().await;
    let row = feature::Entity::find().filter(feature::Column::Name.eq("original")).one(&tx).await;
    let id = row.expect("reads").expect("a feature").id;
    let seen = feature::ActiveModel {
        id: Set(id),
        last_seen_at: Set(Some(now)),
        potentially_stale: Set(true),
        ..Default::default()
    };
    feature::Entity::update(seen).exec(&tx).await.expect("updates");
    for environment in ["development", "production"] {
        let environment = || environment.to_owned();
        let seen = feature_environment::ActiveModel {
            feature_id: Set(id),
            environment: Set(environment()),
            last_seen_at: Set(Some(now)),
            ..Default::default()
        };
        feature_environment::Entity::update(seen).exec(&tx).await.expect("updates");
        let (name, app_name) = (|| Set("original".to_owned()), || Set("app".to_owned()));
        let hourly = client_metrics_hourly::ActiveModel {
            feature_name: name(),
            app_name: app_name(),
            environment: Set(environment()),
            timestamp: Set(now),
            yes: Set(1),
            no: Set(2),
        };
        client_metrics_hourly::Entity::insert(hourly).exec_without_returning(&tx).await.expect("usage");
        let of_variant = client_metrics_variant_hourly::ActiveModel {
            feature_name: name(),
            app_name: app_name(),
            environment: Set(environment()),
            timestamp: Set(now),
            variant: Set("blue".to_owned()),
            count: Set(1),
        };
        client_metrics_variant_hourly::Entity::insert(of_variant).exec_without_returning(&tx).await.expect("usage");
        let daily = client_metrics_daily::ActiveModel {
            feature_name: name(),
            app_name: app_name(),
            environment: Set(environment()),
            date: Set(now),
            yes: Set(1),
            no: Set(2),
        };
        client_metrics_daily::Entity::insert(daily).exec_without_returning(&tx).await.expect("usage");
        let daily_of_variant = client_metrics_variant_daily::ActiveModel {
            feature_name: name(),
            app_name: app_name(),
            environment: Set(environment()),
            date: Set(now),
            variant: Set("blue".to_owned()),
            count: Set(1),
        };
        let insert = client_metrics_variant_daily::Entity::insert(daily_of_variant);
        insert.exec_without_returning(&tx).await.expect("usage");
    }
    app.commit(tx).await;
}
