use flagstone::store::{
    self,
    entity::{client_application, client_instance, client_metrics_daily, client_metrics_hourly, feature},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};

use super::*;
use crate::harness::role;

#[tokio::test]
async fn the_list_counts_what_each_project_holds() {
    let app = shop().await;
    app.feature("shop", "a").await;
    app.feature("shop", "b").await;
    archive(&app, "b").await;
    let owner = app.owner("shop").await;
    app.member("shop").await;
    let group = app.group("team", &[owner.user_id.expect("a person")]).await;
    app.group_role("shop", group, role::OWNER).await;
    app.clock.advance(60_000);
    put(&owner, SHOP, json!({ "name": "a shop", "description": "Sells" })).await.expect(200);
    let body = owner.get(PROJECTS).await.expect(200);
    assert_eq!(body["version"], 1);
    let projects = body["projects"].as_array().expect("a list");
    let ids: Vec<&Value> = projects.iter().map(|project| &project["id"]).collect();
    assert_eq!(ids, ["shop", "default"]);
    let mut shop = projects[0].clone();
    let owners = shop["owners"].take();
    assert_eq!(
        shop,
        json!({
            "id": "shop", "name": "a shop", "description": "Sells", "health": 100, "favorite": false,
            "featureCount": 1, "memberCount": 2, "createdAt": "2026-01-15T12:00:00.000Z", "archivedAt": null,
            "mode": "open", "lastReportedFlagUsage": null, "lastUpdatedAt": "2026-01-15T12:01:00.000Z", "owners": null,
        })
    );
    assert_eq!(owners.as_array().expect("a list").len(), 2);
    assert_eq!(owners[0]["ownerType"], "user");
    assert!(owners[0]["email"].as_str().expect("text").ends_with("@example.com"));
    assert_eq!(owners[1], json!({ "ownerType": "group", "name": "team" }));
    assert_eq!(projects[1]["owners"], json!([{ "ownerType": "system" }]));
    assert_eq!(projects[1]["lastUpdatedAt"], Value::Null);
}

async fn use_feature(app: &TestApp, id: i64) {
    let tx = app.tx().await;
    let row = feature::ActiveModel { id: Set(id), last_seen_at: Set(Some(app.clock.now())), ..Default::default() };
    row.update(&tx).await.expect("updates");
    app.commit(tx).await;
}

#[tokio::test]
async fn the_overview_follows_the_first_steps() {
    let app = shop().await;
    assert_eq!(overview(&app).await["onboardingStatus"], json!({ "status": "onboarding-started" }));
    let a = app.feature("shop", "a").await;
    app.clock.advance(1000);
    app.feature("shop", "0").await;
    let found = overview(&app).await;
    assert_eq!(found["onboardingStatus"], json!({ "status": "first-flag-created", "feature": "a" }));
    assert_eq!(found["featureTypeCounts"], json!([{ "type": "release", "count": 2 }]));
    assert_eq!((&found["version"], &found["health"], &found["archivedAt"]), (&json!(1), &json!(100), &Value::Null));
    use_feature(&app, a).await;
    assert_eq!(overview(&app).await["onboardingStatus"], json!({ "status": "onboarded" }));
    let listed = app.admin().get(PROJECTS).await.expect(200);
    assert_eq!(listed["projects"][1]["lastReportedFlagUsage"], "2026-01-15T12:00:01.000Z");
    app.admin().get("/api/admin/projects/none/overview").await.refused(404, "NotFoundError", "none");
}

