//! Whether features are on for somebody: the official engine, behind our own words.
//!
//! Nothing else knows the engine. It calls itself experimental, and it takes rules as text: what would leave its place
//! in that text is refused here and counts as false.

mod feature_set;
mod guard;
mod parts;
pub mod playground;

mod shares;

use std::collections::{BTreeMap, HashMap};

use unleash_types::client_features::{self as wire, ClientFeatures};
use unleash_yggdrasil::{EngineState, KNOWN_STRATEGIES, UpdateMessage};

pub use self::{
    feature_set::FeatureSet,
    parts::{PartResults, Parts},
};
use crate::domain::{
    client_feature::{ClientFeature, ClientStrategy},
    constraint::{Constraint, Operator},
    evaluation::Subject,
    feature::Dependency,
    strategy::FeatureStrategy,
    time::Timestamp,
    variant::{FeatureVariant, Payload, PayloadKind, StrategyVariant},
};

/// Whether the engine can judge strategies of this type. Others are known to their own clients alone.
pub fn knows(strategy: &str) -> bool {
    KNOWN_STRATEGIES.contains(&strategy)
}

/// A feature as clients get it.
#[derive(Debug, Clone, Default)]
pub struct Rule<'a> {
    /// Its name.
    pub name: String,
    /// Whether it is on.
    pub enabled: bool,
    /// Its enabled strategies; without any it is on for everybody.
    pub strategies: Vec<Condition<'a>>,
    /// Variants that apply when no strategy has any.
    pub variants: &'a [FeatureVariant],
    /// The features that it depends on.
    pub dependencies: &'a [Dependency],
}

impl<'a> Rule<'a> {
    /// A feature as programs get it. A strategy with a segment that is not there holds for nobody.
    pub fn of_client(feature: &'a ClientFeature, segment: impl Fn(i64) -> Option<&'a [Constraint]>) -> Self {
        let strategies = feature.strategies.iter().map(|strategy| {
            let segments: Option<Vec<_>> = strategy.segments.iter().flatten().map(|id| segment(*id)).collect();
            segments.map_or_else(Condition::never, |segments| {
                Condition::of_client(&feature.name, strategy, segments.into_iter().flatten())
            })
        });
        Self {
            name: feature.name.clone(),
            enabled: feature.enabled,
            strategies: strategies.collect(),
            variants: &feature.variants,
            dependencies: feature.dependencies.as_deref().unwrap_or_default(),
        }
    }
}

/// A strategy as clients get it, its segments written out.
#[derive(Debug, Clone)]
pub struct Condition<'a> {
    /// Name of the strategy type.
    pub name: &'a str,
    /// Parameters of the strategy type.
    pub parameters: BTreeMap<&'a str, &'a str>,
    /// Conditions that must all hold.
    pub constraints: Vec<&'a Constraint>,
    /// Variants that it gives.
    pub variants: &'a [StrategyVariant],
}

impl<'a> Condition<'a> {
    /// A strategy that holds whenever these constraints do.
    pub fn only(constraints: impl IntoIterator<Item = &'a Constraint>) -> Self {
        let constraints = constraints.into_iter().collect();
        Self { name: "default", parameters: BTreeMap::new(), constraints, variants: &[] }
    }

    /// A strategy that holds for nobody: no user is named.
    pub fn never() -> Self {
        Self { name: "userWithId", ..Self::only([]) }
    }

    /// A strategy of the feature with this name, with the constraints of its segments.
    pub fn of(
        feature: &'a str,
        strategy: &'a FeatureStrategy,
        segments: impl IntoIterator<Item = &'a Constraint>,
    ) -> Self {
        let parameters = strategy.parameters.iter().flatten();
        let condition = Self {
            name: &strategy.name,
            parameters: parameters.map(|(name, value)| (&**name, &**value)).collect(),
            constraints: strategy.constraints.iter().flatten().chain(segments).collect(),
            variants: strategy.variants.as_deref().unwrap_or_default(),
        };
        condition.grouped(feature)
    }

