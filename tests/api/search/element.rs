//! Elements of the search, one for each feature.

use flagstone::{
    domain::{
        actor::ADMIN_TOKEN_USER_ID,
        lifecycle::Stage,
        strategy::StrategyDefinition,
        time::{HOUR_MS, Timestamp},
    },
    store::{
        self,
        entity::{client_metrics_hourly, feature, feature_environment, feature_lifecycle},
    },
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Set, sea_query::Expr};
use serde_json::{Value, json};

use super::{PATH, names, search};
use crate::harness::{TestApp, add_strategy};

#[tokio::test]
async fn an_element_tells_everything_about_its_feature() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let person = app.viewer().await;
    let person_id = person.user_id.expect("a person");
    let id = app.feature("shop", "checkout").await;
    let child = app.feature("shop", "checkout-child").await;
    app.tag(id, "simple", "beta").await;
    app.tag(id, "simple", "alpha").await;
    let now = app.clock.now();
    let tx = app.tx().await;
    let segment = store::segments::NewSegment { name: "employees".to_owned(), ..Default::default() };
    let segment = store::segments::insert(&tx, &segment, now).await.expect("a segment");
    let strategy =
        StrategyDefinition { name: "default".to_owned(), segments: vec![segment], ..StrategyDefinition::default() };
    for _ in 0..2 {
        add_strategy(&tx, id, "production", &strategy, now).await.expect("a strategy");
    }
    let disabled = StrategyDefinition { name: "default".to_owned(), disabled: true, ..StrategyDefinition::default() };
    add_strategy(&tx, id, "development", &disabled, now).await.expect("a strategy");
    store::features::set_enabled(&tx, id, "production", true).await.expect("switched");
    store::features::dependencies::add(&tx, child, id, true, &[]).await.expect("a dependency");
    store::features::favorites::add_feature(&tx, person_id, id, now).await.expect("a favourite");
    let completed = feature_lifecycle::ActiveModel {
        feature_id: Set(id),
        stage: Set(Stage::Completed.as_str().to_owned()),
        status: Set(Some("kept".to_owned())),
        status_value: Set(None),
        entered_stage_at: Set(now.plus_millis(5)),
    };
    feature_lifecycle::Entity::insert(completed).exec_without_returning(&tx).await.expect("a stage");
    feature::Entity::update_many()
        .col_expr(feature::Column::CreatedByUserId, Expr::value(person_id))
        .col_expr(feature::Column::LastSeenAt, Expr::value(now))
        .filter(feature::Column::Id.eq(id))
        .exec(&tx)
        .await
        .expect("updated");
    feature_environment::Entity::update_many()
        .col_expr(feature_environment::Column::LastSeenAt, Expr::value(now))
        .filter(feature_environment::Column::FeatureId.eq(id))
        .filter(feature_environment::Column::Environment.eq("production"))
        .exec(&tx)
        .await
        .expect("updated");
    app.commit(tx).await;

    let body = person.get(&search("project", "IS:shop")).await.expect(200);
    assert_eq!(names(&body), ["checkout", "checkout-child"]);
    assert_eq!(body["features"][1]["dependencyType"], "child");
    let mut element = body["features"][0].clone();
    let image = element["createdBy"]["imageUrl"].take();
    assert!(image.as_str().expect("an address").starts_with("https://gravatar.com/avatar/"), "{image}");
    let name = element["createdBy"]["name"].take();
    assert!(name.as_str().expect("a name").starts_with("User "), "{name}");
    assert_eq!(
        element,
        json!({
            "name": "checkout",
            "type": "release",
            "description": null,
            "dependencyType": "parent",
            "project": "shop",
            "stale": false,
            "favorite": true,
            "impressionData": false,
            "createdAt": "2026-01-15T12:00:00.000Z",
            "createdBy": { "id": person_id, "name": null, "imageUrl": null },
            "environments": [
                {
                    "name": "development", "type": "development", "enabled": false, "sortOrder": 2, "variantCount": 0,
                    "lastSeenAt": null, "hasStrategies": true, "hasEnabledStrategies": false, "yes": 0, "no": 0,
                },
                {
                    "name": "production", "type": "production", "enabled": true, "sortOrder": 3, "variantCount": 0,
                    "lastSeenAt": "2026-01-15T12:00:00.000Z", "hasStrategies": true, "hasEnabledStrategies": true,
                    "yes": 0, "no": 0,
                },
            ],
            "segments": ["employees"],
            "tags": [{ "value": "alpha", "type": "simple" }, { "value": "beta", "type": "simple" }],
            "lifecycle": { "stage": "completed", "enteredStageAt": "2026-01-15T12:00:00.005Z", "status": "kept" },
            "lastSeenAt": "2026-01-15T12:00:00.000Z",
        })
    );
    let seen_by_token = app.admin().get(PATH).await.expect(200);
    assert_eq!(seen_by_token["features"][0]["favorite"], false);
    assert_eq!(seen_by_token["features"][1]["lifecycle"].get("status"), None);
    assert_eq!(seen_by_token["features"][1].get("tags"), None);
}

