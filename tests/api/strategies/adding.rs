//! Adding and reading strategies.

use flagstone::store::{self, segments::NewSegment};
use poem::http::Method;
use serde_json::{Value, json};

use super::{FEATURE, STRATEGIES, added, archive, in_event, matching, seen, shop, state, tag_of, told_after};
use crate::{
    harness::{TestApp, connect},
    schema::assert_derived_columns,
};

async fn segment(app: &TestApp, name: &str, project: Option<&str>) -> i64 {
    let tx = app.tx().await;
    let new = NewSegment { name: name.to_owned(), project: project.map(str::to_owned), ..NewSegment::default() };
    let id = store::segments::insert(&tx, &new, app.clock.now()).await.expect("a segment");
    app.commit(tx).await;
    id
}

#[tokio::test]
async fn a_full_strategy_is_stored_settled_shown_and_told() {
    let app = shop().await;
    let (first, second) = (segment(&app, "first", None).await, segment(&app, "second", Some("shop")).await);
    let body = json!({
        "name": "flexibleRollout", "title": "Some", "disabled": true, "sortOrder": 5,
        "parameters": { "rollout": "25", "stickiness": "", "extra": "kept" },
        "constraints": [{ "contextName": "userId", "operator": "NUM_GT", "value": "5", "inverted": true }],
        "variants": [
            { "name": "b", "weight": 900, "weightType": "variable", "stickiness": "default" },
            { "name": "a", "weight": 0, "weightType": "variable", "stickiness": "default",
              "payload": { "type": "json", "value": "{}" } },
            { "name": "c", "weight": 301, "weightType": "fix", "stickiness": "userId" },
        ],
        "segments": [second, first, second],
        "unknown": "is ignored",
    });
    let (path, strategy) = added(&app, body).await;
    let expected = json!({
        "id": strategy["id"], "name": "flexibleRollout", "title": "Some", "disabled": true, "featureName": "f",
        "sortOrder": 5, "segments": [first, second],
        "constraints": [
            { "contextName": "userId", "operator": "NUM_GT", "inverted": true, "values": [], "value": "5" },
        ],
        "variants": [
            { "name": "a", "weight": 349, "weightType": "variable", "stickiness": "default",
              "payload": { "type": "json", "value": "{}" } },
            { "name": "b", "weight": 350, "weightType": "variable", "stickiness": "default" },
            { "name": "c", "weight": 301, "weightType": "fix", "stickiness": "default" },
        ],
        "parameters": { "rollout": "25", "stickiness": "default", "extra": "kept", "groupId": "f" },
    });
    assert_eq!(strategy, expected);
    assert_eq!(app.admin().get(&path).await.expect(200), expected);
    assert_eq!(app.viewer().await.get(STRATEGIES).await.expect(200), json!([expected]));
    let told = json!(["feature-strategy-add", "shop", "f", "development", in_event(&expected), null]);
    assert_eq!(told_after(&app, 0).await, [told]);
    assert_eq!(state(&app).await, json!([false, true, false]));
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn a_bare_strategy_gets_its_defaults_and_its_place() {
    let app = shop().await;
    let tx = app.tx().await;
    let project = store::projects::NewProject {
        default_stickiness: "userId".to_owned(),
        ..store::projects::NewProject::named("sticky", "Sticky")
    };
    store::projects::insert(&tx, &project, app.clock.now()).await.expect("a project");
    connect(&tx, "sticky", "development").await;
    app.commit(tx).await;
    app.feature("sticky", "g").await;
    let path = "/api/admin/projects/sticky/features/g/environments/development/strategies";
    let first = app.admin().post(path, json!({ "name": "flexibleRollout" })).await.expect(200);
    assert_eq!(first["parameters"], json!({ "rollout": "100", "stickiness": "userId", "groupId": "g" }));
    let rest = json!([first["title"], first["disabled"], first["sortOrder"], first["segments"], first["constraints"]]);
    assert_eq!(rest, json!([null, false, 0, [], []]));
    let second =
        app.admin().post(path, json!({ "name": "default", "title": null, "disabled": null })).await.expect(200);
    assert_eq!((&second["sortOrder"], &second["parameters"]), (&json!(1), &json!({})));
}

#[tokio::test]
async fn what_cannot_be_stored_is_refused_by_name_and_nothing_changes() {
    let app = shop().await;
    app.project("other").await;
    let foreign = segment(&app, "foreign", Some("other")).await;
    let variant = |name: &str, weight: i64, kind: &str| json!({ "name": name, "weight": weight, "weightType": kind, "stickiness": "default" });
    let constraint = |constraint: Value| json!({ "name": "default", "constraints": [constraint] });
    let cases = [
        (json!({}), "/body/name"),
        (json!({ "name": "" }), "/body/name"),
        (json!({ "name": "nonesuch" }), "/body/name"),
        (json!({ "name": "default", "title": 3 }), "/body/title"),
        (json!({ "name": "default", "disabled": "true" }), "/body/disabled"),
        (json!({ "name": "default", "sortOrder": 1.5 }), "/body/sortOrder"),
        (json!({ "name": "default", "parameters": { "rollout": 5 } }), "/body/parameters"),
        (json!({ "name": "default", "segments": [foreign] }), "/body/segments"),
        (json!({ "name": "default", "segments": [4711] }), "/body/segments"),
        (json!({ "name": "default", "segments": ["1"] }), "/body/segments/0"),
        (json!({ "name": "default", "variants": [variant("a", 1001, "fix")] }), "/body/variants/0/weight"),
        (json!({ "name": "default", "variants": [variant("a", 1000, "fix")] }), "/body/variants"),
        (
            json!({ "name": "default", "variants": [variant("a", 1, "variable"), variant("a", 1, "variable")] }),
            "/body/variants/1/name",
        ),
        (json!({ "name": "default", "variants": [variant("a b", 1, "variable")] }), "/body/variants/0/name"),
        (json!({ "name": "default", "variants": [{ "name": "a", "weight": 1, "weightType": "fix" }] }), "stickiness"),
        (constraint(json!({ "contextName": "userId", "operator": "IN", "values": [] })), "/body/constraints/0"),
        (constraint(json!({ "contextName": "userId", "operator": "NUM_EQ", "value": "x" })), "/body/constraints/0"),
        (
            constraint(json!({ "contextName": "userId", "operator": "LIKE", "value": "x" })),
            "/body/constraints/0/operator",
        ),
        (
            constraint(json!({ "contextName": "userId", "operator": "SEMVER_EQ", "value": "1.2" })),
            "/body/constraints/0",
        ),
    ];
    for (body, property) in cases {
        let answer = app.admin().post(STRATEGIES, body).await;
        answer.refused(400, "ValidationError", property);
    }
    let unknown = constraint(json!({ "contextName": "nofield", "operator": "IN", "values": ["x"] }));
    app.admin().post(STRATEGIES, unknown).await.refused(400, "ValidationError", "nofield");
    assert_eq!(app.admin().get(STRATEGIES).await.expect(200), json!([]));
    assert_eq!(seen(&app).await, 0);
}

#[tokio::test]
async fn hidden_projects_show_in_no_refusal() {
    let app = shop().await;
    app.project("secret").await;
    let foreign = segment(&app, "foreign", Some("secret")).await;
    let refuse = |id: i64| {
        let app = &app;
        async move {
            let answer = app.admin().post(STRATEGIES, json!({ "name": "default", "segments": [id] })).await;
            answer.expect(400)["message"].as_str().expect("a message").replace(&id.to_string(), "N")
        }
    };
    let of_another_project = refuse(foreign).await;
    assert_eq!(of_another_project, refuse(4711).await);
    assert!(!of_another_project.contains("secret"), "{of_another_project}");
}

#[tokio::test]
async fn what_is_not_there_is_told() {
    let app = shop().await;
    let admin = app.admin();
    let new = || json!({ "name": "default" });
    let elsewhere = format!("{FEATURE}/environments/nowhere/strategies");
    admin.post(&elsewhere, new()).await.refused(400, "ValidationError", "nowhere");
    admin.get(&elsewhere).await.refused(404, "NotFoundError", "nowhere");
    let unknown = "/api/admin/projects/shop/features/zip/environments/development/strategies";
    admin.post(unknown, new()).await.refused(404, "NotFoundError", "zip");
    admin.get(unknown).await.refused(404, "NotFoundError", "zip");
    admin.get("/api/admin/projects/nope/features/f/environments/development/strategies").await.expect(404);
    for id in ["no-id", "00000000-0000-4000-8000-000000000000", "%00"] {
        admin.get(&format!("{STRATEGIES}/{id}")).await.expect(404);
        admin.json(Method::PUT, &format!("{STRATEGIES}/{id}"), json!({})).await.expect(404);
        admin.patch(&format!("{STRATEGIES}/{id}"), json!([])).await.expect(404);
        admin.request(Method::DELETE, &format!("{STRATEGIES}/{id}"), &[], Vec::new()).await.expect(404);
    }
    admin.post(&format!("{FEATURE}/environments/%00/strategies"), new()).await.expect(400);
    let (path, _) = added(&app, new()).await;
    let in_production = path.replace("/development/", "/production/");
    admin.get(&in_production).await.refused(404, "NotFoundError", "production");
}

#[tokio::test]
async fn an_archived_feature_takes_no_strategies_but_shows_them() {
    let app = shop().await;
    let (path, strategy) = added(&app, json!({ "name": "default" })).await;
    archive(&app).await;
    let before = seen(&app).await;
    let admin = app.admin();
    admin.post(STRATEGIES, json!({ "name": "default" })).await.refused(400, "ValidationError", "archived");
    admin.json(Method::PUT, &path, json!({ "title": "x" })).await.refused(400, "ValidationError", "archived");
    admin.patch(&path, json!([])).await.refused(400, "ValidationError", "archived");
    admin.request(Method::DELETE, &path, &[], Vec::new()).await.refused(400, "ValidationError", "archived");
    admin.post(&format!("{STRATEGIES}/set-sort-order"), json!([])).await.refused(400, "ValidationError", "archived");
    assert_eq!(admin.get(&path).await.expect(200), strategy);
    assert_eq!(seen(&app).await, before);
}

#[tokio::test]
async fn a_stale_version_of_the_feature_adds_nothing() {
    let app = shop().await;
    let tag = tag_of(&app, STRATEGIES).await;
    added(&app, json!({ "name": "default" })).await;
    let before = seen(&app).await;
    let stale = matching(&app, Method::POST, STRATEGIES, &tag, Some(json!({ "name": "default" }))).await;
    stale.refused(412, "PreconditionFailedError", "If-Match");
    assert_eq!(seen(&app).await, before);
    let tag = tag_of(&app, STRATEGIES).await;
    matching(&app, Method::POST, STRATEGIES, &tag, Some(json!({ "name": "default" }))).await.expect(200);
}
