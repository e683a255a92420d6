//! Limits on the number of strategies, and on the size of each.

use flagstone::{
    config::{Config, Limits},
    domain::{
        constraint::{Constraint, Operator},
        strategy::StrategyDefinition,
    },
    store::{self, entity::feature, segments::NewSegment},
};
use poem::http::Method;
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Value, json};

use super::{STRATEGIES, added, seen};
use crate::harness::{TestApp, add_strategy};

async fn tight() -> TestApp {
    let limits =
        Limits { strategies: 2, constraints: 2, constraint_values: 2, strategy_segments: 1, ..Limits::default() };
    let app = TestApp::with_config(Config { limits, ..Config::default() }).await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    app
}

fn constraints(sizes: &[usize]) -> Value {
    let values = |size: usize| (0..size).map(|value| value.to_string()).collect::<Vec<_>>();
    let list = sizes.iter().map(|size| json!({ "contextName": "userId", "operator": "IN", "values": values(*size) }));
    list.collect()
}

async fn segments(app: &TestApp, count: usize) -> Vec<i64> {
    let tx = app.tx().await;
    let mut ids = Vec::new();
    for index in 0..count {
        let new = NewSegment { name: format!("segment-{index}"), ..NewSegment::default() };
        ids.push(store::segments::insert(&tx, &new, app.clock.now()).await.expect("a segment"));
    }
    app.commit(tx).await;
    ids
}

#[tokio::test]
async fn a_strategy_too_many_or_too_large_is_refused() {
    let app = tight().await;
    let ids = segments(&app, 2).await;
    for (body, what) in [
        (json!({ "name": "default", "constraints": constraints(&[1, 1, 1]) }), "constraints"),
        (json!({ "name": "default", "constraints": constraints(&[3]) }), "values"),
        (json!({ "name": "default", "segments": ids }), "segments"),
    ] {
        app.admin().post(STRATEGIES, body).await.refused(400, "ExceedsLimitError", what);
    }
    assert_eq!(seen(&app).await, 0);
    let full = json!({ "name": "default", "constraints": constraints(&[2, 2]), "segments": [ids[0], ids[0]] });
    added(&app, full).await;
    added(&app, json!({ "name": "default" })).await;
    app.admin().post(STRATEGIES, json!({ "name": "default" })).await.refused(400, "ExceedsLimitError", "limit of 2");
    // Each environment has its own.
    let production = STRATEGIES.replace("development", "production");
    app.admin().post(&production, json!({ "name": "default" })).await.expect(200);
}

#[tokio::test]
async fn what_is_beyond_a_limit_can_be_changed_while_it_does_not_grow() {
    let app = tight().await;
    let ids = segments(&app, 3).await;
    let constraint = |values: usize| Constraint {
        context_name: "userId".to_owned(),
        operator: Operator::In,
        case_insensitive: None,
        inverted: None,
        values: Some((0..values).map(|value| value.to_string()).collect()),
        value: None,
    };
    let tx = app.tx().await;
    let row = feature::Entity::find().order_by_asc(feature::Column::Id).one(&tx).await.expect("reads");
    let large = StrategyDefinition {
        name: "default".to_owned(),
        constraints: vec![constraint(4), constraint(1), constraint(1)],
        segments: ids[..2].to_vec(),
        ..StrategyDefinition::default()
    };
    let feature_id = row.expect("a feature").id;
    let id = add_strategy(&tx, feature_id, "development", &large, app.clock.now()).await.expect("added");
    app.commit(tx).await;
    let path = format!("{STRATEGIES}/{id}");
    let put = |body: Value| {
        let (client, path) = (app.admin(), path.clone());
        async move { client.json(Method::PUT, &path, body).await }
    };
    put(json!({ "constraints": constraints(&[5, 1, 1]) })).await.refused(400, "ExceedsLimitError", "values");
    put(json!({ "constraints": constraints(&[4, 1, 1, 1]) })).await.refused(400, "ExceedsLimitError", "constraints");
    put(json!({ "segments": ids })).await.refused(400, "ExceedsLimitError", "segments");
    put(json!({ "constraints": constraints(&[3, 4, 1]), "segments": [ids[1], ids[2]] })).await.expect(200);
    let ops = json!([{ "op": "replace", "path": "/title", "value": "still editable" }]);
    app.admin().patch(&path, ops).await.expect(200);
    let grow = json!([{ "op": "add", "path": "/segments/-", "value": ids[0] }]);
    app.admin().patch(&path, grow).await.refused(400, "ExceedsLimitError", "segments");
}
