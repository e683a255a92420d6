//! Patches that apply: the answer, what is stored, and the events.

use std::collections::BTreeSet;

use flagstone::{
    domain::{
        constraint::{Constraint, Operator},
        strategy::StrategyDefinition,
        variant::FeatureVariant,
    },
    store::{self, segments::NewSegment},
};
use futures_util::future::join_all;
use poem::http::Method;
use serde_json::{Value, json};

use super::{FEATURE, SHOP, document, event, shop_with_feature, stored, told_events};
use crate::harness::{TestApp, add_strategy};

#[tokio::test]
async fn every_path_takes_every_operation() {
    // What the feature has before, the patch, and what it has after.
    let cases = [
        (json!({}), json!([{ "op": "replace", "path": "/description", "value": "x" }]), json!({ "description": "x" })),
        (json!({}), json!([{ "op": "add", "path": "/description", "value": "" }]), json!({ "description": "" })),
        (
            json!({ "description": "x" }),
            json!([{ "op": "replace", "path": "/description", "value": null }]),
            json!({ "description": null }),
        ),
        (
            json!({ "description": "x" }),
            json!([{ "op": "remove", "path": "/description" }]),
            json!({ "description": null }),
        ),
        (json!({}), json!([{ "op": "copy", "from": "/name", "path": "/description" }]), json!({ "description": "f" })),
        (
            json!({ "type": "experiment" }),
            json!([{ "op": "move", "from": "/type", "path": "/description" }]),
            json!({ "description": "experiment", "type": "release" }),
        ),
        (
            json!({}),
            json!([{ "op": "replace", "path": "/type", "value": "kill-switch" }]),
            json!({ "type": "kill-switch" }),
        ),
        (json!({}), json!([{ "op": "add", "path": "/type", "value": "unheard" }]), json!({ "type": "unheard" })),
        (json!({ "type": "experiment" }), json!([{ "op": "remove", "path": "/type" }]), json!({ "type": "release" })),
        (
            json!({ "description": "operational" }),
            json!([{ "op": "copy", "from": "/description", "path": "/type" }]),
            json!({ "description": "operational", "type": "operational" }),
        ),
        (json!({}), json!([{ "op": "add", "path": "/stale", "value": true }]), json!({ "stale": true })),
        (json!({}), json!([{ "op": "replace", "path": "/stale", "value": "true" }]), json!({ "stale": true })),
        (json!({ "stale": true }), json!([{ "op": "remove", "path": "/stale" }]), json!({ "stale": false })),
        (
            json!({ "stale": true }),
            json!([{ "op": "move", "from": "/stale", "path": "/impressionData" }]),
            json!({ "stale": false, "impressionData": true }),
        ),
        (
            json!({}),
            json!([{ "op": "add", "path": "/impressionData", "value": true }]),
            json!({ "impressionData": true }),
        ),
        (
            json!({ "impressionData": true }),
            json!([{ "op": "replace", "path": "/impressionData", "value": "false" }]),
            json!({ "impressionData": false }),
        ),
        (
            json!({ "impressionData": true }),
            json!([{ "op": "remove", "path": "/impressionData" }]),
            json!({ "impressionData": false }),
        ),
        (
            json!({ "impressionData": true }),
            json!([{ "op": "copy", "from": "/impressionData", "path": "/stale" }]),
            json!({ "impressionData": true, "stale": true }),
        ),
        (
            json!({}),
            json!([
                { "op": "add", "path": "/description", "value": "first" },
                { "op": "copy", "from": "/description", "path": "/type" },
                { "op": "replace", "path": "/description", "value": "second" },
            ]),
            json!({ "type": "first", "description": "second" }),
        ),
    ];
    for (before, patch, after) in cases {
        let (app, _) = shop_with_feature().await;
        let before: Vec<Value> = before
            .as_object()
            .expect("an object")
            .iter()
            .map(|(name, value)| json!({ "op": "replace", "path": format!("/{name}"), "value": value }))
            .collect();
        let had = app.admin().patch(FEATURE, Value::Array(before)).await.expect(200);
        let events = app.events().await.len();
        let answer = app.admin().patch(FEATURE, patch.clone()).await.expect(200);
        let mut expected = had;
        for (name, value) in after.as_object().expect("an object") {
            expected[name] = value.clone();
        }
        assert_eq!(answer, expected, "{patch}");
        assert_eq!(stored(&app).await, expected, "{patch}");
        assert!(app.events().await.len() > events, "{patch} left no event");
    }
}

