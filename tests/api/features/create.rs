//! Making features, and copying them.

use flagstone::{
    config::{Config, Limits},
    domain::{
        strategy::{FeatureStrategy, Parameters, StrategyDefinition},
        variant::FeatureVariant,
    },
    store::{self, entity, segments::NewSegment},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use super::{FEATURE, SHOP, document, event, shop, shop_with_feature, told_events};
use crate::{
    harness::{TestApp, add_strategy},
    schema::assert_derived_columns,
};

async fn set_up_project(app: &TestApp, change: impl FnOnce(&mut entity::project::ActiveModel)) {
    let tx = app.tx().await;
    let mut row = entity::project::ActiveModel { id: Set("shop".to_owned()), ..Default::default() };
    change(&mut row);
    row.update(&tx).await.expect("changes");
    app.commit(tx).await;
}

async fn names(app: &TestApp) -> Vec<String> {
    let mut rows = entity::feature::Entity::find().all(app.db()).await.expect("features");
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows.into_iter().map(|row| row.name).collect()
}

#[tokio::test]
async fn a_new_feature_is_off_everywhere_and_brings_its_tags_with_it() {
    let (app, f) = shop_with_feature().await;
    app.tag(f, "simple", "known").await;
    app.clock.advance(1000);
    let (known, new) =
        (json!({ "type": "simple", "value": "known" }), json!({ "type": "simple", "value": "brand:new" }));
    let body = json!({
        "name": "cart", "type": "experiment", "description": "x", "impressionData": true, "tags": [new, known, new],
        "stale": true, "unknown": 1,
    });
    let answer = app.admin().post(SHOP, body).await.expect(201);
    for (name, value) in [
        ("name", json!("cart")),
        ("type", json!("experiment")),
        ("description", json!("x")),
        ("impressionData", json!(true)),
        ("project", json!("shop")),
        ("stale", json!(false)),
        ("archived", json!(false)),
        ("enabled", json!(false)),
        ("createdAt", json!("2026-01-15T12:00:01.000Z")),
        ("tags", json!([new, known])),
        ("lifecycle", json!({ "stage": "initial", "enteredStageAt": "2026-01-15T12:00:01.000Z" })),
    ] {
        assert_eq!(answer[name], value, "{name}");
    }
    let environments = answer["environments"].as_array().expect("environments");
    let shown: Vec<_> = environments
        .iter()
        .map(|environment| (environment["name"].as_str(), environment["enabled"].as_bool()))
        .collect();
    assert_eq!(shown, [(Some("development"), Some(false)), (Some("production"), Some(false))]);

    let document = document(&json!({
        "name": "cart", "type": "experiment", "description": "x", "impressionData": true,
        "createdAt": "2026-01-15T12:00:01.000Z",
    }));
    let about = |kind: &str, data: &Value, tags: Value| {
        let mut event = event(kind, data, &Value::Null);
        event["featureName"] = "cart".into();
        event["tags"] = tags;
        event
    };
    let mut tag_created = event("tag-created", &new, &Value::Null);
    tag_created["featureName"] = Value::Null;
    tag_created["project"] = Value::Null;
    assert_eq!(
        told_events(&app).await,
        [
            about("feature-created", &document, json!([])),
            tag_created,
            about("feature-tagged", &new, json!([new, known])),
            about("feature-tagged", &known, json!([new, known])),
        ]
    );
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn a_name_is_enough() {
    let app = shop().await;
    let answer = app.admin().post(SHOP, json!({ "name": "a.~'(b)*!", "description": null })).await.expect(201);
    assert_eq!(
        (&answer["type"], &answer["description"], &answer["tags"]),
        (&json!("release"), &Value::Null, &Value::Null)
    );
    let person = app.member("shop").await;
    let answer = person.post(SHOP, json!({ "name": "mine" })).await.expect(201);
    assert_eq!(answer["createdBy"]["id"], person.user_id.expect("a person"));
}

#[tokio::test]
async fn what_is_wrong_with_a_new_feature_is_named_and_nothing_is_left_of_it() {
    let app = shop().await;
    let cases = [
        (json!({}), "/body/name"),
        (json!({ "name": "bad name" }), "/body/name"),
        (json!({ "name": "" }), "/body/name"),
        (json!({ "name": "x".repeat(101) }), "/body/name"),
        (json!({ "name": 3 }), "/body/name"),
        (json!({ "name": "ok", "type": "unheard" }), "/body/type"),
        (json!({ "name": "ok", "description": 3 }), "/body/description"),
        (json!({ "name": "ok", "impressionData": "yes" }), "/body/impressionData"),
        (json!({ "name": "ok", "tags": [{ "type": "simple", "value": "x" }] }), "/body/tags/0/value"),
        (
            json!({ "name": "ok", "tags": [{ "type": "simple", "value": "xx" }, { "type": "no", "value": "xx" }] }),
            "/body/tags/1/type property must name a tag type that exists; there is no \"no\"",
        ),
        (
            json!({ "name": "ok", "tags": [
                { "type": "simple", "value": "xx" }, { "type": "simple", "value": "xx" }, { "type": "no", "value": "xx" },
            ] }),
            "/body/tags/2/type",
        ),
        (json!({ "name": "ok", "tags": [{ "value": "xx" }] }), "/body/tags/0/type"),
    ];
    for (body, path) in cases {
        app.admin().post(SHOP, body.clone()).await.refused(400, "ValidationError", path);
    }
    let nowhere = "/api/admin/projects/nowhere/features";
    app.admin().post(nowhere, json!({ "name": "ok" })).await.refused(404, "NotFoundError", "nowhere");
    assert_eq!(names(&app).await, [""; 0]);
    assert_eq!(app.event_types().await, [""; 0]);
    let tags = entity::tag::Entity::find().all(app.db()).await.expect("tags");
    assert_eq!(tags, []);
}

#[tokio::test]
async fn a_taken_name_is_refused_wherever_it_is_taken() {
    let (app, _) = shop_with_feature().await;
    app.project("other").await;
    let other = "/api/admin/projects/other/features";
    for path in [SHOP, other] {
        app.admin().post(path, json!({ "name": "f" })).await.refused(409, "NameExistsError", "A feature");
    }
    app.admin().request(poem::http::Method::DELETE, FEATURE, &[], vec![]).await.expect(202);
    let seen = app.events().await.len();
    app.admin().post(other, json!({ "name": "f" })).await.refused(409, "NameExistsError", "archived");
    app.admin().post(&format!("{SHOP}/f/clone"), json!({ "name": "f" })).await.refused(404, "NotFoundError", "f");
    assert_eq!((names(&app).await, app.events().await.len()), (vec!["f".to_owned()], seen));
}

#[tokio::test]
async fn the_project_s_pattern_and_limits_hold_for_what_is_made_copied_and_revived() {
    let limits = Limits { feature_flags: 3, ..Limits::default() };
    let app = TestApp::with_config(Config { limits, ..Config::default() }).await;
    app.project("shop").await;
    set_up_project(&app, |row| {
        row.naming_pattern = Set(Some("shop-[a-z]+".to_owned()));
        row.naming_example = Set(Some("shop-cart".to_owned()));
        row.feature_limit = Set(Some(2));
    })
    .await;
    let admin = app.admin();
    admin.post(SHOP, json!({ "name": "cart" })).await.refused(400, "PatternError", "/body/name");
    let validate = "/api/admin/features/validate";
    let body = json!({ "name": "cart", "projectId": "shop" });
    admin.post(validate, body).await.refused(400, "PatternError", "shop-cart");
    admin.post(validate, json!({ "name": "cart" })).await.expect(200);
    for name in ["shop-a", "shop-b"] {
        admin.post(SHOP, json!({ "name": name })).await.expect(201);
    }
    admin.post(SHOP, json!({ "name": "shop-c" })).await.refused(403, "InvalidOperationError", "at most 2");
    let clone = format!("{SHOP}/shop-a/clone");
    admin.post(&clone, json!({ "name": "c" })).await.refused(400, "PatternError", "shop-");
    admin.post(&clone, json!({ "name": "shop-c" })).await.refused(403, "InvalidOperationError", "at most 2");
    // An archived feature makes room, and comes back only where there is some.
    admin.request(poem::http::Method::DELETE, &format!("{SHOP}/shop-b"), &[], vec![]).await.expect(202);
    admin.post(SHOP, json!({ "name": "shop-c" })).await.expect(201);
    let revive = "/api/admin/archive/revive/shop-b";
    admin.request(poem::http::Method::POST, revive, &[], vec![]).await.refused(403, "InvalidOperationError", "room");
    let patch = json!([{ "op": "replace", "path": "/archived", "value": false }]);
    admin.patch(&format!("{SHOP}/shop-b"), patch).await.refused(403, "InvalidOperationError", "room");
    let many = json!({ "features": ["shop-b"] });
    let batch = "/api/admin/projects/shop/revive";
    admin.post(batch, many.clone()).await.refused(403, "InvalidOperationError", "room");

    set_up_project(&app, |row| row.feature_limit = Set(None)).await;
    admin.post(SHOP, json!({ "name": "shop-d" })).await.expect(201);
    admin.post(SHOP, json!({ "name": "shop-e" })).await.refused(400, "ExceedsLimitError", "3");
    admin.post(batch, many).await.refused(400, "ExceedsLimitError", "3");
    let data = json!({ "features": [{ "name": "shop-e" }], "featureStrategies": [], "tagTypes": [] });
    let import = json!({ "project": "shop", "environment": "development", "data": data });
    let findings = admin.post("/api/admin/features-batch/validate", import.clone()).await.expect(200);
    assert!(findings["errors"][0]["message"].as_str().expect("a message").contains("at most 3"), "{findings}");
    admin.post("/api/admin/features-batch/import", import).await.refused(400, "ValidationError", "at most 3");
    assert_eq!(names(&app).await, ["shop-a", "shop-b", "shop-c", "shop-d"]);
}

#[tokio::test]
async fn two_at_once_make_one_feature() {
    let app = shop().await;
    let admin = app.admin();
    let answers = futures_util::future::join_all((0..6).map(|_| admin.post(SHOP, json!({ "name": "cart" })))).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409]);
    assert_eq!(app.event_types().await, ["feature-created"]);
}

