//! Strategies that apply segments.

use flagstone::{domain::strategy::StrategyDefinition, store};
use serde_json::{Value, json};

use super::{FIRST, SEGMENTS, delete, employees, hide, put, with, with_employees};
use crate::harness::{TestApp, add_strategy};

/// Adds a strategy that applies segments.
async fn apply(app: &TestApp, feature: i64, environment: &str, segments: &[i64]) {
    let new =
        StrategyDefinition { name: "default".to_owned(), segments: segments.to_vec(), ..StrategyDefinition::default() };
    let tx = app.tx().await;
    add_strategy(&tx, feature, environment, &new, app.clock.now()).await.expect("a strategy");
    app.commit(tx).await;
}

#[tokio::test]
async fn uses_are_counted_and_listed_as_far_as_the_caller_may_see() {
    let app = with_employees().await;
    hide(&app).await;
    app.admin().post(SEGMENTS, with(employees(), "name", json!("all"))).await.expect(201);
    let (f, g, hidden) =
        (app.feature("shop", "f").await, app.feature("shop", "g").await, app.feature("secret", "hidden").await);
    for (feature, environment, segments) in [
        (f, "development", &[1, 2][..]),
        (f, "production", &[1]),
        (g, "development", &[1]),
        (hidden, "development", &[1]),
    ] {
        apply(&app, feature, environment, segments).await;
    }
    let counts = |answer: Value| -> Vec<Value> {
        let segments = answer["segments"].as_array().expect("a list").iter();
        segments.map(|one| json!([one["name"], one["usedInProjects"], one["usedInFeatures"]])).collect()
    };
    assert_eq!(counts(app.admin().get(SEGMENTS).await.expect(200)), [json!(["all", 1, 1]), json!(["employees", 2, 3])]);
    assert_eq!(
        counts(app.viewer().await.get(SEGMENTS).await.expect(200)),
        [json!(["all", 1, 1]), json!(["employees", 1, 2])]
    );
    let path = format!("{FIRST}/strategies");
    let places = |answer: Value| -> Vec<Value> {
        assert_eq!(answer["changeRequestStrategies"], json!([]));
        let strategies = answer["strategies"].as_array().expect("a list").iter();
        strategies.map(|one| json!([one["projectId"], one["featureName"], one["environment"]])).collect()
    };
    let seen =
        [json!(["shop", "f", "development"]), json!(["shop", "f", "production"]), json!(["shop", "g", "development"])];
    assert_eq!(places(app.viewer().await.get(&path).await.expect(200)), seen);
    assert_eq!(places(app.admin().get(&path).await.expect(200)).len(), 4);
}

#[tokio::test]
async fn a_segment_in_use_stays_also_where_the_feature_is_archived() {
    let app = with_employees().await;
    let f = app.feature("shop", "f").await;
    apply(&app, f, "development", &[1]).await;
    let archive = json!([{ "op": "replace", "path": "/archived", "value": true }]);
    app.admin().patch("/api/admin/projects/shop/features/f", archive).await.expect(200);
    let count = app.events().await.len();
    delete(&app.admin(), FIRST).await.refused(409, "SegmentInUseError", "\"employees\"");
    assert_eq!(app.events().await.len(), count);
    assert_eq!(app.admin().get(FIRST).await.expect(200)["name"], "employees");
    let tx = app.tx().await;
    store::strategies::remove_all(&tx, f, "development").await.expect("no strategies");
    app.commit(tx).await;
    delete(&app.admin(), FIRST).await.expect(204);
}

#[tokio::test]
async fn a_segment_is_bound_to_a_project_only_when_no_other_applies_it() {
    let app = with_employees().await;
    app.project("other").await;
    let f = app.feature("shop", "f").await;
    apply(&app, f, "development", &[1]).await;
    let of = |project: &str| with(employees(), "project", json!(project));
    put(&app.admin(), FIRST, of("other")).await.refused(400, "ValidationError", "/body/project");
    put(&app.admin(), FIRST, of("shop")).await.expect(204);
    put(&app.admin(), FIRST, of("other")).await.refused(400, "ValidationError", "/body/project");
    put(&app.admin(), FIRST, employees()).await.expect(204);
    assert_eq!(app.event_types().await, ["segment-created", "segment-updated", "segment-updated"]);
}

