//! Fields that travel with the features of their project.

use serde_json::{Value, json};

use super::{FIELDS, on, with_tier};
use crate::harness::TestApp;

const EXPORT: &str = "/api/admin/features-batch/export";
const IMPORT: &str = "/api/admin/features-batch/import";
const VALIDATE: &str = "/api/admin/features-batch/validate";

/// An export of the project `shop`, whose feature has constraints on the field of the project and on one of all.
async fn exported() -> Value {
    let app = with_tier().await;
    let admin = app.admin();
    app.feature("shop", "f").await;
    let strategy = json!({ "name": "default", "constraints": [on("tier", "gold"), on("plan", "free")] });
    let strategies = "/api/admin/projects/shop/features/f/environments/development/strategies";
    admin.post(strategies, strategy).await.expect(200);
    admin.post(EXPORT, json!({ "environment": "development", "project": "shop" })).await.expect(200)
}

fn into(project: &str, data: &Value) -> Value {
    json!({ "project": project, "environment": "development", "data": data })
}

fn tier(project: &str) -> Value {
    json!({ "name": "tier", "description": null, "stickiness": true, "sortOrder": 10, "project": project,
        "legalValues": [{ "value": "gold" }] })
}

fn plan() -> Value {
    json!({ "name": "plan", "description": null, "stickiness": false, "sortOrder": 10, "legalValues": [] })
}

#[tokio::test]
async fn an_import_makes_the_field_in_the_project_that_receives_the_features() {
    let data = exported().await;
    assert_eq!(data["contextFields"], json!([plan(), tier("shop")]));
    let app = TestApp::new().await;
    app.project("bank").await;
    let admin = app.root_admin().await;
    admin.post(IMPORT, into("bank", &data)).await.expect(200);
    let told: Vec<Value> = app
        .events()
        .await
        .into_iter()
        .filter(|event| event.r#type == "context-field-created")
        .map(|event| json!([event.project, event.data.map(|text| serde_json::from_str::<Value>(&text).expect("JSON"))]))
        .collect();
    assert_eq!(told, [json!([null, plan()]), json!(["bank", tier("bank")])]);
    let own = admin.get("/api/admin/projects/bank/context").await.expect(200);
    assert_eq!((own.as_array().map(Vec::len), &own[0]["project"]), (Some(1), &json!("bank")));
    let again = admin.post(EXPORT, json!({ "environment": "development", "project": "bank" })).await.expect(200);
    assert_eq!(again["contextFields"], json!([plan(), tier("bank")]));
    // What is there stays, whatever project the data set names.
    let events = app.event_types().await;
    admin.post(IMPORT, into("bank", &data)).await.expect(200);
    let later = app.event_types().await.split_off(events.len());
    assert!(!later.contains(&"context-field-created".to_owned()), "{later:?}");
}

#[tokio::test]
async fn a_field_of_another_project_is_a_finding() {
    let app = with_tier().await;
    let admin = app.root_admin().await;
    app.feature("other", "g").await;
    let field = json!([{ "name": "tier", "project": "shop" }]);
    let strategies = json!([{ "name": "default", "featureName": "g", "constraints": [on("tier", "gold")] }]);
    let data = |fields: Value| {
        let features = json!([{ "name": "g" }]);
        json!({ "features": features, "featureStrategies": strategies, "tagTypes": [], "contextFields": fields })
    };
    let findings = admin.post(VALIDATE, into("other", &data(field.clone()))).await.expect(200);
    assert_eq!(
        findings["errors"],
        json!([{
            "message": "These context fields belong to other projects and cannot be used in other:",
            "affectedItems": ["tier"],
        }])
    );
    let answer = admin.post(IMPORT, into("other", &data(field))).await;
    answer.refused(400, "ValidationError", "belong to other projects");
    // Without the field, its constraint names none.
    let answer = admin.post(IMPORT, into("other", &data(json!([])))).await;
    answer.refused(400, "ValidationError", "there is no context field named \"tier\"");
}

#[tokio::test]
async fn an_import_needs_the_permission_for_each_kind_of_field() {
    let app = with_tier().await;
    let (own, global) = ("Create/edit context fields of the project", "Create context fields");
    let member = app.member("shop").await;
    for (fields, expected) in [
        (json!([{ "name": "tier", "project": "elsewhere" }]), vec![]),
        (json!([{ "name": "level", "project": "elsewhere" }]), vec![own]),
        (json!([{ "name": "level", "project": null }]), vec![global]),
        (json!([{ "name": "level", "project": "elsewhere" }, { "name": "age" }]), vec![global, own]),
    ] {
        let data = json!({ "features": [], "featureStrategies": [], "tagTypes": [], "contextFields": fields });
        let findings = member.post(VALIDATE, into("shop", &data)).await.expect(200);
        let lacking: Vec<&str> = findings["permissions"][0]["affectedItems"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .filter(|title| title.contains("context fields"))
            .collect();
        assert_eq!(lacking, expected, "{fields}");
    }
    assert_eq!(app.admin().get(FIELDS).await.expect(200).as_array().map(Vec::len), Some(1));
}
