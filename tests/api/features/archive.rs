//! Archiving and reviving through `/archived`.

use flagstone::store::{self, entity};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::{Value, json};

use super::{FEATURE, SHOP, document, event, shop_with_feature, stored, told_events};
use crate::harness::TestApp;

fn archive() -> Value {
    json!([{ "op": "replace", "path": "/archived", "value": true }])
}

fn revive() -> Value {
    json!([{ "op": "replace", "path": "/archived", "value": false }])
}

async fn switch_on(app: &TestApp, id: i64) {
    let tx = app.tx().await;
    for environment in ["development", "production"] {
        store::features::set_enabled(&tx, id, environment, true).await.expect("on");
    }
    app.commit(tx).await;
}

async fn names(app: &TestApp) -> Vec<Value> {
    let body = app.admin().get(SHOP).await.expect(200);
    body["features"].as_array().expect("features").iter().map(|feature| feature["name"].clone()).collect()
}

async fn feature_row(app: &TestApp, id: i64) -> entity::feature::Model {
    entity::feature::Entity::find_by_id(id).one(app.db()).await.expect("reads").expect("a feature")
}

async fn live(app: &TestApp, id: i64) -> Vec<bool> {
    use entity::feature_environment::{Column, Entity};
    let rows = Entity::find().filter(Column::FeatureId.eq(id)).all(app.db()).await.expect("rows");
    rows.into_iter().map(|row| row.live).collect()
}

#[tokio::test]
async fn archiving_ends_dependencies_enters_its_stage_and_leaves_the_list() {
    let (app, id) = shop_with_feature().await;
    let parent = app.feature("shop", "parent").await;
    let tx = app.tx().await;
    store::features::dependencies::add(&tx, id, parent, true, &[]).await.expect("a dependency");
    app.commit(tx).await;
    switch_on(&app, id).await;
    app.clock.advance(1000);

    let answer = app.admin().patch(FEATURE, archive()).await.expect(200);
    assert_eq!(answer["archived"], true);
    assert_eq!(answer["archivedAt"], "2026-01-15T12:00:01.000Z");
    assert_eq!(answer["dependencies"], json!([]));
    assert_eq!(answer["lifecycle"], json!({ "stage": "archived", "enteredStageAt": "2026-01-15T12:00:01.000Z" }));
    assert_eq!(names(&app).await, ["parent"]);
    assert_eq!(live(&app, id).await, [false, false]);
    assert_eq!(feature_row(&app, parent).await.dependency_kind, None);
    assert_eq!(
        told_events(&app).await,
        [
            event("feature-dependencies-removed", &Value::Null, &Value::Null),
            event("feature-archived", &Value::Null, &Value::Null),
        ]
    );
}

#[tokio::test]
async fn a_feature_that_others_depend_on_stays() {
    let (app, id) = shop_with_feature().await;
    let child = app.feature("shop", "child").await;
    let tx = app.tx().await;
    store::features::dependencies::add(&tx, child, id, true, &[]).await.expect("a dependency");
    app.commit(tx).await;
    let before = stored(&app).await;
    let patch = json!([{ "op": "add", "path": "/description", "value": "x" }, archive()[0]]);
    let sentence = "The feature \"f\" cannot be archived while other features depend on it.";
    app.admin().patch(FEATURE, patch).await.refused(403, "InvalidOperationError", sentence);
    assert_eq!(stored(&app).await, before);
    let second = app.feature("shop", "second").await;
    let other_child = app.feature("shop", "other-child").await;
    let tx = app.tx().await;
    store::features::dependencies::add(&tx, other_child, second, true, &[]).await.expect("a dependency");
    app.commit(tx).await;
    let batch = json!({ "features": ["f", "second"] });
    let sentence = "The features \"f\", \"second\" cannot be archived while other features depend on them.";
    let answer = app.admin().post("/api/admin/projects/shop/archive", batch).await;
    answer.refused(403, "InvalidOperationError", sentence);
    assert_eq!(app.event_types().await, [""; 0]);
    // Its child may go, and then nothing depends on it any more.
    app.admin().patch(&format!("{SHOP}/child"), archive()).await.expect(200);
    assert_eq!(app.admin().patch(FEATURE, archive()).await.expect(200)["archived"], true);
}

