use flagstone::{config::Config, config::Limits};

use super::*;

async fn create(client: &Client, body: Value) -> Answer {
    client.post(PROJECTS, body).await
}

#[tokio::test]
async fn a_project_is_stored_as_asked_and_its_creator_owns_it() {
    let app = TestApp::new().await;
    let editor = app.editor().await;
    let body = json!({
        "id": "shop", "name": "Shop", "description": "Sells", "mode": "private", "defaultStickiness": "userId",
        "environments": ["production", "default", "production"],
    });
    let made = create(&editor, body).await.expect(201);
    let expected = json!({
        "id": "shop", "name": "Shop", "description": "Sells", "mode": "private", "defaultStickiness": "userId",
        "environments": ["default", "production"],
    });
    assert_eq!(made, expected);
    let found = editor.get(OVERVIEW).await.expect(200);
    for name in ["name", "description", "mode", "defaultStickiness"] {
        assert_eq!(found[name], expected[name], "{name}");
    }
    let used: Vec<&Value> =
        found["environments"].as_array().expect("a list").iter().map(|e| &e["environment"]).collect();
    assert_eq!(used, ["default", "production"]);
    assert_eq!(found["members"], 1);
    // The owner may change it at once, another editor does not even see it.
    put(&editor, SHOP, json!({ "name": "Shop 2" })).await.expect(200);
    app.editor().await.get(OVERVIEW).await.refused(404, "NotFoundError", "shop");
    let told = events(&app).await;
    let mut data = document(&json!({
        "name": "Shop", "description": "Sells", "mode": "private", "defaultStickiness": "userId",
    }));
    data["environments"] = json!(["default", "production"]);
    assert_eq!(told[0], event("project-created", &Value::Null, &data, &Value::Null));
    assert_eq!(told.len(), 2);
}

#[tokio::test]
async fn a_name_is_enough() {
    let app = TestApp::new().await;
    let made = create(&app.admin(), json!({ "name": "Größe & Co" })).await.expect(201);
    let expected = json!({
        "id": "grosse-co", "name": "Größe & Co", "mode": "open", "defaultStickiness": "default",
        "environments": ["development", "production"],
    });
    assert_eq!(made, expected, "what was not given and has no value is left out");
    for id in ["grosse-co-1", "grosse-co-2"] {
        let again = create(&app.admin(), json!({ "id": "", "name": "Größe & Co" })).await.expect(201);
        assert_eq!(again["id"], id);
    }
    let found = app.admin().get("/api/admin/projects/grosse-co/overview").await.expect(200);
    // An API token is nobody who could own it.
    assert_eq!(found["members"], 0);
}

#[tokio::test]
async fn an_empty_list_of_environments_attaches_none() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let made = create(&admin, json!({ "id": "bare", "name": "Bare", "environments": [] })).await.expect(201);
    assert_eq!(made["environments"], json!([]));
    let found = admin.get("/api/admin/projects/bare/overview").await.expect(200);
    assert_eq!(found["environments"], json!([]));
    assert_eq!(events(&app).await[0]["data"]["environments"], json!([]));
    // A feature without environments can be made, and follows its project.
    let feature = admin.post("/api/admin/projects/bare/features", json!({ "name": "f" })).await.expect(201);
    assert_eq!(feature["environments"], json!([]), "{feature}");
    let attach = json!({ "environment": "production" });
    admin.post("/api/admin/projects/bare/environments", attach).await.expect(200);
    let feature = admin.get("/api/admin/projects/bare/features/f").await.expect(200);
    assert_eq!(feature["environments"][0]["name"], "production");
    // None is taken by default when none is enabled, which is a mistake rather than a wish.
    for name in ["development", "production"] {
        post(&admin, &format!("/api/admin/environments/{name}/off")).await.expect(204);
    }
    create(&admin, json!({ "name": "x" })).await.refused(400, "ValidationError", "/body/environments");
    create(&admin, json!({ "name": "x", "environments": [] })).await.expect(201);
}

#[tokio::test]
async fn what_cannot_be_made_is_refused_and_leaves_nothing() {
    let app = shop().await;
    let admin = app.admin();
    for (body, path) in [
        (json!({}), "/body/name"),
        (json!({ "name": "" }), "/body/name"),
        (json!({ "name": " \t " }), "/body/name"),
        (json!({ "name": "x".repeat(201) }), "/body/name"),
        (json!({ "name": "x", "id": "a b" }), "/body/id"),
        (json!({ "name": "x", "id": "x".repeat(101) }), "/body/id"),
        (json!({ "name": "x", "id": "validate" }), "/body/id"),
        (json!({ "name": "x", "id": ".." }), "/body/id"),
        (json!({ "name": "x", "mode": "secret" }), "/body/mode"),
        (json!({ "name": "x", "defaultStickiness": "nofield" }), "/body/defaultStickiness"),
        (json!({ "name": "x", "defaultStickiness": "environment" }), "/body/defaultStickiness"),
        (json!({ "name": "x", "environments": ["production", "nowhere"] }), "/body/environments/1"),
        (json!({ "name": "x", "description": 1 }), "/body/description"),
    ] {
        create(&admin, body).await.refused(400, "ValidationError", path);
    }
    create(&admin, json!({ "name": "x", "id": "shop" })).await.refused(409, "NameExistsError", "shop");
    assert!(app.event_types().await.is_empty());
    let projects = admin.get(PROJECTS).await.expect(200);
    assert_eq!(projects["projects"].as_array().expect("a list").len(), 2);
}

#[tokio::test]
async fn an_id_can_be_tried_before() {
    let app = shop().await;
    let admin = app.admin();
    let validate = async |id: &str| admin.post("/api/admin/projects/validate", json!({ "id": id })).await;
    assert_eq!(validate("new").await.expect(200), Value::Null);
    validate("shop").await.refused(409, "NameExistsError", "shop");
    for id in ["", "a b", "archive", "ü"] {
        validate(id).await.refused(400, "ValidationError", "/body/id");
    }
    admin.post("/api/admin/projects/validate", json!({})).await.refused(400, "ValidationError", "/body/id");
    assert!(app.event_types().await.is_empty());
}

#[tokio::test]
async fn there_are_no_more_projects_than_the_limit_admits() {
    let config = Config { limits: Limits { projects: 2, ..Limits::default() }, ..Config::default() };
    let app = TestApp::with_config(config).await;
    let admin = app.admin();
    create(&admin, json!({ "id": "one", "name": "One" })).await.expect(201);
    create(&admin, json!({ "id": "two", "name": "Two" })).await.refused(400, "ExceedsLimitError", "2");
    // Archived projects make room, and do not come back without it.
    post(&admin, "/api/admin/projects/archive/one").await.expect(200);
    create(&admin, json!({ "id": "two", "name": "Two" })).await.expect(201);
    post(&admin, "/api/admin/projects/revive/one").await.refused(400, "ExceedsLimitError", "2");
    create(&admin, json!({ "id": "one", "name": "One" })).await.refused(400, "ExceedsLimitError", "2");
}
