use flagstone_domain::{constraint::Constraint, evaluation::Subject, feature::Dependency, variant::StrategyVariant};
use serde_json::{Value, json};

use super::*;

fn rollout(parameters: &Value, constraints: &Value) -> Value {
    json!({ "name": "flexibleRollout", "parameters": parameters, "constraints": constraints })
}

fn everybody(constraints: &Value) -> Value {
    rollout(&json!({ "rollout": "100", "stickiness": "default", "groupId": "g" }), constraints)
}

fn precompiled(known: &mut Parts, strategies: &Value, parents: &Value) -> Precompiled {
    let feature =
        json!({ "name": "f", "enabled": true, "strategies": strategies, "dependencies": parents, "variants": [] });
    Precompiled::of(&serde_json::from_value(feature).expect("a feature"), false, known)
}

/// The parts of each strategy, and whether it holds for all who meet them; `None` is left to the engine.
fn compiled(known: &mut Parts, strategies: &Value) -> Option<Vec<(Vec<usize>, bool)>> {
    match precompiled(known, strategies, &json!([])) {
        Precompiled::Unknown => None,
        Precompiled::Strategies { compiled, .. } => {
            Some(compiled.iter().map(|strategy| (strategy.parts.to_vec(), strategy.share.is_everybody())).collect())
        }
    }
}

#[test]
fn what_needs_no_asker_is_settled_before_anybody_asks() {
    let known = &mut Parts::default();
    let nobody = rollout(&json!({ "rollout": "0", "stickiness": "userId", "groupId": "g" }), &json!([]));
    assert_eq!(compiled(known, &json!([])), Some(vec![(vec![], true)]));
    assert_eq!(compiled(known, &json!([everybody(&json!([]))])), Some(vec![(vec![], true)]));
    assert_eq!(compiled(known, &json!([nobody])), Some(vec![]));
}

#[test]
fn a_constraint_of_several_strategies_is_one() {
    let known = &mut Parts::default();
    let one = json!({ "contextName": "userId", "operator": "IN", "values": ["1"] });
    let two = json!({ "contextName": "country", "operator": "STR_CONTAINS", "values": ["a"], "inverted": true });
    let half = json!({ "rollout": "50", "stickiness": "sessionId", "groupId": "g" });
    let strategies = json!([everybody(&json!([one, two])), rollout(&half, &json!([two]))]);
    assert_eq!(compiled(known, &strategies), Some(vec![(vec![0, 1], true), (vec![1], false)]));
    // Of another feature, too.
    assert_eq!(compiled(known, &json!([everybody(&json!([two]))])), Some(vec![(vec![1], true)]));
}

#[test]
fn a_strategy_of_another_type_is_a_part_as_a_constraint_is() {
    let known = &mut Parts::default();
    let half = |stickiness: &str| json!({ "rollout": "50", "stickiness": stickiness, "groupId": "g" });
    let constraint = json!({ "contextName": "userId", "operator": "IN", "values": ["1"] });
    let users = json!({ "name": "userWithId", "parameters": { "userIds": "1" } });
    let strategies = json!([rollout(&half("tenantId"), &json!([constraint])), users]);
    assert_eq!(compiled(known, &strategies), Some(vec![(vec![0, 1], true), (vec![2], true)]));
    assert_eq!(compiled(known, &json!([users])), Some(vec![(vec![2], true)]));
}

#[test]
fn a_strategy_that_cannot_be_read_holds_for_nobody_and_leaves_its_neighbours_alone() {
    let known = &mut Parts::default();
    let version = json!({ "contextName": "v", "operator": "SEMVER_EQ", "value": "one" });
    for strategy in [
        everybody(&json!([version])),
        rollout(&json!({ "rollout": "0", "groupId": "g" }), &json!([version])),
        rollout(&json!({ "rollout": "101", "groupId": "g" }), &json!([])),
    ] {
        assert_eq!(compiled(known, &json!([strategy])), Some(vec![]), "{strategy}");
        assert_eq!(
            compiled(known, &json!([everybody(&json!([])), strategy])),
            Some(vec![(vec![], true)]),
            "{strategy}"
        );
    }
}

#[test]
fn what_the_engine_alone_can_judge_is_left_to_it() {
    let known = &mut Parts::default();
    for strategy in [
        rollout(&json!({ "rollout": "50", "stickiness": "random", "groupId": "g" }), &json!([])),
        rollout(&json!({ "rollout": "50" }), &json!([])),
        json!({ "name": "gradualRolloutRandom", "parameters": { "percentage": "50" } }),
    ] {
        assert_eq!(compiled(known, &json!([everybody(&json!([])), strategy])), None, "{strategy}");
    }
    let parents = json!([{ "feature": "parent" }]);
    assert!(matches!(precompiled(known, &json!([everybody(&json!([]))]), &parents), Precompiled::Unknown));
}

/// Returns the outcomes of 120 evaluations of one context: more than one are chance.
fn outcomes(judge: &mut dyn FnMut() -> (bool, Option<Choice>)) -> BTreeSet<(bool, Option<String>)> {
    (0..120).map(|_| judge()).map(|(is_on, variant)| (is_on, variant.map(|variant| variant.name))).collect()
}

