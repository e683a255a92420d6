//! One feature, read whole.

use flagstone::store::{self, entity::client_metrics_hourly, projects::NewProject};
use poem::http::Method;
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::{Value, json};

use super::{FEATURE, SHOP, shop_with_feature};
use crate::harness::TestApp;

async fn report(app: &TestApp, name: &str, application: &str, yes: i64, no: i64, hours_ago: i64) {
    let tx = app.tx().await;
    let row = client_metrics_hourly::ActiveModel {
        feature_name: Set(name.to_owned()),
        app_name: Set(application.to_owned()),
        environment: Set("production".to_owned()),
        timestamp: Set(app.clock.now().plus_millis(-hours_ago * 3_600_000)),
        yes: Set(yes),
        no: Set(no),
    };
    row.insert(&tx).await.expect("usage");
    app.commit(tx).await;
}

#[tokio::test]
async fn everything_about_a_feature_is_there() {
    let (app, id) = shop_with_feature().await;
    let parent = app.feature("shop", "parent").await;
    app.tag(id, "simple", "beta").await;
    let tx = app.tx().await;
    store::features::dependencies::add(&tx, id, parent, true, &[]).await.expect("a dependency");
    app.commit(tx).await;
    let (ada, ben) = (app.member("shop").await, app.member("shop").await);
    ada.request(Method::POST, &format!("{FEATURE}/environments/production/on"), &[], vec![]).await.expect(200);
    ben.request(Method::POST, &format!("{FEATURE}/favorites"), &[], vec![]).await.expect(200);
    app.admin().post(&format!("{FEATURE}/lifecycle/complete"), json!({ "status": "discarded" })).await.expect(200);
    report(&app, "f", "web", 7, 2, 0).await;
    report(&app, "f", "mobile", 1, 0, 1).await;
    report(&app, "f", "old", 100, 100, 2).await;
    report(&app, "parent", "web", 100, 100, 0).await;

    let feature = ben.get(FEATURE).await.expect(200);
    let user = |client: &crate::harness::Client| client.user_id.expect("a person");
    for (name, value) in [
        ("name", json!("f")),
        ("favorite", json!(true)),
        ("archived", json!(false)),
        ("archivedAt", Value::Null),
        ("variants", json!([])),
        ("tags", json!([{ "type": "simple", "value": "beta" }])),
        ("dependencies", json!([{ "feature": "parent", "enabled": true }])),
        ("children", json!([])),
        (
            "lifecycle",
            json!({ "stage": "completed", "status": "discarded", "enteredStageAt": "2026-01-15T12:00:00.000Z" }),
        ),
    ] {
        assert_eq!(feature[name], value, "{name}");
    }
    let production = &feature["environments"][1];
    assert_eq!((&production["yes"], &production["no"]), (&json!(8), &json!(2)));
    assert_eq!((&production["enabled"], &production["type"]), (&json!(true), &json!("production")));
    assert_eq!(production["strategies"][0]["name"], "flexibleRollout");
    assert!(production.get("variants").is_none());
    assert_eq!((&feature["environments"][0]["yes"], &feature["environments"][0]["no"]), (&json!(0), &json!(0)));
    // Who only likes a feature does not work on it, and a token is nobody.
    let users = feature["collaborators"]["users"].as_array().expect("people");
    let ids: Vec<_> = users.iter().map(|user| user["id"].as_i64().expect("an id")).collect();
    assert_eq!(ids, [user(&ada)]);

    assert_eq!(ada.get(FEATURE).await.expect(200)["favorite"], false);
    assert!(app.admin().get(FEATURE).await.expect(200).get("favorite").is_none());
    assert_eq!(app.admin().get(&format!("{SHOP}/parent")).await.expect(200)["children"], json!(["f"]));
    let with_variants = app.admin().get(&format!("{FEATURE}?variantEnvironments=true")).await.expect(200);
    assert_eq!(with_variants["environments"][1]["variants"], json!([]));
    app.admin().get(&format!("{FEATURE}?variantEnvironments=perhaps")).await.refused(
        400,
        "ValidationError",
        "variantEnvironments",
    );
}

