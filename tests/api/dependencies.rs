//! Features that need other features.

use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    harness::TestApp,
    schema::assert_derived_columns,
    strategies::{FEATURE, archive, matching, seen, shop, tag_of, told_after},
};

const DEPENDENCIES: &str = "/api/admin/projects/shop/features/f/dependencies";

fn of(feature: &str) -> String {
    format!("/api/admin/projects/shop/features/{feature}/dependencies")
}

/// The feature `f`, which may depend on `parent` and `other`.
async fn family() -> TestApp {
    let app = shop().await;
    app.feature("shop", "parent").await;
    app.feature("shop", "other").await;
    app
}

async fn parents(app: &TestApp) -> Value {
    app.admin().patch(FEATURE, json!([])).await.expect(200)["dependencies"].clone()
}

async fn exist(app: &TestApp) -> Value {
    app.admin().get("/api/admin/projects/shop/dependencies").await.expect(200)
}

#[tokio::test]
async fn a_dependency_is_stored_told_and_overwritten() {
    let app = family().await;
    assert_eq!(exist(&app).await, json!(false));
    let answer = app.admin().post(DEPENDENCIES, json!({ "feature": "parent" })).await;
    assert_eq!((answer.status, &*answer.text), (200, ""));
    assert_eq!(parents(&app).await, json!([{ "feature": "parent", "enabled": true }]));
    let variants = json!({ "feature": "parent", "variants": ["a", "b"] });
    app.admin().post(DEPENDENCIES, variants.clone()).await.expect(200);
    app.admin().post(DEPENDENCIES, variants).await.expect(200);
    assert_eq!(parents(&app).await, json!([{ "feature": "parent", "enabled": true, "variants": ["a", "b"] }]));
    let off = json!({ "feature": "parent", "enabled": false, "variants": ["left out of account"] });
    app.admin().post(DEPENDENCIES, off).await.expect(200);
    assert_eq!(parents(&app).await, json!([{ "feature": "parent", "enabled": false }]));
    app.admin().post(DEPENDENCIES, json!({ "feature": "other" })).await.expect(200);
    let told = |data: Value| json!(["feature-dependency-added", "shop", "f", null, data, null]);
    assert_eq!(
        told_after(&app, 0).await,
        [
            told(json!({ "feature": "parent", "enabled": true })),
            told(json!({ "feature": "parent", "enabled": true, "variants": ["a", "b"] })),
            told(json!({ "feature": "parent", "enabled": false })),
            told(json!({ "feature": "other", "enabled": true })),
        ]
    );
    assert_eq!(exist(&app).await, json!(true));
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn dependencies_end_one_by_one_or_all_at_once() {
    let app = family().await;
    for parent in ["parent", "other"] {
        app.admin().post(DEPENDENCIES, json!({ "feature": parent })).await.expect(200);
    }
    let delete = |path: String| {
        let client = app.admin();
        async move { client.request(Method::DELETE, &path, &[], Vec::new()).await }
    };
    for _ in 0..2 {
        assert_eq!(delete(format!("{DEPENDENCIES}/parent")).await.status, 200);
    }
    delete(format!("{DEPENDENCIES}/unheard-of")).await.expect(200);
    assert_eq!(parents(&app).await, json!([{ "feature": "other", "enabled": true }]));
    assert_derived_columns(&app).await;
    app.admin().post(DEPENDENCIES, json!({ "feature": "parent" })).await.expect(200);
    for _ in 0..2 {
        delete(DEPENDENCIES.to_owned()).await.expect(200);
    }
    assert_eq!(parents(&app).await, json!([]));
    assert_derived_columns(&app).await;
    let told = told_after(&app, 2).await;
    assert_eq!(
        [&told[0], &told[2]],
        [
            &json!(["feature-dependency-removed", "shop", "f", null, { "feature": "parent" }, null]),
            &json!(["feature-dependencies-removed", "shop", "f", null, null, null]),
        ]
    );
    assert_eq!(told.len(), 3);
}

#[tokio::test]
async fn what_breaks_a_rule_is_refused() {
    let app = family().await;
    app.project("bank").await;
    app.feature("bank", "elsewhere").await;
    app.feature("shop", "child").await;
    app.admin().post(&of("child"), json!({ "feature": "parent" })).await.expect(200);
    app.feature("shop", "old").await;
    let archive = json!([{ "op": "replace", "path": "/archived", "value": true }]);
    app.admin().patch("/api/admin/projects/shop/features/old", archive).await.expect(200);
    let before = seen(&app).await;
    for (feature, parent, reason) in [
        ("f", "f", "itself"),
        ("f", "elsewhere", "its own project"),
        ("f", "child", "\"child\" cannot be depended on"),
        ("parent", "other", "while other features depend on it"),
    ] {
        let answer = app.admin().post(&of(feature), json!({ "feature": parent })).await;
        answer.refused(403, "InvalidOperationError", reason);
    }
    for parent in ["nope", "old"] {
        let answer = app.admin().post(&of("f"), json!({ "feature": parent })).await;
        answer.refused(400, "ValidationError", &format!("/body/feature property names the feature \"{parent}\""));
    }
    for (body, property) in [
        (json!({}), "/body/feature"),
        (json!({ "feature": "" }), "/body/feature"),
        (json!({ "feature": "parent", "enabled": "yes" }), "/body/enabled"),
        (json!({ "feature": "parent", "variants": "a" }), "/body/variants"),
        (json!({ "feature": "parent", "variants": ["a", ""] }), "/body/variants/1"),
    ] {
        app.admin().post(DEPENDENCIES, body).await.refused(400, "ValidationError", property);
    }
    app.admin().post(&of("zip"), json!({ "feature": "parent" })).await.refused(404, "NotFoundError", "zip");
    app.admin().request(Method::DELETE, &of("zip"), &[], Vec::new()).await.refused(404, "NotFoundError", "zip");
    assert_eq!(seen(&app).await, before);
    assert_eq!(parents(&app).await, json!([]));
}

#[tokio::test]
async fn a_parent_in_a_hidden_project_is_as_good_as_none() {
    use flagstone::store::entity::project;
    use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
    let app = family().await;
    app.project("secret").await;
    app.feature("secret", "hidden").await;
    let tx = app.tx().await;
    project::Entity::update_many()
        .col_expr(project::Column::Mode, Expr::value("private"))
        .filter(project::Column::Id.eq("secret"))
        .exec(&tx)
        .await
        .expect("private");
    app.commit(tx).await;
    let member = app.member("shop").await;
    let answer = member.post(DEPENDENCIES, json!({ "feature": "hidden" })).await;
    answer.refused(400, "ValidationError", "names the feature \"hidden\", which does not exist");
    app.admin().post(DEPENDENCIES, json!({ "feature": "hidden" })).await.refused(
        403,
        "InvalidOperationError",
        "its own project",
    );
    member.get("/api/admin/projects/secret/dependencies").await.refused(404, "NotFoundError", "secret");
    member.get("/api/admin/projects/secret/features/hidden/parents").await.refused(404, "NotFoundError", "secret");
}

#[tokio::test]
async fn possible_parents_are_those_that_would_be_accepted() {
    let app = family().await;
    app.feature("shop", "child").await;
    app.admin().post(&of("child"), json!({ "feature": "other" })).await.expect(200);
    app.project("bank").await;
    app.feature("bank", "elsewhere").await;
    app.feature("shop", "old").await;
    let archive = json!([{ "op": "replace", "path": "/archived", "value": true }]);
    app.admin().patch("/api/admin/projects/shop/features/old", archive).await.expect(200);
    let options = |feature: &str| {
        let (client, path) = (app.admin(), format!("/api/admin/projects/shop/features/{feature}/parents"));
        async move { client.get(&path).await.expect(200) }
    };
    assert_eq!(options("f").await, json!(["other", "parent"]));
    assert_eq!(options("child").await, json!(["f", "other", "parent"]));
    assert_eq!(options("other").await, json!([]));
    app.admin().get("/api/admin/projects/shop/features/zip/parents").await.refused(404, "NotFoundError", "zip");
}

#[tokio::test]
async fn the_variants_of_a_parent_come_from_everywhere_in_it() {
    let app = family().await;
    let path = "/api/admin/projects/shop/features/parent";
    let strategy = json!({ "name": "default", "variants": [
        { "name": "in-strategy", "weight": 0, "weightType": "variable", "stickiness": "default" },
        { "name": "twice", "weight": 0, "weightType": "variable", "stickiness": "default" },
    ] });
    app.admin().post(&format!("{path}/environments/development/strategies"), strategy).await.expect(200);
    let variants = json!([{ "name": "twice", "weight": 0 }, { "name": "in-production", "weight": 0 }]);
    app.admin().json(Method::PUT, &format!("{path}/environments/production/variants"), variants).await.expect(200);
    let names = app.viewer().await.get(&format!("{path}/parent-variants")).await.expect(200);
    assert_eq!(names, json!(["in-production", "in-strategy", "twice"]));
    let none = app.admin().get(&format!("{FEATURE}/parent-variants")).await.expect(200);
    assert_eq!(none, json!([]));
    for unknown in ["shop/features/zip", "nowhere/features/parent", "default/features/parent"] {
        let none = app.admin().get(&format!("/api/admin/projects/{unknown}/parent-variants")).await.expect(200);
        assert_eq!(none, json!([]), "{unknown}");
    }
}

#[tokio::test]
async fn archived_features_and_stale_versions_change_nothing() {
    let app = family().await;
    let tag = tag_of(&app, &format!("{FEATURE}/variants")).await;
    app.admin().post(DEPENDENCIES, json!({ "feature": "parent" })).await.expect(200);
    let before = seen(&app).await;
    let one = format!("{DEPENDENCIES}/parent");
    let calls = [
        (Method::POST, DEPENDENCIES, Some(json!({ "feature": "other" }))),
        (Method::DELETE, &*one, None),
        (Method::DELETE, DEPENDENCIES, None),
    ];
    for (method, path, body) in calls.clone() {
        let answer = matching(&app, method, path, &tag, body).await;
        answer.refused(412, "PreconditionFailedError", "If-Match");
    }
    assert_eq!(parents(&app).await, json!([{ "feature": "parent", "enabled": true }]));
    assert_eq!(seen(&app).await, before);
    archive(&app).await;
    for (method, path, body) in calls {
        let answer = matching(&app, method, path, "*", body).await;
        answer.refused(400, "ValidationError", "archived");
    }
    assert_eq!(exist(&app).await, json!(false));
}

#[tokio::test]
async fn two_features_that_ask_for_each_other_do_not_both_get_it() {
    let app = family().await;
    let (one, two) = (app.admin(), app.admin());
    let (of_f, of_parent) = (of("f"), of("parent"));
    let (first, second) = futures_util::future::join(
        one.post(&of_f, json!({ "feature": "parent" })),
        two.post(&of_parent, json!({ "feature": "f" })),
    )
    .await;
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403], "{} {}", first.text, second.text);
    assert_derived_columns(&app).await;
}
