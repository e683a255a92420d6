//! Patches that are refused: who, why, and that nothing happened.

use flagstone::store::{self, projects::NewProject};
use poem::http::Method;
use serde_json::{Value, json};

use super::{FEATURE, shop_with_feature, stored};
use crate::harness::{TestApp, role};

const DESCRIBE: &str = r#"[{ "op": "add", "path": "/description", "value": "x" }]"#;

fn describe() -> Value {
    serde_json::from_str(DESCRIBE).expect("JSON")
}

#[tokio::test]
async fn an_operation_that_does_not_apply_is_named_and_undoes_those_before_it() {
    let (app, _) = shop_with_feature().await;
    let before = stored(&app).await;
    let cases = [
        ("/body/1/path", json!({ "op": "replace", "path": "/name", "value": "g" }), "/name"),
        ("/body/1/path", json!({ "op": "remove", "path": "/project" }), "/project"),
        ("/body/1/path", json!({ "op": "add", "path": "/createdAt", "value": null }), "/createdAt"),
        ("/body/1/path", json!({ "op": "copy", "path": "/archivedAt", "from": "/createdAt" }), "/archivedAt"),
        ("/body/1/path", json!({ "op": "move", "path": "/lastSeenAt", "from": "/stale" }), "/lastSeenAt"),
        (
            "/body/1/path",
            json!({ "op": "add", "path": "/tags/0", "value": {} }),
            "The /body/1/path property cannot be \"/tags/0\": change tags with PUT /api/admin/features/",
        ),
        (
            "/body/1/path",
            json!({ "op": "replace", "path": "/variants/0/weight", "value": 1 }),
            "cannot be \"/variants/0/weight\": change variants with PUT /api/admin/projects/",
        ),
        (
            "/body/1/path",
            json!({ "op": "remove", "path": "/environments/production" }),
            "cannot be \"/environments/production\": switch environments with POST /api/admin/projects/",
        ),
        ("/body/1/path", json!({ "op": "replace", "path": "", "value": { "name": "f" } }), "/description"),
        ("/body/1/path", json!({ "op": "remove", "path": "stale" }), "/stale"),
        ("/body/1/path", json!({ "op": "remove", "path": "/unknown" }), "/type"),
        ("/body/1/path", json!({ "op": "remove", "path": "/stale/0" }), "/stale"),
        ("/body/1/path", json!({ "op": "remove" }), "is required"),
        ("/body/1/path", json!({ "op": "remove", "path": 5 }), "must be of type string"),
        ("/body/1/op", json!({ "path": "/stale" }), "is required"),
        ("/body/1/op", json!({ "op": "test", "path": "/stale", "value": false }), "must be one of \"add\", \"remove\""),
        ("/body/1/op", json!({ "op": "REMOVE", "path": "/stale" }), "must be one of"),
        (
            "/body/1/from",
            json!({ "op": "copy", "path": "/stale" }),
            "The /body/1/from property is required: it says where the new value of /stale comes from.",
        ),
        ("/body/1/from", json!({ "op": "move", "path": "/type" }), "where the new value of /type comes from"),
        ("/body/1/from", json!({ "op": "move", "path": "/description", "from": "/name" }), "cannot change"),
        (
            "/body/1/from",
            json!({ "op": "copy", "path": "/description", "from": "/nope" }),
            "The /body/1/from property must name a property of the feature, not \"/nope\".",
        ),
        ("/body/1/from", json!({ "op": "copy", "path": "/description", "from": "/nope".repeat(30) }), "/nope/nope…\"."),
        ("/body/1/from", json!({ "op": "copy", "path": "/stale", "from": "/name" }), "true or false"),
        ("/body/1/from", json!({ "op": "copy", "path": "/stale", "from": 7 }), "must be of type string"),
        (
            "/body/1/value",
            json!({ "op": "add", "path": "/stale" }),
            "The /body/1/value property is required: it is the new value of /stale.",
        ),
        ("/body/1/value", json!({ "op": "replace", "path": "/description" }), "is the new value of /description"),
        ("/body/1/value", json!({ "op": "replace", "path": "/description", "value": ["x"] }), "string or null"),
        ("/body/1/value", json!({ "op": "replace", "path": "/type", "value": 3 }), "must be a string"),
        ("/body/1/value", json!({ "op": "replace", "path": "/type", "value": null }), "must be a string"),
        ("/body/1/value", json!({ "op": "replace", "path": "/type", "value": "x".repeat(101) }), "100 characters"),
        ("/body/1/value", json!({ "op": "replace", "path": "/stale", "value": "yes" }), "true or false"),
        ("/body/1/value", json!({ "op": "replace", "path": "/impressionData", "value": null }), "true or false"),
        ("/body/1/value", json!({ "op": "replace", "path": "/archived", "value": 1 }), "true or false"),
        (
            "/body/1/value",
            json!({ "op": "replace", "path": "/description", "value": "a\0" }),
            "holds a NUL character, which no text may: it is the new value of /description.",
        ),
        (
            "/body/1/path",
            json!({ "op": "replace", "path": "/stale\0", "value": "x" }),
            "NUL character, which no text may.",
        ),
        ("/body/1", json!("remove"), "must be of type object"),
    ];
    for (pointer, op, text) in cases {
        let patch = json!([{ "op": "add", "path": "/description", "value": "x" }, op]);
        let answer = app.admin().patch(FEATURE, patch.clone()).await;
        assert_eq!(answer.body["details"][0]["path"], pointer, "{patch}: {}", answer.text);
        let message = answer.body["message"].as_str().expect("a message").to_owned();
        assert!(message.contains(pointer), "{patch}: {message}");
        answer.refused(400, "ValidationError", text);
    }
    assert_eq!(stored(&app).await, before);
    assert_eq!(app.event_types().await, [""; 0]);
}

