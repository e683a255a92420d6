//! Whether features are on: the engine, what browsers are told, which asks it as little as it can, and the playground,
//! which judges piece by piece.

use std::{
    collections::{BTreeMap, HashSet},
    sync::LazyLock,
};

use flagstone::{
    domain::{
        constraint::{Constraint, ConstraintFault},
        evaluation::{ConfiguredFeature, KnownSegment, Subject},
        feature::Dependency,
        naming::is_url_friendly,
        strategy::FeatureStrategy,
        time::Timestamp,
        variant::FeatureVariant,
    },
    evaluation::{Asker, Condition, Engine, FeatureSet, Parts, Rule, playground::Playground},
};
use serde::Deserialize;
use serde_json::Value;

use crate::document::{document, seeds};

/// Features, segments, and the context of an evaluation. What does not fit is left out piece by piece, so that the rest
/// counts.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Given {
    features: Vec<Value>,
    segments: Vec<Value>,
    context: BTreeMap<String, Value>,
}

fn list<T: serde::de::DeserializeOwned>(value: &Value) -> Vec<T> {
    value.as_array().into_iter().flatten().filter_map(|item| serde_json::from_value(item.clone()).ok()).collect()
}

/// Whether a constraint may be stored: those that came with an import may lack values.
fn is_stored(constraint: &Constraint) -> bool {
    matches!(constraint.check(), Ok(()) | Err(ConstraintFault::NoValues))
}

impl Given {
    fn segments(&self) -> Vec<KnownSegment> {
        let constraints = |segment: &Value| {
            let mut constraints = list::<Constraint>(&segment["constraints"]);
            constraints.retain(is_stored);
            constraints
        };
        let segments = (1..).zip(&self.segments);
        segments
            .map(|(id, segment)| KnownSegment { id, name: id.to_string(), constraints: constraints(segment) })
            .collect()
    }

    /// Features have names of their own that fit in an address, and strategies sound constraints and segments that
    /// exist: nothing else is stored.
    fn features(&self, segments: &[KnownSegment]) -> Vec<ConfiguredFeature> {
        let mut names = HashSet::new();
        let mut features = Vec::new();
        for given in &self.features {
            let name = given["name"].as_str().unwrap_or_default().to_owned();
            if !is_url_friendly(&name) || !names.insert(name.clone()) {
                continue;
            }
            let mut strategies: Vec<FeatureStrategy> = list(&given["strategies"]);
            for constraints in strategies.iter_mut().filter_map(|strategy| strategy.constraints.as_mut()) {
                constraints.retain(is_stored);
            }
            for ids in strategies.iter_mut().filter_map(|strategy| strategy.segments.as_mut()) {
                ids.retain(|id| segments.iter().any(|segment| Some(segment.id) == id.whole()));
            }
            features.push(ConfiguredFeature {
                name,
                project: "shop".to_owned(),
                enabled: given["enabled"] != false,
                strategies,
                variants: list::<FeatureVariant>(&given["variants"]),
                dependencies: list::<Dependency>(&given["dependencies"]),
            });
        }
        features
    }

    fn subject(&self) -> Subject {
        let mut subject = Subject::default();
        for (name, value) in [("userId", "7"), ("sessionId", "s")] {
            subject.know(name, value.to_owned()).expect("short");
        }
        for (name, value) in &self.context {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let _ = subject.know(name, text);
        }
        subject
    }
}

/// The rule as browsers are answered with it.
fn rule<'a>(feature: &'a ConfiguredFeature, segments: &'a [KnownSegment]) -> Rule<'a> {
    let is_disabled =
        |strategy: &&FeatureStrategy| strategy.disabled.as_ref().and_then(|disabled| disabled.0) == Some(true);
    let strategies = feature.strategies.iter().filter(|strategy| !is_disabled(strategy));
    let condition = |strategy: &'a FeatureStrategy| {
        let ids = strategy.segments.iter().flatten().filter_map(|id| id.whole());
        let used = ids.filter_map(|id| segments.iter().find(|segment| segment.id == id));
        Condition::of(&feature.name, strategy, used.flat_map(|segment| &segment.constraints))
    };
    Rule {
        name: feature.name.clone(),
        enabled: feature.enabled,
        strategies: strategies.map(condition).collect(),
        variants: &feature.variants,
        dependencies: &feature.dependencies,
    }
}

/// Whether chance has a say, so that two judgements may differ.
fn is_drawn(features: &[ConfiguredFeature]) -> bool {
    let sticks = |stickiness: Option<&str>| matches!(stickiness, None | Some("default" | "userId" | "sessionId"));
    features.iter().any(|feature| {
        feature.variants.iter().any(|variant| !sticks(variant.stickiness.as_deref()))
            || feature.strategies.iter().any(|strategy| {
                let stickiness = strategy.parameters.iter().flatten().find(|(name, _)| *name == "stickiness");
                strategy.name == "gradualRolloutRandom"
                    || stickiness.is_some_and(|(_, stickiness)| stickiness == "random")
                    || strategy.variants.iter().flatten().any(|variant| !sticks(Some(&variant.stickiness)))
            })
    })
}

/// All say the same of everybody, and nothing stops any of them.
pub fn all_who_judge_agree(input: &[u8]) {
    static SEEDS: LazyLock<Vec<Value>> = LazyLock::new(|| seeds("evaluation"));
    let Ok(given) = serde_json::from_value::<Given>(document(input, &SEEDS)) else { return };
    let now = Timestamp::from_millis(1_768_478_400_000);
    let (segments, subject) = (given.segments(), given.subject());
    let features = given.features(&segments);
    let rules = || features.iter().map(|feature| rule(feature, &segments));
    let engine = Engine::new(rules(), now);
    let mut parts = Parts::default();
    let feature_set = FeatureSet::new(rules(), &mut parts, now);
    let playground = Playground::new("production", &features, &segments, now);
    let asker = Asker::new(&subject, "production", now);
    let outcomes = playground.judge(&subject);
    assert_eq!(outcomes.len(), features.len());
    let is_drawn = is_drawn(&features);
    let mut results = parts.evaluate_for(&asker);
    for (place, outcome) in outcomes.into_iter().enumerate() {
        let name = &outcome.feature.name;
        assert_eq!(*name, features[place].name);
        let (is_enabled, variant) = engine.judge(name, &asker);
        let told = feature_set.judge(place, name, &mut results);
        if is_drawn {
            continue;
        }
        assert_eq!(engine.is_enabled(name, &asker), is_enabled, "{name:?}");
        assert_eq!(told, (is_enabled, variant.clone()), "{:#?}", outcome.feature);
        assert_eq!((outcome.is_enabled, &outcome.variant), (is_enabled, &variant), "{:#?}", outcome.feature);
    }
}
