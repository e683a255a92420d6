//! Effects of an import, and the events that it leaves.

use flagstone::store::entity;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};

use super::{EXPORT, archive, import, names, request, segment, shop};
use crate::harness::TestApp;

/// Type, feature, environment and data of each event after the first `skip`.
async fn events(app: &TestApp, skip: usize) -> Vec<Value> {
    let parsed = |text: &Option<String>| text.as_ref().map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
    let rows = app.events().await;
    let shown = rows.iter().skip(skip).map(|row| {
        let mut data = parsed(&row.data).unwrap_or(Value::Null);
        if let Some(strategy) = data.get_mut("id") {
            *strategy = "id".into();
        }
        let tags: Vec<Value> = serde_json::from_str(&row.tags).expect("tags");
        json!([row.r#type, row.feature_name, row.environment, data, parsed(&row.pre_data), tags.len()])
    });
    shown.collect()
}

fn document(name: &str, stale: bool) -> Value {
    json!({
        "name": name, "description": null, "type": "release", "project": "shop", "stale": stale,
        "createdAt": "2026-01-15T12:00:00.000Z", "lastSeenAt": null, "impressionData": false,
        "archivedAt": null, "archived": false,
    })
}

fn everything_at_once(segment_id: i64) -> Value {
    json!({
        "features": [{ "name": "parent", "project": "elsewhere" }, { "name": "old", "description": null, "stale": true }],
        "featureStrategies": [{
            "name": "flexibleRollout", "featureName": "old", "title": null, "disabled": false,
            "parameters": { "rollout": "5" }, "segments": [segment_id],
            "constraints": [{ "contextName": "region", "operator": "NUM_EQ", "value": "1" }],
        }],
        "featureEnvironments": [
            { "name": "parent", "featureName": "parent", "enabled": true, "variants": [{ "name": "v", "weight": 3 }] },
            { "name": "old", "featureName": "old", "environment": "another", "enabled": false, "variants": [] }
        ],
        "contextFields": [{ "name": "region" }, { "name": "userId" }],
        "featureTags": [
            { "featureName": "old", "tagType": "team", "tagValue": "blue" },
            { "featureName": "old", "tagValue": "kept" },
            { "featureName": "parent", "type": "team", "tagValue": "blue", "value": "ignored" },
            { "featureName": "parent", "type": "team", "tagValue": "blue" }
        ],
        "segments": [{ "id": segment_id, "name": "mountains" }],
        "tagTypes": [{ "name": "team", "icon": null }, { "name": "unused" }],
        "dependencies": [{ "feature": "old", "dependencies": [{ "feature": "parent", "variants": ["v"] }] }],
    })
}

#[tokio::test]
async fn each_step_leaves_its_events_in_order() {
    let app = shop().await;
    let old = app.feature("shop", "old").await;
    app.tag(old, "simple", "kept").await;
    let here = segment(&app, "mountains", None).await;
    app.clock.advance(1000);
    // The data set has its own id for the segment.
    import(&app.admin(), everything_at_once(here + 40)).await;

    let mut parent = document("parent", false);
    parent["createdAt"] = "2026-01-15T12:00:01.000Z".into();
    let variant = json!({ "name": "v", "weight": 1000, "weightType": "variable", "stickiness": "default" });
    let blue = json!({ "value": "blue", "type": "team" });
    let kept = json!({ "value": "kept", "type": "simple" });
    let strategy = json!({
        "id": "id", "name": "flexibleRollout", "title": null, "disabled": false, "sortOrder": 0, "segments": [here],
        "constraints": [{ "contextName": "region", "operator": "NUM_EQ", "values": [], "value": "1" }], "variants": [],
        "parameters": { "groupId": "old", "rollout": "5", "stickiness": "default" },
    });
    let field =
        json!({ "name": "region", "description": null, "stickiness": false, "sortOrder": 10, "legalValues": [] });
    let development = "development";
    let expected = [
        json!(["feature-metadata-updated", "old", null, document("old", true), document("old", false), 1]),
        json!(["feature-created", "parent", null, parent, null, 0]),
        json!(["feature-environment-variants-updated", "parent", development, { "variants": [variant] }, { "variants": [] }, 0]),
        json!(["tag-type-created", null, null, { "name": "team", "description": "", "icon": null }, null, 0]),
        json!(["tag-created", null, null, blue, null, 0]),
        json!(["feature-tagged", "parent", null, blue, null, 1]),
        json!(["feature-tagged", "old", null, kept, null, 2]),
        json!(["feature-tagged", "old", null, blue, null, 2]),
        json!(["context-field-created", null, null, field, null, 0]),
        json!(["feature-strategy-add", "old", development, strategy, null, 2]),
        json!(["feature-environment-enabled", "parent", development, null, null, 1]),
        json!(["feature-dependency-added", "old", null, { "feature": "parent", "enabled": true, "variants": ["v"] }, null, 2]),
        json!(["features-imported", null, development, null, null, 0]),
    ];
    let stored = events(&app, 0).await;
    for (index, (stored, expected)) in stored.iter().zip(&expected).enumerate() {
        assert_eq!(stored, expected, "event {index}");
    }
    assert_eq!(stored.len(), expected.len());
    let projects: Vec<Option<String>> = app.events().await.into_iter().map(|event| event.project).collect();
    let of_instance = [3, 4, 8];
    for (index, project) in projects.iter().enumerate() {
        assert_eq!(project.as_deref(), (!of_instance.contains(&index)).then_some("shop"), "event {index}");
    }
}

#[tokio::test]
async fn derived_columns_follow() {
    let app = shop().await;
    app.feature("shop", "old").await;
    let here = segment(&app, "mountains", None).await;
    import(&app.admin(), everything_at_once(here)).await;
    let features = entity::feature::Entity::find().order_by_asc(entity::feature::Column::Name).all(app.db()).await;
    let features = features.expect("features");
    let shown: Vec<_> =
        features.iter().map(|row| (&*row.name, row.dependency_kind.as_deref(), &*row.search_text)).collect();
    assert_eq!(
        shown,
        [("old", Some("child"), "old\nsimple:kept\nteam:blue"), ("parent", Some("parent"), "parent\nteam:blue"),]
    );
    let rows = entity::feature_environment::Entity::find()
        .filter(entity::feature_environment::Column::FeatureName.is_in(["old", "parent"]))
        .order_by_asc(entity::feature_environment::Column::FeatureName)
        .order_by_asc(entity::feature_environment::Column::Environment)
        .all(app.db())
        .await
        .expect("rows");
    let shown: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                &*row.feature_name,
                &*row.environment,
                row.enabled,
                row.has_strategies,
                row.has_enabled_strategies,
                row.variant_count,
                row.live,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("old", "development", false, true, true, 0, true),
            ("old", "production", false, false, false, 0, true),
            ("parent", "development", true, false, false, 1, true),
            ("parent", "production", false, false, false, 0, true),
        ]
    );
    let stages = entity::feature_lifecycle::Entity::find().all(app.db()).await.expect("stages");
    assert_eq!(stages.len(), 2);
    let links = entity::strategy_segment::Entity::find().all(app.db()).await.expect("links");
    assert_eq!(links.iter().map(|link| link.segment_id).collect::<Vec<_>>(), [here]);
}

