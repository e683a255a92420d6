use flagstone::{
    domain::strategy::StrategyDefinition,
    store::{self, segments::NewSegment},
};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::at;
use crate::{
    harness::{TestApp, add_strategy},
    schema::assert_derived_columns,
};

/// A shop whose feature `f` has a strategy with a segment in `production`, and is on there.
async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    let id = app.feature("shop", "f").await;
    app.feature("shop", "g").await;
    app.tag(id, "simple", "beta").await;
    let now = app.clock.now();
    let tx = app.tx().await;
    let segment = NewSegment { name: "employees".to_owned(), ..NewSegment::default() };
    let segment = store::segments::insert(&tx, &segment, now).await.expect("a segment");
    let strategy = StrategyDefinition {
        name: "flexibleRollout".to_owned(),
        title: Some("half".to_owned()),
        parameters: [("rollout".to_owned(), "50".to_owned())].into(),
        segments: vec![segment],
        ..StrategyDefinition::default()
    };
    add_strategy(&tx, id, "production", &strategy, now).await.expect("a strategy");
    app.commit(tx).await;
    let on = store::entity::feature_environment::ActiveModel {
        feature_id: sea_orm::ActiveValue::Set(id),
        environment: sea_orm::ActiveValue::Set("production".to_owned()),
        enabled: sea_orm::ActiveValue::Set(true),
        ..Default::default()
    };
    let tx = app.tx().await;
    store::entity::feature_environment::Entity::update(on).exec(&tx).await.expect("updates");
    app.commit(tx).await;
    app
}

/// Returns the configuration of a feature in an environment, but for what makes one environment differ from another.
async fn configuration(app: &TestApp, feature: &str, environment: &str) -> Value {
    let path = format!("/api/admin/projects/shop/features/{feature}");
    let feature = app.admin().patch(&path, json!([])).await.expect(200);
    let list = feature["environments"].as_array().expect("environments");
    let mut found = list.iter().find(|entry| entry["name"] == environment).expect(environment).clone();
    for name in ["name", "type", "sortOrder"] {
        found[name] = Value::Null;
    }
    for strategy in found["strategies"].as_array_mut().expect("strategies") {
        strategy["id"] = Value::Null;
    }
    found
}

#[tokio::test]
async fn a_clone_has_what_the_original_has() {
    let app = shop().await;
    let clone = app.admin().post(&at("production/clone"), json!({ "name": "staging", "type": "test" })).await;
    let clone = clone.expect(201);
    let expected = json!({
        "name": "staging", "type": "test", "enabled": true, "protected": false, "sortOrder": 4, "requiredApprovals": null,
        "projectCount": 2, "apiTokenCount": 0, "enabledToggleCount": 1,
    });
    assert_eq!(clone, expected);
    for feature in ["f", "g"] {
        let original = configuration(&app, feature, "production").await;
        assert_eq!(configuration(&app, feature, "staging").await, original, "{feature}");
    }
    assert_eq!(configuration(&app, "f", "staging").await["strategies"][0]["segments"], json!([1]));
    let events = app.events().await;
    let told: Vec<_> = events.iter().map(|event| (&*event.r#type, event.project.as_deref(), &*event.tags)).collect();
    let expected = [
        ("environment-created", None, "[]"),
        ("project-environment-added", Some("default"), "[]"),
        ("project-environment-added", Some("shop"), "[]"),
        ("feature-environment-enabled", Some("shop"), r#"[{"value":"beta","type":"simple"}]"#),
    ];
    assert_eq!(told, expected);
    assert!(events.iter().all(|event| event.environment.as_deref() == Some("staging")));
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn a_clone_is_used_by_the_chosen_projects_alone() {
    let app = shop().await;
    let admin = app.admin();
    let body = json!({ "name": "staging", "projects": ["default"], "clonePermissions": false });
    assert_eq!(admin.post(&at("production/clone"), body).await.expect(201)["projectCount"], 1);
    let report = admin.get("/api/admin/projects/shop/health-report").await.expect(200);
    assert_eq!(report["environments"].as_array().expect("environments").len(), 2);
    let events = app.events().await.len();
    let refuse = async |body: Value, status: u16, name: &str, text: &str| {
        admin.post(&at("production/clone"), body).await.refused(status, name, text);
    };
    refuse(json!({ "name": "x", "projects": ["shop", "nope"] }), 400, "ValidationError", "/body/projects/1").await;
    refuse(json!({ "name": "staging" }), 409, "NameExistsError", "staging").await;
    refuse(json!({ "name": "a b" }), 400, "ValidationError", "/body/name").await;
    admin.post(&at("none/clone"), json!({ "name": "x" })).await.refused(404, "NotFoundError", "none");
    assert_eq!(app.events().await.len(), events);
}

#[tokio::test]
async fn who_may_work_in_the_original_may_work_in_the_clone() {
    use flagstone::store::entity::role_permission;
    let app = shop().await;
    let tx = app.tx().await;
    let grant = role_permission::ActiveModel {
        role_id: sea_orm::ActiveValue::Set(3),
        permission: sea_orm::ActiveValue::Set("UPDATE_FEATURE_ENVIRONMENT".to_owned()),
        environment: sea_orm::ActiveValue::Set(Some("production".to_owned())),
        ..Default::default()
    };
    role_permission::Entity::insert(grant).exec(&tx).await.expect("a grant");
    app.commit(tx).await;
    let in_environment = async |name: &str| {
        let grants = role_permission::Entity::find().all(app.db()).await.expect("grants");
        grants.into_iter().filter(|grant| grant.environment.as_deref() == Some(name)).count()
    };
    let admin = app.admin();
    let original = in_environment("production").await;
    admin.post(&at("production/clone"), json!({ "name": "with" })).await.expect(201);
    let body = json!({ "name": "without", "clonePermissions": false });
    admin.post(&at("production/clone"), body).await.expect(201);
    assert_eq!((in_environment("with").await, in_environment("without").await), (original, 0));
    admin.request(poem::http::Method::DELETE, &at("with"), &[], Vec::new()).await.expect(200);
    assert_eq!(in_environment("with").await, 0);
}
