use super::*;

#[tokio::test]
async fn a_change_is_stored_and_told_with_what_was_before() {
    let app = shop().await;
    app.clock.advance(1000);
    let body =
        json!({ "name": "The Shop", "description": "Sells", "defaultStickiness": "sessionId", "mode": "protected" });
    assert_eq!(put(&app.admin(), SHOP, body.clone()).await.expect(200), Value::Null);
    let found = overview(&app).await;
    for (name, value) in body.as_object().expect("an object") {
        assert_eq!(found[name], *value, "{name}");
    }
    assert_eq!(found["updatedAt"], "2026-01-15T12:00:01.000Z");
    let after = document(&body);
    let expected = event("project-updated", &Value::Null, &after, &document(&json!({})));
    assert_eq!(events(&app).await, std::slice::from_ref(&expected));

    // The same again, and what is absent: nothing changes, nothing is told.
    put(&app.admin(), SHOP, body).await.expect(200);
    put(&app.admin(), SHOP, json!({ "name": "The Shop" })).await.expect(200);
    put(&app.admin(), "/api/admin/projects/shop/settings", json!({})).await.expect(200);
    assert_eq!(events(&app).await, [expected]);
    assert_eq!(overview(&app).await["description"], "Sells");
    put(&app.admin(), SHOP, json!({ "name": "The Shop", "description": null })).await.expect(200);
    assert_eq!(overview(&app).await["description"], Value::Null);
}

#[tokio::test]
async fn settings_bind_new_features() {
    let app = shop().await;
    let settings = "/api/admin/projects/shop/settings";
    let naming = json!({ "pattern": "[a-z]+-[0-9]+", "example": "cart-1", "description": "Word and number" });
    put(&app.admin(), settings, json!({ "featureNaming": naming, "featureLimit": 3 })).await.expect(200);
    let found = overview(&app).await;
    assert_eq!((&found["featureNaming"], &found["featureLimit"]), (&naming, &json!(3)));
    let data = document(&json!({ "featureNaming": naming, "featureLimit": 3 }));
    assert_eq!(events(&app).await, [event("project-updated", &Value::Null, &data, &document(&json!({})))]);
    // The health report reads the same.
    let report = app.admin().get("/api/admin/projects/shop/health-report").await.expect(200);
    assert_eq!((&report["featureNaming"], &report["featureLimit"]), (&naming, &json!(3)));
    // Null and empty texts take them away.
    let none = json!({ "featureNaming": { "pattern": "", "example": null }, "featureLimit": null });
    put(&app.admin(), settings, none).await.expect(200);
    let found = overview(&app).await;
    assert_eq!(found["featureNaming"], json!({ "pattern": null, "example": null, "description": null }));
    assert_eq!(found["featureLimit"], Value::Null);
}

#[tokio::test]
async fn settings_that_make_no_sense_are_refused_and_change_nothing() {
    let app = shop().await;
    let settings = "/api/admin/projects/shop/settings";
    for (body, path) in [
        (json!({ "mode": "closed" }), "/body/mode"),
        (json!({ "featureLimit": -1 }), "/body/featureLimit"),
        (json!({ "featureLimit": "3" }), "/body/featureLimit"),
        (json!({ "featureLimit": 1.5 }), "/body/featureLimit"),
        (json!({ "defaultStickiness": "nofield" }), "/body/defaultStickiness"),
        (json!({ "featureNaming": { "pattern": "(" } }), "/body/featureNaming/pattern"),
        (json!({ "featureNaming": { "pattern": "a b" } }), "/body/featureNaming/pattern"),
        // Looking ahead, referring back and repeating without end cannot be done in linear time.
        (json!({ "featureNaming": { "pattern": "(?=a)a" } }), "/body/featureNaming/pattern"),
        (json!({ "featureNaming": { "pattern": "(a)\\1" } }), "/body/featureNaming/pattern"),
        (json!({ "featureNaming": { "pattern": "((a{1000}){1000}){1000}" } }), "/body/featureNaming/pattern"),
        (json!({ "featureNaming": { "pattern": "a+", "example": "b" } }), "/body/featureNaming/example"),
        (json!({ "featureNaming": { "example": "b" } }), "/body/featureNaming/example"),
        (json!({ "featureNaming": { "description": "b" } }), "/body/featureNaming/description"),
        (json!({ "featureNaming": { "pattern": "a".repeat(1001) } }), "/body/featureNaming/pattern"),
    ] {
        put(&app.admin(), settings, body).await.refused(400, "ValidationError", path);
    }
    for (body, path) in [
        (json!({}), "/body/name"),
        (json!({ "name": "  " }), "/body/name"),
        (json!({ "name": "x", "mode": "closed" }), "/body/mode"),
        (json!({ "name": "x", "defaultStickiness": "nofield" }), "/body/defaultStickiness"),
    ] {
        put(&app.admin(), SHOP, body).await.refused(400, "ValidationError", path);
    }
    // Everybody works in the default project, so nobody can be kept out.
    let default = "/api/admin/projects/default";
    for (path, body) in [
        (default.to_owned(), json!({ "name": "Default", "mode": "private" })),
        (format!("{default}/settings"), json!({ "mode": "private" })),
    ] {
        put(&app.admin(), &path, body).await.refused(400, "ValidationError", "/body/mode");
    }
    assert!(app.event_types().await.is_empty());
    assert_eq!(overview(&app).await["featureNaming"]["pattern"], Value::Null);
    put(&app.admin(), "/api/admin/projects/none", json!({ "name": "x" })).await.refused(404, "NotFoundError", "none");
    put(&app.admin(), "/api/admin/projects/none/settings", json!({})).await.refused(404, "NotFoundError", "none");
}

