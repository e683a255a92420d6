//! What another server brought and does not fit here can still be edited, exported and imported.

use flagstone::store::{self, context_fields::Which, entity::context_field};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{DEFAULT, FIELD, SEGMENT, STRATEGIES, constraint, delete, furnished, project, strategy, take};
use crate::harness::TestApp;

/// Takes the context field away that strategies use, as a database that moved in may lack it.
async fn lose_field(app: &TestApp) {
    let tx = app.tx().await;
    store::context_fields::delete(&tx, "plan").await.expect("deletes");
    assert_eq!(context_field::Entity::find_by_id("plan").one(&tx).await.expect("reads"), None);
    app.commit(tx).await;
}

#[tokio::test]
async fn strategies_segments_and_defaults_without_their_field_can_be_edited() {
    let app = furnished().await;
    let (admin, mut id) = (app.admin(), String::new());
    take(&admin, strategy(&json!({ "constraints": [constraint()] })), &mut id).await;
    let constrained = |name: &str| json!({ "name": name, "constraints": [constraint()] });
    admin.json(Method::PUT, SEGMENT, constrained("employees")).await.expect(204);
    admin.post(DEFAULT, constrained("flexibleRollout")).await.expect(200);
    lose_field(&app).await;

    let path = format!("{STRATEGIES}/{id}");
    let change = |constraints: Value| json!({ "title": "edited", "constraints": constraints });
    let edited = admin.json(Method::PUT, &path, change(json!([constraint()]))).await.expect(200);
    assert_eq!((&edited["title"], edited["constraints"].as_array().map(Vec::len)), (&json!("edited"), Some(1)));
    admin.patch(&path, json!([{ "op": "replace", "path": "/title", "value": "again" }])).await.expect(200);
    let another = json!([constraint(), { "contextName": "plan", "operator": "IN", "values": ["paid"] }]);
    admin.json(Method::PUT, &path, change(another.clone())).await.refused(400, "ValidationError", "\"plan\"");

    admin.json(Method::PUT, SEGMENT, constrained("renamed")).await.expect(204);
    let widened = json!({ "name": "renamed", "constraints": another });
    admin.json(Method::PUT, SEGMENT, widened).await.refused(400, "ValidationError", "\"plan\"");
    assert_eq!(admin.get(SEGMENT).await.expect(200)["name"], "renamed");

    let mut titled = constrained("flexibleRollout");
    titled["title"] = json!("edited");
    assert_eq!(admin.post(DEFAULT, titled).await.expect(200)["title"], "edited");
    delete(&admin, FIELD).await.refused(404, "NotFoundError", "plan");
}

#[tokio::test]
async fn a_project_that_sticks_to_a_field_that_is_gone_can_be_edited() {
    let app = furnished().await;
    let admin = app.admin();
    take(&admin, project("plan"), &mut String::new()).await;
    lose_field(&app).await;
    let change = |stickiness: &str| json!({ "name": "Renamed", "defaultStickiness": stickiness });
    admin.json(Method::PUT, "/api/admin/projects/shop", change("plan")).await.expect(200);
    assert_eq!(admin.get("/api/admin/projects/shop/overview").await.expect(200)["name"], "Renamed");
    let other = admin.json(Method::PUT, "/api/admin/projects/shop", change("gone")).await;
    other.refused(400, "ValidationError", "/body/defaultStickiness");
}

#[tokio::test]
async fn an_export_comes_back_with_a_finding_about_what_does_not_fit() {
    let app = furnished().await;
    let (admin, mut id) = (app.admin(), String::new());
    take(&admin, strategy(&json!({ "constraints": [constraint()] })), &mut id).await;
    let gold = json!({ "contextName": "plan", "operator": "IN", "values": ["gold"] });
    for lost in [false, true] {
        if lost {
            lose_field(&app).await;
        } else {
            // A value that is not legal any more.
            let tx = app.tx().await;
            let mut field =
                store::context_fields::hold(&tx, Which::Global, "plan").await.expect("reads").expect("a field");
            field.legal_values.as_mut().expect("values").retain(|legal| legal.value != "free");
            store::context_fields::save(&tx, &field).await.expect("saves");
            app.commit(tx).await;
        }
        let wanted = json!({ "environment": "development", "project": "shop" });
        let data = admin.post("/api/admin/features-batch/export", wanted).await.expect(200);
        let request = |data: &Value| json!({ "project": "shop", "environment": "development", "data": data });
        let findings = admin.post("/api/admin/features-batch/validate", request(&data)).await.expect(200);
        assert_eq!(findings["errors"], json!([]), "{findings}");
        let told = findings["warnings"].to_string();
        let reason =
            if lost { "f: there is no context field named" } else { "is no legal value of the context field plan" };
        assert!(told.contains("have these constraints already") && told.contains(reason), "{told}");
        admin.post("/api/admin/features-batch/import", request(&data)).await.expect(200);
        let stored = admin.get(STRATEGIES).await.expect(200);
        assert_eq!(stored[0]["constraints"][0]["values"], json!(["free"]), "{stored}");

        // What the project does not have is still refused.
        let mut other = data.clone();
        other["featureStrategies"][0]["constraints"][0] = gold.clone();
        let import = admin.post("/api/admin/features-batch/import", request(&other)).await;
        import.refused(400, "ValidationError", if lost { "no context field" } else { "no legal value" });
    }
}
