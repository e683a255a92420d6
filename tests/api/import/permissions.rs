//! Permissions for imports, and the findings that each caller may see.

use flagstone::domain::permission::Permission;
use poem::http::Method;
use sea_orm::ActiveValue::Set;
use serde_json::{Value, json};

use super::{EXPORT, IMPORT, VALIDATE, everything, import, names, request, set_up_project, shop};
use crate::harness::{Client, TestApp, role};

/// Data sets, and the display names of the permissions that each needs beyond `Update feature flags`.
fn needs() -> Vec<(Value, Vec<&'static str>)> {
    let features = json!([{ "name": "old" }]);
    vec![
        (json!({ "features": [{ "name": "plain" }] }), vec![]),
        (json!({ "features": [{ "name": "new" }] }), vec!["Create feature flags"]),
        (
            json!({ "features": features, "featureStrategies": [{ "name": "default", "featureName": "old" }] }),
            vec!["Create activation strategies", "Delete activation strategies"],
        ),
        (json!({}), vec!["Delete activation strategies"]),
        (
            json!({
                "features": [{ "name": "plain" }],
                "featureEnvironments": [{ "name": "plain", "enabled": true, "variants": [{ "name": "v", "weight": 1 }] }],
            }),
            vec!["Enable/disable flags", "Update variants"],
        ),
        (
            json!({
                "features": [{ "name": "plain" }, { "name": "old" }],
                "dependencies": [{ "feature": "plain", "dependencies": [{ "feature": "old" }] }],
            }),
            vec!["Update feature dependency", "Delete activation strategies"],
        ),
        (
            json!({ "features": [{ "name": "plain" }], "tagTypes": [{ "name": "team" }, { "name": "simple" }] }),
            vec!["Create tag types"],
        ),
        (
            json!({ "features": [{ "name": "plain" }], "contextFields": [{ "name": "region" }, { "name": "userId" }] }),
            vec!["Create context fields"],
        ),
    ]
}

async fn shop_with_old_features() -> TestApp {
    let app = shop().await;
    app.feature("shop", "plain").await;
    let old =
        json!({ "features": [{ "name": "old" }], "featureStrategies": [{ "name": "default", "featureName": "old" }] });
    import(&app.admin(), old).await;
    app
}

#[tokio::test]
async fn a_viewer_is_told_each_permission_that_the_data_needs() {
    let app = shop_with_old_features().await;
    let viewer = app.viewer().await;
    for (data, needed) in needs() {
        let findings = viewer.post(VALIDATE, request(data.clone())).await.expect(200);
        let mut expected = vec!["Update feature flags"];
        expected.extend(needed);
        assert_eq!(findings["permissions"][0]["affectedItems"], json!(expected), "{data}");
        assert_eq!(findings["permissions"].as_array().map(Vec::len), Some(1));
    }
}

#[tokio::test]
async fn admins_and_admin_tokens_lack_nothing() {
    let app = shop_with_old_features().await;
    for client in [app.admin(), app.root_admin().await] {
        for (data, _) in needs() {
            let findings = client.post(VALIDATE, request(data)).await.expect(200);
            assert_eq!(findings["permissions"], json!([]));
        }
    }
}

#[tokio::test]
async fn a_member_lacks_what_belongs_to_the_instance_and_is_refused_for_it_by_name() {
    let app = shop_with_old_features().await;
    let member = app.member("shop").await;
    let of_instance = ["Create tag types", "Create context fields"];
    for (data, needed) in needs() {
        let lacking: Vec<&str> = needed.into_iter().filter(|name| of_instance.contains(name)).collect();
        let findings = member.post(VALIDATE, request(data.clone())).await.expect(200);
        if lacking.is_empty() {
            assert_eq!(findings["permissions"], json!([]), "{data}");
            import(&member, data).await;
        } else {
            assert_eq!(findings["permissions"][0]["affectedItems"], json!(lacking));
            let before = everything(&app).await;
            member.post(IMPORT, request(data)).await.refused(403, "NoAccessError", lacking[0]);
            assert_eq!(everything(&app).await, before);
        }
    }
}

#[tokio::test]
async fn without_permission_in_the_project_an_import_is_refused_also_where_there_is_none() {
    let app = shop().await;
    app.project("other").await;
    let strangers = [app.viewer().await, app.editor().await, app.owner("other").await];
    let mut nowhere = request(json!({}));
    nowhere["project"] = "nope".into();
    for stranger in strangers {
        let data = request(json!({ "features": [{ "name": "a" }] }));
        stranger.post(IMPORT, data).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
        stranger.post(IMPORT, nowhere.clone()).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    }
    for path in [VALIDATE, IMPORT, EXPORT] {
        app.anonymous().post(path, nowhere.clone()).await.refused(401, "AuthenticationRequired", "Authorization");
    }
}

