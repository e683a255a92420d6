//! Callers whom freezes stop, and the places and times of freezes.

use poem::http::Method;
use serde_json::{Value, json};

use super::{FEATURE, FROZEN, WINDOWS, freeze, switch};
use crate::{
    authorization::somebody_granted,
    calls::{delete, private_project, put},
    change_requests::world::two_features,
    harness::{TestApp, role},
};

const BECAUSE: &[(&str, &str)] = &[("x-change-reason", "The till is down")];

#[tokio::test]
async fn a_freeze_stops_changes_there_until_its_end() {
    let app = two_features().await;
    freeze(&app, Some("production"), &[]).await;
    let member = app.member("shop").await;
    switch(&member, "development", "on").await.expect(200);
    let refused = switch(&member, "production", "on").await;
    assert!(!refused.text.contains("X-Change-Reason"), "a reason would not help: {}", refused.text);
    refused.refused(403, FROZEN, "\"production\" environment is frozen until 2026-01-16 13:00 (Europe/Berlin)");
    let refused = switch(&app.admin(), "production", "on").await;
    refused.refused(403, FROZEN, "give a reason in X-Change-Reason");
    app.clock.advance(24 * 60 * 60 * 1000 - 1);
    switch(&member, "production", "on").await.refused(403, FROZEN, "\"Stocktaking\"");
    app.clock.advance(1);
    switch(&member, "production", "on").await.expect(200);
}

#[tokio::test]
async fn a_freeze_of_all_environments_stops_changes_in_each() {
    let app = two_features().await;
    let id = freeze(&app, None, &[]).await;
    let member = app.member("shop").await;
    for environment in ["development", "production"] {
        let named = format!("The \"{environment}\" environment is frozen");
        switch(&member, environment, "on").await.refused(403, FROZEN, &named);
    }
    // What reaches no program is no change of an environment.
    put(&member, FEATURE, json!({ "description": "Ours" })).await.expect(200);
    delete(&app.admin(), &format!("{WINDOWS}/{id}")).await.expect(200);
    switch(&member, "production", "on").await.expect(200);
}

#[tokio::test]
async fn a_feature_can_be_switched_off_alone_and_with_others() {
    let app = two_features().await;
    let member = app.member("shop").await;
    switch(&member, "production", "on").await.expect(200);
    freeze(&app, None, &[]).await;
    switch(&member, "production", "off").await.expect(200);
    let bulk = "/api/admin/projects/shop/bulk_features/environments/production";
    let features = json!({ "features": ["f", "g"] });
    member.post(&format!("{bulk}/off"), features.clone()).await.expect(200);
    member.post(&format!("{bulk}/on"), features).await.refused(403, FROZEN, "production");
    let told = app.admin().get(&format!("{FEATURE}/environments/production")).await.expect(200);
    assert_eq!(told["enabled"], false);
}

#[tokio::test]
async fn holders_of_exempt_roles_pass_and_others_do_not() {
    let app = two_features().await;
    freeze(&app, None, &[role::OWNER]).await;
    switch(&app.owner("shop").await, "production", "on").await.expect(200);
    switch(&app.owner("shop").await, "production", "off").await.expect(200);
    let elsewhere = app.person(role::ADMIN, Some(("default", role::OWNER))).await;
    switch(&elsewhere, "production", "on").await.refused(403, FROZEN, "production");
    // One window more, from which the owner is not exempt.
    let root = freeze(&app, Some("production"), &[role::ADMIN]).await;
    switch(&app.owner("shop").await, "production", "on").await.refused(403, FROZEN, "production");
    switch(&app.root_admin().await, "production", "on").await.refused(403, FROZEN, "production");
    let both = super::once(Some("production"), &[role::ADMIN, role::OWNER]);
    put(&app.admin(), &format!("{WINDOWS}/{root}"), both).await.expect(200);
    switch(&app.owner("shop").await, "production", "on").await.expect(200);
}

#[tokio::test]
async fn a_role_through_a_group_is_exempt_as_well() {
    let app = two_features().await;
    let member = app.member("shop").await;
    let users = json!([{ "user": { "id": member.user_id } }]);
    let group = json!({ "name": "On call", "rootRole": role::EDITOR, "users": users });
    app.admin().post("/api/admin/groups", group).await.expect(201);
    freeze(&app, None, &[role::EDITOR]).await;
    switch(&member, "production", "on").await.expect(200);
    switch(&app.member("shop").await, "production", "on").await.refused(403, FROZEN, "production");
}

