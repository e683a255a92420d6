//! The planner: rules of which the first decides become strategies of which one is enough.
//!
//! A rule that gives nothing has no strategy of its own: its condition, inverted, is added to all later ones. A rule
//! that gives something comes before the later ones, so that its variants are found first; where its condition could be
//! said in part only, its inversion is added to the later ones that give something else. What cannot be said is an
//! error, so that the caller leaves the feature off.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{
    rule_size::RuleSize,
    variant::{StrategyVariant, WeightType},
};

use super::{
    condition::{Condition, Unsupported},
    flag::{MOST_PAYLOAD, Outcome, Rules, Served, Split},
    normal_form::Answer,
    segments::Segments,
};
use crate::neutral::Strategy;

/// Most strategies of a feature in one environment: as many as a new instance lets people make.
pub(super) const MOST_STRATEGIES: usize = 30;
/// Most rules that are looked at.
const MOST_RULES: usize = 1000;
/// Most characters of a variant's name.
const MOST_NAME: usize = 100;
/// Total of the weights of variants.
const WHOLE: i64 = 1000;

/// Strategies that rules were translated into.
#[derive(Debug, Default)]
pub(super) struct Planned {
    pub(super) strategies: Vec<Strategy>,
    /// Differences to the rules.
    pub(super) notes: BTreeSet<String>,
    /// Whether any user's answer depends on a hash.
    pub(super) hashed: bool,
}

/// Plans the strategies of a feature.
pub(super) fn plan(key: &str, rules: &Rules, segments: &Segments) -> Result<Planned, Unsupported> {
    if rules.listed.len() > MOST_RULES {
        return Err(format!("it has {} rules, of which {MOST_RULES} can be read", rules.listed.len()));
    }
    let mut planned = Planned::default();
    let mut open = Answer::everybody();
    let mut partly: Vec<(&Condition, &Outcome)> = Vec::new();
    let last_on = rules.listed.iter().rposition(|rule| rule.then.has_on());
    for (place, rule) in rules.listed.iter().enumerate() {
        if last_on.is_none_or(|last| place > last) {
            break;
        }
        let (when, then) = (&rule.when, &rule.then);
        let mut exact = true;
        if then.has_on() {
            let holds = when.holds(segments)?;
            exact = holds.exact;
            let mut given = narrowed(&open, &holds, segments)?;
            for (before, other) in &partly {
                if *other != then {
                    // Whoever is cut here must not fall through to what is given later.
                    exact = false;
                    given = narrowed(&given, &before.fails(segments)?, segments)?;
                }
            }
            planned.add(key, rule.title.as_deref(), given, then)?;
        }
        if *when == Condition::Always && then.is_final() {
            break;
        }
        if last_on == Some(place) {
            continue;
        }
        if then.has_off() {
            if !then.is_final() {
                return Err(
                    "a rule switches it off for a share of people, and later rules apply to the others".to_owned()
                );
            }
            let others = when.fails(segments)?;
            if !others.exact {
                planned.notes.insert(FEWER.to_owned());
            }
            open = narrowed(&open, &others, segments)?;
        } else if !exact && then.is_final() {
            partly.push((when, then));
        }
    }
    planned.check()?;
    Ok(planned)
}

const FEWER: &str = "may be on for fewer people: where a condition can be said in part only, that part counts";

fn narrowed(one: &Answer, other: &Answer, segments: &Segments) -> Result<Answer, Unsupported> {
    segments.spend(one.sum.size().saturating_mul(other.sum.size()))?;
    one.and(other)
}

impl Planned {
    /// A strategy for each term.
    fn add(&mut self, key: &str, title: Option<&str>, given: Answer, then: &Outcome) -> Result<(), Unsupported> {
        if !given.exact {
            self.notes.insert(FEWER.to_owned());
        }
        let Some(base) = self.base(key, title, then)? else { return Ok(()) };
        if self.strategies.len() + given.sum.0.len() > MOST_STRATEGIES {
            return Err(format!("it needs more than {MOST_STRATEGIES} strategies"));
        }
        for term in given.sum.0 {
            let sort_order = i64::try_from(self.strategies.len()).unwrap_or(i64::MAX);
            self.strategies.push(Strategy {
                sort_order,
                constraints: term.constraints,
                segments: term.segments.into_iter().collect(),
                ..base.clone()
            });
        }
        Ok(())
    }

