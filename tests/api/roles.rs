//! Roles, and that what they allow can really be done.

use flagstone::store::entity::app_user;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::{
    calls::{delete, last_event, meant_for, private_project, put, tag_of},
    harness::{Answer, TestApp, role},
};

const ROLES: &str = "/api/admin/roles";
const ROLE: &str = "/api/admin/roles/7";

/// A role with these permissions, each with an environment or none; gives its id.
async fn made(app: &TestApp, kind: &str, permissions: &[(&str, Option<&str>)]) -> i64 {
    let permissions: Vec<Value> =
        permissions.iter().map(|(name, environment)| json!({ "name": name, "environment": environment })).collect();
    let name = flagstone::clock::new_uuid().to_string();
    let body = json!({ "name": name, "type": kind, "permissions": permissions });
    app.admin().post(ROLES, body).await.expect(200)["roles"]["id"].as_i64().expect("an id")
}

#[tokio::test]
async fn a_role_is_made_read_changed_and_deleted_with_its_events() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let body = json!({
        "name": "Tester", "description": "tests", "type": "custom",
        "permissions": [
            { "name": "UPDATE_FEATURE_ENVIRONMENT", "environment": "development" },
            { "id": 28, "environment": "" },
            { "id": 999, "name": "CREATE_FEATURE" },
        ],
    });
    put(&admin, ROLE, body.clone()).await.refused(404, "NotFoundError", "7");
    admin.post("/api/admin/roles/validate", body.clone()).await.expect(200);
    assert_eq!(app.event_types().await, [""; 0], "checking makes nothing");
    let made = admin.post(ROLES, body.clone()).await.expect(200);
    let told = json!({ "id": 7, "type": "custom", "name": "Tester", "description": "tests" });
    assert_eq!(made, json!({ "version": 1, "roles": told }));
    assert_eq!(
        admin.get(ROLE).await.expect(200),
        json!({
            "id": 7, "name": "Tester", "description": "tests", "type": "custom",
            "permissions": [
                { "id": 28, "name": "CREATE_FEATURE", "displayName": "Create feature flags", "type": "project" },
                {
                    "id": 51, "name": "UPDATE_FEATURE_ENVIRONMENT", "displayName": "Enable/disable flags",
                    "type": "environment", "environment": "development",
                },
            ],
        })
    );
    let document = json!({
        "id": 7, "name": "Tester", "type": "custom", "description": "tests",
        "permissions": [
            { "name": "CREATE_FEATURE" }, { "name": "UPDATE_FEATURE_ENVIRONMENT", "environment": "development" },
        ],
    });
    assert_eq!(last_event(&app).await, json!(["role-created", null, document, null]));
    let list = admin.get(ROLES).await.expect(200);
    assert_eq!(list["version"], 1);
    assert_eq!(list["roles"].as_array().map(Vec::len), Some(7));
    assert_eq!(list["roles"][6], json!({ "id": 7, "name": "Tester", "description": "tests", "type": "custom" }));

    assert_eq!(put(&admin, ROLE, body).await.expect(200), made);
    assert_eq!(app.event_types().await, ["role-created"], "nothing changed");
    let saved = put(&admin, ROLE, json!({ "name": "Guest" })).await.expect(200);
    assert_eq!(saved["roles"], json!({ "id": 7, "type": "custom", "name": "Guest", "description": "" }));
    let after = json!({ "id": 7, "name": "Guest", "type": "custom", "description": "", "permissions": [] });
    assert_eq!(last_event(&app).await, json!(["role-updated", null, after, document]));
    assert_eq!(admin.get(ROLE).await.expect(200)["permissions"], json!([]));
    delete(&admin, ROLE).await.expect(200);
    assert_eq!(last_event(&app).await, json!(["role-deleted", null, null, after]));
    admin.get(ROLE).await.refused(404, "NotFoundError", "7");
    delete(&admin, ROLE).await.refused(404, "NotFoundError", "7");
}