#[tokio::test]
async fn a_creator_of_whom_nothing_is_known_has_a_name_all_the_same() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let id = app.feature("shop", "orphan").await;
    let tx = app.tx().await;
    let forget = feature::Entity::update_many().col_expr(feature::Column::CreatedByUserId, Expr::value(None::<i64>));
    forget.filter(feature::Column::Id.eq(id)).exec(&tx).await.expect("updated");
    app.commit(tx).await;
    let body = app.admin().get(PATH).await.expect(200);
    assert_eq!(body["features"][0]["createdBy"]["id"], 0);
    assert_eq!(body["features"][0]["createdBy"]["name"], "unknown");
    for filter in [format!("IS:{ADMIN_TOKEN_USER_ID}"), format!("IS_NOT:{ADMIN_TOKEN_USER_ID}"), "IS_NOT:x".to_owned()]
    {
        assert_eq!(app.admin().get(&search("createdBy", &filter)).await.expect(200)["total"], 0, "{filter}");
    }
}

#[tokio::test]
async fn usage_of_the_last_hour_is_summed_over_applications() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "checkout").await;
    app.clock.advance(10 * 60_000);
    let hour = app.clock.now().floor_hour();
    let row =
        |app: &str, environment: &str, timestamp: Timestamp, yes: i64, no: i64| client_metrics_hourly::ActiveModel {
            feature_name: Set("checkout".to_owned()),
            app_name: Set(app.to_owned()),
            environment: Set(environment.to_owned()),
            timestamp: Set(timestamp),
            yes: Set(yes),
            no: Set(no),
        };
    let tx = app.tx().await;
    let rows = [
        row("web", "production", hour, 3, 1),
        row("mobile", "production", hour, 4, 0),
        row("web", "production", hour.plus_millis(-HOUR_MS), 100, 100),
        row("web", "development", hour, i64::MAX, 7),
        row("mobile", "development", hour, i64::MAX, 0),
    ];
    client_metrics_hourly::Entity::insert_many(rows).exec_without_returning(&tx).await.expect("rows");
    app.commit(tx).await;
    let usage = |body: &Value, environment: usize| {
        let environment = &body["features"][0]["environments"][environment];
        (environment["yes"].as_i64().expect("a number"), environment["no"].as_i64().expect("a number"))
    };
    let body = app.admin().get(PATH).await.expect(200);
    assert_eq!(usage(&body, 1), (7, 1));
    assert_eq!(usage(&body, 0), (i64::MAX, 7), "too much for a number stays the largest number");
    app.clock.advance(HOUR_MS);
    assert_eq!(usage(&app.admin().get(PATH).await.expect(200), 1), (0, 0));
}
