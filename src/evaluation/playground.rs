//! Evaluation of features piece by piece, to show why they are on or off for a context.
//!
//! The engine decides whether a feature is on and returns nothing more. So each strategy, each constraint and each list
//! of variants becomes a rule of its own. What is random is drawn once, so that the pieces agree with the whole.

use std::collections::{HashMap, HashSet};

use flagstone_domain::{
    constraint::Constraint,
    evaluation::{ConfiguredFeature, KnownSegment, Subject, Verdict},
    strategy::{FeatureStrategy, StrategyFault},
    time::Timestamp,
};

use crate::{
    Asker, Choice, Condition, Engine, Rule, guard, knows,
    translation::{weigh_anything, weight},
};

/// The features of one environment, ready to be judged piece by piece.
#[derive(Debug)]
pub struct Playground<'a> {
    environment: &'a str,
    features: &'a [ConfiguredFeature],
    segments: HashMap<i64, &'a KnownSegment>,
    /// Places of the features whose rules the engine cannot be given as a whole: they are off.
    refused: HashSet<usize>,
    /// Names of the features that others depend on.
    parents: HashSet<&'a str>,
    pieces: Engine,
    variants: Engine,
    now: Timestamp,
}

/// Evaluation of the features of a [`Playground`] for one context.
///
/// What others depend on is judged at once, and only once: where chance decides, a child and its parent agree.
#[derive(Debug)]
pub struct PlaygroundFor<'p, 'a> {
    playground: &'p Playground<'a>,
    asker: Asker,
    /// Outcomes of the features that others depend on, as if they themselves depended on nothing.
    parents: HashMap<&'a str, FeatureOutcome<'a>>,
}

/// Result of one feature for one context.
#[derive(Debug, Clone)]
pub struct FeatureOutcome<'a> {
    /// The feature.
    pub feature: &'a ConfiguredFeature,
    /// Whether the feature is on.
    pub is_enabled: bool,
    /// Whether a feature that it depends on keeps it off.
    pub lacks_parent: bool,
    /// Result of its strategies together.
    pub verdict: Verdict,
    /// Its strategies, in their order.
    pub strategies: Vec<StrategyOutcome<'a>>,
    /// The variant that the subject gets.
    pub variant: Option<Choice>,
    /// The strategy whose variants are chosen from, if it has any.
    pub decisive: Option<usize>,
}

/// Result of one strategy.
#[derive(Debug, Clone)]
pub struct StrategyOutcome<'a> {
    /// The strategy.
    pub strategy: &'a FeatureStrategy,
    /// Its result.
    pub verdict: Verdict,
    /// Whether the engine could judge it.
    pub is_complete: bool,
    /// Reason why it never holds, where it cannot be evaluated.
    pub fault: Option<StrategyFault>,
    /// Its constraints, and whether each holds.
    pub constraints: Vec<(&'a Constraint, bool)>,
    /// Its segments, and whether each constraint of them holds.
    pub segments: Vec<(&'a KnownSegment, Vec<(&'a Constraint, bool)>)>,
    /// The variant that it gives.
    pub variant: Option<Choice>,
}