#[tokio::test]
async fn the_answer_is_the_whole_feature() {
    let (app, id) = shop_with_feature().await;
    let caller = app.member("shop").await;
    let now = app.clock.now();
    app.tag(id, "simple", "beta").await;
    let child = app.feature("shop", "child").await;
    let tx = app.tx().await;
    let segment =
        store::segments::insert(&tx, &NewSegment { name: "s".to_owned(), ..NewSegment::default() }, now).await;
    let constraint = Constraint {
        context_name: "userId".to_owned(),
        operator: Operator::In,
        case_insensitive: None,
        inverted: Some(true),
        values: Some(vec!["7".to_owned()]),
        value: None,
    };
    let strategy = StrategyDefinition {
        name: "flexibleRollout".to_owned(),
        parameters: [("rollout".to_owned(), "50".to_owned())].into(),
        constraints: vec![constraint],
        segments: vec![segment.expect("a segment")],
        ..StrategyDefinition::default()
    };
    let strategy_id = add_strategy(&tx, id, "production", &strategy, now).await.expect("a strategy");
    let variant: FeatureVariant = serde_json::from_value(json!({ "name": "blue", "weight": 1000 })).expect("a variant");
    store::features::variants::set(&tx, id, "development", &[variant]).await.expect("variants");
    store::features::dependencies::add(&tx, child, id, true, &[]).await.expect("a dependency");
    store::features::favorites::add_feature(&tx, caller.user_id.expect("a person"), id, now)
        .await
        .expect("a favourite");
    app.commit(tx).await;

    let patch = json!([{ "op": "replace", "path": "/description", "value": "New" }]);
    let answer = caller.patch(FEATURE, patch).await.expect(200);
    let environment = |name: &str, sort_order: i64| {
        json!({
            "name": name, "type": name, "enabled": false, "sortOrder": sort_order, "variantCount": 0,
            "strategies": [], "variants": [], "lastSeenAt": null, "hasStrategies": false, "hasEnabledStrategies": false,
        })
    };
    let mut environments = json!([environment("development", 2), environment("production", 3)]);
    environments[0]["variants"] = json!([{ "name": "blue", "weight": 1000 }]);
    environments[0]["variantCount"] = json!(1);
    environments[1]["hasStrategies"] = json!(true);
    environments[1]["hasEnabledStrategies"] = json!(true);
    environments[1]["strategies"] = json!([{
        "id": strategy_id, "name": "flexibleRollout", "title": null, "disabled": false, "featureName": "f",
        "sortOrder": 0, "segments": [1], "variants": [], "parameters": { "rollout": "50" },
        "constraints": [{ "contextName": "userId", "operator": "IN", "inverted": true, "values": ["7"] }],
    }]);
    assert_eq!(
        answer,
        json!({
            "name": "f", "type": "release", "description": "New", "archived": false, "project": "shop",
            "enabled": false, "stale": false, "favorite": true, "impressionData": false,
            "createdAt": "2026-01-15T12:00:00.000Z",
            "createdBy": { "id": -42, "name": answer["createdBy"]["name"], "imageUrl": answer["createdBy"]["imageUrl"] },
            "archivedAt": null, "lastSeenAt": null, "environments": environments,
            "tags": [{ "type": "simple", "value": "beta" }], "children": ["child"],
            "lifecycle": { "stage": "initial", "enteredStageAt": "2026-01-15T12:00:00.000Z" }, "dependencies": [],
        })
    );
}

#[tokio::test]
async fn a_change_leaves_one_event_with_both_documents_and_the_tags() {
    let (app, id) = shop_with_feature().await;
    app.tag(id, "simple", "beta").await;
    app.clock.advance(1000);
    let patch = json!([
        { "op": "add", "path": "/description", "value": "New" },
        { "op": "replace", "path": "/type", "value": "operational" },
    ]);
    app.admin().patch(FEATURE, patch).await.expect(200);
    let after = document(&json!({ "description": "New", "type": "operational" }));
    let mut expected = event("feature-metadata-updated", &after, &document(&json!({})));
    expected["tags"] = json!([{ "value": "beta", "type": "simple" }]);
    assert_eq!(told_events(&app).await, [expected]);
}

#[tokio::test]
async fn marking_as_stale_and_back_leaves_an_event_of_its_own_after_the_change() {
    let (app, _) = shop_with_feature().await;
    app.clock.advance(1000);
    let set = async |value: Value| {
        app.admin().patch(FEATURE, json!([{ "op": "replace", "path": "/stale", "value": value }])).await.expect(200)
    };
    assert_eq!(set(json!(true)).await["stale"], true);
    // The word is the same value, so nothing changes.
    assert_eq!(set(json!("true")).await["stale"], true);
    assert_eq!(set(json!(false)).await["stale"], false);
    let (fresh, stale) = (document(&json!({})), document(&json!({ "stale": true })));
    assert_eq!(
        told_events(&app).await,
        [
            event("feature-metadata-updated", &stale, &fresh),
            event("feature-stale-on", &Value::Null, &Value::Null),
            event("feature-metadata-updated", &fresh, &stale),
            event("feature-stale-off", &Value::Null, &Value::Null),
        ]
    );
}

