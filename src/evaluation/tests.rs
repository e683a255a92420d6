use super::*;

fn asker(pairs: &[(&str, &str)]) -> Asker {
    let subject = Subject(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect());
    Asker::new(&subject, "production", Timestamp::parse("2026-01-15T12:00:00Z").expect("valid"))
}

fn constraint(json: serde_json::Value) -> Constraint {
    serde_json::from_value(json).expect("a constraint")
}

fn holds(constraint: &Constraint, pairs: &[(&str, &str)]) -> bool {
    let rule = Rule {
        name: "f".to_owned(),
        enabled: true,
        strategies: vec![Condition::only([constraint])],
        ..Rule::default()
    };
    Engine::new([rule], Timestamp::from_millis(0)).is_enabled("f", &asker(pairs))
}

#[test]
fn each_operator_is_the_engines() {
    let cases = [
        (serde_json::json!({ "contextName": "tier", "operator": "IN", "values": ["gold"] }), "gold", "tin"),
        (serde_json::json!({ "contextName": "tier", "operator": "NOT_IN", "values": ["gold"] }), "tin", "gold"),
        (
            serde_json::json!({ "contextName": "tier", "operator": "STR_CONTAINS", "values": ["OL"], "caseInsensitive": true }),
            "gold",
            "tin",
        ),
        (serde_json::json!({ "contextName": "tier", "operator": "NUM_GTE", "value": "5" }), "5", "4"),
        (serde_json::json!({ "contextName": "tier", "operator": "SEMVER_LT", "value": "1.2.3" }), "1.2.2", "1.3.0"),
        (
            serde_json::json!({ "contextName": "tier", "operator": "IN", "values": ["gold"], "inverted": true }),
            "tin",
            "gold",
        ),
    ];
    for (json, yes, no) in cases {
        let constraint = constraint(json);
        assert!(holds(&constraint, &[("tier", yes)]), "{constraint:?}");
        assert!(!holds(&constraint, &[("tier", no)]), "{constraint:?}");
    }
    let date = constraint(
        serde_json::json!({ "contextName": "currentTime", "operator": "DATE_AFTER", "value": "2026-01-15T11:00:00Z" }),
    );
    assert!(holds(&date, &[]));
    assert!(!holds(&date, &[("currentTime", "2026-01-15T10:00:00Z")]));
}

#[test]
fn a_parent_is_judged_for_its_children_as_it_is_for_itself() {
    let strategy: FeatureStrategy = serde_json::from_value(serde_json::json!({
        "name": "flexibleRollout", "parameters": { "rollout": "50", "stickiness": "userId" },
    }))
    .expect("a strategy");
    let dependencies = [Dependency { feature: "parent".to_owned(), enabled: None, variants: None }];
    let parent = Rule {
        name: "parent".to_owned(),
        enabled: true,
        strategies: vec![Condition::of("parent", &strategy, [])],
        ..Rule::default()
    };
    let child = Rule { name: "child".to_owned(), enabled: true, dependencies: &dependencies, ..Rule::default() };
    let engine = Engine::new([parent, child], Timestamp::from_millis(0));
    let users: Vec<String> = (0..100).map(|user| user.to_string()).collect();
    let on = |name: &str| {
        let is_on = |user: &&String| engine.is_enabled(name, &asker(&[("userId", user.as_str())]));
        users.iter().filter(is_on).collect::<Vec<_>>()
    };
    assert!((20..80).contains(&on("parent").len()));
    assert_eq!(on("child"), on("parent"));
}

#[test]
fn hostile_texts_hold_for_nobody_and_stop_nothing() {
    let brackets = format!("] or {}", "(".repeat(100_000));
    let hostile =
        constraint(serde_json::json!({ "contextName": "tier", "operator": "IN", "values": ["a\\", brackets] }));
    assert!(!holds(&hostile, &[("tier", "a")]));
    let hostile = constraint(serde_json::json!({ "contextName": "tier", "operator": "NUM_EQ", "value": brackets }));
    assert!(!holds(&hostile, &[("tier", "a")]));
    let variants: Vec<FeatureVariant> =
        serde_json::from_value(serde_json::json!([{ "name": "a", "weight": 0 }])).expect("variants");
    let rule = Rule { name: "f".to_owned(), enabled: true, variants: &variants, ..Rule::default() };
    let engine = Engine::new([rule], Timestamp::from_millis(0));
    assert_eq!(engine.choose("f", &asker(&[])), None);
}