#[tokio::test]
async fn importing_again_overwrites_and_leaves_other_environments_alone() {
    let app = shop().await;
    let configured = |environment: &str, strategy: &str, variant: &str| {
        let mut request = request(json!({
            "features": [{ "name": "a", "type": "experiment", "description": "first", "impressionData": true }],
            "featureStrategies": [
                { "name": strategy, "featureName": "a" }, { "name": "default", "featureName": "a", "disabled": true }
            ],
            "featureEnvironments": [{ "name": "a", "enabled": true, "variants": [{ "name": variant, "weight": 1 }] }],
            "featureTags": [{ "featureName": "a", "tagValue": "first" }],
        }));
        request["environment"] = environment.into();
        request
    };
    let admin = app.admin();
    for environment in ["development", "production"] {
        admin.post(super::IMPORT, configured(environment, "userWithId", "blue")).await.expect(200);
    }
    let seen = app.events().await.len();
    import(
        &admin,
        json!({
            "features": [{ "name": "a" }],
            "featureStrategies": [{ "name": "remoteAddress", "featureName": "a", "parameters": { "IPs": "1" } }],
            "featureEnvironments": [{ "name": "a", "enabled": false, "variants": [] }],
            "featureTags": [{ "featureName": "a", "tagValue": "second" }],
        }),
    )
    .await;
    let kinds: Vec<Value> = events(&app, seen).await.into_iter().map(|event| event[0].clone()).collect();
    assert_eq!(
        kinds,
        [
            "feature-metadata-updated",
            "feature-environment-variants-updated",
            "tag-created",
            "feature-tagged",
            "feature-strategy-remove",
            "feature-strategy-remove",
            "feature-strategy-add",
            "feature-environment-disabled",
            "features-imported",
        ]
    );
    let replaced: Vec<Value> = events(&app, seen).await.into_iter().filter(|event| !event[4].is_null()).collect();
    let removed = |position: usize| {
        let event = &replaced[position];
        json!([event[0], event[1], event[2], event[3], event[4]["name"], event[4]["disabled"], event[4]["sortOrder"]])
    };
    let kind = "feature-strategy-remove";
    assert_eq!(removed(2), json!([kind, "a", "development", null, "userWithId", false, 0]));
    assert_eq!(removed(3), json!([kind, "a", "development", null, "default", true, 1]));
    let exported = |environment: &'static str| {
        let admin = admin.clone();
        async move { admin.post(EXPORT, json!({ "environment": environment, "features": ["a"] })).await.expect(200) }
    };
    let development = exported("development").await;
    // What is absent takes its default.
    let feature = &development["features"][0];
    assert_eq!((&feature["type"], &feature["impressionData"]), (&json!("release"), &json!(false)));
    assert_eq!(feature["description"], Value::Null);
    assert_eq!(names(&development["featureStrategies"], "name"), ["remoteAddress"]);
    assert_eq!(development["featureEnvironments"][0]["variants"], json!([]));
    assert_eq!(development["featureEnvironments"][0]["enabled"], false);
    assert_eq!(names(&development["featureTags"], "tagValue"), ["second"]);
    let production = exported("production").await;
    assert_eq!(names(&production["featureStrategies"], "name"), ["userWithId", "default"]);
    assert_eq!(names(&production["featureEnvironments"][0]["variants"], "name"), ["blue"]);
    assert_eq!(production["featureEnvironments"][0]["enabled"], true);
}

