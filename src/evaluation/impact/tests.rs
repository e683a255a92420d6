use flagstone_domain::{
    evaluation::{ConfiguredFeature, KnownSegment},
    impact::{MADE_CONTEXTS, made_contexts},
    murmur::Murmur3,
};
use serde_json::{Value, json};

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_768_478_400_000);

fn feature(name: &str, strategies: Value) -> ConfiguredFeature {
    ConfiguredFeature {
        name: name.to_owned(),
        project: "shop".to_owned(),
        enabled: true,
        strategies: serde_json::from_value(strategies).expect("strategies"),
        ..ConfiguredFeature::default()
    }
}

fn state(features: Vec<ConfiguredFeature>) -> Configuration {
    Configuration { features, segments: Vec::new() }
}

fn rollout(percentage: usize) -> Value {
    let parameters = json!({ "rollout": percentage.to_string(), "stickiness": "default", "groupId": "cart" });
    json!({ "name": "flexibleRollout", "parameters": parameters })
}

fn impacts(before: &Configuration, after: &Configuration, names: &[&str]) -> Vec<FeatureImpact> {
    let (contexts, _) = made_contexts(&[before, after], MADE_CONTEXTS);
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    compare("production", (before, after), &names, &contexts, NOW)
}

fn impact(before: &Configuration, after: &Configuration) -> FeatureImpact {
    impacts(before, after, &["cart"]).remove(0)
}

/// Number of the made ids that a share of a hundred holds, by the hash of all SDKs.
fn drawn(of_hundred: u32) -> usize {
    let place = |id: usize| Murmur3::new(0).with(format!("cart:user-{id}").as_bytes()).finish() % 100 + 1;
    (0..MADE_CONTEXTS).filter(|id| place(*id) <= of_hundred).count()
}

#[test]
fn a_larger_share_gains_exactly_the_ids_between() {
    let (before, after) =
        (state(vec![feature("cart", json!([rollout(50)]))]), state(vec![feature("cart", json!([rollout(60)]))]));
    let found = impact(&before, &after);
    let expected = Changed {
        contexts: MADE_CONTEXTS,
        on_before: drawn(50),
        on_after: drawn(60),
        gained: drawn(60) - drawn(50),
        lost: 0,
        variant: 0,
    };
    assert_eq!((found.changed, found.reasons.is_empty(), found.by_value.len()), (expected, true, 0));
    assert!((900..1100).contains(&expected.gained), "{expected:?}");
    let back = impact(&after, &before).changed;
    assert_eq!((back.lost, back.gained), (expected.gained, 0));
    assert_eq!(impact(&before, &before).changed.count(), 0);
}

#[test]
fn another_value_of_a_constraint_changes_those_who_have_it() {
    let with = |values: &[&str]| {
        let constraint = json!({ "contextName": "region", "operator": "IN", "values": values });
        state(vec![feature("cart", json!([{ "name": "default", "constraints": [constraint] }]))])
    };
    let found = impact(&with(&["north"]), &with(&["south"]));
    let changed = found.changed;
    assert_eq!((changed.on_before, changed.on_after, changed.gained, changed.lost), (3334, 3333, 3333, 3334));
    let by_value: Vec<_> = found.by_value.iter().map(|one| (one.value.as_deref(), one.changed.count())).collect();
    assert_eq!(by_value, [(Some("north"), 3334), (Some("south"), 3333), (None, 0)]);
    assert!(found.by_value.iter().all(|one| one.field == "region"));
}

#[test]
fn a_segment_changes_the_features_that_apply_it() {
    let applied = feature("cart", json!([{ "name": "default", "segments": [7] }]));
    let with = |value: &str| {
        let constraint = json!({ "contextName": "tier", "operator": "IN", "values": [value] });
        let constraints = vec![serde_json::from_value(constraint).expect("a constraint")];
        Configuration {
            features: vec![applied.clone()],
            segments: vec![KnownSegment { id: 7, name: "Tier".to_owned(), constraints }],
        }
    };
    let changed = impact(&with("gold"), &with("tin")).changed;
    assert_eq!((changed.gained, changed.lost), (3333, 3334));
}

