//! The groups against one engine that has read all features, asked flag by flag.

use std::collections::BTreeMap;

use flagstone_domain::{
    client_feature::{ClientFeature, ClientSegment, ClientStrategy, Loaded},
    evaluation::Subject,
    feature::Dependency,
};
use flagstone_evaluation::Engine;
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Every operator, with a field and a value that it may hold of.
const OPERATORS: [(&str, &str, &str); 21] = [
    ("IN", "tier", "gold"),
    ("IN", "userId", "12"),
    ("NOT_IN", "tier", "gold"),
    ("STR_CONTAINS", "tier", "IN"),
    ("STR_STARTS_WITH", "tier", "go"),
    ("STR_ENDS_WITH", "userId", "2"),
    ("NUM_EQ", "userId", "7"),
    ("NUM_GT", "userId", "7"),
    ("NUM_GTE", "userId", "7"),
    ("NUM_LT", "userId", "7"),
    ("NUM_LTE", "userId", "7"),
    ("DATE_AFTER", "currentTime", "1970-01-01T00:00:00Z"),
    ("DATE_BEFORE", "currentTime", "1970-01-02T00:00:00Z"),
    ("SEMVER_EQ", "version", "1.2.3"),
    ("SEMVER_GT", "version", "1.2.2"),
    ("SEMVER_GTE", "version", "1.2.3"),
    ("SEMVER_LT", "version", "1.10.0"),
    ("SEMVER_LTE", "version", "v1"),
    ("REGEX", "userId", "^[14]"),
    ("IN_CIDR", "remoteAddress", "10.0.0.0/8"),
    ("OF_TOMORROW", "tier", "gold"),
];

const TYPES: [&str; 10] = [
    "default",
    "flexibleRollout",
    "flexibleRollout",
    "flexibleRollout",
    "userWithId",
    "remoteAddress",
    "applicationHostname",
    "gradualRolloutUserId",
    "gradualRolloutSessionId",
    "custom",
];

/// Of so many features, one has more constraints than can be judged.
const ONE_TOO_LARGE: u32 = 199;

/// A feature that its seed decides about, among so many.
fn feature(number: usize, seed: u32, among: usize) -> ClientFeature {
    let bit = |place: u32| seed >> place & 1 == 1;
    let any = |place: u32, of: &[&str]| of[(seed >> place) as usize % of.len()].to_owned();
    let constraint = |place: u32| {
        let seed = seed.rotate_right(place);
        let (operator, field, value) = OPERATORS[seed as usize % OPERATORS.len()];
        // Some cannot be read, or could not be written as a rule.
        let value = match seed % 16 {
            0 => "unreadable",
            8 => "not one word",
            _ => value,
        };
        let constraint = json!({
            "contextName": field, "operator": operator, "value": value, "values": [value, "nobody"],
            "inverted": bit(place), "caseInsensitive": bit(place + 1),
        });
        serde_json::from_value(constraint).expect("a constraint")
    };
    let variants = json!([
        { "name": "red", "weight": 500, "weightType": "variable", "stickiness": "default" },
        { "name": "blue", "weight": 500, "weightType": "variable", "stickiness": "default" },
    ]);
    let constraints = |place: u32| if seed.is_multiple_of(ONE_TOO_LARGE) { 6000 } else { seed >> (place + 1) & 3 };
    // A context that gets a variant by a rollout has the property that both go by; others may lack one that its
    // variants would go by.
    let stickiness = |place: u32| match any(place, &TYPES) {
        name if name == "flexibleRollout" => any(place, &["userId", "sessionId", "default", "tier"]),
        _ => "default".to_owned(),
    };
    let strategy = |place: u32| ClientStrategy {
        name: any(place, &TYPES),
        constraints: (0..constraints(place)).map(|more| constraint(place + more % 8)).collect(),
        parameters: [
            ("rollout", any(place + 1, &["50", "30", "0", "100", "12.5", "150"])),
            ("stickiness", stickiness(place)),
            ("percentage", any(place + 2, &["40", "many"])),
            ("userIds", "1,12".to_owned()),
            ("IPs", "10.0.0.0/8".to_owned()),
        ]
        .map(|(name, value)| (name.into(), value))
        .into(),
        variants: if bit(place + 2) { serde_json::from_value(variants.clone()).unwrap() } else { vec![] },
        segments: bit(place + 3).then(|| vec![i64::from(seed >> 3 & 3)]),
    };
    let parent = Dependency {
        feature: format!("f{}", seed as usize % among),
        enabled: bit(1).then(|| bit(2)),
        variants: bit(3).then(|| vec!["red".to_owned()]),
    };
    ClientFeature {
        name: format!("f{number}"),
        kind: "release".to_owned(),
        enabled: !seed.is_multiple_of(3),
        project: "shop".to_owned(),
        strategies: (0..seed % 3).map(|place| strategy(4 + 5 * place)).collect(),
        variants: if seed.is_multiple_of(7) { serde_json::from_value(variants.clone()).unwrap() } else { vec![] },
        dependencies: seed.is_multiple_of(5).then(|| vec![parent]),
        ..ClientFeature::default()
    }
}