#[tokio::test]
async fn reviving_switches_off_and_starts_life_over() {
    let (app, id) = shop_with_feature().await;
    switch_on(&app, id).await;
    app.admin().patch(FEATURE, archive()).await.expect(200);
    app.clock.advance(1000);
    let seen = app.events().await.len();
    let answer = app.admin().patch(FEATURE, revive()).await.expect(200);
    assert_eq!((&answer["archived"], &answer["archivedAt"]), (&json!(false), &Value::Null));
    assert_eq!(answer["enabled"], false);
    for environment in answer["environments"].as_array().expect("environments") {
        assert_eq!(environment["enabled"], false, "{environment}");
    }
    assert_eq!(answer["lifecycle"], json!({ "stage": "initial", "enteredStageAt": "2026-01-15T12:00:01.000Z" }));
    assert_eq!(live(&app, id).await, [true, true]);
    assert_eq!(names(&app).await, ["f"]);
    assert_eq!(told_events(&app).await[seen..], [event("feature-revived", &Value::Null, &Value::Null)]);
}

#[tokio::test]
async fn an_archived_feature_can_be_changed_and_keeps_its_time() {
    let (app, _) = shop_with_feature().await;
    app.admin().patch(FEATURE, archive()).await.expect(200);
    let seen = app.events().await.len();
    app.clock.advance(1000);
    let patch = json!([{ "op": "add", "path": "/description", "value": "x" }, archive()[0]]);
    let answer = app.admin().patch(FEATURE, patch).await.expect(200);
    assert_eq!((&answer["description"], &answer["archived"]), (&json!("x"), &json!(true)));
    assert_eq!(answer["archivedAt"], "2026-01-15T12:00:00.000Z");
    let state = |description: Value| {
        document(&json!({ "description": description, "archived": true, "archivedAt": "2026-01-15T12:00:00.000Z" }))
    };
    let expected = event("feature-metadata-updated", &state(json!("x")), &state(Value::Null));
    assert_eq!(told_events(&app).await[seen..], [expected]);
}

#[tokio::test]
async fn a_change_beside_archiving_is_told_first() {
    let (app, _) = shop_with_feature().await;
    app.clock.advance(1000);
    let patch = json!([archive()[0], { "op": "replace", "path": "/stale", "value": true }]);
    app.admin().patch(FEATURE, patch).await.expect(200);
    let after = document(&json!({ "stale": true, "archived": true, "archivedAt": "2026-01-15T12:00:01.000Z" }));
    assert_eq!(
        told_events(&app).await,
        [
            event("feature-metadata-updated", &after, &document(&json!({}))),
            event("feature-stale-on", &Value::Null, &Value::Null),
            event("feature-dependencies-removed", &Value::Null, &Value::Null),
            event("feature-archived", &Value::Null, &Value::Null),
        ]
    );
}

#[tokio::test]
async fn what_is_stale_or_archived_does_not_count_as_potentially_stale() {
    for patch in [archive(), json!([{ "op": "replace", "path": "/stale", "value": true }])] {
        let (app, id) = shop_with_feature().await;
        let tx = app.tx().await;
        entity::feature::Entity::update_many()
            .col_expr(entity::feature::Column::PotentiallyStale, Expr::value(true))
            .exec(&tx)
            .await
            .expect("marks");
        app.commit(tx).await;
        app.admin().patch(FEATURE, json!([{ "op": "add", "path": "/description", "value": "x" }])).await.expect(200);
        assert!(feature_row(&app, id).await.potentially_stale);
        app.admin().patch(FEATURE, patch).await.expect(200);
        assert!(!feature_row(&app, id).await.potentially_stale);
    }
}