impl<'a> Playground<'a> {
    /// Reads the features of an environment. What they depend on must be among them.
    pub fn new(
        environment: &'a str,
        features: &'a [ConfiguredFeature],
        segments: &'a [KnownSegment],
        now: Timestamp,
    ) -> Self {
        let segments: HashMap<i64, &KnownSegment> = segments.iter().map(|segment| (segment.id, segment)).collect();
        let refused = refused(features, &segments);
        let mut pieces: Vec<Rule<'_>> = Vec::new();
        let mut piece = |name: String, condition: Condition<'a>| {
            // One that is not there does not hold.
            if guard::size_alone(&condition).excess().is_some() {
                return;
            }
            pieces.push(Rule { name, enabled: true, strategies: vec![condition], ..Rule::default() });
        };
        for (index, feature) in features.iter().enumerate() {
            for (position, strategy) in feature.strategies.iter().enumerate() {
                let attached = attached(strategy, &segments);
                let within = attached.iter().flat_map(|segment| &segment.constraints);
                let mut whole = Condition::of(&feature.name, strategy, within);
                let always = Condition { name: "default", constraints: Vec::new(), ..whole.clone() };
                if !whole.variants.is_empty() {
                    piece(variants_of(index, position), always);
                }
                whole.variants = &[];
                if knows(&strategy.name) {
                    piece(whole_of(index, position), whole);
                }
                for (place, constraint) in strategy.constraints.iter().flatten().enumerate() {
                    piece(constraint_of(index, position, place), Condition::only([constraint]));
                }
            }
        }
        for segment in segments.values() {
            for (place, constraint) in segment.constraints.iter().enumerate() {
                piece(within(segment, place), Condition::only([constraint]));
            }
        }
        let own = features.iter().filter(|feature| !feature.variants.is_empty());
        let own = own.map(|feature| Rule {
            name: feature.name.clone(),
            enabled: true,
            variants: &feature.variants,
            ..Rule::default()
        });
        let (pieces, variants) = (Engine::new(pieces, now), Engine::new(own, now));
        let parents = features.iter().flat_map(|feature| &feature.dependencies);
        let parents = parents.map(|dependency| &*dependency.feature).collect();
        Self { environment, features, segments, refused, parents, pieces, variants, now }
    }

    /// Prepares the evaluation of features for a context.
    pub fn evaluate_for(&self, subject: &Subject) -> PlaygroundFor<'_, 'a> {
        let asker = Asker::new(subject, self.environment, self.now);
        let parents = (0..).zip(self.features).filter(|(_, feature)| self.parents.contains(&*feature.name));
        let parents = parents.map(|(index, feature)| (&*feature.name, self.alone(index, feature, &asker))).collect();
        PlaygroundFor { playground: self, asker, parents }
    }

    /// Evaluates every feature for a context, in the order in which they were given.
    pub fn judge(&self, subject: &Subject) -> Vec<FeatureOutcome<'a>> {
        let evaluation = self.evaluate_for(subject);
        (0..self.features.len()).map(|index| evaluation.judge(index)).collect()
    }

    /// Judges a feature as if it depended on nothing. The variant is the one that it would give if it were on.
    fn alone(&self, index: usize, feature: &'a ConfiguredFeature, asker: &Asker) -> FeatureOutcome<'a> {
        let strategies: Vec<StrategyOutcome<'a>> = (0..)
            .zip(&feature.strategies)
            .map(|(position, strategy)| self.strategy(index, position, strategy, asker))
            .collect();
        let counting = || strategies.iter().filter(|outcome| !is_disabled(outcome.strategy));
        // Clients do not get disabled strategies, and a feature without strategies is on for everybody.
        let verdict = counting().map(|outcome| outcome.verdict).max().unwrap_or(Verdict::True);
        let first =
            strategies.iter().position(|outcome| !is_disabled(outcome.strategy) && outcome.verdict == Verdict::True);
        let decisive = first.filter(|first| has_variants(strategies[*first].strategy));
        let variant = match decisive {
            Some(position) => self.pieces.choose(&variants_of(index, position), asker),
            None => self.variants.choose(&feature.name, asker),
        };
        let verdict = if self.refused.contains(&index) { Verdict::False } else { verdict };
        let is_enabled = feature.enabled && verdict == Verdict::True;
        FeatureOutcome { feature, is_enabled, lacks_parent: false, verdict, strategies, variant, decisive }
    }

    fn strategy(
        &self,
        index: usize,
        position: usize,
        strategy: &'a FeatureStrategy,
        asker: &Asker,
    ) -> StrategyOutcome<'a> {
        let holds = |name: String| self.pieces.is_enabled(&name, asker);
        let attached = attached(strategy, &self.segments);
        let of_segments = attached.iter().flat_map(|segment| &segment.constraints);
        let fault = Condition::of("", strategy, of_segments).evaluable().err();
        let constraints: Vec<_> = strategy
            .constraints
            .iter()
            .flatten()
            .enumerate()
            .map(|(place, constraint)| (constraint, holds(constraint_of(index, position, place))))
            .collect();
        let judged = |segment: &'a KnownSegment| {
            let constraints = segment.constraints.iter().enumerate();
            constraints.map(|(place, constraint)| (constraint, holds(within(segment, place)))).collect::<Vec<_>>()
        };
        let segments: Vec<_> = attached.into_iter().map(|segment| (segment, judged(segment))).collect();
        let all_hold = constraints.iter().chain(segments.iter().flat_map(|(_, list)| list)).all(|(_, holds)| *holds);
        let is_complete = knows(&strategy.name);
        let verdict = match (is_complete, all_hold) {
            (true, _) => holds(whole_of(index, position)).into(),
            (false, true) if fault.is_none() => Verdict::Unknown,
            (false, _) => Verdict::False,
        };
        let gives = verdict == Verdict::True && has_variants(strategy);
        let variant = if gives { self.pieces.choose(&variants_of(index, position), asker) } else { None };
        StrategyOutcome { strategy, verdict, is_complete, fault, constraints, segments, variant }
    }
}

