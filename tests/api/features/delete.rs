//! Archiving one feature, the lists of archived ones, reviving and deleting.

use flagstone::store::{
    self,
    entity::{
        client_metrics_daily, client_metrics_hourly, feature, feature_environment, feature_lifecycle, feature_tag,
    },
    projects::NewProject,
};
use poem::http::Method;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use super::{FEATURE, SHOP, document, event, shop_with_feature, told_events};
use crate::{
    harness::{Answer, Client, role},
    schema::assert_derived_columns,
};

const ARCHIVED: &str = "/api/admin/archive/features";

async fn archive(client: &Client, path: &str) -> Answer {
    client.request(Method::DELETE, path, &[], Vec::new()).await
}

async fn revive(client: &Client, name: &str) -> Answer {
    client.request(Method::POST, &format!("/api/admin/archive/revive/{name}"), &[], Vec::new()).await
}

async fn delete(client: &Client, name: &str) -> Answer {
    client.request(Method::DELETE, &format!("/api/admin/archive/{name}"), &[], Vec::new()).await
}

async fn listed(client: &Client, path: &str) -> Vec<String> {
    let body = client.get(path).await.expect(200);
    assert_eq!(body["version"], 2);
    let features = body["features"].as_array().expect("features");
    features.iter().map(|feature| feature["name"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn a_feature_leaves_use_and_comes_back() {
    let (app, id) = shop_with_feature().await;
    let parent = app.feature("shop", "parent").await;
    let tx = app.tx().await;
    store::features::dependencies::add(&tx, id, parent, true, &[]).await.expect("a dependency");
    store::features::set_enabled(&tx, id, "production", true).await.expect("on");
    app.commit(tx).await;
    app.clock.advance(1000);
    let admin = app.admin();
    archive(&admin, &format!("{SHOP}/parent")).await.refused(403, "InvalidOperationError", "\"parent\"");
    let answer = archive(&admin, FEATURE).await;
    assert_eq!((answer.status, &*answer.text), (202, ""));
    // Again: nothing new.
    archive(&admin, FEATURE).await.expect(202);
    let expected = [
        event("feature-dependencies-removed", &Value::Null, &Value::Null),
        event("feature-archived", &Value::Null, &Value::Null),
    ];
    assert_eq!(told_events(&app).await, expected);
    let shown = admin.get(ARCHIVED).await.expect(200)["features"][0].clone();
    assert_eq!(
        shown,
        json!({
            "name": "f", "type": "release", "description": null, "archived": true, "project": "shop", "stale": false,
            "impressionData": false, "createdAt": "2026-01-15T12:00:00.000Z",
            "archivedAt": "2026-01-15T12:00:01.000Z", "lastSeenAt": null, "environments": [],
        })
    );
    assert_derived_columns(&app).await;

    revive(&admin, "f").await.expect(200);
    revive(&admin, "f").await.expect(200);
    assert_eq!(app.event_types().await[2..], ["feature-revived", "feature-dependency-added"]);
    assert_eq!(listed(&admin, ARCHIVED).await, [""; 0]);
    let feature = admin.get(FEATURE).await.expect(200);
    assert_eq!(feature["environments"][1]["enabled"], false);
    assert_eq!(feature["dependencies"][0]["feature"], "parent");
    assert_eq!(feature["lifecycle"]["stage"], "initial");
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn deleting_takes_everything_with_it_but_the_log() {
    let (app, id) = shop_with_feature().await;
    app.tag(id, "simple", "beta").await;
    app.feature("shop", "stays").await;
    let fan = app.viewer().await;
    fan.request(Method::POST, &format!("{FEATURE}/favorites"), &[], vec![]).await.expect(200);
    app.admin().request(Method::POST, &format!("{FEATURE}/environments/production/on"), &[], vec![]).await.expect(200);
    let tx = app.tx().await;
    for name in ["f", "stays"] {
        let now = app.clock.now();
        let hour = client_metrics_hourly::ActiveModel {
            feature_name: Set(name.to_owned()),
            app_name: Set("web".to_owned()),
            environment: Set("production".to_owned()),
            timestamp: Set(now),
            yes: Set(1),
            no: Set(1),
        };
        hour.insert(&tx).await.expect("usage");
        let day = client_metrics_daily::ActiveModel {
            feature_name: Set(name.to_owned()),
            app_name: Set("web".to_owned()),
            environment: Set("production".to_owned()),
            date: Set(now),
            yes: Set(1),
            no: Set(1),
        };
        day.insert(&tx).await.expect("usage");
    }
    app.commit(tx).await;
    let seen = app.events().await.len();
    let admin = app.admin();
    delete(&admin, "f").await.refused(403, "InvalidOperationError", "in use");
    assert_eq!(app.events().await.len(), seen);
    admin.get(FEATURE).await.expect(200);

    app.clock.advance(1000);
    // The reference dies when the two follow each other closely.
    archive(&admin, FEATURE).await.expect(202);
    delete(&admin, "f").await.expect(200);
    delete(&admin, "f").await.refused(404, "NotFoundError", "\"f\"");
    revive(&admin, "f").await.refused(404, "NotFoundError", "\"f\"");
    let before = document(&json!({ "archived": true, "archivedAt": "2026-01-15T12:00:01.000Z" }));
    let mut expected = event("feature-deleted", &Value::Null, &before);
    expected["tags"] = json!([{ "type": "simple", "value": "beta" }]);
    assert_eq!(told_events(&app).await.last(), Some(&expected));
    let db = app.db();
    let left = feature::Entity::find().all(db).await.expect("features");
    assert_eq!(left.iter().map(|row| &*row.name).collect::<Vec<_>>(), ["stays"]);
    assert_eq!(feature_environment::Entity::find().all(db).await.expect("rows").len(), 2);
    assert_eq!(feature_lifecycle::Entity::find().all(db).await.expect("rows").len(), 1);
    assert_eq!(feature_tag::Entity::find().all(db).await.expect("rows"), []);
    for row in client_metrics_hourly::Entity::find().all(db).await.expect("usage") {
        assert_eq!(row.feature_name, "stays");
    }
    assert_eq!(client_metrics_daily::Entity::find().all(db).await.expect("usage").len(), 1);
    // The name is free again, and starts anew.
    let again = admin.post(SHOP, json!({ "name": "f" })).await.expect(201);
    assert_eq!(again["lifecycle"]["stage"], "initial");
    assert_eq!(admin.get(FEATURE).await.expect(200)["environments"][1]["yes"], 0);
}

#[tokio::test]
async fn an_archived_feature_that_others_came_to_depend_on_cannot_be_deleted() {
    let (app, id) = shop_with_feature().await;
    let child = app.feature("shop", "child").await;
    archive(&app.admin(), FEATURE).await.expect(202);
    let tx = app.tx().await;
    store::features::dependencies::add(&tx, child, id, true, &[]).await.expect("a dependency");
    app.commit(tx).await;
    let seen = app.events().await.len();
    let sentence = "The feature \"f\" cannot be deleted while other features depend on it.";
    delete(&app.admin(), "f").await.refused(403, "InvalidOperationError", sentence);
    let batch = json!({ "features": ["f"] });
    let answer = app.admin().post("/api/admin/projects/shop/delete", batch).await;
    answer.refused(403, "InvalidOperationError", sentence);
    assert_eq!(app.events().await.len(), seen);
}

#[tokio::test]
async fn lists_show_the_latest_first_and_nothing_hidden() {
    let (app, _) = shop_with_feature().await;
    app.project("other").await;
    for (project, name) in [("shop", "g"), ("shop", "h"), ("other", "o")] {
        app.feature(project, name).await;
    }
    let tx = app.tx().await;
    let secret = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Secret") };
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    app.commit(tx).await;
    app.feature("secret", "hidden").await;
    let admin = app.admin();
    for (project, name) in [("shop", "h"), ("shop", "f"), ("other", "o"), ("secret", "hidden")] {
        archive(&admin, &format!("/api/admin/projects/{project}/features/{name}")).await.expect(202);
        if name != "h" {
            app.clock.advance(1000);
        }
    }
    assert_eq!(listed(&admin, ARCHIVED).await, ["hidden", "o", "f", "h"]);
    assert_eq!(listed(&admin, &format!("{ARCHIVED}/shop")).await, ["f", "h"]);
    let viewer = app.viewer().await;
    assert_eq!(listed(&viewer, ARCHIVED).await, ["o", "f", "h"]);
    for project in ["secret", "nowhere", "a%00b"] {
        assert_eq!(listed(&viewer, &format!("{ARCHIVED}/{project}")).await, [""; 0], "{project}");
    }
    let insider = app.person(role::VIEWER, Some(("secret", role::MEMBER))).await;
    assert_eq!(listed(&insider, &format!("{ARCHIVED}/secret")).await, ["hidden"]);

    // Whoever may do so somewhere is told that there is nothing; the others, that they may not.
    let member = app.member("shop").await;
    for name in ["hidden", "no", "a%00b"] {
        for answer in [revive(&member, name).await, delete(&member, name).await] {
            assert!(!answer.text.contains("secret"), "{}", answer.text);
            answer.refused(404, "NotFoundError", "feature");
        }
        revive(&viewer, name).await.refused(403, "NoAccessError", "\"UPDATE_FEATURE\"");
        delete(&viewer, name).await.refused(403, "NoAccessError", "\"DELETE_FEATURE\"");
    }
    revive(&member, "o").await.refused(403, "NoAccessError", "\"UPDATE_FEATURE\"");
    delete(&member, "o").await.refused(403, "NoAccessError", "\"DELETE_FEATURE\"");
    assert_eq!(listed(&admin, ARCHIVED).await, ["hidden", "o", "f", "h"]);
}