#[tokio::test]
async fn what_is_taken_unknown_or_of_no_use_is_refused() {
    let app = TestApp::new().await;
    let admin = app.admin();
    admin.post(ROLES, json!({ "name": "mine" })).await.expect(200);
    let with = |permission: Value| json!({ "name": "x", "type": "custom", "permissions": [permission] });
    let invalid = "ValidationError";
    for (body, status, name, text) in [
        (json!({ "name": "Admin" }), 409, "NameExistsError", "Admin"),
        (json!({ "name": " " }), 400, invalid, "/body/name"),
        (json!({ "name": "x", "type": "root" }), 400, invalid, "/body/type"),
        (json!({ "description": "x" }), 400, invalid, "/body/name"),
        (with(json!({ "name": "FLY" })), 400, invalid, "/body/permissions/0/name"),
        (with(json!({ "id": 0 })), 400, invalid, "/body/permissions/0/id"),
        (with(json!({})), 400, invalid, "/body/permissions/0/name"),
        (with(json!({ "name": "ADMIN" })), 400, invalid, "ADMIN"),
        (with(json!({ "name": "CREATE_PROJECT" })), 400, invalid, "/body/permissions/0"),
        (with(json!({ "name": "CREATE_FEATURE", "environment": "development" })), 400, invalid, "cannot be bound"),
        (
            with(json!({ "name": "CREATE_FEATURE_STRATEGY", "environment": "nowhere" })),
            400,
            invalid,
            "/body/permissions/0/environment",
        ),
    ] {
        admin.post(ROLES, body.clone()).await.refused(status, name, text);
        admin.post("/api/admin/roles/validate", body.clone()).await.refused(status, name, text);
        put(&admin, ROLE, body).await.refused(status, name, text);
    }
    put(&admin, ROLE, json!({ "name": "mine", "type": "root-custom" })).await.refused(400, invalid, "/body/type");
    let root_admin = json!({ "name": "x", "type": "root-custom", "permissions": [{ "name": "ADMIN" }] });
    admin.post(ROLES, root_admin).await.refused(400, invalid, "built-in role Admin");
    assert_eq!(app.event_types().await, ["role-created"]);
}

#[tokio::test]
async fn built_in_roles_stay_as_they_are() {
    let app = TestApp::new().await;
    for id in 1..=6 {
        let path = format!("{ROLES}/{id}");
        let before = app.admin().get(&path).await.expect(200);
        put(&app.admin(), &path, json!({ "name": "mine" })).await.refused(403, "InvalidOperationError", "built in");
        delete(&app.admin(), &path).await.refused(403, "InvalidOperationError", "built in");
        assert_eq!(app.admin().get(&path).await.expect(200), before);
    }
    assert_eq!(app.admin().get("/api/admin/roles/1").await.expect(200)["permissions"][0]["name"], "ADMIN");
    assert_eq!(app.event_types().await, [""; 0]);
}

#[tokio::test]
async fn a_reader_sees_a_private_project_and_changes_nothing_in_it() {
    let app = TestApp::new().await;
    private_project(&app, "secret").await;
    app.feature("secret", "f").await;
    let admin = app.admin();
    let roles = admin.get(ROLES).await.expect(200)["roles"].clone();
    let reader = roles.as_array().expect("a list").iter().find(|role| role["name"] == "Reader").expect("a role");
    assert_eq!((&reader["id"], &reader["type"]), (&json!(6), &json!("project")));
    assert_eq!(admin.get(&format!("{ROLES}/6")).await.expect(200)["permissions"], json!([]));
    let person = app.person(role::VIEWER, None).await;
    let feature = "/api/admin/projects/secret/features/f";
    person.get(feature).await.refused(404, "NotFoundError", "");
    let access = json!({ "roles": [6], "groups": [], "users": [person.user_id] });
    admin.post("/api/admin/projects/secret/access", access).await.expect(200);
    assert_eq!(person.get(feature).await.expect(200)["name"], "f");
    let stale = json!([{ "op": "replace", "path": "/stale", "value": true }]);
    person.patch(feature, stale).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    person.post("/api/admin/projects/secret/features", json!({ "name": "g" })).await.refused(
        403,
        "NoAccessError",
        "CREATE_FEATURE",
    );
    delete(&admin, &format!("{ROLES}/6")).await.refused(403, "InvalidOperationError", "built in");
}