/// Places of the features whose rules the engine cannot be given.
fn refused(features: &[ConfiguredFeature], segments: &HashMap<i64, &KnownSegment>) -> HashSet<usize> {
    let is_refused = |feature: &ConfiguredFeature| !guard::admits(&rule(feature, segments));
    features.iter().enumerate().filter(|(_, feature)| is_refused(feature)).map(|(place, _)| place).collect()
}

/// Rules of features as clients get them, without disabled strategies.
pub(super) fn rules<'a>(features: &'a [ConfiguredFeature], segments: &'a [KnownSegment]) -> Vec<Rule<'a>> {
    let segments: HashMap<i64, &KnownSegment> = segments.iter().map(|segment| (segment.id, segment)).collect();
    features.iter().map(|feature| rule(feature, &segments)).collect()
}

fn rule<'a>(feature: &'a ConfiguredFeature, segments: &HashMap<i64, &'a KnownSegment>) -> Rule<'a> {
    let counting = feature.strategies.iter().filter(|strategy| !is_disabled(strategy));
    let condition = |strategy| {
        let attached = attached(strategy, segments);
        Condition::of(&feature.name, strategy, attached.into_iter().flat_map(|segment| &segment.constraints))
    };
    Rule {
        name: feature.name.clone(),
        enabled: feature.enabled,
        strategies: counting.map(condition).collect(),
        variants: &feature.variants,
        dependencies: &feature.dependencies,
    }
}

impl<'a> PlaygroundFor<'_, 'a> {
    /// Judges the feature in this place.
    pub fn judge(&self, index: usize) -> FeatureOutcome<'a> {
        let feature = &self.playground.features[index];
        let known = self.parents.get(&*feature.name).cloned();
        let mut outcome = known.unwrap_or_else(|| self.playground.alone(index, feature, &self.asker));
        outcome.lacks_parent = self.lacks_parent(feature);
        outcome.is_enabled &= !outcome.lacks_parent;
        if !outcome.is_enabled {
            outcome.variant = None;
        }
        outcome
    }

    fn lacks_parent(&self, feature: &ConfiguredFeature) -> bool {
        feature.dependencies.iter().any(|dependency| {
            let Some(parent) = self.parents.get(&*dependency.feature) else { return true };
            // There are no chains of dependencies.
            let is_alone = parent.feature.dependencies.is_empty();
            let wanted = dependency.variants.as_deref().unwrap_or_default();
            let has_variant = match &parent.variant {
                Some(variant) if !wanted.is_empty() => wanted.contains(&variant.name),
                _ => true,
            };
            !is_alone || !has_variant || parent.is_enabled != dependency.enabled.unwrap_or(true)
        })
    }
}

fn is_disabled(strategy: &FeatureStrategy) -> bool {
    strategy.disabled.as_ref().and_then(|disabled| disabled.0).unwrap_or_default()
}

/// Whether it has variants to choose from: those that weigh nothing together are none.
fn has_variants(strategy: &FeatureStrategy) -> bool {
    weigh_anything(strategy.variants.iter().flatten().map(|variant| weight(Some(variant.weight))))
}

fn attached<'a>(strategy: &FeatureStrategy, segments: &HashMap<i64, &'a KnownSegment>) -> Vec<&'a KnownSegment> {
    let ids = strategy.segments.iter().flatten().filter_map(|id| id.whole());
    ids.filter_map(|id| segments.get(&id).copied()).collect()
}

fn whole_of(index: usize, position: usize) -> String {
    format!("{index}/{position}")
}

fn variants_of(index: usize, position: usize) -> String {
    format!("{index}/{position}/variants")
}

fn constraint_of(index: usize, position: usize, place: usize) -> String {
    format!("{index}/{position}/constraints/{place}")
}

fn within(segment: &KnownSegment, place: usize) -> String {
    format!("segments/{}/{place}", segment.id)
}
