//! The variants of features.

use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    harness::{TestApp, role},
    schema::assert_derived_columns,
    strategies::{FEATURE, archive, matching, seen, shop, tag_of, told_after},
};

const VARIANTS: &str = "/api/admin/projects/shop/features/f/variants";
const DEVELOPMENT: &str = "/api/admin/projects/shop/features/f/environments/development/variants";
const PRODUCTION: &str = "/api/admin/projects/shop/features/f/environments/production/variants";
const BATCH: &str = "/api/admin/projects/shop/features/f/variants-batch";

fn variant(name: &str, weight: i64, kind: &str) -> Value {
    json!({ "name": name, "weight": weight, "weightType": kind, "stickiness": "default" })
}

fn even() -> Value {
    json!([variant("a", 500, "variable"), variant("b", 500, "variable")])
}

async fn variants_at(app: &TestApp, path: &str) -> Value {
    let body = app.admin().get(path).await.expect(200);
    assert_eq!(body["version"], 1);
    body["variants"].clone()
}

#[tokio::test]
async fn variants_of_the_feature_go_to_all_environments_balanced_and_sorted() {
    let app = shop().await;
    assert_eq!(variants_at(&app, VARIANTS).await, json!([]));
    let given = json!([
        variant("v3", 300, "fix"),
        { "name": "v2", "weight": 900 },
        { "name": "v1", "weight": 1, "payload": { "type": "json", "value": "[1]" },
          "overrides": [{ "contextName": "userId", "values": ["7"] }] },
    ]);
    let answer = app.admin().json(Method::PUT, VARIANTS, given).await.expect(200);
    let expected = json!([
        { "name": "v1", "weight": 350, "weightType": "variable", "stickiness": "default",
          "payload": { "type": "json", "value": "[1]" },
          "overrides": [{ "contextName": "userId", "values": ["7"] }] },
        variant("v2", 350, "variable"),
        variant("v3", 300, "fix"),
    ]);
    assert_eq!(answer, json!({ "version": 1, "variants": expected }));
    for path in [VARIANTS, DEVELOPMENT, PRODUCTION] {
        assert_eq!(variants_at(&app, path).await, expected, "{path}");
    }
    let told = json!(["feature-variants-updated", "shop", "f", null, { "variants": expected }, { "variants": [] }]);
    assert_eq!(told_after(&app, 0).await, [told]);
    assert_derived_columns(&app).await;
    // Clearing tells what there was, and once only.
    for _ in 0..2 {
        app.admin().json(Method::PUT, VARIANTS, json!([])).await.expect(200);
    }
    let told = json!(["feature-variants-updated", "shop", "f", null, { "variants": [] }, { "variants": expected }]);
    assert_eq!(told_after(&app, 1).await, [told]);
}

#[tokio::test]
async fn the_remainder_goes_to_the_first_ones_sent_and_even_weights_stay() {
    let app = shop().await;
    let given = json!([variant("c", 0, "variable"), variant("a", 1, "variable"), variant("b", 999, "variable")]);
    app.admin().json(Method::PUT, DEVELOPMENT, given).await.expect(200);
    let stored = variants_at(&app, DEVELOPMENT).await;
    assert_eq!(
        stored,
        json!([variant("a", 333, "variable"), variant("b", 333, "variable"), variant("c", 334, "variable")])
    );
    let before = seen(&app).await;
    app.admin().json(Method::PUT, DEVELOPMENT, stored.clone()).await.expect(200);
    assert_eq!((variants_at(&app, DEVELOPMENT).await, seen(&app).await), (stored, before));
}