#[tokio::test]
async fn a_person_appears_in_the_event_by_email_and_id() {
    let (app, _) = shop_with_feature().await;
    let owner = app.owner("shop").await;
    owner.patch(FEATURE, json!([{ "op": "add", "path": "/description", "value": "x" }])).await.expect(200);
    let events = app.events().await;
    assert_eq!(events[0].created_by_user_id, owner.user_id);
    assert!(events[0].created_by.ends_with("@example.com"), "{}", events[0].created_by);
}

#[tokio::test]
async fn a_patch_that_changes_nothing_answers_the_feature_and_leaves_no_event() {
    let (app, _) = shop_with_feature().await;
    let listed = app.admin().get(SHOP).await.expect(200)["features"][0].clone();
    let unchanging = [
        json!([]),
        json!([{ "op": "replace", "path": "/stale", "value": false }]),
        json!([{ "op": "remove", "path": "/description" }]),
        json!([{ "op": "move", "from": "/type", "path": "/type" }]),
        json!([{ "op": "add", "path": "/stale", "value": true }, { "op": "remove", "path": "/stale" }]),
        json!([
            { "op": "replace", "path": "/archived", "value": true },
            { "op": "replace", "path": "/archived", "value": false },
        ]),
    ];
    for patch in unchanging {
        let answer = app.admin().patch(FEATURE, patch.clone()).await.expect(200);
        for (name, value) in listed.as_object().expect("an object") {
            if name != "environments" {
                assert_eq!(&answer[name], value, "{name} after {patch}");
            }
        }
    }
    assert_eq!(app.event_types().await, [""; 0]);
}

#[tokio::test]
async fn a_changed_feature_is_found_changed_by_the_list() {
    let (app, _) = shop_with_feature().await;
    app.admin().patch(FEATURE, json!([{ "op": "add", "path": "/impressionData", "value": true }])).await.expect(200);
    let body = app.admin().get(SHOP).await.expect(200);
    assert_eq!(body["features"][0]["impressionData"], true);
}

#[tokio::test]
async fn members_not_of_the_contract_are_ignored_and_a_charset_is_fine() {
    let (app, _) = shop_with_feature().await;
    let body = json!([{ "op": "add", "path": "/description", "value": "x", "comment": 1 }]).to_string();
    let headers = [("content-type", "Application/JSON; charset=utf-8")];
    let answer = app.admin().request(Method::PATCH, FEATURE, &headers, body.into_bytes()).await;
    assert_eq!(answer.expect(200)["description"], "x");
}

#[tokio::test]
async fn a_description_as_long_as_one_may_be_is_stored_and_a_longer_one_is_not() {
    let (app, _) = shop_with_feature().await;
    let patch = |text: &str| json!([{ "op": "add", "path": "/description", "value": text }]);
    let text = "ä".repeat(100_000);
    app.admin().patch(FEATURE, patch(&text)).await.expect(200);
    let longer = app.admin().patch(FEATURE, patch(&format!("{text}ä"))).await;
    longer.refused(400, "ValidationError", "/body/0/value property must have at most 100000 characters");
    assert_eq!(stored(&app).await["description"], text.as_str());
}

/// Two callers who patch different properties at the same moment both succeed, and the log tells a chain of states.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn patches_at_the_same_moment_are_all_applied_one_after_the_other() {
    const PATCHES: usize = 12;
    let (app, _) = shop_with_feature().await;
    let admin = app.admin();
    let patches = (0..PATCHES).map(|number| {
        let admin = admin.clone();
        let patch = match number {
            0 => json!([{ "op": "replace", "path": "/stale", "value": true }]),
            1 => json!([{ "op": "replace", "path": "/impressionData", "value": true }]),
            _ => json!([{ "op": "replace", "path": "/description", "value": format!("by {number}") }]),
        };
        tokio::spawn(async move { admin.patch(FEATURE, patch).await.expect(200) })
    });
    for answer in join_all(patches).await {
        answer.expect("no panic");
    }
    let changes: Vec<Value> = metadata_changes(&app).await;
    assert_eq!(changes.len(), PATCHES);
    let mut state = document(&json!({}));
    for change in &changes {
        assert_eq!(change["preData"], state);
        state = change["data"].clone();
    }
    let descriptions: BTreeSet<&str> =
        changes.iter().filter_map(|change| change["data"]["description"].as_str()).collect();
    assert_eq!(descriptions.len(), PATCHES - 2);
    let stored = stored(&app).await;
    for (name, value) in state.as_object().expect("an object") {
        assert_eq!(&stored[name], value, "{name}");
    }
    assert_eq!((&stored["stale"], &stored["impressionData"]), (&json!(true), &json!(true)));
}

async fn metadata_changes(app: &TestApp) -> Vec<Value> {
    let events = told_events(app).await;
    events.into_iter().filter(|event| event["type"] == "feature-metadata-updated").collect()
}