#[tokio::test]
async fn insights_tell_health_members_and_lead_times() {
    use flagstone::domain::{actor::Actor, event::NewEvent, event_kind::EventKind, time::DAY_MS};
    let app = shop().await;
    for name in ["a", "b", "c"] {
        app.feature("shop", name).await;
    }
    app.member("shop").await;
    app.clock.advance(2 * DAY_MS);
    let enabled = |feature: &str| {
        let event = NewEvent::new(EventKind::FeatureEnvironmentEnabled, &Actor::system());
        event.in_project("shop").of_feature(feature, &[]).in_environment("production")
    };
    app.tx().await.commit(app.clock.now(), [enabled("b")]).await.expect("done");
    app.clock.advance(DAY_MS);
    app.tx().await.commit(app.clock.now(), [enabled("a"), enabled("b")]).await.expect("done");
    let patch = json!([{ "op": "replace", "path": "/stale", "value": true }]);
    app.admin().patch("/api/admin/projects/shop/features/c", patch).await.expect(200);
    let lead_time = json!({
        "projectAverage": 2.5,
        "features": [{ "name": "a", "timeToProduction": 3 }, { "name": "b", "timeToProduction": 2 }],
    });
    let found = app.admin().get("/api/admin/projects/shop/insights").await.expect(200);
    assert_eq!(found["leadTime"], lead_time);
    assert_eq!(found["health"], json!({ "rating": 67, "activeCount": 2, "potentiallyStaleCount": 0, "staleCount": 1 }));
    assert_eq!(found["members"], json!({ "currentMembers": 1, "change": 1 }));
    assert_eq!(found["featureTypeCounts"], json!([{ "type": "release", "count": 3 }]));
    assert_eq!(found["stats"]["createdCurrentWindow"], 3);
    assert_eq!(app.admin().get("/api/admin/projects/shop/dora").await.expect(200), lead_time);
    let nothing = app.admin().get("/api/admin/projects/default/dora").await.expect(200);
    assert_eq!(nothing, json!({ "projectAverage": 0, "features": [] }));
}

async fn application(app: &TestApp, name: &str, feature: Option<&str>, instances: &[(&str, &str, Option<&str>)]) {
    let now = app.clock.now();
    let tx = app.tx().await;
    let row = client_application::ActiveModel {
        app_name: Set(name.to_owned()),
        strategies: Set("[]".to_owned()),
        created_at: Set(now),
        updated_at: Set(now),
        seen_at: Set(now),
        ..Default::default()
    };
    client_application::Entity::insert(row).exec_without_returning(&tx).await.expect("an application");
    for (instance_id, environment, sdk) in instances {
        let row = client_instance::ActiveModel {
            app_name: Set(name.to_owned()),
            instance_id: Set((*instance_id).to_owned()),
            environment: Set((*environment).to_owned()),
            sdk_version: Set(sdk.map(str::to_owned)),
            last_seen_at: Set(now),
            created_at: Set(now),
        };
        client_instance::Entity::insert(row).exec_without_returning(&tx).await.expect("an instance");
    }
    if let Some(feature) = feature {
        let row = client_metrics_hourly::ActiveModel {
            feature_name: Set(feature.to_owned()),
            app_name: Set(name.to_owned()),
            environment: Set("production".to_owned()),
            timestamp: Set(now.floor_hour()),
            yes: Set(1),
            no: Set(0),
        };
        client_metrics_hourly::Entity::insert(row).exec_without_returning(&tx).await.expect("metrics");
    }
    app.commit(tx).await;
}