#[tokio::test]
async fn variants_of_an_environment_are_its_own() {
    let app = shop().await;
    app.admin().json(Method::PUT, PRODUCTION, even()).await.expect(200);
    assert_eq!(variants_at(&app, DEVELOPMENT).await, json!([]));
    assert_eq!(variants_at(&app, VARIANTS).await, even());
    let told = json!([
        "feature-environment-variants-updated", "shop", "f", "production",
        { "variants": even() }, { "variants": [] },
    ]);
    assert_eq!(told_after(&app, 0).await, [told]);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn patches_apply_to_the_list() {
    let app = shop().await;
    app.admin().json(Method::PUT, VARIANTS, even()).await.expect(200);
    let patch = json!([
        { "op": "replace", "path": "/0/weightType", "value": "fix" },
        { "op": "replace", "path": "/0/weight", "value": 100 },
        { "op": "add", "path": "/-", "value": { "name": "c", "weight": 0 } },
    ]);
    let expected = json!([variant("a", 100, "fix"), variant("b", 450, "variable"), variant("c", 450, "variable")]);
    let answer = app.admin().patch(DEVELOPMENT, patch).await.expect(200);
    assert_eq!(answer, json!({ "version": 1, "variants": expected }));
    assert_eq!(variants_at(&app, PRODUCTION).await, even());
    let told = json!([
        "feature-environment-variants-updated", "shop", "f", "development",
        { "variants": expected }, { "variants": even() },
    ]);
    assert_eq!(told_after(&app, 1).await, [told]);
    let patch = json!([{ "op": "remove", "path": "/0" }]);
    let expected = json!([variant("b", 500, "variable"), variant("c", 500, "variable")]);
    app.admin().patch(VARIANTS, patch).await.expect(200);
    assert_eq!(variants_at(&app, PRODUCTION).await, expected);
    assert_eq!(told_after(&app, 2).await[0][0], "feature-variants-updated");
    for path in [VARIANTS, PRODUCTION] {
        assert_eq!(app.admin().patch(path, json!([])).await.expect(200)["variants"], expected);
    }
    assert_eq!(seen(&app).await, 3);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn a_batch_reaches_the_environments_that_it_names() {
    let app = shop().await;
    app.admin().json(Method::PUT, PRODUCTION, even()).await.expect(200);
    let body = json!({ "variants": even(), "environments": ["production", "development", "development"] });
    let answer = app.admin().json(Method::PUT, BATCH, body).await.expect(200);
    assert_eq!(answer, json!({ "version": 1, "variants": even() }));
    assert_eq!(variants_at(&app, DEVELOPMENT).await, even());
    // Production had them already.
    let told = json!([
        "feature-environment-variants-updated", "shop", "f", "development",
        { "variants": even() }, { "variants": [] },
    ]);
    assert_eq!(told_after(&app, 1).await, [told]);
    let unknown = json!({ "variants": [], "environments": ["development", "nowhere"] });
    app.admin().json(Method::PUT, BATCH, unknown).await.refused(400, "ValidationError", "nowhere");
    for (body, property) in [
        (json!({ "variants": [], "environments": [] }), "/body/environments"),
        (json!({ "environments": ["development"] }), "/body/variants"),
        (json!({ "variants": [{ "name": "a" }], "environments": ["development"] }), "/body/variants/0/weight"),
        (
            json!({ "variants": [variant("a b", 1, "variable")], "environments": ["development"] }),
            "/body/variants/0/name",
        ),
    ] {
        app.admin().json(Method::PUT, BATCH, body).await.refused(400, "ValidationError", property);
    }
    assert_eq!(variants_at(&app, DEVELOPMENT).await, even());
    assert_eq!(seen(&app).await, 2);
}

#[tokio::test]
async fn a_batch_needs_the_permission_in_each_environment() {
    use flagstone::store::entity::{role as role_entity, role_permission};
    use sea_orm::{ActiveValue::Set, EntityTrait};
    let app = shop().await;
    let tx = app.tx().await;
    let new = role_entity::ActiveModel {
        name: Set("developers".to_owned()),
        r#type: Set("custom".to_owned()),
        description: Set(String::new()),
        ..Default::default()
    };
    let id = role_entity::Entity::insert(new).exec_with_returning(&tx).await.expect("a role").id;
    let grant = role_permission::ActiveModel {
        role_id: Set(id),
        permission: Set("UPDATE_FEATURE_ENVIRONMENT_VARIANTS".to_owned()),
        environment: Set(Some("development".to_owned())),
        ..Default::default()
    };
    role_permission::Entity::insert(grant).exec_without_returning(&tx).await.expect("a grant");
    app.commit(tx).await;
    let developer = app.person(role::VIEWER, Some(("shop", id))).await;
    let both = json!({ "variants": even(), "environments": ["development", "production"] });
    let refused = developer.json(Method::PUT, BATCH, both).await;
    refused.refused(403, "NoAccessError", "\"production\" environment");
    assert_eq!(variants_at(&app, DEVELOPMENT).await, json!([]));
    let own = json!({ "variants": even(), "environments": ["development"] });
    developer.json(Method::PUT, BATCH, own).await.expect(200);
    developer.json(Method::PUT, PRODUCTION, even()).await.refused(403, "NoAccessError", "production");
    // Who has it nowhere learns nothing about the body.
    app.viewer().await.json(Method::PUT, BATCH, json!([])).await.refused(403, "NoAccessError", "VARIANTS");
}

#[tokio::test]
async fn lists_that_cannot_be_used_are_refused_by_name() {
    let app = shop().await;
    let cases = [
        (json!({}), "/body"),
        (json!([{ "name": "a" }]), "/body/0/weight"),
        (json!([variant("a", 1001, "fix")]), "/body/0/weight"),
        (json!([variant("a", -1, "fix")]), "/body/0/weight"),
        (json!([variant("a", 1, "some")]), "/body/0/weightType"),
        (json!([variant("a", 1, "variable"), variant("b c", 1, "variable")]), "/body/1/name"),
        (json!([variant("", 1, "variable")]), "/body/0/name"),
        (json!([variant("a", 1, "variable"), variant("a", 1, "variable")]), "/body/1/name"),
        (json!([variant("a", 1000, "fix")]), "variable"),
        (json!([variant("a", 600, "fix"), variant("b", 600, "fix"), variant("c", 0, "variable")]), "1000"),
        (json!([{ "name": "a", "weight": 1, "payload": { "type": "json", "value": "{" } }]), "/body/0/payload"),
        (json!([{ "name": "a", "weight": 1, "payload": { "type": "xml", "value": "" } }]), "/body/0/payload/type"),
    ];
    for (body, property) in cases {
        for path in [VARIANTS, DEVELOPMENT] {
            app.admin().json(Method::PUT, path, body.clone()).await.refused(400, "ValidationError", property);
        }
    }
    let patches = [
        (json!({ "op": "add", "path": "/-", "value": variant("a b", 1, "variable") }), "/body/1"),
        (json!({ "op": "add", "path": "/-", "value": { "name": "x" } }), "/body/1"),
        (json!({ "op": "add", "path": "/5", "value": variant("x", 1, "variable") }), "/body/1/path"),
        (json!({ "op": "replace", "path": "", "value": {} }), "/body/1"),
        (json!({ "op": "test", "path": "/0", "value": 1 }), "/body/1/op"),
    ];
    for (bad, place) in patches {
        let good = json!({ "op": "add", "path": "/-", "value": variant("good", 1, "variable") });
        for path in [VARIANTS, DEVELOPMENT] {
            let answer = app.admin().patch(path, json!([good, bad])).await;
            assert_eq!(answer.body["details"][0]["path"], place, "{bad}: {}", answer.text);
            answer.refused(400, "ValidationError", place);
        }
    }
    assert_eq!(variants_at(&app, VARIANTS).await, json!([]));
    assert_eq!(seen(&app).await, 0);
}

#[tokio::test]
async fn what_is_not_there_is_told() {
    let app = shop().await;
    let nowhere = format!("{FEATURE}/environments/nowhere/variants");
    app.admin().get(&nowhere).await.refused(404, "NotFoundError", "nowhere");
    app.admin().json(Method::PUT, &nowhere, json!([])).await.refused(404, "NotFoundError", "nowhere");
    app.admin().patch(&nowhere, json!([])).await.refused(404, "NotFoundError", "nowhere");
    for path in [VARIANTS, DEVELOPMENT, BATCH] {
        let unknown = path.replace("/f/", "/zip/");
        let body = if path == BATCH { json!({ "variants": [], "environments": ["production"] }) } else { json!([]) };
        app.admin().json(Method::PUT, &unknown, body).await.refused(404, "NotFoundError", "zip");
    }
    app.admin().get(&VARIANTS.replace("/f/", "/zip/")).await.refused(404, "NotFoundError", "zip");
}

#[tokio::test]
async fn archived_features_and_stale_versions_change_nothing() {
    let app = shop().await;
    let tag = tag_of(&app, DEVELOPMENT).await;
    app.admin().json(Method::PUT, VARIANTS, even()).await.expect(200);
    let before = seen(&app).await;
    let batch = json!({ "variants": [], "environments": ["development"] });
    let remove = json!([{ "op": "remove", "path": "/0" }]);
    let calls = [
        (Method::PUT, VARIANTS, json!([])),
        (Method::PATCH, VARIANTS, remove.clone()),
        (Method::PUT, DEVELOPMENT, json!([])),
        (Method::PATCH, DEVELOPMENT, remove),
        (Method::PUT, BATCH, batch),
    ];
    for (method, path, body) in calls.clone() {
        let answer = matching(&app, method, path, &tag, Some(body)).await;
        answer.refused(412, "PreconditionFailedError", "If-Match");
    }
    assert_eq!(variants_at(&app, DEVELOPMENT).await, even());
    assert_eq!(seen(&app).await, before);
    archive(&app).await;
    let before = seen(&app).await;
    for (method, path, body) in calls {
        app.admin().json(method, path, body).await.refused(400, "ValidationError", "archived");
    }
    assert_eq!(variants_at(&app, VARIANTS).await, even());
    assert_eq!(seen(&app).await, before);
}

#[tokio::test]
async fn the_refusal_of_a_feature_patch_names_a_call_that_is_there() {
    let app = shop().await;
    let ops = json!([{ "op": "add", "path": "/variants", "value": [] }]);
    let message = app.admin().patch(FEATURE, ops).await.expect(400)["message"].clone();
    let path = "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/variants";
    assert!(message.as_str().expect("text").contains(&format!("PUT {path}")), "{message}");
    assert!(flagstone::api::document::DOCUMENT["paths"][path]["put"].is_object());
}