#[tokio::test]
async fn a_body_that_is_no_list_of_bounded_length_is_refused() {
    let (app, _) = shop_with_feature().await;
    app.admin().patch(FEATURE, json!({})).await.refused(400, "ValidationError", "/body property must be of type array");
    let many = |count: usize| Value::Array(vec![describe()[0].clone(); count]);
    app.admin().patch(FEATURE, many(101)).await.refused(400, "ValidationError", "at most 100 items");
    app.admin().patch(FEATURE, many(100)).await.expect(200);
    let headers = [("content-type", "application/json")];
    for body in ["", "[", "[{]", "nonsense"] {
        let answer = app.admin().request(Method::PATCH, FEATURE, &headers, body.as_bytes().to_vec()).await;
        answer.refused(400, "ValidationError", "not valid JSON");
    }
    assert_eq!(app.event_types().await, ["feature-metadata-updated"]);
}

#[tokio::test]
async fn a_body_that_is_not_json_is_refused() {
    let (app, _) = shop_with_feature().await;
    for kind in ["application/merge-patch+json", "text/plain", "application/x-www-form-urlencoded"] {
        let headers = [("content-type", kind)];
        let answer = app.admin().request(Method::PATCH, FEATURE, &headers, DESCRIBE.as_bytes().to_vec()).await;
        answer.refused(415, "ContentTypeerror", kind);
    }
    let answer = app.admin().request(Method::PATCH, FEATURE, &[], DESCRIBE.as_bytes().to_vec()).await;
    answer.refused(415, "ContentTypeerror", "application/json");
    let long = json!([{ "op": "add", "path": "/description", "value": "x".repeat(2_000_000) }]);
    app.admin().patch(FEATURE, long).await.refused(413, "PayloadTooLargeError", "bytes");
    assert_eq!(stored(&app).await["description"], Value::Null);
}

#[tokio::test]
async fn only_who_may_update_features_of_the_project_gets_anywhere() {
    let (app, _) = shop_with_feature().await;
    app.project("other").await;
    app.feature("default", "of-default").await;
    app.anonymous().patch(FEATURE, describe()).await.refused(401, "AuthenticationRequired", "token");
    let (viewer, editor, stranger) = (app.viewer().await, app.editor().await, app.owner("other").await);
    for client in [&viewer, &editor, &stranger] {
        for path in [FEATURE, "/api/admin/projects/shop/features/unknown", "/api/admin/projects/unknown/features/f"] {
            let answer = client.patch(path, json!("neither is the body looked at")).await;
            answer.refused(403, "NoAccessError", "\"UPDATE_FEATURE\"");
        }
    }
    assert_eq!(app.event_types().await, [""; 0]);
    editor.patch("/api/admin/projects/default/features/of-default", describe()).await.expect(200);
    for client in [app.member("shop").await, app.owner("shop").await, app.root_admin().await] {
        let patch = json!([{ "op": "add", "path": "/description", "value": client.user_id }]);
        client.patch(FEATURE, patch).await.refused(400, "ValidationError", "/body/0/value");
        client.patch(FEATURE, describe()).await.expect(200);
    }
    assert_eq!(app.event_types().await, ["feature-metadata-updated"; 2]);
}