#[tokio::test]
async fn one_environment_can_be_read_alone() {
    let (app, _) = shop_with_feature().await;
    let read = app.viewer().await.get(&format!("{FEATURE}/environments/production")).await.expect(200);
    for (name, value) in [
        ("name", json!("f")),
        ("environment", json!("production")),
        ("type", json!("production")),
        ("enabled", json!(false)),
        ("strategies", json!([])),
    ] {
        assert_eq!(read[name], value, "{name}");
    }
    for environment in ["default", "nowhere", "a%00b"] {
        let answer = app.admin().get(&format!("{FEATURE}/environments/{environment}")).await;
        answer.refused(404, "NotFoundError", "The project \"shop\" does not use the environment");
    }
    app.admin().get(&format!("{SHOP}/no/environments/production")).await.refused(404, "NotFoundError", "no");
}

#[tokio::test]
async fn what_is_archived_elsewhere_or_hidden_is_not_found() {
    let (app, _) = shop_with_feature().await;
    app.project("other").await;
    let tx = app.tx().await;
    let secret = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Secret") };
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    app.commit(tx).await;
    app.feature("secret", "hidden").await;
    let viewer = app.viewer().await;
    for tail in ["", "/lifecycle", "/environments/production"] {
        viewer.get(&format!("{SHOP}/no{tail}")).await.refused(404, "NotFoundError", "\"no\"");
        let answer = viewer.get(&format!("/api/admin/projects/other/features/f{tail}")).await;
        answer.refused(404, "NotFoundError", "project \"shop\"");
        let answer = viewer.get(&format!("/api/admin/projects/secret/features/hidden{tail}")).await;
        answer.refused(404, "NotFoundError", "\"secret\"");
        let answer = viewer.get(&format!("{SHOP}/hidden{tail}")).await;
        assert!(!answer.text.contains("secret"), "{}", answer.text);
        answer.refused(404, "NotFoundError", "hidden");
    }
    app.admin().request(Method::DELETE, FEATURE, &[], vec![]).await.expect(202);
    viewer.get(FEATURE).await.refused(404, "NotFoundError", "archived");
}

#[tokio::test]
async fn whoever_read_a_feature_before_somebody_changed_it_cannot_overwrite_that() {
    let (app, _) = shop_with_feature().await;
    let admin = app.admin();
    let tag = |answer: crate::harness::Answer| answer.headers["etag"].to_str().expect("a tag").to_owned();
    let first = tag(admin.get(FEATURE).await);
    let described = json!({ "description": "mine" });
    let bytes = serde_json::to_vec(&described).expect("JSON");
    let put = |tag: String| {
        let bytes = bytes.clone();
        let admin = admin.clone();
        async move {
            let headers = [("content-type", "application/json"), ("if-match", &*tag)];
            admin.request(Method::PUT, FEATURE, &headers, bytes).await
        }
    };
    // A favourite is nobody else's business.
    let fan = app.viewer().await;
    fan.request(Method::POST, &format!("{FEATURE}/favorites"), &[], vec![]).await.expect(200);
    put(first.clone()).await.expect(200);
    let seen = app.events().await.len();
    put(first.clone()).await.refused(412, "PreconditionFailedError", "changed");
    let headers = [("content-type", "application/json"), ("if-match", &*first)];
    let patch = serde_json::to_vec(&json!([{ "op": "replace", "path": "/stale", "value": true }])).expect("JSON");
    admin.request(Method::PATCH, FEATURE, &headers, patch).await.refused(412, "PreconditionFailedError", "changed");
    let completion = serde_json::to_vec(&json!({ "status": "kept" })).expect("JSON");
    let complete = format!("{FEATURE}/lifecycle/complete");
    admin.request(Method::POST, &complete, &headers, completion).await.refused(
        412,
        "PreconditionFailedError",
        "changed",
    );
    let only = [("if-match", &*first)];
    admin.request(Method::DELETE, FEATURE, &only, vec![]).await.refused(412, "PreconditionFailedError", "changed");
    assert_eq!(app.events().await.len(), seen);
    let second = tag(admin.get(FEATURE).await);
    admin.request(Method::DELETE, FEATURE, &[("if-match", &*second)], vec![]).await.expect(202);
}
