//! Archiving, reviving, deleting and marking many features at once.

use flagstone::{
    domain::{
        actor::ADMIN_TOKEN_USER_ID,
        feature_document::FeatureDocument,
        ids::{FeatureName, ProjectId},
    },
    store::{self, entity::feature, projects::NewProject},
};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{FEATURE, SHOP, document, event, shop_with_feature, told_events};
use crate::{
    harness::{Client, TestApp},
    schema::assert_derived_columns,
};

const PROJECT: &str = "/api/admin/projects/shop";

fn names(names: &[&str]) -> Value {
    json!({ "features": names })
}

fn change(kind: &str, name: &str) -> Value {
    json!({ "type": kind, "project": "shop", "featureName": name, "environment": null })
}

/// The shop with `f` and `g`, another project with `o`, and a hidden one with `hidden`.
async fn town() -> (TestApp, i64, i64) {
    let (app, f) = shop_with_feature().await;
    let g = app.feature("shop", "g").await;
    app.project("other").await;
    app.feature("other", "o").await;
    let tx = app.tx().await;
    let secret = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Secret") };
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    app.commit(tx).await;
    app.feature("secret", "hidden").await;
    (app, f, g)
}

/// Calls a batch first as a dry run, which must tell the same and change nothing.
async fn run(app: &TestApp, client: &Client, path: &str, body: Value, status: u16) -> Vec<Value> {
    let before = (everything(app).await, app.event_types().await);
    let mut dry = client.post(&format!("{PROJECT}/{path}?dryRun=true"), body.clone()).await.expect(status);
    assert_eq!((everything(app).await, app.event_types().await), before, "{path}");
    let answer = client.post(&format!("{PROJECT}/{path}"), body).await.expect(status);
    assert_eq!((&dry["dryRun"], &answer["dryRun"]), (&json!(true), &json!(false)));
    dry["dryRun"] = false.into();
    assert_eq!(dry, answer);
    assert_derived_columns(app).await;
    answer["events"].as_array().expect("events").clone()
}

async fn everything(app: &TestApp) -> Vec<feature::Model> {
    let mut rows = feature::Entity::find().all(app.db()).await.expect("features");
    rows.sort_by_key(|row| row.id);
    rows
}

#[tokio::test]
async fn features_are_archived_revived_and_deleted_together() {
    let (app, f, g) = town().await;
    app.tag(g, "simple", "beta").await;
    let tx = app.tx().await;
    store::features::dependencies::add(&tx, g, f, true, &[]).await.expect("a dependency");
    store::features::set_enabled(&tx, g, "production", true).await.expect("on");
    app.commit(tx).await;
    app.clock.advance(1000);
    let member = app.member("shop").await;

    let findings = member.post(&format!("{PROJECT}/archive/validate"), names(&["f"])).await.expect(200);
    assert_eq!(findings, json!({ "parentsWithChildFeatures": ["f"], "hasDeletedDependencies": false }));
    let findings = member.post(&format!("{PROJECT}/archive/validate"), names(&["f", "g"])).await.expect(200);
    assert_eq!(findings, json!({ "parentsWithChildFeatures": [], "hasDeletedDependencies": true }));
    let alone = member.post(&format!("{PROJECT}/archive"), names(&["f"])).await;
    alone.refused(403, "InvalidOperationError", "\"f\"");
    assert_eq!(app.event_types().await, [""; 0]);

    // A parent may go together with its children.
    let events = run(&app, &app.admin(), "archive", names(&["g", "f", "f"]), 202).await;
    let archived = |name| [change("feature-dependencies-removed", name), change("feature-archived", name)];
    assert_eq!(events, [archived("g"), archived("f")].concat());
    let mut expected = event("feature-dependencies-removed", &Value::Null, &Value::Null);
    expected["featureName"] = "g".into();
    expected["tags"] = json!([{ "type": "simple", "value": "beta" }]);
    assert_eq!(told_events(&app).await[0], expected);
    assert_eq!(run(&app, &member, "archive", names(&["g", "f"]), 202).await, [Value::Null; 0]);

    app.clock.advance(1000);
    let events = run(&app, &member, "revive", names(&["f", "g"]), 200).await;
    let resumed = change("feature-dependency-added", "g");
    assert_eq!(events, [change("feature-revived", "f"), change("feature-revived", "g"), resumed]);
    let revived = app.admin().get(&format!("{SHOP}/g")).await.expect(200);
    assert_eq!(revived["environments"][1]["enabled"], false);
    assert_eq!(revived["lifecycle"], json!({ "stage": "initial", "enteredStageAt": "2026-01-15T12:00:02.000Z" }));
    assert_eq!(revived["dependencies"][0]["feature"], "f");
    assert_eq!(run(&app, &member, "revive", names(&["f", "g"]), 200).await, [Value::Null; 0]);

    run(&app, &member, "archive", names(&["g"]), 202).await;
    // Only archived ones are deleted.
    let events = run(&app, &member, "delete", names(&["f", "g"]), 200).await;
    assert_eq!(events, [change("feature-deleted", "g")]);
    let told = told_events(&app).await.pop().expect("an event");
    let before = document(&json!({ "name": "g", "archived": true, "archivedAt": "2026-01-15T12:00:02.000Z" }));
    assert_eq!((&told["preData"], &told["tags"]), (&before, &json!([{ "type": "simple", "value": "beta" }])));
    let left: Vec<_> = everything(&app).await.into_iter().map(|row| row.name).collect();
    assert_eq!(left, ["f", "o", "hidden"]);
}

