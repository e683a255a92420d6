//! Replacing and deleting strategies.

use flagstone::{
    domain::{
        strategy::StrategyDefinition,
        variant::{StrategyVariant, WeightType},
    },
    store::entity::{context_field, feature},
};
use poem::http::Method;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use super::{STRATEGIES, added, in_event, matching, seen, shop, state, switch_on, tag_of, told_after};
use crate::{harness::add_strategy, schema::assert_derived_columns};

fn full() -> Value {
    json!({
        "name": "flexibleRollout", "title": "Some", "parameters": { "rollout": "25" },
        "constraints": [{ "contextName": "userId", "operator": "IN", "values": ["1"] }],
        "variants": [{ "name": "a", "weight": 0, "weightType": "variable", "stickiness": "default" }],
    })
}

#[tokio::test]
async fn absent_properties_stay_but_constraints_and_variants_are_cleared() {
    let app = shop().await;
    let (path, before) = added(&app, full()).await;
    let given = json!({ "sortOrder": 3 });
    let after = app.admin().json(Method::PUT, &path, given).await.expect(200);
    let mut expected = before.clone();
    expected["constraints"] = json!([]);
    expected["variants"] = json!([]);
    expected["sortOrder"] = json!(3);
    assert_eq!(after, expected);
    assert_eq!(app.admin().get(&path).await.expect(200), expected);
    let told = json!(["feature-strategy-update", "shop", "f", "development", in_event(&expected), in_event(&before)]);
    assert_eq!(told_after(&app, 1).await, [told]);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn null_clears_a_title_and_everything_can_be_replaced() {
    let app = shop().await;
    let (path, _) = added(&app, full()).await;
    let given = json!({
        "name": "remoteAddress", "title": null, "disabled": true, "parameters": { "IPs": "10.0.0.1" },
        "constraints": [{ "contextName": "appName", "operator": "STR_CONTAINS", "values": ["x"] }],
        "variants": [{ "name": "z", "weight": 1, "weightType": "variable", "stickiness": "userId" }],
        "segments": [],
    });
    let after = app.admin().json(Method::PUT, &path, given).await.expect(200);
    assert_eq!(
        json!([after["name"], after["title"], after["disabled"], after["parameters"], after["variants"][0]["weight"]]),
        json!(["remoteAddress", null, true, { "IPs": "10.0.0.1", "groupId": "f", "stickiness": "userId" }, 1000])
    );
    assert_eq!(app.admin().get(&path).await.expect(200), after);
}

#[tokio::test]
async fn a_change_that_changes_nothing_leaves_no_event() {
    let app = shop().await;
    let (path, before) = added(&app, full()).await;
    assert_eq!(app.admin().json(Method::PUT, &path, before.clone()).await.expect(200), before);
    assert_eq!(app.admin().patch(&path, json!([])).await.expect(200), before);
    let same = json!([{ "op": "replace", "path": "/title", "value": "Some" }]);
    assert_eq!(app.admin().patch(&path, same).await.expect(200), before);
    assert_eq!(seen(&app).await, 1);
}

#[tokio::test]
async fn a_change_is_judged_like_a_new_strategy() {
    let app = shop().await;
    let (path, before) = added(&app, full()).await;
    let cases = [
        (json!({ "name": "nonesuch" }), "/body/name"),
        (json!({ "parameters": { "stickiness": "" } }), "/body/parameters/stickiness"),
        (json!({ "segments": [99] }), "/body/segments"),
        (json!({ "constraints": [{ "contextName": "userId", "operator": "IN" }] }), "/body/constraints/0"),
        (json!({ "variants": 5 }), "/body/variants"),
        (json!({ "title": ["x"] }), "/body/title"),
    ];
    for (body, property) in cases {
        app.admin().json(Method::PUT, &path, body).await.refused(400, "ValidationError", property);
    }
    let unknown = json!({ "constraints": [{ "contextName": "nofield", "operator": "IN", "values": ["x"] }] });
    app.admin().json(Method::PUT, &path, unknown).await.refused(400, "ValidationError", "nofield");
    assert_eq!(app.admin().get(&path).await.expect(200), before);
    assert_eq!(seen(&app).await, 1);
}

#[tokio::test]
async fn what_a_strategy_has_already_is_not_judged_again() {
    let app = shop().await;
    let constraint = |values: &[&str]| json!({ "contextName": "plan", "operator": "IN", "values": values });
    let legal = |values: Value| {
        let app = &app;
        async move {
            let tx = app.tx().await;
            context_field::Entity::delete_by_id("plan").exec(&tx).await.expect("gone");
            let field = context_field::ActiveModel {
                name: Set("plan".to_owned()),
                description: Set(None),
                stickiness: Set(false),
                sort_order: Set(10),
                legal_values: Set(values.to_string()),
                created_at: Set(app.clock.now()),
                project: Set(None),
            };
            context_field::Entity::insert(field).exec_without_returning(&tx).await.expect("a field");
            app.commit(tx).await;
        }
    };
    legal(json!([{ "value": "free" }, { "value": "paid" }])).await;
    let body = json!({ "name": "default", "constraints": [constraint(&["paid"])] });
    let (path, strategy) = added(&app, body).await;
    legal(json!([{ "value": "free" }])).await;
    let kept = json!({ "title": "kept", "constraints": strategy["constraints"] });
    app.admin().json(Method::PUT, &path, kept).await.expect(200);
    let more = json!({ "constraints": [strategy["constraints"][0], constraint(&["paid", "free"])] });
    app.admin().json(Method::PUT, &path, more).await.refused(400, "ValidationError", "/body/constraints/1/values/0");
}

#[tokio::test]
async fn weights_that_came_with_an_import_stay_while_something_else_changes() {
    let app = shop().await;
    let variant = |name: &str, weight: i64| StrategyVariant {
        name: name.to_owned(),
        weight,
        weight_type: WeightType::Variable,
        stickiness: "default".to_owned(),
        payload: None,
    };
    let new = StrategyDefinition {
        name: "default".to_owned(),
        variants: vec![variant("a", 900), variant("b", 100)],
        ..StrategyDefinition::default()
    };
    let tx = app.tx().await;
    let row = feature::Entity::find().one(&tx).await.expect("reads").expect("a feature");
    let id = add_strategy(&tx, row.id, "development", &new, app.clock.now()).await.expect("added");
    app.commit(tx).await;
    let path = format!("{STRATEGIES}/{id}");
    let ops = json!([{ "op": "add", "path": "/title", "value": "x" }]);
    let after = app.admin().patch(&path, ops).await.expect(200);
    assert_eq!((&after["variants"][0]["weight"], &after["variants"][1]["weight"]), (&json!(900), &json!(100)));
    let touched = json!([{ "op": "replace", "path": "/variants/0/weight", "value": 800 }]);
    let after = app.admin().patch(&path, touched).await.expect(200);
    assert_eq!((&after["variants"][0]["weight"], &after["variants"][1]["weight"]), (&json!(500), &json!(500)));
}

#[tokio::test]
async fn the_environment_goes_off_with_its_last_enabled_strategy() {
    for disable in [true, false] {
        let app = shop().await;
        let (path, strategy) = added(&app, json!({ "name": "default" })).await;
        let (other, _) = added(&app, json!({ "name": "default" })).await;
        switch_on(&app).await;
        app.admin().json(Method::PUT, &other, json!({ "disabled": true })).await.expect(200);
        assert_eq!(state(&app).await, json!([true, true, true]));
        let before = seen(&app).await;
        if disable {
            let ops = json!([{ "op": "replace", "path": "/disabled", "value": true }]);
            let after = app.admin().patch(&path, ops).await.expect(200);
            assert_eq!(
                told_after(&app, before).await,
                [
                    json!(["feature-environment-disabled", "shop", "f", "development", null, null]),
                    json!([
                        "feature-strategy-update",
                        "shop",
                        "f",
                        "development",
                        in_event(&after),
                        in_event(&strategy)
                    ]),
                ]
            );
        } else {
            app.admin().request(Method::DELETE, &path, &[], Vec::new()).await.expect(200);
            assert_eq!(
                told_after(&app, before).await,
                [
                    json!(["feature-environment-disabled", "shop", "f", "development", null, null]),
                    json!(["feature-strategy-remove", "shop", "f", "development", null, in_event(&strategy)]),
                ]
            );
        }
        assert_eq!(state(&app).await, json!([false, true, false]));
        assert_derived_columns(&app).await;
    }
}

#[tokio::test]
async fn a_deleted_strategy_is_gone_and_the_others_stay() {
    let app = shop().await;
    let (path, strategy) = added(&app, full()).await;
    let (_, other) = added(&app, json!({ "name": "default" })).await;
    switch_on(&app).await;
    app.admin().request(Method::DELETE, &path, &[], Vec::new()).await.expect(200);
    app.admin().get(&path).await.expect(404);
    assert_eq!(app.admin().get(STRATEGIES).await.expect(200), json!([other]));
    let told = json!(["feature-strategy-remove", "shop", "f", "development", null, in_event(&strategy)]);
    assert_eq!(told_after(&app, 2).await, [told]);
    assert_eq!(state(&app).await, json!([true, true, true]));
    app.admin().request(Method::DELETE, &path, &[], Vec::new()).await.expect(404);
}

#[tokio::test]
async fn a_stale_version_changes_nothing() {
    let app = shop().await;
    let (path, _) = added(&app, full()).await;
    let tag = tag_of(&app, &path).await;
    let first = matching(&app, Method::PUT, &path, &tag, Some(json!({ "title": "first" }))).await.expect(200);
    let before = seen(&app).await;
    let ops = json!([{ "op": "remove", "path": "/title" }]);
    let order = format!("{STRATEGIES}/set-sort-order");
    let move_it = json!([{ "id": first["id"], "sortOrder": 9 }]);
    for (method, path, body) in [
        (Method::PUT, &path, Some(json!({ "title": "second" }))),
        (Method::PATCH, &path, Some(ops)),
        (Method::DELETE, &path, None),
        (Method::POST, &order, Some(move_it)),
    ] {
        let answer = matching(&app, method, path, &tag, body).await;
        answer.refused(412, "PreconditionFailedError", "If-Match");
    }
    assert_eq!(app.admin().get(&path).await.expect(200), first);
    assert_eq!(seen(&app).await, before);
}