#[test]
fn chance_decides_where_it_does_in_the_engine() {
    let now = Timestamp::from_millis(0);
    let is_gold: Constraint =
        serde_json::from_value(json!({ "contextName": "tier", "operator": "IN", "values": ["gold"] })).unwrap();
    let variants: Vec<StrategyVariant> = serde_json::from_value(json!([
        { "name": "red", "weight": 500, "weightType": "variable", "stickiness": "default" },
        { "name": "blue", "weight": 500, "weightType": "variable", "stickiness": "default" },
    ]))
    .unwrap();
    let of = |stickiness: &'static str, share: &'static str, gold: bool, has_variants: bool| Condition {
        name: "flexibleRollout",
        parameters: [("rollout", share), ("stickiness", stickiness), ("groupId", "g")].into(),
        constraints: gold.then_some(&is_gold).into_iter().collect(),
        variants: if has_variants { &variants } else { &[] },
    };
    let mut rules = Vec::new();
    for stickiness in ["default", "random", "userId"] {
        for share in ["0", "50", "100"] {
            for gold in [false, true] {
                for has_variants in [false, true] {
                    let strategies = vec![of(stickiness, share, gold, has_variants), of("default", "50", !gold, false)];
                    let name = format!("{stickiness}-{share}-{gold}-{has_variants}");
                    rules.push(Rule { strategies: strategies[..1].into(), ..on(name.clone()) });
                    rules.push(Rule { strategies, ..on(format!("{name}-or-half")) });
                }
            }
        }
    }
    let mut parts = Parts::default();
    let features = FeatureSet::new(rules.iter().cloned(), &mut parts, now);
    let whole = Engine::new(rules.iter().cloned(), now);
    let tiers = [&[][..], &[("tier", "gold")]];
    for pairs in tiers.into_iter().flat_map(|tier| [tier.to_vec(), [tier, &[("userId", "7")]].concat()]) {
        let subject = Subject(pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect());
        let asker = Asker::new(&subject, "production", now);
        for (place, rule) in rules.iter().enumerate() {
            let ours = outcomes(&mut || features.judge(place, &rule.name, &mut parts.evaluate_for(&asker)));
            assert_eq!(ours, outcomes(&mut || whole.judge(&rule.name, &asker)), "{} {pairs:?}", rule.name);
        }
    }
}

#[test]
fn people_are_drawn_by_the_hash_of_the_engine() {
    for name in ["", "g", "go", "group", "größer", "a: b"] {
        for id in ["", "7", "ada", "zoë", "somebody@example.com"] {
            let ours = group(name).with(id.as_bytes()).drawn(PEOPLE.into());
            let theirs = unleash_yggdrasil::strategy_parsing::normalized_hash(name, id, PEOPLE.into(), SEED);
            assert_eq!(ours, theirs.expect("a hash"), "{name}:{id}");
        }
    }
}

fn on<'a>(name: String) -> Rule<'a> {
    Rule { name, enabled: true, ..Rule::default() }
}

#[test]
fn chance_lets_in_as_many_as_the_strategy_says() {
    let strategy = Condition {
        name: "flexibleRollout",
        parameters: [("rollout", "30"), ("groupId", "g")].into(),
        ..Condition::only([])
    };
    let mut parts = Parts::default();
    let rule = Rule { strategies: vec![strategy], ..on("f".to_owned()) };
    let features = FeatureSet::new([rule], &mut parts, Timestamp::from_millis(0));
    assert!(features.engine.is_none());
    let asker = Asker::new(&Subject::default(), "production", Timestamp::from_millis(0));
    let mut results = parts.evaluate_for(&asker);
    let let_in = (0..10_000).filter(|_| features.judge(0, "f", &mut results).0).count();
    // Eight times as far from 3,000 as chance usually goes.
    assert!((2_600..3_400).contains(&let_in), "{let_in}");
}

#[test]
fn the_engine_reads_only_what_it_judges() {
    let parents = [Dependency { feature: "parent".to_owned(), enabled: None, variants: None }];
    let rules = [
        on("plain".to_owned()),
        on("parent".to_owned()),
        Rule { dependencies: &parents, ..on("child".to_owned()) },
        Rule { dependencies: &parents, name: "off".to_owned(), ..Rule::default() },
    ];
    let mut parts = Parts::default();
    let features = FeatureSet::new(rules, &mut parts, Timestamp::from_millis(0));
    let asker = Asker::new(&Subject::default(), "production", Timestamp::from_millis(0));
    let judged = ["plain", "parent", "child", "off"].into_iter().enumerate();
    let judged = judged.map(|(place, name)| features.judge(place, name, &mut parts.evaluate_for(&asker)).0);
    assert_eq!(judged.collect::<Vec<_>>(), [true, true, true, false]);
    let engine = features.engine.expect("has something to judge");
    let known = ["plain", "parent", "child", "off"].map(|name| engine.is_enabled(name, &asker));
    assert_eq!(known, [false, true, true, false]);
}