#[tokio::test]
async fn applications_are_those_that_use_a_feature_of_the_project() {
    let app = shop().await;
    app.feature("shop", "f").await;
    app.feature("default", "g").await;
    let node = Some("unleash-client-node:4.0.0");
    application(
        &app,
        "web",
        Some("f"),
        &[("2", "production", node), ("1", "development", node), ("3", "production", None)],
    )
    .await;
    application(&app, "Worker", None, &[("w", "production", Some("unleash-client-node:6.0.0"))]).await;
    application(&app, "elsewhere", Some("g"), &[("e", "production", node)]).await;
    application(&app, "idle", None, &[]).await;
    let tx = app.tx().await;
    let row = client_metrics_daily::ActiveModel {
        feature_name: Set("f".to_owned()),
        app_name: Set("Worker".to_owned()),
        environment: Set("production".to_owned()),
        date: Set(app.clock.now().floor_day()),
        yes: Set(1),
        no: Set(0),
    };
    client_metrics_daily::Entity::insert(row).exec_without_returning(&tx).await.expect("metrics");
    app.commit(tx).await;

    let applications = "/api/admin/projects/shop/applications";
    let web = json!({
        "name": "web", "environments": ["development", "production"], "instances": ["1", "2", "3"],
        "sdks": [{ "name": "unleash-client-node", "versions": ["4.0.0"] }],
    });
    let worker = json!({
        "name": "Worker", "environments": ["production"], "instances": ["w"],
        "sdks": [{ "name": "unleash-client-node", "versions": ["6.0.0"] }],
    });
    let ask = async |query: &str| app.admin().get(&format!("{applications}{query}")).await.expect(200);
    assert_eq!(ask("").await, json!({ "total": 2, "applications": [worker, web] }));
    assert_eq!(ask("?query=WORK").await, json!({ "total": 1, "applications": [worker] }));
    assert_eq!(ask("?sortOrder=desc&limit=1").await, json!({ "total": 2, "applications": [web] }));
    assert_eq!(ask("?offset=1&limit=many").await, json!({ "total": 2, "applications": [web] }));
    assert_eq!(ask("?offset=9").await, json!({ "total": 2, "applications": [] }));
    app.admin().get(&format!("{applications}?sortOrder=up")).await.refused(400, "ValidationError", "sortOrder");

    let outdated = app.admin().get("/api/admin/projects/shop/sdks/outdated").await.expect(200);
    assert_eq!(outdated, json!({ "sdks": [{ "sdkVersion": "unleash-client-node:4.0.0", "applications": ["web"] }] }));
}

#[tokio::test]
async fn flag_creators_are_named_once() {
    let app = shop().await;
    let owner = app.owner("shop").await;
    let id = owner.user_id.expect("a person");
    for name in ["a", "b"] {
        let feature = app.feature("shop", name).await;
        let tx = app.tx().await;
        let row = feature::ActiveModel { id: Set(feature), created_by_user_id: Set(Some(id)), ..Default::default() };
        row.update(&tx).await.expect("updates");
        app.commit(tx).await;
    }
    app.feature("shop", "c").await;
    app.feature("default", "d").await;
    let found = app.viewer().await.get("/api/admin/projects/shop/flag-creators").await.expect(200);
    let ids: Vec<&Value> = found.as_array().expect("a list").iter().map(|creator| &creator["id"]).collect();
    assert_eq!(ids, [&json!(-42), &json!(id)]);
    assert_eq!(found[0]["name"], "Admin token");
}

#[tokio::test]
async fn environments_are_listed_as_the_project_uses_them() {
    let app = shop().await;
    let f = app.feature("shop", "f").await;
    let tx = app.tx().await;
    store::features::set_enabled(&tx, f, "production", true).await.expect("done");
    let token = store::tokens::NewApiToken {
        secret: "shop:production.x".to_owned(),
        name: "t".to_owned(),
        kind: flagstone::domain::secret::TokenKind::Client,
        projects: vec!["shop".to_owned()],
        environment: "production".to_owned(),
        expires_at: None,
        created_by: None,
    };
    store::tokens::insert_api_token(&tx, &token, app.clock.now()).await.expect("a token");
    app.commit(tx).await;
    let environment = |name: &str, kind: &str, enabled: bool, protected: bool, order: i64, counts: [i64; 2]| {
        json!({
            "name": name, "type": kind, "enabled": enabled, "protected": protected, "sortOrder": order,
            "projectApiTokenCount": counts[0], "projectEnabledToggleCount": counts[1],
        })
    };
    let found = app.viewer().await.get("/api/admin/environments/project/shop").await.expect(200);
    assert_eq!(
        found,
        json!({
            "version": 1,
            "environments": [
                environment("default", "production", false, true, 1, [0, 0]),
                environment("development", "development", true, false, 2, [0, 0]),
                environment("production", "production", true, false, 3, [1, 1]),
            ],
        })
    );
    app.admin().get("/api/admin/environments/project/none").await.refused(404, "NotFoundError", "none");
}
