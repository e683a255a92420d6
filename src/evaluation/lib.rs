//! Evaluation of features for a context: the official engine, behind our own words.
//!
//! Nothing else knows the engine. It calls itself experimental, and it takes rules as text, all strategies of a feature
//! in one: a strategy that it cannot read is replaced here by one that never holds, so that the others hold.
//!
//! Lines of the log have targets below `flagstone::evaluation`: operators choose them by the part of the program, and not
//! by the crate that it is made of.

mod feature_set;
mod guard;
pub mod impact;
mod parts;
pub mod playground;
mod translation;

use std::collections::{BTreeMap, HashMap};

use flagstone_domain::{
    client_feature::{ClientFeature, ClientStrategy},
    constraint::Constraint,
    evaluation::{CURRENT_TIME, Subject},
    feature::Dependency,
    opaque_debug,
    strategy::{FeatureStrategy, StrategyFault, evaluable, parameters},
    time::Timestamp,
    variant::{FeatureVariant, Payload, PayloadKind, StrategyVariant},
};
use unleash_types::client_features::{self as wire, ClientFeatures};
use unleash_yggdrasil::{EngineState, KNOWN_STRATEGIES, UpdateMessage};

pub use self::{
    feature_set::FeatureSet,
    parts::{PartResults, Parts},
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
    /// Its enabled strategies; without any it is on for all.
    pub strategies: Vec<Condition<'a>>,
    /// Variants that apply when no strategy has any.
    pub variants: &'a [FeatureVariant],
    /// The features that it depends on.
    pub dependencies: &'a [Dependency],
}

impl<'a> Rule<'a> {
    /// A feature as programs get it. A strategy with a segment that is not there never holds.
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

    /// A strategy that never holds: it names no user.
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

    /// Says which group of people is drawn from where the strategy does not. Left to itself the engine takes the feature
    /// that it was asked about, which for the strategy of a parent is the child. Rollouts by one id have no group then, in
    /// all SDKs that hold them.
    fn grouped(mut self, feature: &'a str) -> Self {
        if self.name.starts_with("gradualRollout") {
            self.parameters.entry("groupId").or_insert("");
        } else if !feature.contains('"') && !feature.ends_with('\\') {
            self.parameters.entry("groupId").or_insert(feature);
        }
        self
    }

    /// Checks that the engine can evaluate the strategy. One that it cannot evaluate never holds.
    pub fn evaluable(&self) -> Result<(), StrategyFault> {
        evaluable(self.name, |name| self.parameters.get(name).copied(), self.constraints.iter().copied())
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

opaque_debug!(Engine);

impl Engine {
    /// Reads the rules. One that the engine cannot read, or that is too large to be judged, holds
    /// for nobody.
    pub fn new<'a>(rules: impl IntoIterator<Item = Rule<'a>>, now: Timestamp) -> Self {
        Self::read(rules.into_iter().map(translation::feature).collect(), now)
    }

    fn read(features: Vec<wire::ClientFeature>, now: Timestamp) -> Self {
        let started = chrono::DateTime::from_timestamp_millis(now.millis()).unwrap_or_default();
        let engine = EngineState::initial_state(started);
        let state = ClientFeatures { version: 2, features, segments: None, query: None, meta: None };
        for warning in engine.take_state(UpdateMessage::FullResponse(state)).into_iter().flatten() {
            tracing::debug!(
                target: "flagstone::evaluation",
                feature = warning.toggle_name,
                message = warning.message,
                "a rule cannot be read"
            );
        }
        Self(engine)
    }

    /// Whether a feature is on for a context; false for unknown ones.
    pub fn is_enabled(&self, name: &str, subject: &Asker) -> bool {
        self.0.is_enabled(name, &subject.0, &None)
    }

    /// Returns the variant of a feature for a context; none when it is off for it or has no variants.
    pub fn choose(&self, name: &str, subject: &Asker) -> Option<Choice> {
        self.judge(name, subject).1
    }

    /// Both at once: where chance decides, asking for one after the other may draw twice.
    pub fn judge(&self, name: &str, subject: &Asker) -> (bool, Option<Choice>) {
        self.judge_told(name, subject, &None)
    }

    /// Judges a feature, with the results of strategies of types that the engine does not judge.
    #[expect(clippy::ref_option, reason = "the engine takes it so")]
    fn judge_told(&self, name: &str, subject: &Asker, told: &Option<HashMap<String, bool>>) -> (bool, Option<Choice>) {
        let variant = self.0.get_variant(name, &subject.0, told);
        let payload = variant.payload.map(|payload| {
            let kind = serde_json::from_value(payload.payload_type.into()).unwrap_or(PayloadKind::String);
            Payload { kind, value: payload.value }
        });
        (variant.feature_enabled, variant.enabled.then_some(Choice { name: variant.name, payload }))
    }
}

/// Evaluation context in the form of the engine.
#[derive(Debug)]
pub struct Asker(wire::Context);

impl Asker {
    /// Makes the context of an evaluation in an environment; at `now`, unless the context says another time.
    pub fn new(subject: &Subject, environment: &str, now: Timestamp) -> Self {
        let mut properties: HashMap<String, String> =
            subject.0.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        properties.remove("environment");
        // Names that a rule cannot hold are looked for under others.
        let renamed = subject.0.iter().filter(|(name, _)| !parameters::stays_in_quotes(name));
        properties.extend(renamed.map(|(name, value)| (translation::field_name(name).into_owned(), value.clone())));
        let mut take = |name: &str| properties.remove(name);
        let context = wire::Context {
            user_id: take("userId"),
            session_id: take("sessionId"),
            app_name: take("appName"),
            remote_address: take("remoteAddress"),
            current_time: Some(take(CURRENT_TIME).filter(|at| !at.is_empty()).unwrap_or_else(|| now.to_string())),
            environment: Some(environment.to_owned()),
            properties: None,
        };
        Self(wire::Context { properties: Some(properties), ..context })
    }
}

#[cfg(test)]
mod tests;