#[tokio::test]
async fn features_are_marked_as_stale_together() {
    let (app, _, _) = town().await;
    app.admin().json(poem::http::Method::PUT, FEATURE, json!({ "stale": true })).await.expect(200);
    let seen = app.events().await.len();
    app.clock.advance(1000);
    let body = |stale: bool| json!({ "features": ["f", "g"], "stale": stale });
    let events = run(&app, &app.admin(), "stale", body(true), 202).await;
    assert_eq!(events, [change("feature-stale-on", "g")]);
    let mut expected = event("feature-stale-on", &Value::Null, &Value::Null);
    expected["featureName"] = "g".into();
    assert_eq!(told_events(&app).await[seen], expected);
    assert_eq!(run(&app, &app.admin(), "stale", body(true), 202).await, [Value::Null; 0]);
    assert_eq!(run(&app, &app.admin(), "stale", body(false), 202).await.len(), 2);
    assert!(everything(&app).await.iter().all(|row| !row.stale));
}

#[tokio::test]
async fn a_feature_of_another_project_stops_the_whole_batch() {
    let (app, _, _) = town().await;
    let member = app.member("shop").await;
    app.admin().request(poem::http::Method::DELETE, FEATURE, &[], vec![]).await.expect(202);
    let before = (everything(&app).await, app.event_types().await);
    for path in ["archive", "archive/validate", "revive", "delete", "stale"] {
        let body = |names: &[&str]| json!({ "features": names, "stale": true });
        let path = format!("{PROJECT}/{path}");
        let answer = member.post(&path, body(&["f", "g", "o", "hidden"])).await;
        assert!(!answer.text.contains("hidden") && !answer.text.contains("secret"), "{}", answer.text);
        answer.refused(403, "InvalidOperationError", "o (in project other)");
        member.post(&path, json!({ "stale": true })).await.refused(400, "ValidationError", "/body/features");
        let answer = member.post(&path, json!({ "features": [3], "stale": true })).await;
        answer.refused(400, "ValidationError", "/body/features/0");
        let answer = member.post(&path, body(&vec!["f"; 1001])).await;
        answer.refused(400, "ValidationError", "at most 1000");
        let elsewhere = path.replace("/shop/", "/nowhere/");
        app.admin().post(&elsewhere, body(&["f"])).await.refused(404, "NotFoundError", "nowhere");
    }
    let answer = member.post(&format!("{PROJECT}/stale"), names(&["f"])).await;
    answer.refused(400, "ValidationError", "/body/stale");
    assert_eq!((everything(&app).await, app.event_types().await), before);
}

#[tokio::test]
async fn a_thousand_are_no_trouble() {
    let (app, _) = shop_with_feature().await;
    let tx = app.tx().await;
    let all: Vec<String> = (0..700).map(|number| format!("f-{number}")).collect();
    for name in &all {
        let new = FeatureDocument::new(FeatureName::new(name), ProjectId::new("shop"), app.clock.now());
        store::features::insert(&tx, &new, ADMIN_TOKEN_USER_ID).await.expect("a feature");
    }
    app.commit(tx).await;
    let body = json!({ "features": all });
    let count = |answer: Value| answer["events"].as_array().map(Vec::len);
    let admin = app.admin();
    let on = format!("{PROJECT}/bulk_features/environments/production/on");
    assert_eq!(count(admin.post(&on, body.clone()).await.expect(200)), Some(1400));
    assert_eq!(count(admin.post(&format!("{PROJECT}/archive"), body.clone()).await.expect(202)), Some(1400));
    assert_eq!(count(admin.post(&format!("{PROJECT}/revive"), body.clone()).await.expect(200)), Some(700));
    assert_eq!(count(admin.post(&format!("{PROJECT}/archive"), body.clone()).await.expect(202)), Some(1400));
    assert_eq!(count(admin.post(&format!("{PROJECT}/delete"), body).await.expect(200)), Some(700));
    assert_eq!(everything(&app).await.len(), 1);
}