    /// A strategy of the feature with this name as programs get it, with the constraints of its segments.
    fn of_client(
        feature: &'a str,
        strategy: &'a ClientStrategy,
        segments: impl IntoIterator<Item = &'a Constraint>,
    ) -> Self {
        let condition = Self {
            name: &strategy.name,
            parameters: strategy.parameters.iter().map(|(name, value)| (&**name, &**value)).collect(),
            constraints: strategy.constraints.iter().chain(segments).collect(),
            variants: &strategy.variants,
        };
        condition.grouped(feature)
    }

    /// Says that users fall into the shares of its feature where the strategy does not say whose. Left to itself the
    /// engine takes the feature that it was asked about, which for the strategy of a parent is the child.
    fn grouped(mut self, feature: &'a str) -> Self {
        if guard::stays_in_quotes(feature) {
            self.parameters.entry("groupId").or_insert(feature);
        }
        self
    }
}

/// The variant for a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Name of the variant.
    pub name: String,
    /// Extra data for clients.
    pub payload: Option<Payload>,
}

impl Choice {
    /// Name and extra data, where a variant is given and it has any.
    pub fn parts(given: Option<Self>) -> (Option<String>, Option<Payload>) {
        given.map_or((None, None), |choice| (Some(choice.name), choice.payload))
    }
}

/// Features, ready to be judged.
pub struct Engine(EngineState);

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engine")
    }
}

impl Engine {
    /// Reads the rules. One that the engine cannot read, or that is too large to be judged, holds
    /// for nobody.
    pub fn new<'a>(rules: impl IntoIterator<Item = Rule<'a>>, now: Timestamp) -> Self {
        Self::read(rules.into_iter().map(feature).collect(), now)
    }

    fn read(features: Vec<wire::ClientFeature>, now: Timestamp) -> Self {
        let started = chrono::DateTime::from_timestamp_millis(now.millis()).unwrap_or_default();
        let engine = EngineState::initial_state(started);
        let state = ClientFeatures { version: 2, features, segments: None, query: None, meta: None };
        for warning in engine.take_state(UpdateMessage::FullResponse(state)).into_iter().flatten() {
            tracing::debug!(feature = warning.toggle_name, message = warning.message, "a rule cannot be read");
        }
        Self(engine)
    }

    /// Whether a feature is on for somebody; false for unknown ones.
    pub fn is_enabled(&self, name: &str, subject: &Asker) -> bool {
        self.0.is_enabled(name, &subject.0, &None)
    }

    /// The variant of a feature that somebody gets; none when it is off for them or has no variants.
    pub fn choose(&self, name: &str, subject: &Asker) -> Option<Choice> {
        self.judge(name, subject).1
    }

    /// Both at once: where chance decides, asking for one after the other may draw twice.
    pub fn judge(&self, name: &str, subject: &Asker) -> (bool, Option<Choice>) {
        self.judge_told(name, subject, None)
    }

    /// The same, where of the feature's strategies of types that the engine does not judge the one at this place holds.
    fn judge_told(&self, name: &str, subject: &Asker, held: Option<usize>) -> (bool, Option<Choice>) {
        let told = held.map(|place| HashMap::from([(format!("customStrategy{}", place + 1), true)]));
        let variant = self.0.get_variant(name, &subject.0, &told);
        let payload = variant.payload.map(|payload| {
            let kind = serde_json::from_value(payload.payload_type.into()).unwrap_or(PayloadKind::String);
            Payload { kind, value: payload.value }
        });
        (variant.feature_enabled, variant.enabled.then_some(Choice { name: variant.name, payload }))
    }
}

/// Somebody who asks, as the engine knows them.
#[derive(Debug)]
pub struct Asker(wire::Context);

impl Asker {
    /// Somebody who asks in an environment; at `now`, unless the context says another time.
    pub fn new(subject: &Subject, environment: &str, now: Timestamp) -> Self {
        let mut properties: HashMap<String, String> =
            subject.0.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        properties.remove("environment");
        let mut take = |name: &str| properties.remove(name);
        let context = wire::Context {
            user_id: take("userId"),
            session_id: take("sessionId"),
            app_name: take("appName"),
            remote_address: take("remoteAddress"),
            current_time: Some(take("currentTime").unwrap_or_else(|| now.to_string())),
            environment: Some(environment.to_owned()),
            properties: None,
        };
        Self(wire::Context { properties: Some(properties), ..context })
    }
}

