//! Strategies as another program may have stored them: those that cannot be evaluated leave their neighbours alone.

use flagstone::store::entity::{feature_strategy, segment};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::{Value, json};

use super::{FEATURE, STRATEGIES, added, shop};
use crate::{frontend::switch, harness::TestApp};

/// Answer of the playground about `f`, and whether the frontend API, OFREP and the playground have it on.
async fn evaluated(app: &TestApp) -> (Value, [bool; 3]) {
    let wanted =
        json!({ "environment": "development", "projects": ["shop"], "context": { "appName": "a", "userId": "7" } });
    let played = app.admin().post("/api/admin/playground", wanted).await.expect(200)["features"][0].clone();
    let browser = app.browser(&["shop"], "development").await;
    let served = browser.post("/api/frontend", json!({ "context": { "userId": "7" } })).await.expect(200);
    let asked = browser.post("/ofrep/v1/evaluate/flags/f", json!({ "context": { "userId": "7" } })).await.expect(200);
    let on = [&played["isEnabled"] == true, served["toggles"] != json!([]), asked["metadata"]["enabled"] == true];
    (played, on)
}

/// Stores constraints and parameters in the place of those of the first strategy, or the constraints in a segment.
async fn store(app: &TestApp, id: &str, constraints: &Value, parameters: &Value, in_segment: bool) {
    let tx = app.tx().await;
    let (own, of_segment) = if in_segment { (json!([]), constraints) } else { (constraints.clone(), &json!([])) };
    feature_strategy::Entity::update_many()
        .col_expr(feature_strategy::Column::Constraints, Expr::value(own.to_string()))
        .col_expr(feature_strategy::Column::Parameters, Expr::value(parameters.to_string()))
        .filter(feature_strategy::Column::Id.eq(id))
        .exec(&tx)
        .await
        .expect("stored");
    segment::Entity::update_many()
        .col_expr(segment::Column::Constraints, Expr::value(of_segment.to_string()))
        .exec(&tx)
        .await
        .expect("stored");
    app.commit(tx).await;
}

#[tokio::test]
async fn one_that_cannot_be_evaluated_leaves_its_neighbours_alone_and_is_told() {
    let cases = [
        (json!([{ "contextName": "userId", "operator": "NUM_GT", "value": "five" }]), json!({}), "needs a number"),
        (json!([{ "contextName": "userId", "operator": "NUM_GT", "inverted": true }]), json!({}), "needs a `value`"),
        (
            json!([{ "contextName": "currentTime", "operator": "DATE_AFTER", "value": "soon" }]),
            json!({}),
            "needs a date",
        ),
        (
            json!([{ "contextName": "userId", "operator": "SEMVER_EQ", "value": "1.2.3-01" }]),
            json!({}),
            "needs a version",
        ),
        (json!([]), json!({ "rollout": "half", "groupId": "g", "stickiness": "default" }), "parameter rollout"),
        (json!([]), json!({ "rollout": "50", "groupId": "quo\"te", "stickiness": "default" }), "parameter groupId"),
    ];
    for (constraints, parameters, reason) in cases {
        for in_segment in [false, true] {
            if in_segment && constraints == json!([]) {
                continue;
            }
            let app = shop().await;
            let made =
                app.admin().post("/api/admin/segments", json!({ "name": "s", "constraints": [] })).await.expect(201);
            let segments = if in_segment { json!([made["id"]]) } else { json!([]) };
            let (_, odd) = added(&app, json!({ "name": "flexibleRollout", "segments": segments })).await;
            switch(&app.admin(), "f", "on").await;
            let id = odd["id"].as_str().expect("an id");
            store(&app, id, &constraints, &parameters, in_segment).await;
            let (played, on) = evaluated(&app).await;
            assert_eq!(on, [false; 3], "{constraints} {parameters} {played}");
            let strategy = &played["strategies"]["data"][0];
            assert!(strategy["fault"].as_str().is_some_and(|fault| fault.contains(reason)), "{reason} {played}");
            let feature = app.admin().get(FEATURE).await.expect(200);
            let here = feature["environments"].as_array().expect("a list").iter();
            let faults: Vec<_> = here.filter_map(|environment| environment.get("strategyFaults")).collect();
            assert_eq!(faults.len(), 1, "{feature}");
            assert_eq!((&faults[0][0]["strategyId"], &faults[0][0]["reason"]), (&odd["id"], &strategy["fault"]));
            app.admin().post(STRATEGIES, json!({ "name": "flexibleRollout" })).await.expect(200);
            let (played, on) = evaluated(&app).await;
            assert_eq!(on, [true; 3], "{constraints} {parameters} {played}");
            assert_eq!(played["strategies"]["data"][1].get("fault"), None);
        }
    }
}

#[tokio::test]
async fn one_that_other_servers_hold_is_read_as_sdks_do_and_can_be_edited() {
    let app = shop().await;
    let (path, strategy) = added(&app, json!({ "name": "flexibleRollout", "title": "old" })).await;
    switch(&app.admin(), "f", "on").await;
    let id = strategy["id"].as_str().expect("an id");
    let old = json!([{ "contextName": "currentTime", "operator": "DATE_AFTER", "value": "2020-01-01", "values": [] }]);
    let parameters = json!({ "rollout": "150", "stickiness": "default", "groupId": "g" });
    store(&app, id, &old, &parameters, false).await;
    let (played, on) = evaluated(&app).await;
    assert_eq!(on, [true; 3], "{played}");
    assert_eq!(played["strategies"]["data"][0].get("fault"), None);
    // What is not changed stays as it is; what is changed is held to the rules.
    let kept =
        app.admin().patch(&path, json!([{ "op": "replace", "path": "/title", "value": "new" }])).await.expect(200);
    assert_eq!((&kept["constraints"], &kept["parameters"], &kept["title"]), (&old, &parameters, &json!("new")));
    let change = json!([{ "op": "replace", "path": "/parameters/rollout", "value": "151" }]);
    app.admin().patch(&path, change).await.refused(400, "ValidationError", "/parameters/rollout");
}