#[tokio::test]
async fn what_does_not_exist_is_said_without_telling_about_hidden_projects() {
    let (app, _) = shop_with_feature().await;
    app.project("other").await;
    app.feature("other", "elsewhere").await;
    let tx = app.tx().await;
    let secret = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Secret") };
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    app.commit(tx).await;
    app.feature("secret", "hidden").await;

    let member = app.member("shop").await;
    let missing = async |client: &crate::harness::Client, path: &str| {
        let answer = client.patch(path, describe()).await;
        let message = answer.body["message"].as_str().expect("a message").to_owned();
        answer.refused(404, "NotFoundError", "There is no");
        message
    };
    let shop = |name: &str| format!("/api/admin/projects/shop/features/{name}");
    let unknown = missing(&member, &shop("unknown")).await;
    assert_eq!(unknown, "There is no feature named \"unknown\" in project \"shop\".");
    assert_eq!(
        missing(&member, &shop("elsewhere")).await,
        "There is no feature named \"elsewhere\" in project \"shop\", but there is one in project \"other\"."
    );
    assert_eq!(missing(&member, &shop("hidden")).await, unknown.replace("unknown", "hidden"));
    assert!(missing(&app.admin(), &shop("hidden")).await.ends_with("there is one in project \"secret\"."));
    for path in
        [&*shop("%00"), &shop("F"), "/api/admin/projects/unknown/features/f", "/api/admin/projects/a%00/features/f"]
    {
        missing(&app.admin(), path).await;
    }
    assert_eq!(app.event_types().await, [""; 0]);
}

#[tokio::test]
async fn archiving_needs_its_own_permission_too() {
    let (app, _) = shop_with_feature().await;
    let tx = app.tx().await;
    let role_id = updater_role(&tx).await;
    app.commit(tx).await;
    let updater = app.person(role::VIEWER, Some(("shop", role_id))).await;
    let archive = json!([{ "op": "replace", "path": "/archived", "value": true }]);
    updater.patch(FEATURE, archive.clone()).await.refused(403, "NoAccessError", "\"DELETE_FEATURE\"");
    assert_eq!(stored(&app).await["archived"], false);
    // What changes nothing needs nothing; reviving is an update.
    updater.patch(FEATURE, json!([{ "op": "remove", "path": "/archived" }])).await.expect(200);
    app.admin().patch(FEATURE, archive.clone()).await.expect(200);
    updater.patch(FEATURE, archive).await.expect(200);
    updater.patch(FEATURE, json!([{ "op": "remove", "path": "/archived" }])).await.expect(200);
    assert_eq!(app.event_types().await, ["feature-dependencies-removed", "feature-archived", "feature-revived"]);
}

/// A role in projects that may update features and nothing else.
async fn updater_role(tx: &store::db::Tx) -> i64 {
    use sea_orm::{ActiveValue::Set, EntityTrait};
    use store::entity::{role as row, role_permission};
    let new = row::ActiveModel {
        name: Set("Updater".to_owned()),
        r#type: Set("custom".to_owned()),
        description: Set(String::new()),
        ..Default::default()
    };
    let id = row::Entity::insert(new).exec_with_returning(tx).await.expect("a role").id;
    let grant = role_permission::ActiveModel {
        role_id: Set(id),
        permission: Set("UPDATE_FEATURE".to_owned()),
        ..Default::default()
    };
    role_permission::Entity::insert(grant).exec_without_returning(tx).await.expect("a grant");
    id
}

#[tokio::test]
async fn an_archived_project_has_no_features_to_patch() {
    use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
    use store::entity::project;
    let app: TestApp = shop_with_feature().await.0;
    let tx = app.tx().await;
    project::Entity::update_many()
        .col_expr(project::Column::ArchivedAt, Expr::value(app.clock.now()))
        .filter(project::Column::Id.eq("shop"))
        .exec(&tx)
        .await
        .expect("archives");
    app.commit(tx).await;
    app.admin().patch(FEATURE, describe()).await.refused(404, "NotFoundError", "project named \"shop\"");
}
