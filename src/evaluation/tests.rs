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
    use flagstone_domain::evaluation::{ConfiguredFeature, KnownSegment};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::playground::Playground;

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

mod strategies_beside_others {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{FeatureSet, Parts, parts::compile};

    /// Texts of the signs that mean something where the engine reads rules, in an order that chance decides.
    fn texts() -> impl Strategy<Value = String> {
        let known = [
            "5",
            ".5",
            "1e5",
            "1e400",
            "150",
            "-1",
            "12.5",
            "2020-01-01",
            "2026-01-15T12:00:00Z",
            "1.2.3",
            "1.2.3-01",
            "v1.2.3",
            "10.0.0.0/8",
            "10.0.0.0/33",
            "a\\",
            "\\\"",
            "] or (",
            "",
            " ",
            "userId",
            "currentTime",
            "DOMAIN\\ada",
        ];
        prop_oneof![
            prop::sample::select(known.to_vec()).prop_map(str::to_owned),
            r#"[ "\\,()\[\]<>=!%a-c0-9.:+TZ|-]{0,6}"#,
        ]
    }

    fn operators() -> impl Strategy<Value = &'static str> {
        prop::sample::select(
            [
                "IN",
                "NOT_IN",
                "STR_CONTAINS",
                "STR_STARTS_WITH",
                "STR_ENDS_WITH",
                "NUM_EQ",
                "NUM_LTE",
                "DATE_AFTER",
                "SEMVER_EQ",
                "SEMVER_GTE",
                "REGEX",
                "IN_CIDR",
                "ANOTHER",
            ]
            .to_vec(),
        )
    }

    prop_compose! {
        fn constraints()(
            operator in operators(), name in texts(), values in prop::option::of(prop::collection::vec(texts(), 0..3)),
            value in prop::option::of(texts()), inverted in any::<bool>(), case_insensitive in any::<bool>(),
        ) -> Constraint {
            let mut constraint = constraint(json!({
                "contextName": name, "operator": operator, "inverted": inverted, "caseInsensitive": case_insensitive,
            }));
            (constraint.values, constraint.value) = (values, value);
            constraint
        }
    }

    fn strategies() -> impl Strategy<Value = FeatureStrategy> {
        let names = [
            "default",
            "flexibleRollout",
            "gradualRolloutUserId",
            "gradualRolloutSessionId",
            "gradualRolloutRandom",
            "userWithId",
            "remoteAddress",
            "applicationHostname",
            "ofOurOwn",
        ];
        let parameters = prop::sample::select(
            ["rollout", "percentage", "stickiness", "groupId", "userIds", "IPs", "hostNames"].to_vec(),
        );
        let parameters = prop::collection::btree_map(parameters.prop_map(str::to_owned), texts(), 0..5);
        let constraints = prop::collection::vec(constraints(), 0..3);
        (prop::sample::select(names.to_vec()), parameters, constraints).prop_map(|(name, parameters, constraints)| {
            let strategy: FeatureStrategy = serde_json::from_value(json!({ "name": name })).expect("a strategy");
            FeatureStrategy { parameters: Some(parameters), constraints: Some(constraints), ..strategy }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_engine_reads_what_is_evaluable_and_the_others_hold_beside_the_rest(strategy in strategies(), user in texts()) {
            let condition = Condition::of("f", &strategy, []);
            if condition.evaluable().is_ok() {
                prop_assert!(compile(&translation::strategy(&condition)).is_some(), "{:?}", strategy);
            }
            let only = |strategies| Rule { name: "f".to_owned(), enabled: true, strategies, ..Rule::default() };
            let always = Condition::only([]);
            let now = Timestamp::from_millis(0);
            let user = asker(&[("userId", &user), ("country", "a")]);
            for strategies in [vec![condition.clone(), always.clone()], vec![always, condition.clone()]] {
                prop_assert!(Engine::new([only(strategies.clone())], now).is_enabled("f", &user), "{:?}", strategy);
                let mut parts = Parts::default();
                let set = FeatureSet::new([only(strategies)], &mut parts, now);
                prop_assert!(set.judge(0, "f", &mut parts.evaluate_for(&user)).0, "{:?}", strategy);
            }
            let draws = |name, value: &str| strategy.parameters.as_ref().and_then(|all| all.get(name)).is_some_and(|text| text == value);
            if strategy.name != "gradualRolloutRandom" && !draws("stickiness", "random") {
                let mut parts = Parts::default();
                let set = FeatureSet::new([only(vec![condition.clone()])], &mut parts, now);
                let alone = set.judge(0, "f", &mut parts.evaluate_for(&user)).0;
                let by_chance = strategy.name == "flexibleRollout" && user.0.user_id.is_none();
                prop_assert!(by_chance || alone == Engine::new([only(vec![condition])], now).is_enabled("f", &user), "{:?}", strategy);
            }
        }

        #[test]
        fn what_is_taken_from_people_is_evaluable(strategy in strategies()) {
            let mut parameters = strategy.parameters.clone().unwrap_or_default();
            let feature = Some(flagstone_domain::ids::FeatureName::new("f"));
            flagstone_domain::strategy::normalize(&strategy.name, feature, &mut parameters, &mut []);
            let constraints: Vec<Constraint> =
                strategy.constraints.iter().flatten().cloned().map(Constraint::normalized).collect();
            let is_taken = flagstone_domain::strategy::parameters::check(&strategy.name, &parameters).is_ok()
                && constraints.iter().all(|constraint| constraint.check().is_ok());
            let stored = FeatureStrategy { parameters: Some(parameters), constraints: Some(constraints), ..strategy };
            if is_taken {
                let condition = Condition::of("f", &stored, []);
                prop_assert_eq!(condition.evaluable(), Ok(()));
                // Nothing is left to translate: SDKs get what the engine would be given.
                let translated = translation::strategy(&condition);
                let written = translated.constraints.iter().flatten().map(|constraint| constraint.value.clone());
                let kept = stored.constraints.iter().flatten().map(|constraint| constraint.value.clone());
                prop_assert!(written.eq(kept), "{:?}", stored);
            }
        }
    }
}

#[test]
fn what_other_servers_hold_is_read_as_sdks_do() {
    let cases = [
        (serde_json::json!({ "contextName": "currentTime", "operator": "DATE_AFTER", "value": "2020-01-01" }), true),
        (
            serde_json::json!({ "contextName": "currentTime", "operator": "DATE_BEFORE", "value": "2020-01-01T10:00" }),
            false,
        ),
        (serde_json::json!({ "contextName": "tier", "operator": "IN", "values": ["b", "gold\\"] }), true),
        (serde_json::json!({ "contextName": "tier", "operator": "NOT_IN", "values": ["gold\\"] }), false),
        (
            serde_json::json!({ "contextName": "tier", "operator": "STR_ENDS_WITH", "values": ["OLD\\"], "caseInsensitive": true }),
            true,
        ),
        (serde_json::json!({ "contextName": "tier", "operator": "STR_STARTS_WITH", "values": ["old\\"] }), false),
        (serde_json::json!({ "contextName": "tier", "operator": "REGEX", "value": "gold\\\\" }), true),
        (serde_json::json!({ "contextName": "tier", "operator": "REGEX", "value": "gold\\" }), false),
        (serde_json::json!({ "contextName": "price", "operator": "NUM_GT", "value": ".5" }), true),
        (serde_json::json!({ "contextName": "price", "operator": "NUM_GT", "value": " 1 " }), false),
        (serde_json::json!({ "contextName": "price", "operator": "NUM_GT", "value": "five" }), false),
        (serde_json::json!({ "contextName": "price", "operator": "NUM_GT", "value": "five", "inverted": true }), false),
        (serde_json::json!({ "contextName": "price", "operator": "NUM_GT" }), false),
        (serde_json::json!({ "contextName": "quo\"te\\", "operator": "IN", "values": ["x"] }), true),
    ];
    for (json, expected) in cases {
        let constraint = constraint(json);
        let somebody = [("tier", "gold\\"), ("price", "1"), ("quo\"te\\", "x")];
        assert_eq!(holds(&constraint, &somebody), expected, "{constraint:?}");
    }
    let share = |name: &str, parameter: &str, value: &str, group: Option<&str>| {
        let mut strategy: FeatureStrategy = serde_json::from_value(serde_json::json!({
            "name": name, "parameters": { parameter: value },
        }))
        .expect("a strategy");
        if let (Some(group), Some(parameters)) = (group, &mut strategy.parameters) {
            parameters.insert("groupId".to_owned(), group.to_owned());
        }
        let rule = Rule {
            name: "f".to_owned(),
            enabled: true,
            strategies: vec![Condition::of("f", &strategy, [])],
            ..Rule::default()
        };
        let engine = Engine::new([rule], Timestamp::from_millis(0));
        let users = (0..200).map(|user| user.to_string());
        users.filter(|user| engine.is_enabled("f", &asker(&[("userId", user.as_str())]))).collect::<Vec<String>>()
    };
    assert_eq!(share("flexibleRollout", "rollout", "150", None).len(), 200);
    assert_eq!(share("flexibleRollout", "rollout", "-1", None).len(), 0);
    assert_eq!(share("flexibleRollout", "rollout", "half", None).len(), 0);
    assert_eq!(share("flexibleRollout", "rollout", "50", Some("a\"")).len(), 0);
    let half = |group| share("gradualRolloutUserId", "percentage", "50.9", group);
    assert!((60..140).contains(&half(None).len()));
    assert_eq!(half(None), half(Some("")), "SDKs draw without a group where there is none");
}
