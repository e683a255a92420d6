//! The kinds of tags, and what becomes of their tags.

use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    harness::{TestApp, encoded},
    schema::assert_derived_columns,
};

const TYPES: &str = "/api/admin/tag-types";
const TEAM: &str = "/api/admin/tag-types/team";

/// A server with the tag type `team`.
async fn with_team() -> TestApp {
    let app = TestApp::new().await;
    app.admin().post(TYPES, json!({ "name": "team", "description": "Who", "icon": "T" })).await.expect(201);
    app
}

async fn newest(app: &TestApp) -> Value {
    let event = app.events().await.pop().expect("an event");
    let json = |text: Option<String>| text.map_or(Value::Null, |text| serde_json::from_str(&text).expect("JSON"));
    json!({ "type": event.r#type, "project": event.project, "feature": event.feature_name,
        "data": json(event.data), "preData": json(event.pre_data) })
}

#[tokio::test]
async fn a_type_is_made_read_changed_and_told_of() {
    let app = TestApp::new().await;
    let made = app.admin().post(TYPES, json!({ "name": "team", "unknown": 1 })).await.expect(201);
    assert_eq!(made, json!({ "name": "team", "description": "", "icon": null }));
    let told = |kind: &str, data: Value, pre_data: Value| json!({ "type": kind, "project": null, "feature": null, "data": data, "preData": pre_data });
    assert_eq!(newest(&app).await, told("tag-type-created", made.clone(), Value::Null));
    assert_eq!(app.viewer().await.get(TEAM).await.expect(200), json!({ "version": 1, "tagType": made }));

    let change = json!({ "description": "Who looks after it", "icon": "T" });
    assert_eq!(app.editor().await.json(Method::PUT, TEAM, change).await.expect(200), Value::Null);
    let changed = json!({ "name": "team", "description": "Who looks after it", "icon": "T" });
    assert_eq!(app.admin().get(TEAM).await.expect(200)["tagType"], changed);
    assert_eq!(newest(&app).await, told("tag-type-updated", changed.clone(), Value::Null));
    let all = app.viewer().await.get(TYPES).await.expect(200);
    assert_eq!(all["version"], 1);
    let names: Vec<&str> =
        all["tagTypes"].as_array().expect("types").iter().filter_map(|kind| kind["name"].as_str()).collect();
    assert_eq!(names, ["simple", "team"]);
    assert_eq!(all["tagTypes"][1], changed);

    // What is absent is reset, and what changes nothing leaves no event.
    app.admin().json(Method::PUT, TEAM, json!({ "icon": null })).await.expect(200);
    assert_eq!(app.admin().get(TEAM).await.expect(200)["tagType"], made);
    let before = app.event_types().await;
    app.admin().json(Method::PUT, TEAM, json!({})).await.expect(200);
    assert_eq!(app.event_types().await, before);

    app.admin().request(Method::DELETE, TEAM, &[], vec![]).await.expect(200);
    assert_eq!(newest(&app).await, told("tag-type-deleted", Value::Null, made));
    app.admin().get(TEAM).await.refused(404, "NotFoundError", "tag type named \"team\"");
}

#[tokio::test]
async fn a_name_is_short_plain_and_free() {
    let app = with_team().await;
    let events = app.event_types().await;
    for path in [TYPES, "/api/admin/tag-types/validate"] {
        let answer = app.admin().post(path, json!({ "name": "team" })).await;
        answer.refused(409, "NameExistsError", "tag type named \"team\"");
        let long = "x".repeat(51);
        for (body, property) in [
            (json!({}), "/body/name"),
            (json!({ "name": "t" }), "/body/name"),
            (json!({ "name": long }), "/body/name"),
            (json!({ "name": "two words" }), "/body/name"),
            (json!({ "name": "a/b" }), "/body/name"),
            (json!({ "name": null }), "/body/name"),
            (json!({ "name": "kind", "description": 5 }), "/body/description"),
            (json!({ "name": "kind", "icon": "x".repeat(256) }), "/body/icon"),
        ] {
            app.admin().post(path, body).await.refused(400, "ValidationError", property);
        }
    }
    let valid = json!({ "name": "x".repeat(50), "icon": "!" });
    let answer = app.admin().post("/api/admin/tag-types/validate", valid).await.expect(200);
    assert_eq!(answer["valid"], true);
    assert_eq!(answer["tagType"]["description"], "");
    assert_eq!(app.event_types().await, events);
    app.admin().get(&format!("{TYPES}/{}", "x".repeat(50))).await.refused(404, "NotFoundError", "tag type");
}