#[test]
fn other_weights_give_other_variants_to_those_who_keep_the_feature() {
    let with = |blue: i64| {
        let variant = |name: &str, weight: i64| json!({ "name": name, "weight": weight, "weightType": "fix", "stickiness": "default" });
        let mut strategy = rollout(100);
        strategy["variants"] = json!([variant("blue", blue), variant("red", 1000 - blue)]);
        state(vec![feature("cart", json!([strategy]))])
    };
    let changed = impact(&with(500), &with(700)).changed;
    assert_eq!((changed.on_before, changed.on_after, changed.gained, changed.lost), (10_000, 10_000, 0, 0));
    assert!((1800..2200).contains(&changed.variant), "{changed:?}");
    let all = impact(&with(1000), &with(0)).changed;
    assert_eq!(all.variant, 10_000);
}

#[test]
fn a_feature_follows_the_one_that_it_depends_on() {
    let with = |enabled: bool| {
        let child = ConfiguredFeature {
            dependencies: serde_json::from_value(json!([{ "feature": "parent", "enabled": true, "variants": [] }]))
                .expect("dependencies"),
            ..feature("cart", json!([{ "name": "default" }]))
        };
        let parent = ConfiguredFeature { enabled, ..feature("parent", json!([{ "name": "default" }])) };
        state(vec![child, parent])
    };
    let found = impacts(&with(true), &with(false), &["parent", "cart"]);
    assert_eq!(found.iter().map(|one| one.changed.lost).collect::<Vec<_>>(), [10_000; 2]);
    assert_eq!(found[0].reasons, [Reason::OffAfter].into());
    assert!(found[1].reasons.is_empty());
}

#[test]
fn what_is_switched_off_gone_or_unknown_is_said_to_be() {
    let on = state(vec![feature("cart", json!([rollout(100)]))]);
    let off = state(vec![ConfiguredFeature { enabled: false, ..on.features[0].clone() }]);
    let gone = state(Vec::new());
    let unknown = state(vec![feature("cart", json!([{ "name": "byMoon" }]))]);
    for (before, after, reasons, changed) in [
        (&off, &on, vec![Reason::OffBefore], (10_000, 0)),
        (&on, &off, vec![Reason::OffAfter], (0, 10_000)),
        (&on, &gone, vec![Reason::GoneAfter], (0, 10_000)),
        (&on, &unknown, vec![Reason::UnknownStrategy], (0, 10_000)),
    ] {
        let found = impact(before, after);
        assert_eq!(found.reasons.iter().copied().collect::<Vec<_>>(), reasons);
        assert_eq!((found.changed.gained, found.changed.lost), changed, "{reasons:?}");
    }
}

#[test]
fn draws_by_chance_follow_the_ids_once_they_are_settled() {
    let with = |percentage: usize| {
        let mut strategy = rollout(percentage);
        strategy["parameters"]["stickiness"] = "random".into();
        let mut state = state(vec![feature("cart", json!([strategy]))]);
        assert_eq!(state.settle(), ["cart".to_owned()].into());
        assert!(state.settle().is_empty());
        state
    };
    let changed = impact(&with(50), &with(60)).changed;
    assert_eq!((changed.gained, changed.lost), (drawn(60) - drawn(50), 0));
}

#[test]
fn evaluations_that_change_follow_what_was_on_and_off() {
    let changed = Changed { contexts: 100, on_before: 40, on_after: 45, gained: 15, lost: 10, variant: 10 };
    assert_eq!(changed.count(), 35);
    // Half of those that were on, a quarter of those that were off.
    assert_eq!(changed.evaluations(1000, 400), 600);
    assert_eq!(changed.evaluations(1, 0), 1);
    assert_eq!(Changed::default().evaluations(1000, 400), 0);
    let nobody = Changed { contexts: 100, ..Changed::default() };
    assert_eq!(nobody.evaluations(i64::MAX, i64::MAX), 0);
}
