use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;

fn data(features: &[(&str, bool, Value)], links: &Value) -> ImportData {
    let mut data = ImportData::default();
    for (name, enabled, strategies) in features {
        data.features.push(serde_json::from_value(json!({ "name": name, "project": "shop" })).expect("a feature"));
        let configuration = json!({ "name": name, "featureName": name, "enabled": enabled });
        let configuration = serde_json::from_value(configuration).expect("a configuration");
        data.feature_environments.get_or_insert_default().push(configuration);
        for strategy in strategies.as_array().expect("strategies") {
            let mut strategy = strategy.clone();
            strategy["featureName"] = json!(name);
            data.feature_strategies.push(serde_json::from_value(strategy).expect("a strategy"));
        }
    }
    for (feature, dependencies) in links.as_object().expect("links") {
        let dependencies = serde_json::from_value(dependencies.clone()).expect("dependencies");
        let link = flagstone_domain::import::ImportDependency { feature: feature.clone(), dependencies };
        data.dependencies.get_or_insert_default().push(link);
    }
    data
}

fn written(features: &[(&str, bool, Value)], links: &Value) -> (Value, Vec<String>) {
    let beta = json!([{ "contextName": "country", "operator": "IN", "values": ["NO"] }]);
    let segments = BTreeMap::from([(7, serde_json::from_value(beta).expect("constraints"))]);
    flagd(&data(features, links), "production", &segments)
}

fn constrained(constraint: &Value) -> Value {
    json!([{ "name": "default", "constraints": [constraint] }])
}

#[test]
fn features_without_rules_are_their_switch() {
    let (document, told) = written(&[("on", true, json!([])), ("off", false, json!([]))], &json!({}));
    let of = |name: &str| {
        (document["flags"][name]["defaultVariant"].clone(), document["flags"][name].get("targeting").cloned())
    };
    assert_eq!((of("on"), of("off")), ((json!("on"), None), (json!("off"), None)));
    assert!(told.is_empty());
}

#[test]
fn rules_are_said_in_jsonlogic() {
    let of = |constraint: Value| {
        let (document, told) = written(&[("a", true, constrained(&constraint))], &json!({}));
        assert!(told.is_empty(), "{told:?}");
        document["flags"]["a"]["targeting"]["if"][0].clone()
    };
    let x = json!({ "var": "x" });
    for (given, expected) in [
        (
            json!({ "contextName": "userId", "operator": "IN", "values": ["7"] }),
            json!({ "in": [{ "var": "targetingKey" }, ["7"]] }),
        ),
        (json!({ "contextName": "x", "operator": "NOT_IN", "values": ["a"] }), json!({ "!": [{ "in": [x, ["a"]] }] })),
        (
            json!({ "contextName": "x", "operator": "STR_STARTS_WITH", "values": ["a", "b"], "inverted": true }),
            json!({ "!": [{ "or": [{ "starts_with": [x, "a"] }, { "starts_with": [x, "b"] }] }] }),
        ),
        (
            json!({ "contextName": "x", "operator": "NUM_LT", "value": "5" }),
            json!({ "and": [{ "!": [{ "in": [x, [null, ""]] }] }, { "<": [x, 5.0] }] }),
        ),
        (
            json!({ "contextName": "x", "operator": "SEMVER_GTE", "value": "1.2.3" }),
            json!({ "sem_ver": [x, ">=", "1.2.3"] }),
        ),
        (
            json!({ "contextName": "currentTime", "operator": "DATE_AFTER", "value": "2026-01-01" }),
            json!({ ">": [{ "var": "$flagd.timestamp" }, 1_767_225_600] }),
        ),
    ] {
        assert_eq!(of(given.clone()), expected, "{given}");
    }
}

/// Features that cannot be written are always off, also where the opposite is asked for, and are listed.
#[test]
fn what_cannot_be_said_is_never_wider() {
    for odd in [
        json!({ "contextName": "x", "operator": "REGEX", "value": "a" }),
        json!({ "contextName": "x", "operator": "REGEX", "value": "a", "inverted": true }),
        json!({ "contextName": "x", "operator": "STR_CONTAINS", "values": ["a"], "caseInsensitive": true }),
        json!({ "contextName": "birthday", "operator": "DATE_AFTER", "value": "2026-01-01" }),
    ] {
        let features = [("parent", true, constrained(&odd)), ("child", true, json!([]))];
        let links = json!({ "child": [{ "feature": "parent", "enabled": false }] });
        let (document, told) = written(&features, &links);
        for name in ["parent", "child"] {
            let flag = &document["flags"][name];
            assert_eq!((&flag["defaultVariant"], flag.get("targeting")), (&json!("off"), None), "{odd} {name}");
            assert!(told.iter().any(|line| line.starts_with(&format!("{name}:"))), "{told:?}");
        }
    }
}

#[test]
fn shares_segments_and_parents_come_along() {
    let share = json!([{ "name": "flexibleRollout", "segments": [7],
        "parameters": { "rollout": "25", "stickiness": "default", "groupId": "g" } }]);
    let links = json!({ "child": [{ "feature": "parent" }] });
    let (document, _) = written(&[("parent", true, share), ("child", true, json!([]))], &links);
    let drawn = json!({ "fractional": [{ "cat": ["g", { "var": "targetingKey" }] }, ["on", 25], ["off", 75]] });
    let expected = json!({ "and": [{ "in": [{ "var": "country" }, ["NO"]] }, { "==": [drawn, "on"] }] });
    for name in ["parent", "child"] {
        assert_eq!(document["flags"][name]["targeting"]["if"], json!([expected, "on", "off"]), "{name}");
    }
}

#[test]
fn variants_are_a_flag_of_their_own_with_what_they_carry() {
    let variant = |name: &str, payload: Value| json!({ "name": name, "weight": 500, "weightType": "variable", "stickiness": "userId", "payload": payload });
    let json_payload = |value: &str| json!({ "type": "json", "value": value });
    let strategies = json!([{ "name": "default", "variants":
        [variant("a", json_payload("{\"n\":1}")), variant("b", json_payload("{\"n\":2}"))] }]);
    let (document, _) = written(&[("f", true, strategies)], &json!({}));
    let flag = &document["flags"]["f.variant"];
    assert_eq!(flag["variants"], json!({ "a": { "n": 1 }, "b": { "n": 2 }, "none": {} }));
    let drawn = json!({ "fractional": [{ "cat": ["f", { "var": "targetingKey" }] }, ["a", 500], ["b", 500]] });
    assert_eq!(flag["targeting"], json!({ "if": [true, { "if": [true, drawn, "none"] }, "none"] }));
}