fn feature(rule: Rule<'_>) -> wire::ClientFeature {
    // A strategy that nobody can read makes the feature one that is off, as it does in clients.
    let (strategies, parents) = if guard::admits(&rule) {
        (rule.strategies.iter().map(strategy).collect(), rule.dependencies)
    } else {
        // One parent is enough to make it no parent itself.
        (vec![strategy(&Condition::never())], rule.dependencies.get(..1).unwrap_or_default())
    };
    wire::ClientFeature {
        name: rule.name,
        enabled: rule.enabled,
        strategies: Some(strategies),
        variants: Some(variants(rule.variants)),
        dependencies: Some(parents.iter().map(dependency).collect()),
        ..wire::ClientFeature::default()
    }
}

fn dependency(dependency: &Dependency) -> wire::FeatureDependency {
    wire::FeatureDependency {
        feature: dependency.feature.clone(),
        enabled: dependency.enabled,
        variants: dependency.variants.clone(),
    }
}

fn strategy(condition: &Condition<'_>) -> wire::Strategy {
    let parameters = condition.parameters.iter();
    wire::Strategy {
        name: condition.name.to_owned(),
        sort_order: None,
        segments: None,
        constraints: Some(condition.constraints.iter().copied().map(constraint).collect()),
        parameters: Some(parameters.map(|(name, value)| ((*name).to_owned(), shares::whole(name, value))).collect()),
        variants: Some(strategy_variants(condition.variants)),
    }
}

fn constraint(constraint: &Constraint) -> wire::Constraint {
    let is_empty = constraint.values.as_ref().is_none_or(Vec::is_empty);
    // The engine reads no other empty list: among no values is nobody, as nobody contains one of none.
    let operator = if is_empty && constraint.operator.needs_values() { Operator::In } else { constraint.operator };
    let name = serde_json::to_value(operator).unwrap_or_default();
    let operator = serde_json::from_value(name).unwrap_or_else(|_| wire::Operator::Unknown(String::new()));
    wire::Constraint {
        context_name: constraint.context_name.clone(),
        operator,
        case_insensitive: constraint.case_insensitive.unwrap_or_default(),
        inverted: constraint.inverted.unwrap_or_default(),
        values: constraint.values.clone(),
        value: constraint.value.clone(),
    }
}

/// The engine cannot choose among variants that weigh nothing together.
fn weigh_anything(mut weights: impl Iterator<Item = i32>) -> bool {
    weights.any(|weight| weight > 0)
}

fn strategy_variants(variants: &[StrategyVariant]) -> Vec<wire::StrategyVariant> {
    let variants: Vec<_> = variants
        .iter()
        .map(|variant| wire::StrategyVariant {
            name: variant.name.clone(),
            weight: weight(Some(variant.weight)),
            payload: variant.payload.as_ref().map(payload),
            stickiness: Some(variant.stickiness.clone()),
        })
        .collect();
    if weigh_anything(variants.iter().map(|variant| variant.weight)) { variants } else { Vec::new() }
}

fn variants(variants: &[FeatureVariant]) -> Vec<wire::Variant> {
    let variants: Vec<_> = variants
        .iter()
        .map(|variant| wire::Variant {
            name: variant.name.clone(),
            weight: weight(variant.weight.whole()),
            weight_type: None,
            stickiness: variant.stickiness.clone(),
            payload: variant.payload.as_ref().map(payload),
            overrides: variant.overrides.as_ref().map(|overrides| {
                let of = |one: &crate::domain::variant::VariantOverride| wire::Override {
                    context_name: one.context_name.clone(),
                    values: one.values.clone(),
                };
                overrides.iter().map(of).collect()
            }),
        })
        .collect();
    if weigh_anything(variants.iter().map(|variant| variant.weight)) { variants } else { Vec::new() }
}

fn weight(weight: Option<i64>) -> i32 {
    weight.and_then(|weight| i32::try_from(weight.clamp(0, 1000)).ok()).unwrap_or_default()
}

fn payload(payload: &Payload) -> wire::Payload {
    let kind = serde_json::to_value(payload.kind).unwrap_or_default();
    wire::Payload { payload_type: kind.as_str().unwrap_or_default().to_owned(), value: payload.value.clone() }
}

#[cfg(test)]
mod tests;