const STRATEGIES: &str = "/api/admin/projects/shop/features/f/environments/development/strategies";
const SET: &str = "/api/admin/segments/strategies";

/// A wish for the segments of a strategy in `development` of `shop`.
fn wish(strategy: &Value, segments: &Value) -> Value {
    json!({ "projectId": "shop", "environmentId": "development", "strategyId": strategy, "segmentIds": segments })
}

#[tokio::test]
async fn the_segments_of_a_strategy_are_set_in_place_of_those_it_has() {
    let app = with_employees().await;
    app.feature("shop", "f").await;
    app.admin().post(SEGMENTS, with(employees(), "name", json!("all"))).await.expect(201);
    let strategy = app.admin().post(STRATEGIES, json!({ "name": "default", "segments": [1] })).await.expect(200);
    let id = &strategy["id"];
    let from = app.events().await.len();
    let member = app.member("shop").await;
    let asked = wish(id, &json!([2]));
    assert_eq!(member.post(SET, asked.clone()).await.expect(201), asked);
    member.post(SET, asked).await.expect(201);
    let event = app.events().await.split_off(from);
    let [event] = event.as_slice() else { panic!("one event, not {event:?}") };
    assert_eq!((&*event.r#type, event.feature_name.as_deref()), ("feature-strategy-update", Some("f")));
    let segments = |text: &Option<String>| -> Value {
        serde_json::from_str::<Value>(text.as_deref().expect("JSON")).expect("JSON")["segments"].clone()
    };
    assert_eq!((segments(&event.data), segments(&event.pre_data)), (json!([2]), json!([1])));
    assert_eq!(app.admin().get(STRATEGIES).await.expect(200)[0]["segments"], json!([2]));
    let path = format!("{SET}/{}", id.as_str().expect("text"));
    let listed = app.viewer().await.get(&path).await.expect(200)["segments"].clone();
    assert_eq!((listed.as_array().map(Vec::len), &listed[0]["name"]), (Some(1), &json!("all")));
    delete(&app.admin(), FIRST).await.expect(204);
}

#[tokio::test]
async fn segments_that_a_strategy_cannot_have_are_refused() {
    let app = with_employees().await;
    hide(&app).await;
    app.feature("shop", "f").await;
    let foreign = with(with(employees(), "name", json!("foreign")), "project", json!("secret"));
    app.admin().post(SEGMENTS, foreign).await.expect(201);
    let id = app.admin().post(STRATEGIES, json!({ "name": "default" })).await.expect(200)["id"].clone();
    let nobody = json!("00000000-0000-4000-8000-000000000000");
    let count = app.events().await.len();
    let member = app.member("shop").await;
    for (body, status, name, text) in [
        (wish(&id, &json!([7])), 400, "ValidationError", "/body/segmentIds"),
        (wish(&id, &json!([2])), 400, "ValidationError", "/body/segmentIds"),
        (wish(&id, &json!("1")), 400, "ValidationError", "/body/segmentIds"),
        (wish(&json!("x"), &json!([])), 400, "ValidationError", "/body/strategyId"),
        (wish(&nobody, &json!([1])), 400, "ValidationError", "/body/strategyId"),
        (
            with(wish(&id, &json!([1])), "environmentId", json!("production")),
            400,
            "ValidationError",
            "/body/strategyId",
        ),
        (with(wish(&id, &json!([1])), "projectId", json!("secret")), 403, "NoAccessError", "UPDATE_FEATURE_STRATEGY"),
    ] {
        member.post(SET, body).await.refused(status, name, text);
    }
    app.viewer().await.post(SET, json!("x")).await.refused(403, "NoAccessError", "UPDATE_FEATURE_STRATEGY");
    for path in ["x", "%00", "00000000-0000-4000-8000-000000000000"] {
        member.get(&format!("{SET}/{path}")).await.refused(404, "NotFoundError", "strategy");
    }
    assert_eq!(app.events().await.len(), count);
}