/// A person who may do these things in the project `shop`, and see everything.
async fn holder(app: &TestApp, permissions: &[&str]) -> Client {
    let permissions: Vec<Value> = permissions.iter().map(|name| json!({ "name": name })).collect();
    let name = flagstone::clock::new_uuid().to_string();
    let body = json!({ "name": name, "type": "custom", "permissions": permissions });
    let role = app.admin().post("/api/admin/roles", body).await.expect(200)["roles"]["id"].as_i64().expect("an id");
    app.person(role::VIEWER, Some(("shop", role))).await
}

/// Changes to `plain` in `production`, all of them different from what it is.
fn changes() -> Vec<(Value, &'static str)> {
    let features = json!([{ "name": "plain" }, { "name": "parent" }]);
    let in_environment = |more: Value| {
        let mut environment = json!({ "name": "plain", "featureName": "plain", "enabled": true });
        environment.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json!({ "features": features, "featureEnvironments": [environment] })
    };
    let link = |parent: Value| {
        json!({
            "features": features, "dependencies": [{ "feature": "plain", "dependencies": [parent] }],
        })
    };
    let strategies = json!([{ "name": "default", "featureName": "plain" }]);
    vec![
        (in_environment(json!({})), "UPDATE_FEATURE_ENVIRONMENT"),
        (in_environment(json!({ "variants": [{ "name": "v", "weight": 1 }] })), "UPDATE_FEATURE_ENVIRONMENT_VARIANTS"),
        (link(json!({ "feature": "parent" })), "UPDATE_FEATURE_DEPENDENCY"),
        (link(json!({ "feature": "parent", "enabled": false })), "UPDATE_FEATURE_DEPENDENCY"),
        (link(json!({ "feature": "parent", "variants": ["v"] })), "UPDATE_FEATURE_DEPENDENCY"),
        (json!({ "features": features, "featureStrategies": strategies }), "CREATE_FEATURE_STRATEGY"),
        (json!({ "features": features }), "DELETE_FEATURE_STRATEGY"),
    ]
}

fn into_production(data: Value) -> Value {
    let mut request = request(data);
    request["environment"] = "production".into();
    request
}

#[tokio::test]
async fn an_import_needs_what_the_single_calls_need_for_what_it_really_changes() {
    let app = shop().await;
    app.feature("shop", "parent").await;
    app.feature("shop", "plain").await;
    let plain = holder(&app, &["UPDATE_FEATURE", "CREATE_FEATURE"]).await;
    let on = "/api/admin/projects/shop/features/plain/environments/production/on";
    plain.request(Method::POST, on, &[], vec![]).await.refused(403, "NoAccessError", "UPDATE_FEATURE_ENVIRONMENT");
    for (data, needed) in changes() {
        let title = Permission::parse(needed).expect("a permission").title();
        let allowed = holder(&app, &["UPDATE_FEATURE", needed]).await;
        let findings = plain.post(VALIDATE, into_production(data.clone())).await.expect(200);
        assert_eq!(findings["permissions"][0]["affectedItems"], json!([title]), "{data}");
        let before = everything(&app).await;
        plain.post(IMPORT, into_production(data.clone())).await.refused(403, "NoAccessError", title);
        assert_eq!(everything(&app).await, before);
        allowed.post(IMPORT, into_production(data.clone())).await.expect(200);
        // A second time it changes nothing, unless it replaces strategies.
        if !data.to_string().contains("featureStrategies") {
            let again = plain.post(VALIDATE, into_production(data)).await.expect(200);
            assert_eq!(again["permissions"], json!([]));
        }
    }
}

#[tokio::test]
async fn a_private_project_stays_hidden_from_those_who_are_no_members() {
    let app = shop().await;
    app.project("open").await;
    app.feature("shop", "secret-plan").await;
    set_up_project(&app, |project| project.mode = Set("private".to_owned())).await;
    let stranger = app.person(role::VIEWER, Some(("open", role::OWNER))).await;
    stranger.post(VALIDATE, request(json!({}))).await.refused(404, "NotFoundError", "shop");

    let mut elsewhere = request(json!({ "features": [{ "name": "secret-plan" }] }));
    elsewhere["project"] = "open".into();
    let findings = stranger.post(VALIDATE, elsewhere.clone()).await.expect(200);
    assert_eq!(findings["errors"][0]["affectedItems"], json!(["secret-plan (in another project)"]));
    assert!(!stranger.post(IMPORT, elsewhere.clone()).await.text.contains("shop"));
    let findings = app.admin().post(VALIDATE, elsewhere).await.expect(200);
    assert_eq!(findings["errors"][0]["affectedItems"], json!(["secret-plan (in project shop)"]));

    let by_name = json!({ "environment": "development", "features": ["secret-plan"] });
    stranger.post(EXPORT, by_name.clone()).await.refused(400, "ValidationError", "/body/features/0");
    let member = app.member("shop").await;
    assert_eq!(names(&member.post(EXPORT, by_name).await.expect(200)["features"], "name"), ["secret-plan"]);
}
