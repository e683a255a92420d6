//! What is stored with a name that nothing new may have goes on, and has an address.

use flagstone::{
    domain::{
        address::{Named, segment},
        context_field::{ContextField, LegalValue},
        strategy_type::StrategyTypeDefinition,
        tag::TagType,
    },
    store,
};
use poem::http::Method;
use serde_json::{Value, json};

use super::named;
use crate::harness::{Client, TestApp};

async fn delete(client: &Client, path: &str) -> Value {
    client.request(Method::DELETE, path, &[], Vec::new()).await.expect(200)
}

#[tokio::test]
async fn features_are_reached_changed_archived_and_deleted() {
    let app = TestApp::new().await;
    app.project("shop").await;
    for name in ["..", ".", "search", "features", "%2e"] {
        app.feature("shop", name).await;
        let spelled = segment(Named::Feature, name);
        let path = format!("/api/admin/projects/shop/features/{spelled}");
        assert_eq!(app.admin().get(&path).await.expect(200)["name"], name);
        let change = json!({ "description": "kept", "type": "release", "name": name });
        assert_eq!(app.admin().json(Method::PUT, &path, change).await.expect(200)["description"], "kept", "{name}");
        app.admin().post(&format!("{path}/clone"), named("copy")).await.expect(201);
        app.admin().post("/api/admin/projects/shop/archive", json!({ "features": ["copy"] })).await.expect(202);
        delete(&app.admin(), "/api/admin/archive/copy").await;
        let events = app.admin().get(&format!("/api/admin/events/{spelled}")).await.expect(200);
        assert!(events["totalEvents"].as_u64().is_some_and(|total| total > 0), "{name}: {events}");
        app.admin().request(Method::DELETE, &path, &[], Vec::new()).await.expect(202);
        delete(&app.admin(), &format!("/api/admin/archive/{spelled}")).await;
        app.admin().get(&path).await.refused(404, "NotFoundError", "feature");
    }
    let project = app.admin().get("/api/admin/projects/shop/overview").await.expect(200);
    assert_eq!(project["name"], "shop");
}

#[tokio::test]
async fn words_beside_shorter_addresses_are_no_obstacle() {
    let app = TestApp::new().await;
    app.project("shop").await;
    for name in ["validate", "revive", "batch"] {
        app.admin().post("/api/admin/projects/shop/features", named(name)).await.expect(201);
        app.admin().get(&format!("/api/admin/features/{name}/tags")).await.expect(200);
        let path = format!("/api/admin/projects/shop/features/{name}");
        app.admin().request(Method::DELETE, &path, &[], Vec::new()).await.expect(202);
        delete(&app.admin(), &format!("/api/admin/archive/{name}")).await;
    }
}

#[tokio::test]
async fn projects_are_reached_and_changed() {
    let app = TestApp::new().await;
    for id in ["..", "roles", "validate", "archive"] {
        app.project(id).await;
        app.feature(id, &format!("in-{}", id.replace('.', "d"))).await;
        let path = format!("/api/admin/projects/{}", segment(Named::Project, id));
        let features = app.admin().get(&format!("{path}/features")).await.expect(200);
        assert_eq!(features["features"].as_array().map(Vec::len), Some(1), "{id}");
        app.admin().json(Method::PUT, &path, json!({ "name": "Renamed" })).await.expect(200);
        assert_eq!(app.admin().get(&format!("{path}/overview")).await.expect(200)["name"], "Renamed");
        app.admin().post(&format!("{path}/stale"), json!({ "features": [], "stale": true })).await.expect(202);
    }
}

#[tokio::test]
async fn context_fields_tags_and_types_are_reached_changed_and_deleted() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let id = app.feature("shop", "f").await;
    let tx = app.tx().await;
    for name in ["..", "validate"] {
        let legal = vec![LegalValue { value: "..".to_owned(), description: None }];
        let field = ContextField { name: name.to_owned(), legal_values: Some(legal), ..ContextField::default() };
        assert!(store::context_fields::insert(&tx, &field, app.clock.now()).await.expect("a field"));
        let kind = TagType { name: name.to_owned(), description: None, icon: None };
        assert!(store::tags::types::insert(&tx, &kind).await.expect("a type"));
    }
    store::strategies::types::insert(&tx, "..", &StrategyTypeDefinition::default()).await.expect("a type");
    app.commit(tx).await;
    let admin = app.admin();
    for name in ["..", "validate"] {
        let field = format!("/api/admin/context/{}", segment(Named::ContextField, name));
        assert_eq!(admin.get(&field).await.expect(200)["name"], name);
        // What it holds already may stay, and be described.
        let legal = json!([{ "value": "..", "description": "kept" }, { "value": "new" }]);
        admin.json(Method::PUT, &field, json!({ "legalValues": legal })).await.expect(200);
        admin.post(&format!("{field}/legal-values"), json!({ "value": "..", "description": "told" })).await.expect(200);
        let change = json!({ "legalValues": [{ "value": ".." }, { "value": "." }] });
        admin.json(Method::PUT, &field, change).await.refused(400, "ValidationError", "/body/legalValues/1/value");
        delete(&admin, &format!("{field}/legal-values/{}", segment(Named::LegalValue, ".."))).await;
        assert_eq!(admin.get(&field).await.expect(200)["legalValues"], json!([{ "value": "new" }]));
        delete(&admin, &field).await;

        let kind = format!("/api/admin/tag-types/{}", segment(Named::TagType, name));
        admin.json(Method::PUT, &kind, json!({ "description": "kept" })).await.expect(200);
        assert_eq!(admin.get(&kind).await.expect(200)["tagType"]["description"], "kept");
        app.tag(id, name, "..").await;
        // A tag that is there can be put on others.
        admin.post("/api/admin/features/f/tags", json!({ "type": name, "value": ".." })).await.expect(201);
        let tag = format!("{}/{}", segment(Named::TagType, name), segment(Named::Tag, ".."));
        admin.get(&format!("/api/admin/tags/{tag}")).await.expect(200);
        delete(&admin, &format!("/api/admin/features/f/tags/{tag}")).await;
        assert_eq!(admin.get("/api/admin/features/f/tags").await.expect(200)["tags"], json!([]));
        delete(&admin, &format!("/api/admin/tags/{tag}")).await;
        delete(&admin, &kind).await;
    }
    let kind = format!("/api/admin/strategies/{}", segment(Named::StrategyType, ".."));
    admin.json(Method::PUT, &kind, json!({ "title": "kept", "parameters": [] })).await.expect(200);
    delete(&admin, &kind).await;
}

#[tokio::test]
async fn a_changed_thing_keeps_its_name() {
    let app = TestApp::new().await;
    let tx = app.tx().await;
    let segment = store::segments::NewSegment { name: "..".to_owned(), ..store::segments::NewSegment::default() };
    let id = store::segments::insert(&tx, &segment, app.clock.now()).await.expect("a segment");
    app.commit(tx).await;
    let path = format!("/api/admin/segments/{id}");
    let body = |name: &str| json!({ "name": name, "description": "kept", "constraints": [] });
    app.admin().json(Method::PUT, &path, body("..")).await.expect(204);
    app.admin().json(Method::PUT, &path, body(".")).await.refused(400, "ValidationError", "/body/name");
    assert_eq!(app.admin().get(&path).await.expect(200)["description"], "kept");
}