mod pieces_and_whole {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        domain::evaluation::{ConfiguredFeature, KnownSegment},
        evaluation::playground::Playground,
    };

    const TIERS: [&str; 3] = ["gold", "tin", "lead"];

    fn strategy(rollout: u8, tier: usize, inverted: bool, segment: bool, variant: bool) -> FeatureStrategy {
        let constraint = json!({
            "contextName": "tier", "operator": "IN", "values": [TIERS[tier]], "inverted": inverted,
        });
        let variants = json!([
            { "name": "red", "weight": 500, "weightType": "variable", "stickiness": "default" },
            { "name": "blue", "weight": 500, "weightType": "variable", "stickiness": "default" },
        ]);
        let strategy = json!({
            "name": "flexibleRollout",
            "parameters": { "rollout": rollout.to_string(), "stickiness": "default", "groupId": "g" },
            "constraints": [constraint],
            "segments": if segment { json!([1]) } else { json!([]) },
            "variants": if variant { variants } else { json!([]) },
        });
        serde_json::from_value(strategy).expect("a strategy")
    }

    fn strategies() -> impl Strategy<Value = Vec<FeatureStrategy>> {
        let one = (0..=100_u8, 0..TIERS.len(), any::<bool>(), any::<bool>(), any::<bool>());
        let one = one.prop_map(|(rollout, tier, inverted, segment, variant)| {
            strategy(rollout, tier, inverted, segment, variant)
        });
        proptest::collection::vec(one, 0..4)
    }

    fn feature(name: &str, enabled: bool, strategies: Vec<FeatureStrategy>, own: bool) -> ConfiguredFeature {
        let variants = json!([{ "name": "own", "weight": 1000, "stickiness": "default" }]);
        ConfiguredFeature {
            name: name.to_owned(),
            project: "shop".to_owned(),
            enabled,
            strategies,
            variants: if own { serde_json::from_value(variants).expect("variants") } else { Vec::new() },
            dependencies: Vec::new(),
        }
    }

    proptest! {
        #[test]
        fn the_pieces_come_to_what_the_engine_makes_of_the_whole(
            of_parent in strategies(), of_child in strategies(), on in any::<(bool, bool)>(), own in any::<(bool, bool)>(),
            wanted in any::<Option<bool>>(), of_variant in any::<bool>(), tier in 0..TIERS.len(), user in 0..50_u32,
        ) {
            let segment = constraint(json!({ "contextName": "userId", "operator": "STR_ENDS_WITH", "values": ["1", "2", "3"] }));
            let segments = [KnownSegment { id: 1, name: "some".to_owned(), constraints: vec![segment] }];
            let mut features =
                [feature("child", on.0, of_child, own.0), feature("parent", on.1, of_parent, own.1)];
            let variants = of_variant.then(|| vec!["red".to_owned()]);
            features[0].dependencies =
                vec![Dependency { feature: "parent".to_owned(), enabled: wanted, variants }];
            let subject = Subject(
                [("appName", "web".to_owned()), ("userId", user.to_string()), ("tier", TIERS[tier].to_owned())]
                    .map(|(name, value)| (name.to_owned(), value))
                    .into(),
            );
            let now = Timestamp::from_millis(0);
            let rules = features.iter().map(|feature| Rule {
                name: feature.name.clone(),
                enabled: feature.enabled,
                strategies: feature
                    .strategies
                    .iter()
                    .map(|strategy| {
                        let attached = strategy.segments.as_ref().is_some_and(|ids| !ids.is_empty());
                        Condition::of(&feature.name, strategy, segments[0].constraints.iter().filter(move |_| attached))
                    })
                    .collect(),
                variants: &feature.variants,
                dependencies: &feature.dependencies,
            });
            let whole = Engine::new(rules, now);
            let asker = Asker::new(&subject, "production", now);
            let playground = Playground::new("production", &features, &segments, now);
            for outcome in playground.judge(&subject) {
                let name = &outcome.feature.name;
                prop_assert_eq!(outcome.is_enabled, whole.is_enabled(name, &asker), "{}", name);
                prop_assert_eq!(&outcome.variant, &whole.choose(name, &asker), "{}", name);
                prop_assert_eq!(whole.judge(name, &asker), (outcome.is_enabled, outcome.variant.clone()), "{}", name);
            }
        }
    }
}
