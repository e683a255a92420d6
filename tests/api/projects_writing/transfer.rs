use flagstone::{
    domain::strategy::StrategyDefinition,
    store::{self, segments::NewSegment},
};

use super::*;
use crate::{
    harness::{add_strategy, role},
    schema::assert_derived_columns,
};

const MOVE: &str = "/api/admin/projects/shop/features/f/changeProject";

async fn shop_and_other() -> (TestApp, i64) {
    let app = shop().await;
    app.project("other").await;
    let id = app.feature("shop", "f").await;
    (app, id)
}

fn to(project: &str) -> Value {
    json!({ "newProjectId": project })
}

async fn names(app: &TestApp, project: &str) -> Vec<Value> {
    let features = app.admin().get(&format!("{PROJECTS}/{project}/features")).await.expect(200);
    features["features"].as_array().expect("a list").iter().map(|feature| feature["name"].clone()).collect()
}

#[tokio::test]
async fn a_feature_moves_with_all_that_it_has() {
    let (app, id) = shop_and_other().await;
    app.tag(id, "simple", "hot").await;
    let tx = app.tx().await;
    let global = NewSegment { name: "everywhere".to_owned(), ..NewSegment::default() };
    let segment = store::segments::insert(&tx, &global, app.clock.now()).await.expect("a segment");
    let strategy =
        StrategyDefinition { name: "default".to_owned(), segments: vec![segment], ..StrategyDefinition::default() };
    add_strategy(&tx, id, "development", &strategy, app.clock.now()).await.expect("a strategy");
    app.commit(tx).await;
    assert_eq!(app.admin().post(MOVE, to("other")).await.expect(200), Value::Null);
    assert_eq!((names(&app, "shop").await, names(&app, "other").await), (vec![], vec![json!("f")]));
    let found = app.admin().get("/api/admin/search/features?project=IS:other").await.expect(200);
    assert_eq!(found["features"][0]["segments"], json!(["everywhere"]));
    assert_eq!(found["features"][0]["environments"][0]["hasStrategies"], true);
    assert_derived_columns(&app).await;
    let told = events(&app).await;
    assert_eq!(
        told,
        [json!({
            "type": "feature-project-change", "project": "other", "feature": "f", "environment": null,
            "data": { "newProject": "other", "oldProject": "shop" }, "preData": null,
            "tags": [{ "value": "hot", "type": "simple" }],
        })]
    );
    app.admin().post(MOVE, to("other")).await.refused(404, "NotFoundError", "other");
    // To where it is: nothing happens.
    app.admin().post("/api/admin/projects/other/features/f/changeProject", to("other")).await.expect(200);
    assert_eq!(app.events().await.len(), 1);
}

#[tokio::test]
async fn it_takes_the_permission_in_both_projects() {
    let (app, _) = shop_and_other().await;
    let owner = app.owner("shop").await;
    owner.post(MOVE, to("other")).await.refused(403, "NoAccessError", "MOVE_FEATURE_TOGGLE");
    owner.post(MOVE, to("none")).await.refused(403, "NoAccessError", "MOVE_FEATURE_TOGGLE");
    app.owner("other").await.post(MOVE, to("other")).await.refused(403, "NoAccessError", "MOVE_FEATURE_TOGGLE");
    let tx = app.tx().await;
    let user_id = owner.user_id.expect("a person");
    store::access::people::grant_project_role(&tx, "other", user_id, role::OWNER, app.clock.now())
        .await
        .expect("a role");
    app.commit(tx).await;
    owner.post(MOVE, to("other")).await.expect(200);
    assert_eq!(names(&app, "other").await, ["f"]);
}

#[tokio::test]
async fn each_obstacle_is_told_and_nothing_moves() {
    let (app, id) = shop_and_other().await;
    let admin = app.admin();
    admin.post(MOVE, json!({})).await.refused(400, "ValidationError", "/body/newProjectId");
    admin.post(MOVE, json!({ "newProjectId": 1 })).await.refused(400, "ValidationError", "/body/newProjectId");
    admin.post(MOVE, to("none")).await.refused(400, "ValidationError", "/body/newProjectId");
    admin.post("/api/admin/projects/shop/features/no/changeProject", to("other")).await.refused(
        404,
        "NotFoundError",
        "no",
    );

    let settings = "/api/admin/projects/other/settings";
    put(&admin, settings, json!({ "featureNaming": { "pattern": "g.*" } })).await.expect(200);
    admin.post(MOVE, to("other")).await.refused(400, "PatternError", "/body/newProjectId");
    put(&admin, settings, json!({ "featureNaming": {}, "featureLimit": 0 })).await.expect(200);
    admin.post(MOVE, to("other")).await.refused(403, "InvalidOperationError", "limit");
    put(&admin, settings, json!({ "featureLimit": null })).await.expect(200);

    delete(&admin, "/api/admin/projects/other/environments/development").await.expect(200);
    admin.post(MOVE, to("other")).await.refused(403, "IncompatibleProjectError", "environments");
    admin.post("/api/admin/projects/other/environments", json!({ "environment": "development" })).await.expect(200);

    let parent = app.feature("shop", "parent").await;
    let tx = app.tx().await;
    store::features::dependencies::add(&tx, id, parent, true, &[]).await.expect("a dependency");
    app.commit(tx).await;
    admin.post(MOVE, to("other")).await.refused(403, "ForbiddenError", "dependencies");
    let parent = "/api/admin/projects/shop/features/parent/changeProject";
    admin.post(parent, to("other")).await.refused(403, "ForbiddenError", "dependencies");
    let tx = app.tx().await;
    store::features::dependencies::remove_all(&tx, id).await.expect("done");
    let new = NewSegment { name: "ours".to_owned(), project: Some("shop".to_owned()), ..NewSegment::default() };
    let segment = store::segments::insert(&tx, &new, app.clock.now()).await.expect("a segment");
    let strategy =
        StrategyDefinition { name: "default".to_owned(), segments: vec![segment], ..StrategyDefinition::default() };
    add_strategy(&tx, id, "development", &strategy, app.clock.now()).await.expect("a strategy");
    app.commit(tx).await;
    admin.post(MOVE, to("other")).await.refused(403, "IncompatibleProjectError", "ours");

    assert_eq!(names(&app, "other").await, [Value::Null; 0]);
    assert!(!app.event_types().await.contains(&"feature-project-change".to_owned()));
}

#[tokio::test]
async fn a_move_meant_for_another_version_is_refused() {
    let (app, _) = shop_and_other().await;
    let stale = "W/\"0000000000000063.1-1\"";
    change_if(&app.admin(), Method::POST, MOVE, stale, &to("other")).await.refused(
        412,
        "PreconditionFailedError",
        "If-Match",
    );
    assert_eq!(names(&app, "shop").await, ["f"]);
}