#[tokio::test]
async fn what_is_not_there_cannot_be_changed_or_removed() {
    let app = TestApp::new().await;
    for path in [TEAM, "/api/admin/tag-types/%00", "/api/admin/tag-types/SIMPLE"] {
        app.admin().get(path).await.refused(404, "NotFoundError", "tag type");
        app.admin().json(Method::PUT, path, json!({})).await.refused(404, "NotFoundError", "tag type");
        app.admin().request(Method::DELETE, path, &[], vec![]).await.refused(404, "NotFoundError", "tag type");
    }
    assert_eq!(app.event_types().await, [""; 0]);
}

#[tokio::test]
async fn a_stale_change_is_refused_and_changes_nothing() {
    let app = with_team().await;
    let read = app.admin().get(TEAM).await;
    let tag = read.headers["etag"].to_str().expect("text").to_owned();
    let headers = [("content-type", "application/json"), ("if-match", &*tag)];
    let change = |text: &str| json!({ "description": text, "icon": "T" }).to_string().into_bytes();
    app.admin().request(Method::PUT, TEAM, &headers, change("first")).await.expect(200);
    let events = app.event_types().await;
    let late = app.admin().request(Method::PUT, TEAM, &headers, change("second")).await;
    late.refused(412, "PreconditionFailedError", "changed");
    let late = app.admin().request(Method::DELETE, TEAM, &headers[1..], vec![]).await;
    late.refused(412, "PreconditionFailedError", "changed");
    assert_eq!(app.admin().get(TEAM).await.expect(200)["tagType"]["description"], "first");
    assert_eq!(app.event_types().await, events);
    app.admin().request(Method::DELETE, TEAM, &[("if-match", "*")], vec![]).await.expect(200);
}

#[tokio::test]
async fn a_type_does_not_take_its_tags_off_features_and_goes_once_they_are_off() {
    let app = with_team().await;
    app.project("shop").await;
    let (cart, search) = (app.feature("shop", "cart").await, app.feature("default", "search").await);
    app.feature("shop", "bare").await;
    for (feature, kind, value) in
        [(cart, "team", "web"), (cart, "team", "blue"), (cart, "simple", "beta"), (search, "team", "web")]
    {
        app.tag(feature, kind, value).await;
    }
    app.admin().post("/api/admin/tags", json!({ "type": "team", "value": "idle" })).await.expect(201);
    let etag = app.admin().get("/api/admin/features/cart/tags").await.headers["etag"].clone();
    let before = app.events().await.len();
    let refused = app.admin().request(Method::DELETE, TEAM, &[], vec![]).await;
    let message = refused.body["message"].as_str().expect("a message").to_owned();
    refused.refused(
        409,
        "TagTypeInUseError",
        "the feature \"cart\" (project shop); the feature \"search\" (project default)",
    );
    assert!(message.contains("PUT /api/admin/projects/{projectId}/tags"), "{message}");
    assert_eq!(app.events().await.len(), before);
    assert_eq!(app.admin().get("/api/admin/features/cart/tags").await.headers["etag"], etag);

    // As it advises.
    for (project, feature) in [("shop", "cart"), ("default", "search")] {
        let removed = json!([{ "type": "team", "value": "web" }, { "type": "team", "value": "blue" }]);
        let change = json!({ "features": [feature], "tags": { "addedTags": [], "removedTags": removed } });
        app.admin().json(Method::PUT, &format!("/api/admin/projects/{project}/tags"), change).await.expect(200);
    }
    let before = app.event_types().await.len();
    app.admin().request(Method::DELETE, TEAM, &[], vec![]).await.expect(200);
    let told = app.event_types().await.split_off(before);
    assert_eq!(told, ["tag-deleted", "tag-deleted", "tag-deleted", "tag-type-deleted"]);
    let tags = app.admin().get("/api/admin/features/cart/tags").await.expect(200);
    assert_eq!(tags["tags"], json!([{ "type": "simple", "value": "beta" }]));
    assert_eq!(app.admin().get("/api/admin/tags").await.expect(200)["tags"].as_array().expect("tags").len(), 1);
    let found = app.admin().get(&format!("/api/admin/search/features?query={}", encoded("team:web"))).await;
    assert_eq!(found.expect(200)["total"], 0);
    assert_derived_columns(&app).await;
}