#[tokio::test]
async fn a_change_meant_for_another_version_is_refused() {
    let app = shop().await;
    let admin = app.admin();
    let first = version(&admin).await;
    let rename = json!({ "name": "First" });
    change_if(&admin, Method::PUT, SHOP, &first, &rename).await.expect(200);
    let strategy = json!({ "name": "flexibleRollout" });
    let environment = json!({ "environment": "default" });
    let development = "/api/admin/projects/shop/environments/development";
    for (method, path, body) in [
        (Method::PUT, SHOP, json!({ "name": "Second" })),
        (Method::PUT, "/api/admin/projects/shop/settings", json!({ "featureLimit": 1 })),
        (Method::POST, "/api/admin/projects/shop/environments", environment),
        (Method::POST, "/api/admin/projects/shop/environments/development/default-strategy", strategy),
        (Method::DELETE, development, Value::Null),
        (Method::POST, "/api/admin/projects/archive/shop", Value::Null),
        (Method::POST, "/api/admin/projects/revive/shop", Value::Null),
        (Method::DELETE, SHOP, Value::Null),
    ] {
        change_if(&admin, method, path, &first, &body).await.refused(412, "PreconditionFailedError", "If-Match");
    }
    assert_eq!(app.event_types().await, ["project-updated"]);
    let found = overview(&app).await;
    assert_eq!((&found["name"], &found["featureLimit"]), (&json!("First"), &Value::Null));
    // The overview at the old address tells the same version, and what happens to features makes no other.
    let second = version(&admin).await;
    app.feature("shop", "f").await;
    assert_eq!(version(&admin).await.split('.').next(), second.split('.').next());
    let old_address = admin.get(SHOP).await.headers[header::ETAG].to_str().expect("text").to_owned();
    change_if(&admin, Method::PUT, SHOP, &old_address, &json!({ "name": "Third" })).await.expect(200);
}

#[tokio::test]
async fn favourites_are_a_persons_own() {
    let app = shop().await;
    let (ada, ben) = (app.viewer().await, app.viewer().await);
    let favorites = "/api/admin/projects/shop/favorites";
    assert_eq!(post(&ada, favorites).await.expect(200), Value::Null);
    post(&ada, favorites).await.expect(200);
    let listed = async |client: &Client| {
        let projects = client.get(PROJECTS).await.expect(200);
        let shop = projects["projects"].as_array().expect("a list").iter().find(|project| project["id"] == "shop");
        shop.expect("listed")["favorite"].clone()
    };
    assert_eq!(
        (listed(&ada).await, listed(&ben).await, listed(&app.admin()).await),
        (true.into(), false.into(), false.into())
    );
    assert_eq!(ada.get(OVERVIEW).await.expect(200)["favorite"], true);
    delete(&ben, favorites).await.expect(200);
    delete(&ada, favorites).await.expect(200);
    delete(&ada, favorites).await.expect(200);
    assert_eq!(listed(&ada).await, false);
    let data = json!({ "project": "shop" });
    assert_eq!(
        events(&app).await,
        ["project-favorited", "project-unfavorited"].map(|kind| event(kind, &Value::Null, &data, &Value::Null))
    );
    // An API token has none, and an unknown project is no reason to fall over.
    post(&app.admin(), favorites).await.refused(403, "InvalidOperationError", "API token");
    for path in ["/api/admin/projects/none/favorites", "/api/admin/projects/a%00b/favorites"] {
        post(&ada, path).await.refused(404, "NotFoundError", "project");
        delete(&ada, path).await.refused(404, "NotFoundError", "project");
    }
}