#[tokio::test]
async fn archived_features_and_all_that_is_theirs_are_left_out() {
    let app = shop().await;
    let id = app.feature("shop", "shelved").await;
    archive(&app, "shelved").await;
    import(
        &app.admin(),
        json!({
            "features": [{ "name": "shelved", "stale": true }, { "name": "child" }],
            "featureStrategies": [{ "name": "nonesuch", "featureName": "shelved" }],
            "featureEnvironments": [{ "name": "shelved", "enabled": true }],
            "featureTags": [{ "featureName": "shelved", "tagType": "gone", "tagValue": "gone" }],
            "tagTypes": [{ "name": "gone" }],
            "dependencies": [
                { "feature": "child", "dependencies": [{ "feature": "shelved", "enabled": false, "variants": ["v"] }] },
                { "feature": "shelved", "dependencies": [{ "feature": "nowhere" }] }
            ],
        }),
    )
    .await;
    let stored = entity::feature::Entity::find_by_id(id).one(app.db()).await.expect("a row").expect("there");
    assert!(!stored.stale && stored.archived_at.is_some());
    // The child keeps what it asks of its parent; variants count for nothing unless the parent must be on.
    let link = json!({ "feature": "shelved", "enabled": false });
    assert_eq!(
        events(&app, 0).await.iter().map(|event| json!([event[0], event[1], event[3]])).skip(1).collect::<Vec<_>>(),
        [json!(["feature-dependency-added", "child", link]), json!(["features-imported", null, null])]
    );
}

#[tokio::test]
async fn of_two_imports_at_once_the_later_overwrites() {
    let app = shop().await;
    let data = |tag: &str| {
        let features: Vec<Value> = (0..50).map(|index| json!({ "name": format!("f{index}") })).collect();
        let tags: Vec<Value> =
            (0..50).map(|index| json!({ "featureName": format!("f{index}"), "tagValue": tag })).collect();
        json!({ "features": features, "featureTags": tags, "contextFields": [{ "name": "region" }] })
    };
    let admin = app.admin();
    tokio::join!(import(&admin, data("one")), import(&admin, data("two")), import(&admin, data("three")));
    let tagged = entity::feature_tag::Entity::find().all(app.db()).await.expect("tags");
    assert_eq!(tagged.len(), 50);
    let kinds = app.event_types().await;
    let count = |kind: &str| kinds.iter().filter(|event_type| *event_type == kind).count();
    assert_eq!((count("feature-created"), count("feature-metadata-updated")), (50, 100));
    assert_eq!((count("context-field-created"), count("features-imported")), (1, 3));
}

#[tokio::test]
async fn imports_are_large_and_bounded() {
    use flagstone::config::{BodyLimits, Config};
    let limits = BodyLimits { standard_bytes: 2_000, import_bytes: 200_000 };
    let app = TestApp::with_config(Config { body_limits: limits, ..Config::default() }).await;
    app.project("shop").await;
    let features = |count: usize| (0..count).map(|index| json!({ "name": format!("f{index:04}") })).collect::<Vec<_>>();
    import(&app.admin(), json!({ "features": features(1200) })).await;
    let stored = entity::feature::Entity::find().all(app.db()).await.expect("features");
    assert_eq!(stored.len(), 1200);
    let large = json!({ "features": [{ "name": "a", "description": "x".repeat(200_000) }] });
    app.admin().post(super::IMPORT, request(large)).await.refused(413, "PayloadTooLargeError", "200000");
}