#[tokio::test]
async fn a_copy_has_strategies_and_variants_but_neither_tags_nor_switches() {
    let (app, id) = shop_with_feature().await;
    app.tag(id, "simple", "beta").await;
    let tx = app.tx().await;
    let now = app.clock.now();
    let segment = NewSegment { name: "staff".to_owned(), ..NewSegment::default() };
    let segment = store::segments::insert(&tx, &segment, now).await.expect("a segment");
    let parameters = [("groupId", "f"), ("rollout", "5"), ("stickiness", "userId")];
    let rollout = StrategyDefinition {
        name: "flexibleRollout".to_owned(),
        title: Some("few".to_owned()),
        parameters: parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        segments: vec![segment],
        ..StrategyDefinition::default()
    };
    let off = StrategyDefinition {
        name: "default".to_owned(),
        disabled: true,
        parameters: Parameters::new(),
        ..StrategyDefinition::default()
    };
    add_strategy(&tx, id, "development", &rollout, now).await.expect("a strategy");
    add_strategy(&tx, id, "development", &off, now).await.expect("a strategy");
    add_strategy(&tx, id, "production", &off, now).await.expect("a strategy");
    let variant: FeatureVariant =
        serde_json::from_value(json!({ "name": "v", "weight": 1000, "weightType": "variable" })).expect("a variant");
    store::features::variants::set(&tx, id, "production", std::slice::from_ref(&variant)).await.expect("variants");
    store::features::set_enabled(&tx, id, "development", true).await.expect("on");
    app.commit(tx).await;
    app.admin().json(poem::http::Method::PUT, FEATURE, json!({ "description": "d", "stale": true })).await.expect(200);
    let seen = app.events().await.len();
    app.clock.advance(1000);

    let answer = app.admin().post(&format!("{SHOP}/f/clone"), json!({ "name": "g" })).await.expect(201);
    assert_eq!((&answer["description"], &answer["stale"], &answer["tags"]), (&json!("d"), &json!(false), &Value::Null));
    let [development, production] = [&answer["environments"][0], &answer["environments"][1]];
    assert_eq!((&development["enabled"], &production["enabled"]), (&json!(false), &json!(false)));
    assert_eq!(production["variants"], json!([variant]));
    let strategies: Vec<FeatureStrategy> =
        serde_json::from_value(development["strategies"].clone()).expect("strategies");
    assert_eq!(strategies.len(), 2);
    assert_eq!(strategies[0].parameters.as_ref().expect("parameters")["groupId"], "g");
    assert_eq!(development["strategies"][0]["segments"], json!([segment]));
    assert_eq!(development["strategies"][0]["title"], "few");
    assert_eq!(development["strategies"][1]["disabled"], true);
    let events = told_events(&app).await.split_off(seen);
    let shown: Vec<_> = events.iter().map(|event| (event["type"].as_str(), event["environment"].as_str())).collect();
    assert_eq!(
        shown,
        [
            (Some("feature-created"), None),
            (Some("feature-environment-variants-updated"), Some("production")),
            (Some("feature-strategy-add"), Some("development")),
            (Some("feature-strategy-add"), Some("development")),
            (Some("feature-strategy-add"), Some("production")),
        ]
    );
    assert_eq!(events[2]["data"]["id"], development["strategies"][0]["id"]);
    assert_eq!(events[2]["data"]["segments"], json!([segment]));
    assert!(events.iter().all(|event| event["featureName"] == "g" && event["project"] == "shop"));

    let body = json!({ "name": "h", "replaceGroupId": false });
    let answer = app.admin().post(&format!("{SHOP}/f/clone"), body).await.expect(201);
    assert_eq!(answer["environments"][0]["strategies"][0]["parameters"]["groupId"], "f");
    for (path, body, part) in [
        (format!("{SHOP}/f/clone"), json!({ "name": "bad name" }), "/body/name"),
        (format!("{SHOP}/f/clone"), json!({}), "/body/name"),
        (format!("{SHOP}/f/clone"), json!({ "name": "i", "replaceGroupId": 1 }), "/body/replaceGroupId"),
    ] {
        app.admin().post(&path, body).await.refused(400, "ValidationError", part);
    }
    app.admin().post(&format!("{SHOP}/f/clone"), json!({ "name": "g" })).await.refused(
        409,
        "NameExistsError",
        "A feature",
    );
    app.admin().post(&format!("{SHOP}/no/clone"), json!({ "name": "i" })).await.refused(404, "NotFoundError", "no");
    assert_eq!(names(&app).await, ["f", "g", "h"]);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn a_name_can_be_asked_for() {
    let (app, _) = shop_with_feature().await;
    let path = "/api/admin/features/validate";
    let viewer = app.viewer().await;
    viewer.post(path, json!({ "name": "new", "projectId": null })).await.expect(200);
    viewer.post(path, json!({ "name": "f" })).await.refused(409, "NameExistsError", "A feature");
    viewer.post(path, json!({ "name": "a b" })).await.refused(400, "ValidationError", "/body/name");
    viewer.post(path, json!({ "projectId": "shop" })).await.refused(400, "ValidationError", "/body/name");
    viewer.post(path, json!({ "name": "new", "projectId": "no" })).await.refused(
        400,
        "ValidationError",
        "/body/projectId",
    );
    assert_eq!((names(&app).await, app.event_types().await), (vec!["f".to_owned()], vec![]));
}