#[tokio::test]
async fn who_may_skip_change_requests_there_breaks_the_glass_with_a_reason_that_the_event_keeps() {
    let app = two_features().await;
    freeze(&app, None, &[]).await;
    let granted = [
        ("UPDATE_FEATURE_ENVIRONMENT", None),
        ("CREATE_FEATURE_STRATEGY", None),
        ("SKIP_CHANGE_REQUEST", Some("production")),
    ];
    let skipper = somebody_granted(&app, Some("shop"), &granted).await;
    switch(&skipper, "production", "on").await.refused(403, FROZEN, "give a reason in X-Change-Reason");
    let skipper = skipper.sending(BECAUSE);
    switch(&skipper, "development", "on").await.refused(403, FROZEN, "\"development\"");
    switch(&skipper, "production", "on").await.expect(200);
    let event = app.events().await.pop().expect("an event");
    assert_eq!(event.r#type, "feature-environment-enabled");
    assert_eq!(event.reason.as_deref(), Some("The till is down"));
    let member = app.member("shop").await.sending(BECAUSE);
    switch(&member, "production", "off").await.expect(200);
    switch(&member, "production", "on").await.refused(403, FROZEN, "production");
}

#[tokio::test]
async fn an_import_is_a_change_of_its_environment() {
    let app = two_features().await;
    freeze(&app, Some("production"), &[]).await;
    let body = |environment: &str| {
        let strategy = json!({ "featureName": "f", "name": "default" });
        let data = json!({ "features": [{ "name": "f", "type": "release" }], "featureStrategies": [strategy], "tagTypes": [] });
        json!({ "project": "shop", "environment": environment, "data": data })
    };
    let path = "/api/admin/features-batch/import";
    let before = app.events().await.len();
    app.admin().post(path, body("production")).await.refused(403, FROZEN, "\"production\"");
    assert_eq!(app.events().await.len(), before);
    app.admin().post(path, body("development")).await.expect(200);
    app.admin().sending(BECAUSE).post(path, body("production")).await.expect(200);
}

#[tokio::test]
async fn an_environment_that_projects_use_is_not_deleted_in_a_freeze() {
    let app = two_features().await;
    freeze(&app, Some("production"), &[]).await;
    let path = "/api/admin/environments/production";
    delete(&app.root_admin().await, path).await.refused(403, FROZEN, "give a reason in X-Change-Reason");
    delete(&app.root_admin().await.sending(BECAUSE), path).await.expect(200);
    app.admin().get(path).await.refused(404, "NotFoundError", "production");
}

#[tokio::test]
async fn a_segment_is_frozen_where_strategies_apply_it() {
    let app = two_features().await;
    let admin = app.admin();
    let segment = admin.post("/api/admin/segments", json!({ "name": "staff", "constraints": [] })).await.expect(201);
    let path = format!("/api/admin/segments/{}", segment["id"]);
    freeze(&app, Some("production"), &[]).await;
    let strategy = json!({ "name": "default", "segments": [segment["id"]] });
    let strategies = |environment: &str| format!("{FEATURE}/environments/{environment}/strategies");
    admin.post(&strategies("development"), strategy.clone()).await.expect(200);
    let rename = |name: &str| json!({ "name": name, "constraints": [] });
    put(&admin, &path, rename("used elsewhere")).await.expect(204);
    let broken = admin.clone().sending(BECAUSE);
    broken.post(&strategies("production"), strategy).await.expect(200);
    put(&admin, &path, rename("used")).await.refused(403, FROZEN, "\"production\"");
    let editor = app.editor().await;
    put(&editor, &path, rename("used")).await.refused(403, FROZEN, "\"production\"");
    put(&broken, &path, rename("used")).await.expect(204);
}

#[tokio::test]
async fn a_project_tells_the_present_freezes_or_the_next_to_who_sees_it() {
    let app = two_features().await;
    freeze(&app, Some("production"), &[role::OWNER]).await;
    let weekly = json!({
        "weekly": { "days": ["saturday"], "from": "20:00", "to": "04:00" }, "zone": "America/New_York",
        "reason": "Weekend",
    });
    app.admin().post(WINDOWS, weekly).await.expect(201);
    let path = "/api/admin/projects/shop/freeze";
    let of = |exempt: bool, environment: &str, body: &Value| {
        let shown = body["environments"].as_array().expect("a list").iter();
        let freeze = shown.clone().find(|one| one["environment"] == environment).expect("it").clone();
        assert_eq!(freeze["freeze"]["exempt"], exempt, "{freeze}");
        freeze["freeze"].clone()
    };
    let weekend = json!({
        "active": false, "from": "2026-01-18T01:00:00.000Z", "until": "2026-01-18T09:00:00.000Z",
        "zone": "America/New_York", "reason": "Weekend", "exempt": false,
    });
    let stocktaking = json!({
        "active": true, "from": null, "until": "2026-01-16T12:00:00.000Z", "zone": "Europe/Berlin",
        "reason": "Stocktaking", "exempt": false,
    });
    let shown = app.viewer().await.get(path).await.expect(200);
    assert_eq!(of(false, "production", &shown), stocktaking);
    assert_eq!(of(false, "development", &shown), weekend);
    let shown = app.owner("shop").await.get(path).await.expect(200);
    assert_eq!(of(true, "production", &shown)["active"], true);
    app.clock.advance(24 * 60 * 60 * 1000);
    let shown = app.viewer().await.get(path).await.expect(200);
    assert_eq!(of(false, "production", &shown), weekend);
    private_project(&app, "secret").await;
    for hidden in ["secret", "nowhere"] {
        let answer = app.viewer().await.get(&format!("/api/admin/projects/{hidden}/freeze")).await;
        answer.refused(404, "NotFoundError", hidden);
    }
}

#[tokio::test]
async fn without_windows_nothing_is_frozen() {
    let app: TestApp = two_features().await;
    let shown = app.admin().get("/api/admin/projects/shop/freeze").await.expect(200);
    assert_eq!(shown, json!({ "environments": [{ "environment": "development" }, { "environment": "production" }] }));
    let on = format!("{FEATURE}/environments/production/on");
    app.admin().request(Method::POST, &on, &[], Vec::new()).await.expect(200);
}