#[tokio::test]
async fn a_role_that_somebody_holds_cannot_be_deleted() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let admin = app.admin();
    let in_use = |answer: Answer| answer.refused(400, "RoleInUseError", "in use");
    let root = made(&app, "root-custom", &[]).await;
    let path = format!("{ROLES}/{root}");
    let person = app.person(root, None).await;
    in_use(delete(&admin, &path).await);
    let tx = app.tx().await;
    let id = person.user_id.expect("a person");
    let gone = app_user::ActiveModel { id: Set(id), deleted_at: Set(Some(app.clock.now())), ..Default::default() };
    app_user::Entity::update(gone).exec(&tx).await.expect("an update");
    app.commit(tx).await;
    admin.post("/api/admin/groups", json!({ "name": "crew", "rootRole": root })).await.expect(201);
    in_use(delete(&admin, &path).await);
    delete(&admin, "/api/admin/groups/1").await.expect(200);
    delete(&admin, &path).await.expect(200);

    let custom = made(&app, "custom", &[]).await;
    let path = format!("{ROLES}/{custom}");
    let holder = app.person(role::VIEWER, Some(("shop", custom))).await.user_id.expect("a person");
    in_use(delete(&admin, &path).await);
    delete(&admin, &format!("/api/admin/projects/shop/users/{holder}/roles")).await.expect(200);
    delete(&admin, &path).await.expect(200);
}

#[tokio::test]
async fn a_role_that_login_providers_give_to_new_users_cannot_be_deleted() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let root = made(&app, "root-custom", &[]).await;
    let path = format!("{ROLES}/{root}");
    let events = app.event_types().await.len();
    let settings = ["oidc", "saml"].map(|protocol| format!("/api/admin/auth/{protocol}/settings"));
    for (place, words) in settings.iter().zip(["the settings of OpenID Connect", "the settings of SAML"]) {
        admin.post(place, json!({ "enabled": false, "defaultRootRoleId": root })).await.expect(200);
        delete(&admin, &path).await.refused(409, "RoleInUseError", words);
    }
    let providers = "/api/admin/auth/providers";
    let content = |rules: Value| {
        let settings = json!({ "clientId": "flagstone", "secret": "s3cret" });
        json!({ "label": "Google Workspace", "enabled": false, "icon": "key", "settings": settings, "rules": rules })
    };
    let mut provider = content(json!({ "defaultRootRoleId": root }));
    provider["id"] = json!("google");
    provider["kind"] = json!("google");
    admin.post(providers, provider).await.expect(201);
    let all = "the login provider \"Google Workspace\" (google); the settings of OpenID Connect; the settings of SAML.";
    delete(&admin, &path).await.refused(409, "RoleInUseError", all);
    for place in &settings {
        admin.post(place, json!({ "enabled": false })).await.expect(200);
    }
    let by_claim = json!({ "rootRoles": [{ "claim": "hd", "value": "example.com", "roleId": root }] });
    let google = format!("{providers}/google");
    put(&admin, &google, content(by_claim)).await.expect(200);
    let alone = "see: the login provider \"Google Workspace\" (google). Have them give another role";
    delete(&admin, &path).await.refused(409, "RoleInUseError", alone);
    assert!(!app.event_types().await[events..].contains(&"role-deleted".to_owned()));
    put(&admin, &google, content(json!({ "defaultRootRoleId": role::VIEWER }))).await.expect(200);
    delete(&admin, &path).await.expect(200);
    let gone = put(&admin, &google, content(json!({ "defaultRootRoleId": root }))).await;
    gone.refused(400, "ValidationError", "/body/rules/defaultRootRoleId");
}