    /// Returns the common part of the strategies of one rule; `None` where it gives nothing to any user.
    fn base(&mut self, key: &str, title: Option<&str>, then: &Outcome) -> Result<Option<Strategy>, Unsupported> {
        let single;
        let split = match then {
            Outcome::Split(split) => split,
            Outcome::Serve(served) => {
                single = Split { by: String::new(), seed: None, parts: vec![(served.clone(), 1.0)], share: 1.0 };
                &single
            }
        };
        if !split.parts.iter().all(|(_, weight)| weight.is_finite() && *weight >= 0.0) || !split.share.is_finite() {
            return Err("a share is no number".to_owned());
        }
        let total: f64 = split.parts.iter().map(|(_, weight)| weight).sum();
        let given: Vec<&(Served, f64)> =
            split.parts.iter().filter(|(served, weight)| *served != Served::Off && *weight > 0.0).collect();
        let of_given: f64 = given.iter().map(|(_, weight)| weight).sum();
        if given.is_empty() || total <= 0.0 {
            return Ok(None);
        }
        let rollout = self.rollout(100.0 * split.share.clamp(0.0, 1.0) * of_given / total);
        if rollout == 0 {
            return Ok(None);
        }
        let variants = self.variants(&split.by, &given, of_given)?;
        self.hashed |= rollout < 100 || variants.len() > 1;
        let stickiness = if rollout < 100 { &*split.by } else { "default" };
        let seed = split.seed.as_deref().unwrap_or(key);
        for text in [seed, stickiness] {
            if text.contains(['"', '\\']) {
                return Err(format!("\"{text}\" cannot be what a rollout sticks to"));
            }
        }
        let parameters = [("rollout", &*rollout.to_string()), ("stickiness", stickiness), ("groupId", seed)];
        Ok(Some(Strategy {
            name: "flexibleRollout".to_owned(),
            title: title.filter(|title| !title.trim().is_empty()).map(str::to_owned),
            parameters: BTreeMap::from(parameters.map(|(name, value)| (name.to_owned(), value.to_owned()))),
            variants,
            ..Strategy::default()
        }))
    }

    /// A share in whole per cent: never more than it was.
    fn rollout(&mut self, percent: f64) -> u32 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 100")]
        let whole = (percent + 1e-6).floor().clamp(0.0, 100.0) as u32;
        if (percent - f64::from(whole)).abs() > 1e-5 {
            self.notes.insert(format!("has a share of {whole} % instead of {percent:.3} %: shares are whole here"));
        }
        whole
    }

    fn variants(
        &mut self,
        by: &str,
        given: &[&(Served, f64)],
        total: f64,
    ) -> Result<Vec<StrategyVariant>, Unsupported> {
        let mut merged: Vec<(&Served, f64)> = Vec::new();
        for (served, weight) in given.iter().map(|(served, weight)| (served, weight)) {
            match merged.iter_mut().find(|(other, _)| *other == served) {
                Some((_, sum)) => *sum += weight,
                None => merged.push((served, *weight)),
            }
        }
        if merged.iter().all(|(served, _)| **served == Served::On) {
            return Ok(Vec::new());
        }
        let weights = self.weights(&merged.iter().map(|(_, weight)| weight / total).collect::<Vec<_>>());
        let sole = merged.len() == 1;
        let mut variants: Vec<StrategyVariant> = Vec::new();
        for ((served, _), weight) in merged.into_iter().zip(weights) {
            let Served::Value { name, payload } = served else {
                return Err("it gives a value to some and none to others".to_owned());
            };
            let length = name.chars().count();
            if length == 0 || length > MOST_NAME {
                return Err(format!("a variant's name has {length} characters, of which {MOST_NAME} fit"));
            }
            if payload.value.chars().count() > MOST_PAYLOAD {
                return Err(format!("the value \"{name}\" has more than {MOST_PAYLOAD} characters"));
            }
            if variants.iter().any(|other| other.name == *name) {
                return Err(format!("two of its values are called \"{name}\""));
            }
            if weight > 0 {
                variants.push(StrategyVariant {
                    name: name.clone(),
                    weight,
                    weight_type: if sole { WeightType::Variable } else { WeightType::Fix },
                    stickiness: if sole { "default".to_owned() } else { by.to_owned() },
                    payload: Some(payload.clone()),
                });
            }
        }
        // One of them takes what the others leave, as the forms want it.
        if let Some(last) = variants.last_mut() {
            last.weight_type = WeightType::Variable;
        }
        Ok(variants)
    }

    /// Shares as thousandths that add up, the largest remainders rounded up.
    fn weights(&mut self, shares: &[f64]) -> Vec<i64> {
        let exact: Vec<f64> = shares.iter().map(|share| share * 1000.0).collect();
        #[expect(clippy::cast_possible_truncation, reason = "each lies between 0 and 1000")]
        let mut weights: Vec<i64> = exact.iter().map(|share| (share + 1e-6).floor() as i64).collect();
        let mut order: Vec<usize> = (0..exact.len()).collect();
        let remainder = |place: &usize| exact[*place] - (exact[*place] + 1e-6).floor();
        order.sort_by(|one, other| remainder(other).total_cmp(&remainder(one)));
        let missing = WHOLE - weights.iter().sum::<i64>();
        for place in order.into_iter().cycle().take(usize::try_from(missing).unwrap_or_default()) {
            weights[place] += 1;
        }
        if missing > 0 {
            self.notes.insert("has shares of variants that are rounded to thousandths".to_owned());
        }
        weights
    }

    fn check(&self) -> Result<(), Unsupported> {
        let sizes = self.strategies.iter().map(|strategy| {
            let operands =
                strategy.constraints.iter().map(flagstone_domain::constraint::Constraint::count_values).sum();
            (strategy.constraints.len(), operands)
        });
        RuleSize::default().with_strategies(sizes).excess().map_or(Ok(()), |excess| Err(format!("it has {excess}")))
    }
}
