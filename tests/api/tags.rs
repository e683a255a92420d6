//! Tags: those of features, and those that there are.

mod features;
mod hidden;

use flagstone::store::{self, projects::NewProject};
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    harness::{Client, TestApp, encoded},
    schema::assert_derived_columns,
};

const TAGS: &str = "/api/admin/tags";

/// A server with the feature `f` in the project `shop`.
async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    app
}

/// Adds the private project `secret` with the feature `hidden`; gives its id.
async fn hide(app: &TestApp) -> i64 {
    let tx = app.tx().await;
    let secret = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Secret") };
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    app.commit(tx).await;
    app.feature("secret", "hidden").await
}

fn tag(kind: &str, value: &str) -> Value {
    json!({ "value": value, "type": kind })
}

async fn delete(client: &Client, path: &str) -> crate::harness::Answer {
    client.request(Method::DELETE, path, &[], Vec::new()).await
}

/// Type, feature, data, preData and the number of tags of the events from the n-th on.
async fn told(app: &TestApp, from: usize) -> Vec<Value> {
    let json = |text: &Option<String>| match text {
        Some(text) => serde_json::from_str(text).expect("JSON"),
        None => Value::Null,
    };
    let tell = |event: &store::entity::event::Model| {
        let tags = json(&Some(event.tags.clone())).as_array().expect("a list").len();
        json!([event.r#type, event.feature_name, json(&event.data), json(&event.pre_data), tags])
    };
    app.events().await[from..].iter().map(tell).collect()
}

#[tokio::test]
async fn a_tag_is_made_read_and_removed_wherever_it_is() {
    let app = shop().await;
    let beta = tag("simple", "50% / ä?");
    let path = format!("{TAGS}/simple/{}", encoded("50% / ä?"));
    let made = app.editor().await.post(TAGS, beta.clone()).await.expect(201);
    assert_eq!(made, json!({ "version": 1, "tag": beta }));
    assert_eq!(app.viewer().await.get(&path).await.expect(200), made);
    for list in [TAGS, "/api/admin/tags/simple"] {
        assert_eq!(app.viewer().await.get(list).await.expect(200), json!({ "version": 1, "tags": [beta] }));
    }
    let twice = app.admin().post(TAGS, beta.clone()).await;
    twice.refused(409, "NameExistsError", "50% / ä?");
    app.admin().post("/api/admin/features/f/tags", beta.clone()).await.expect(201);
    assert_derived_columns(&app).await;
    delete(&app.admin(), &path).await.expect(200);
    assert_eq!(
        told(&app, 0).await,
        [
            json!(["tag-created", null, beta, null, 0]),
            json!(["feature-tagged", "f", beta, null, 1]),
            json!(["feature-untagged", "f", null, beta, 1]),
            json!(["tag-deleted", null, beta, null, 0]),
        ]
    );
    app.admin().get(&path).await.refused(404, "NotFoundError", "tag named");
    delete(&app.admin(), &path).await.refused(404, "NotFoundError", "tag named");
    assert_eq!(app.admin().get("/api/admin/features/f/tags").await.expect(200)["tags"], json!([]));
    assert_eq!(app.events().await.len(), 4);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn a_tag_has_a_known_type_and_a_short_value() {
    let app = shop().await;
    for path in [TAGS, "/api/admin/features/f/tags"] {
        for (body, property) in [
            (tag("none", "beta"), "/body/type"),
            (json!({ "value": "beta" }), "/body/type"),
            (json!({ "type": "simple" }), "/body/value"),
            (tag("simple", "b"), "/body/value"),
            (tag("simple", &"x".repeat(51)), "/body/value"),
            (tag("simple", "a\0"), "/body/value"),
            (json!({ "type": "simple", "value": 5 }), "/body/value"),
        ] {
            app.admin().post(path, body).await.refused(400, "ValidationError", property);
        }
    }
    assert_eq!(app.event_types().await, [""; 0]);
    for path in ["/api/admin/tags/simple/%00", "/api/admin/tags/%00/beta", "/api/admin/tags/simple/none"] {
        app.admin().get(path).await.refused(404, "NotFoundError", "tag named");
    }
    for path in ["/api/admin/tags/none", "/api/admin/tags/%00"] {
        assert_eq!(app.admin().get(path).await.expect(200)["tags"], json!([]));
    }
}

#[tokio::test]
async fn a_tag_on_hidden_features_alone_is_hidden_too() {
    let app = shop().await;
    let hidden = hide(&app).await;
    let open = app.feature("shop", "open").await;
    for (feature, value) in [(hidden, "merger"), (hidden, "both"), (open, "both"), (open, "plain")] {
        app.tag(feature, "simple", value).await;
    }
    app.admin().post(TAGS, tag("simple", "idle")).await.expect(201);
    let values = |answer: Value| -> Vec<String> {
        let tags = answer["tags"].as_array().expect("tags").iter();
        tags.map(|tag| tag["value"].as_str().expect("text").to_owned()).collect()
    };
    for path in [TAGS, "/api/admin/tags/simple"] {
        let seen = values(app.viewer().await.get(path).await.expect(200));
        assert_eq!(seen, ["both", "idle", "plain"]);
        assert_eq!(values(app.admin().get(path).await.expect(200)), ["both", "idle", "merger", "plain"]);
        assert_eq!(values(app.member("secret").await.get(path).await.expect(200)).len(), 4);
    }
    let path = "/api/admin/tags/simple/merger";
    app.viewer().await.get(path).await.refused(404, "NotFoundError", "tag named");
    app.admin().get(path).await.expect(200);
}

#[tokio::test]
async fn a_stale_removal_is_refused() {
    let app = shop().await;
    app.admin().post(TAGS, tag("simple", "beta")).await.expect(201);
    let path = "/api/admin/tags/simple/beta";
    let etag = app.admin().get(path).await.headers["etag"].to_str().expect("text").to_owned();
    let headers = [("if-match", "\"0000000000000000.1\"")];
    let refused = app.admin().request(Method::DELETE, path, &headers, vec![]).await;
    refused.refused(412, "PreconditionFailedError", "changed");
    app.admin().get(path).await.expect(200);
    app.admin().request(Method::DELETE, path, &[("if-match", &*etag)], vec![]).await.expect(200);
}