#[tokio::test]
async fn a_change_meant_for_another_state_is_refused() {
    let app = TestApp::new().await;
    let admin = app.admin();
    admin.post(ROLES, json!({ "name": "one" })).await.expect(200);
    let read = tag_of(&admin.get(ROLE).await);
    meant_for(&admin, &read, ROLE, Some(json!({ "name": "two" }))).await.expect(200);
    let stale = "PreconditionFailedError";
    meant_for(&admin, &read, ROLE, Some(json!({ "name": "three" }))).await.refused(412, stale, "");
    meant_for(&admin, &read, ROLE, None).await.refused(412, stale, "");
    assert_eq!(admin.get(ROLE).await.expect(200)["name"], "two");
}

#[tokio::test]
async fn permissions_are_listed_by_what_they_can_be_bound_to() {
    let app = TestApp::new().await;
    let list = app.viewer().await.get("/api/admin/permissions").await.expect(200);
    let count = |list: &Value| list.as_array().map(Vec::len);
    let permissions = &list["permissions"];
    assert_eq!((count(&permissions["root"]), count(&permissions["project"])), (Some(34), Some(22)));
    let names: Vec<&Value> =
        permissions["environments"].as_array().expect("a list").iter().map(|e| &e["name"]).collect();
    assert_eq!(names, ["default", "development", "production"]);
    assert_eq!(count(&permissions["environments"][1]["permissions"]), Some(8));
    assert_eq!(
        permissions["environments"][1]["permissions"][0],
        json!({
            "id": 48, "name": "CREATE_FEATURE_STRATEGY", "displayName": "Create activation strategies",
            "type": "environment", "environment": "development",
        })
    );
    assert!(!list.to_string().contains("\"ADMIN\""));
}

#[tokio::test]
async fn a_custom_root_role_lets_do_what_it_says_everywhere_and_no_more() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let feature = "/api/admin/projects/shop/features/f";
    let stale = json!([{ "op": "replace", "path": "/stale", "value": true }]);
    let reader = app.person(made(&app, "root-custom", &[("READ_ROLE", None)]).await, None).await;
    reader.get(ROLES).await.expect(200);
    reader.post(ROLES, json!({ "name": "x" })).await.refused(403, "NoAccessError", "ADMIN");
    reader.patch(feature, stale.clone()).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    let editor = app.person(made(&app, "root-custom", &[("UPDATE_FEATURE", None)]).await, None).await;
    editor.patch(feature, stale).await.expect(200);
    editor.get(ROLES).await.refused(403, "NoAccessError", "READ_ROLE");
    // A change of the role counts from the next request on.
    put(&app.admin(), ROLE, json!({ "name": "none" })).await.expect(200);
    reader.get(ROLES).await.refused(403, "NoAccessError", "READ_ROLE");
}

#[tokio::test]
async fn a_grant_in_one_environment_counts_there_and_nowhere_else() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.project("other").await;
    app.feature("shop", "f").await;
    let role = made(
        &app,
        "custom",
        &[
            ("UPDATE_FEATURE", None),
            ("UPDATE_FEATURE_ENVIRONMENT", Some("development")),
            ("CREATE_FEATURE_STRATEGY", Some("development")),
        ],
    )
    .await;
    let person = app.viewer().await;
    let id = person.user_id.expect("a person");
    let path = format!("/api/admin/projects/shop/users/{id}/roles");
    put(&app.admin(), &path, json!({ "roles": [role] })).await.expect(200);
    let import = |environment: &str| {
        let strategy = json!({ "name": "default", "featureName": "f" });
        let data = json!({ "features": [{ "name": "f" }], "featureStrategies": [strategy], "tagTypes": [] });
        json!({ "project": "shop", "environment": environment, "data": data })
    };
    let import_to = "/api/admin/features-batch/import";
    person.post(import_to, import("production")).await.refused(403, "NoAccessError", "activation strategies");
    person.post(import_to, import("development")).await.expect(200);
    let elsewhere = json!({ "project": "other", "environment": "development", "data": import("development")["data"] });
    person.post(import_to, elsewhere).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
}
