//! Rules made up at random, planned, and evaluated for every context of a small world: no context gets what the rules
//! do not give, and where everything could be said exactly, each gets all that they give.

use proptest::prelude::*;

use super::*;
use crate::files::{
    assemble::{Found, assemble},
    comparison::{Comparison, Order, Otherwise, Test},
    condition::Condition,
    flag::{Flag, Outcome, Rule, Rules, Ruling, Served},
};

const TEXTS: [&str; 3] = ["a", "ab", "b"];
const NUMBERS: [&str; 3] = ["1", "2", "3"];

fn comparison() -> impl Strategy<Value = Condition> {
    let texts = || proptest::sample::subsequence(TEXTS.map(str::to_owned).to_vec(), 1..=2);
    let order = || {
        prop_oneof![
            Just(Order::Less),
            Just(Order::AtMost),
            Just(Order::Equal),
            Just(Order::AtLeast),
            Just(Order::Greater)
        ]
    };
    let test = prop_oneof![
        texts().prop_map(|values| ("text", Test::OneOf(values))),
        texts().prop_map(|values| ("text", Test::StartsWith(values))),
        texts().prop_map(|values| ("text", Test::Contains(values))),
        Just(("text", Test::IsThere)),
        (order(), 1..=3_u8).prop_map(|(order, number)| ("number", Test::Number(order, f64::from(number)))),
        proptest::collection::vec(1..=3_u8, 1..3)
            .prop_map(|numbers| ("number", Test::Equals(numbers.into_iter().map(f64::from).collect()))),
        (order(), 1..=3_u8).prop_map(|(order, version)| ("version", Test::Version(order, format!("{version}.0.0")))),
    ];
    let otherwise = prop_oneof![Just(Otherwise::Fails), Just(Otherwise::Unknown)];
    (test, otherwise).prop_map(|((field, test), otherwise)| {
        Condition::Field(Comparison { field: field.to_owned(), test, otherwise })
    })
}

fn condition() -> impl Strategy<Value = Condition> {
    comparison().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Condition::All),
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Condition::Any),
            inner.prop_map(|inner| Condition::Not(Box::new(inner))),
        ]
    })
}

fn served() -> impl Strategy<Value = Served> {
    let value = |name: &str| Served::value(name, &json!(name));
    prop_oneof![Just(Served::Off), Just(value("red")), Just(value("blue"))]
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let rule = (condition(), served()).prop_map(|(when, then)| Rule { title: None, when, then: Outcome::Serve(then) });
    (proptest::collection::vec(rule, 1..5), served()).prop_map(|(mut rules, last)| {
        rules.push(Rule::for_all(Outcome::Serve(last)));
        rules
    })
}

/// Whether a condition holds; `unknown` is what the other product answers where nothing is sure.
fn holds(condition: &Condition, of: &dyn Fn(&str) -> Option<&'static str>, unknown: bool) -> bool {
    let order = |order: Order, by: std::cmp::Ordering| match order {
        Order::Less => by.is_lt(),
        Order::AtMost => by.is_le(),
        Order::Equal => by.is_eq(),
        Order::AtLeast => by.is_ge(),
        Order::Greater => by.is_gt(),
    };
    match condition {
        Condition::All(parts) => parts.iter().all(|part| holds(part, of, unknown)),
        Condition::Any(parts) => parts.iter().any(|part| holds(part, of, unknown)),
        Condition::Not(inner) => !holds(inner, of, unknown),
        Condition::Always => true,
        Condition::Field(comparison) => match (of(&comparison.field), &comparison.test) {
            (value, Test::IsThere) => value.is_some(),
            (None, _) => unknown && comparison.otherwise == Otherwise::Unknown,
            (Some(value), Test::OneOf(values)) => values.iter().any(|text| text == value),
            (Some(value), Test::StartsWith(values)) => values.iter().any(|text| value.starts_with(&**text)),
            (Some(value), Test::Contains(values)) => values.iter().any(|text| value.contains(&**text)),
            (Some(value), Test::Equals(numbers)) => numbers.iter().any(|number| number.to_string() == value),
            (Some(value), Test::Number(by, number)) => {
                order(*by, value.parse::<f64>().expect("a number").total_cmp(number))
            }
            (Some(value), Test::Version(by, version)) => order(*by, value.cmp(version)),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn nobody_gets_what_the_rules_do_not_give(rules in rules()) {
        let flag = Flag {
            key: "flag".to_owned(),
            project: "default".to_owned(),
            environments: vec![("e".to_owned(), Ruling::Rules(Rules { listed: rules.clone(), ..Rules::default() }))],
            ..Flag::default()
        };
        let mut found = Found { flags: vec![flag], ..Found::default() };
        found.environment("e");
        let (set, findings) = assemble("made up", "", found, Timestamp::from_millis(0));
        let exact = findings.is_empty();
        let moved = Moved { set, findings };
        let engine = engine(&moved.set, "e");
        let some = |values: [&'static str; 3]| std::iter::once(None).chain(values.map(Some));
        for text in some(TEXTS) {
            for number in some(NUMBERS) {
                for version in some(["1.0.0", "2.0.0", "3.0.0"]) {
                    let of = |field: &str| match field { "text" => text, "number" => number, _ => version };
                    let pairs: Vec<(&str, &str)> = ["text", "number", "version"]
                        .into_iter().filter_map(|field| Some((field, of(field)?))).collect();
                    let here = engine.get_variant("flag", &context(&pairs), &None);
                    let here = here.feature_enabled.then_some(here.name);
                    for unknown in [false, true] {
                        let rule = rules.iter().find(|rule| holds(&rule.when, &of, unknown)).expect("the last");
                        let there = match &rule.then {
                            Outcome::Serve(Served::Value { name, .. }) => Some(name.clone()),
                            _ => None,
                        };
                        prop_assert!(here.is_none() || here == there, "{pairs:?}: {here:?} here, {there:?} there");
                        prop_assert!(!exact || here == there, "{pairs:?}: {here:?} here, {there:?} there, and not told");
                    }
                }
            }
        }
    }
}