fn segments(without: i64) -> BTreeMap<i64, ClientSegment> {
    let segment = |id: i64| {
        let constraint = json!({ "contextName": "userId", "operator": "STR_ENDS_WITH", "values": [id.to_string()] });
        (id, ClientSegment { id, constraints: vec![serde_json::from_value(constraint).unwrap()] })
    };
    (0..3).filter(|id| *id != without).map(segment).collect()
}

fn loaded(features: &BTreeMap<usize, u32>, among: usize, without: i64) -> Loaded {
    let mut features: Vec<_> = features.iter().map(|(number, seed)| feature(*number, *seed, among)).collect();
    features.sort_by(|one, other| one.name.cmp(&other.name));
    let features = features.iter().map(|feature| Flag::written(feature, vec![])).collect();
    Loaded { features, segments: segments(without), ..Loaded::default() }
}

fn whole(environment: &Environment, now: Timestamp) -> Engine {
    let segments = environment.segments.iter().map(|(id, segment)| (*id, Some(Arc::clone(segment)))).collect();
    let all = Content { flags: environment.flags().to_vec(), segments };
    let features: Vec<_> = all.flags.iter().map(|flag| flag.feature()).collect();
    Engine::new(features.iter().map(|feature| all.rule(feature)), now)
}

/// Contexts for which chance has no part in the result: each has a property that all variants and rollouts go by.
fn askers(now: Timestamp) -> Vec<Asker> {
    let subject = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Asker::new(&Subject(pairs.collect()), "production", now)
    };
    let people = ["1", "12", "40", "7", ""].into_iter();
    let people = people.flat_map(|user| ["gold", "tin"].map(|tier| subject(&[("userId", user), ("tier", tier)])));
    let sessions =
        [&[("sessionId", "s")][..], &[("sessionId", "t"), ("userId", "3")], &[("sessionId", "u"), ("tier", "")]];
    let others = [
        &[("userId", "21"), ("version", "1.2.3"), ("remoteAddress", "10.1.2.3")][..],
        &[
            ("userId", "7"),
            ("version", "1.3"),
            ("remoteAddress", "192.168.0.1"),
            ("currentTime", "1971-01-01T00:00:00Z"),
        ],
    ];
    people.chain(sessions.map(subject)).chain(others.map(subject)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn groups_that_follow_changes_judge_as_one_engine_that_reads_everything(
        seeds in proptest::collection::vec(any::<u32>(), 100..300),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<Option<u32>>(), -1..3_i64), 1..6),
    ) {
        let now = Timestamp::from_millis(0);
        let among = seeds.len();
        let mut features: BTreeMap<usize, u32> = seeds.into_iter().enumerate().collect();
        let mut environment = Environment::follow(None, loaded(&features, among, -1), 0);
        let mut rules = Unread::new(&environment, None).read(now);
        for (index, seed, without) in changes {
            let number = index.index(among);
            match seed {
                Some(seed) => drop(features.insert(number, seed)),
                None => drop(features.remove(&number)),
            }
            environment = Environment::follow(Some(&environment), loaded(&features, among, without), 0);
            rules = Unread::new(&environment, Some(&rules)).read(now);
            let whole = whole(&environment, now);
            for asker in askers(now) {
                let mut evaluation = rules.evaluate_for(&asker);
                for (place, flag) in environment.flags().iter().enumerate() {
                    let Judgement { is_enabled, variant, .. } = evaluation.judge(place);
                    prop_assert_eq!((is_enabled, variant), whole.judge(&flag.name, &asker), "{:?}", flag);
                }
            }
        }
    }
}

#[test]
fn a_change_touches_its_group_and_those_of_its_children_alone() {
    let now = Timestamp::from_millis(0);
    let mut features: BTreeMap<usize, u32> = (0..1000).map(|number| (number, 1)).collect();
    let first = Environment::follow(None, loaded(&features, 1000, -1), 0);
    let unread = Unread::new(&first, None);
    assert!(unread.is_much());
    let rules = unread.read(now);
    features.insert(500, 16);
    let second = Environment::follow(Some(&first), loaded(&features, 1000, -1), 0);
    let unread = Unread::new(&second, Some(&rules));
    assert_eq!(unread.groups.iter().filter(|group| group.is_err()).count(), 1);
    assert!(!unread.is_much());
    let second_rules = unread.read(now);
    // One that is off for everybody has no part in what is read.
    features.insert(500, 3);
    let third = Environment::follow(Some(&second), loaded(&features, 1000, -1), 0);
    let unread = Unread::new(&third, Some(&second_rules));
    let changed: Vec<_> = unread.groups.iter().filter_map(|group| group.as_ref().err()).collect();
    assert_eq!(changed.len(), 1);
    assert!(changed[0].flags.iter().all(|flag| &*flag.name != "f500"));
}

#[test]
fn the_number_of_groups_stays_as_long_as_it_will_do() {
    assert_eq!([0, 1, 31, 32, 100, 1000, 47_500].map(|features| group_count(features, 0)), [1, 1, 1, 1, 4, 32, 2048]);
    for (features, before, count) in [(130, 1, 4), (128, 1, 1), (8, 1, 1), (7, 1, 1), (300, 32, 32), (250, 32, 8)] {
        assert_eq!(group_count(features, before), count, "{features} after {before}");
    }
}
