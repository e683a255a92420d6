use serde_json::{Value, json};

use super::*;

fn served(features: &Value) -> Served {
    let answer = json!({
        "version": 2,
        "features": features,
        "segments": [{ "id": 7, "constraints": [{ "contextName": "country", "operator": "IN", "values": ["NO", "SE"] }] }],
        "query": { "environment": "production" },
    });
    Served::read(answer.to_string().as_bytes()).expect("features")
}

fn feature(name: &str, strategies: &Value) -> Value {
    json!({ "name": name, "type": "release", "enabled": true, "project": "shop", "strategies": strategies })
}

fn found(old: &Served, new: &Served) -> Vec<Difference> {
    let now = Timestamp::from_millis(1_795_331_562_000);
    let people = people(&[old, new], 300, now);
    assert_eq!(people, super::people(&[old, new], 300, now), "the same again");
    judge(old, new, &people, now).told(&old.by_chance()).0
}

#[test]
fn what_is_said_in_another_way_is_the_same() {
    let old = served(&json!([feature(
        "a",
        &json!([{ "id": "1", "name": "default", "title": null, "constraints": [
        { "contextName": "plan", "operator": "IN", "values": ["pro"], "inverted": false, "value": null }
    ], "parameters": {}, "segments": [7] }])
    )]));
    let new = served(&json!([feature(
        "a",
        &json!([{ "name": "default", "constraints": [
        { "values": ["pro"], "operator": "IN", "contextName": "plan" }
    ], "variants": [], "segments": [7] }])
    )]));
    assert!(old.differing_members(&new, "a").is_empty(), "{:?}", old.differing_members(&new, "a"));
    assert!(found(&old, &new).is_empty());
}

/// Each case is named by the feature, with a context for which the results differ.
#[test]
fn whatever_is_decided_differently_is_found() {
    let constraint = |operator: &str, key: &str, value: &Value| json!([{ "name": "default", "constraints": [{ "contextName": "x", "operator": operator, key: value }] }]);
    let share = |rollout: &str| json!([{ "name": "flexibleRollout", "parameters": { "rollout": rollout, "stickiness": "userId", "groupId": "a" } }]);
    let pairs = [
        (constraint("IN", "values", &json!(["a"])), constraint("IN", "values", &json!(["a", "b"]))),
        (constraint("NOT_IN", "values", &json!(["a"])), constraint("NOT_IN", "values", &json!([]))),
        (constraint("NUM_GT", "value", &json!("5")), constraint("NUM_GTE", "value", &json!("5"))),
        (constraint("SEMVER_LT", "value", &json!("2.0.0")), constraint("SEMVER_LTE", "value", &json!("2.0.0"))),
        (
            constraint("DATE_AFTER", "value", &json!("2026-01-01T00:00:00Z")),
            constraint("DATE_BEFORE", "value", &json!("2026-01-01T00:00:00Z")),
        ),
        (constraint("STR_CONTAINS", "values", &json!(["q"])), constraint("STR_STARTS_WITH", "values", &json!(["q"]))),
        (share("50"), share("60")),
        (json!([{ "name": "default", "segments": [7] }]), json!([{ "name": "default" }])),
        (
            json!([{ "name": "userWithId", "parameters": { "userIds": "7, 8" } }]),
            json!([{ "name": "userWithId", "parameters": { "userIds": "7" } }]),
        ),
        (
            json!([{ "name": "remoteAddress", "parameters": { "IPs": "10.0.0.1" } }]),
            json!([{ "name": "remoteAddress", "parameters": { "IPs": "10.0.0.2" } }]),
        ),
    ];
    for (before, after) in pairs {
        let (old, new) = (served(&json!([feature("a", &before)])), served(&json!([feature("a", &after)])));
        let found = found(&old, &new);
        assert_eq!(found.len(), 1, "{before} {after}");
        assert!(found[0].feature == "a" && found[0].people > 0 && !found[0].examples.is_empty(), "{found:?}");
        assert_eq!(old.differing_members(&new, "a"), ["strategies"]);
    }
    let (old, none) = (served(&json!([feature("a", &json!([]))])), served(&json!([])));
    assert_eq!(found(&old, &none)[0].examples[0].new, "off");
}

#[test]
fn variants_and_their_payloads_count_and_chance_is_told_apart() {
    let variant = |payload: &str, stickiness: &str| {
        let one = json!({ "name": "v", "weight": 1000, "weightType": "fix", "stickiness": stickiness,
            "payload": { "type": "string", "value": payload } });
        served(&json!([feature("a", &json!([{ "name": "default", "variants": [one] }]))]))
    };
    let difference = &found(&variant("x", "default"), &variant("y", "default"))[0];
    assert_eq!((&*difference.examples[0].old, &*difference.examples[0].new), ("v: x", "v: y"));
    let now = Timestamp::from_millis(0);
    let (old, new) = (variant("x", "random"), variant("y", "random"));
    let people = people(&[&old, &new], 10, now);
    assert_eq!(judge(&old, &new, &people, now).told(&old.by_chance()), (vec![], 1));
}

#[test]
fn what_lists_no_features_is_refused_and_an_odd_one_is_told() {
    for (answer, reason) in [("<html>", "no JSON"), ("{}", "lists no features"), ("[]", "lists no features")] {
        let refusal = Served::read(answer.as_bytes()).expect_err(answer);
        assert!(refusal.contains(reason), "{refusal}");
    }
    let odd = served(&json!([{ "name": "odd", "enabled": "perhaps" }, feature("a", &json!([]))]));
    let [repair] = odd.repairs() else { panic!("{:?}", odd.repairs()) };
    assert_eq!((&*repair.key, &*repair.column, odd.names().count()), ("odd in production", "enabled", 2));
}
