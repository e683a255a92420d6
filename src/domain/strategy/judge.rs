//! Rules that a strategy must keep to before it is stored.

use std::collections::{HashMap, HashSet};

use super::{FeatureStrategy, Parameters, StrategyDefinition, parameters};
use crate::{
    constraint::{Constraint, LegalValues, Operator, judge_one},
    text::is_longer,
};

/// Most characters of a strategy's title.
const MAX_TITLE_LENGTH: usize = 10_000;
/// Most parameters of a strategy.
const MOST_PARAMETERS: usize = 100;
/// Most characters of a parameter's name.
const MAX_PARAMETER_NAME_LENGTH: usize = 100;
/// Most characters of a parameter's value.
const MAX_PARAMETER_LENGTH: usize = 100_000;

/// Bounds of strategies: how many there may be, and how much each may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrategyBounds {
    /// Most strategies of a feature in one environment.
    pub strategies: u64,
    /// Most constraints.
    pub constraints: u64,
    /// Most values of one constraint.
    pub constraint_values: u64,
    /// Most segments.
    pub segments: u64,
}

impl StrategyBounds {
    /// Bounds for what comes from another server, at least, whose operator set limits of their own, or none.
    const MOVED: Self = Self { strategies: 1000, constraints: 1000, constraint_values: 100_000, segments: 100 };

    /// The bounds of what comes by import: these, or what may come from any server where that is more. The latter can
    /// always be evaluated: see [`RuleSize`](crate::rule_size::RuleSize).
    #[must_use]
    pub fn of_import(self) -> Self {
        Self {
            strategies: self.strategies.max(Self::MOVED.strategies),
            constraints: self.constraints.max(Self::MOVED.constraints),
            constraint_values: self.constraint_values.max(Self::MOVED.constraint_values),
            segments: self.segments.max(Self::MOVED.segments),
        }
    }
}

/// Stored state of the things that a strategy names.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Whether its strategy type exists.
    pub has_type: bool,
    /// Legal values of those of its context fields that exist and that its project may use.
    pub legal_values: LegalValues,
    /// Segments of the strategy that exist, and the only project that may use each, if it is for one.
    pub segments: HashMap<i64, Option<String>>,
}

/// Reason why a strategy cannot be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StrategyRefusal {
    /// A part of it is wrong.
    Invalid {
        /// JSON pointer from the strategy to that part.
        pointer: String,
        /// The end of a sentence that starts with that part.
        reason: String,
    },
    /// It holds more than one may, and more than it did.
    TooMany(String),
}

/// The parts of a strategy that have bounds.
#[derive(Debug, Clone, Copy)]
pub struct StrategyParts<'a> {
    title: Option<&'a str>,
    parameters: Option<&'a Parameters>,
    constraints: &'a [Constraint],
    segments: usize,
}

impl<'a> From<&'a StrategyDefinition> for StrategyParts<'a> {
    fn from(strategy: &'a StrategyDefinition) -> Self {
        Self {
            title: strategy.title.as_deref(),
            parameters: Some(&strategy.parameters),
            constraints: &strategy.constraints,
            segments: strategy.segments.len(),
        }
    }
}

impl<'a> From<&'a FeatureStrategy> for StrategyParts<'a> {
    fn from(strategy: &'a FeatureStrategy) -> Self {
        let segments = strategy.segments.iter().flatten().filter(|id| id.whole().is_some());
        Self {
            title: strategy.title.as_ref().and_then(|title| title.0.as_deref()),
            parameters: strategy.parameters.as_ref(),
            constraints: strategy.constraints.as_deref().unwrap_or_default(),
            segments: segments.count(),
        }
    }
}

impl StrategyParts<'_> {
    /// Whether they keep the bounds. A strategy that was beyond them may stay as large as it was `before`.
    pub fn check(&self, before: Option<Self>, bounds: &StrategyBounds) -> Result<(), StrategyRefusal> {
        let held = |count: fn(&Self) -> usize| before.as_ref().map(count).unwrap_or_default();
        let lists = [
            ("constraints", self.constraints.len(), held(|old| old.constraints.len()), bounds.constraints),
            ("segments", self.segments, held(|old| old.segments), bounds.segments),
        ];
        for (what, count, held, limit) in lists {
            if exceeds(count, held, limit) {
                return Err(too_many(&format!("A strategy may have at most {limit} {what}; this one has {count}.")));
            }
        }
        let mut values_before: HashMap<(&str, Operator), usize> = HashMap::new();
        for constraint in before.iter().flat_map(|before| before.constraints) {
            let most = values_before.entry((&constraint.context_name, constraint.operator)).or_default();
            *most = (*most).max(constraint.count_values());
        }
        for constraint in self.constraints {
            let held = values_before.get(&(&*constraint.context_name, constraint.operator)).copied();
            let (count, limit) = (constraint.count_values(), bounds.constraint_values);
            if exceeds(count, held.unwrap_or_default(), limit) {
                let name = &constraint.context_name;
                return Err(too_many(&format!(
                    "A constraint may have at most {limit} values; the one on {name} has {count}."
                )));
            }
        }
        self.check_texts(before)
    }

    /// Whether title and parameters are short enough, unless they are as they were.
    fn check_texts(&self, before: Option<Self>) -> Result<(), StrategyRefusal> {
        let is_long = self.title.is_some_and(|title| is_longer(title, MAX_TITLE_LENGTH));
        if is_long && before.is_none_or(|before| before.title != self.title) {
            return Err(too_many(&format!("The title of a strategy may have at most {MAX_TITLE_LENGTH} characters.")));
        }
        if before.is_some_and(|before| before.parameters == self.parameters) {
            return Ok(());
        }
        let count = self.parameters.map_or(0, Parameters::len);
        if count > MOST_PARAMETERS {
            return Err(too_many(&format!(
                "A strategy may have at most {MOST_PARAMETERS} parameters; this one has {count}."
            )));
        }
        for (name, value) in self.parameters.into_iter().flatten() {
            if is_longer(name, MAX_PARAMETER_NAME_LENGTH) {
                return Err(too_many(&format!(
                    "A name in the parameters may have at most {MAX_PARAMETER_NAME_LENGTH} characters."
                )));
            }
            if is_longer(value, MAX_PARAMETER_LENGTH) {
                return Err(too_many(&format!(
                    "The parameter {name} may have at most {MAX_PARAMETER_LENGTH} characters."
                )));
            }
        }
        Ok(())
    }
}

impl StrategyDefinition {
    /// Whether it keeps the bounds. One that was beyond them may stay as large as it was `before`.
    pub fn check_size(&self, before: Option<&Self>, bounds: &StrategyBounds) -> Result<(), StrategyRefusal> {
        StrategyParts::from(self).check(before.map(StrategyParts::from), bounds)
    }

    /// Whether everything that it names exists and may be used in the project. What it named `before` is its own.
    pub fn judge(&self, before: Option<&Self>, around: &Surroundings, project: &str) -> Result<(), StrategyRefusal> {
        let invalid = |pointer: String, reason: String| Err(StrategyRefusal::Invalid { pointer, reason });
        if !around.has_type && before.is_none_or(|before| before.name != self.name) {
            return invalid("/name".to_owned(), "must be the name of a strategy type that exists".to_owned());
        }
        if self.parameters.get("stickiness").is_some_and(String::is_empty) {
            return invalid("/parameters/stickiness".to_owned(), "must not be empty".to_owned());
        }
        let has_parameters = |before: &Self| before.name == self.name && before.parameters == self.parameters;
        if !before.is_some_and(has_parameters)
            && let Err(fault) = parameters::check(&self.name, &self.parameters)
        {
            return invalid(format!("/parameters/{}", fault.parameter), fault.reason.to_owned());
        }
        let old = || before.iter().flat_map(|before| &before.constraints);
        // What comes from another server may lack the list of values that is stored here. There are a few at most.
        let had = |new: &Constraint| old().any(|old| old == new || (old.values.is_none() && old.is_same(new)));
        for (index, constraint) in self.constraints.iter().enumerate().filter(|(_, new)| !had(new)) {
            if let Some(reason) = judge_one(constraint, &around.legal_values) {
                return invalid(format!("/constraints/{index}{}", reason.pointer()), reason.to_string());
            }
        }
        let had: HashSet<&i64> = before.iter().flat_map(|before| &before.segments).collect();
        let may_use =
            |id: &i64| around.segments.get(id).is_some_and(|only| only.as_ref().is_none_or(|only| only == project));
        match self.segments.iter().find(|id| !had.contains(id) && !may_use(id)) {
            // Says the same of a segment of another project, which may be one that the caller must not know of.
            Some(id) => invalid(
                "/segments".to_owned(),
                format!("names the segment {id}, which does not exist or does not belong to project \"{project}\""),
            ),
            None => Ok(()),
        }
    }
}

fn exceeds(count: usize, held: usize, limit: u64) -> bool {
    count > held && u64::try_from(count).is_ok_and(|count| count > limit)
}

fn too_many(message: &str) -> StrategyRefusal {
    StrategyRefusal::TooMany(message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: StrategyBounds = StrategyBounds { strategies: 1, constraints: 2, constraint_values: 2, segments: 1 };

    fn constraint(values: usize) -> Constraint {
        Constraint {
            context_name: "userId".to_owned(),
            operator: Operator::In,
            case_insensitive: None,
            inverted: None,
            values: Some((0..values).map(|value| value.to_string()).collect()),
            value: None,
        }
    }

    fn strategy(constraints: &[usize], segments: &[i64]) -> StrategyDefinition {
        StrategyDefinition {
            name: "default".to_owned(),
            constraints: constraints.iter().map(|values| constraint(*values)).collect(),
            segments: segments.to_vec(),
            ..StrategyDefinition::default()
        }
    }

    #[test]
    fn what_is_beyond_a_limit_may_stay_but_not_grow() {
        let fits =
            |before: Option<&StrategyDefinition>, after: &StrategyDefinition| after.check_size(before, &BOUNDS).is_ok();
        assert!(fits(None, &strategy(&[2, 2], &[1])));
        for beyond in [strategy(&[1, 1, 1], &[]), strategy(&[3], &[]), strategy(&[], &[1, 2])] {
            assert!(!fits(None, &beyond), "{beyond:?}");
            assert!(!fits(Some(&strategy(&[1], &[])), &beyond), "{beyond:?}");
            assert!(fits(Some(&beyond), &beyond), "{beyond:?}");
        }
        assert!(fits(Some(&strategy(&[4, 1, 1, 1], &[1, 2, 3])), &strategy(&[3, 4, 2], &[7, 8])));
        assert!(!fits(Some(&strategy(&[3], &[])), &strategy(&[4], &[])));
    }

    #[test]
    fn titles_and_parameters_are_short_unless_they_are_as_they_were() {
        let parameters = |name: &str, length: usize| Parameters::from([(name.to_owned(), "x".repeat(length))]);
        let many = (0..=MOST_PARAMETERS).map(|name| (name.to_string(), String::new())).collect();
        let fits = |title: Option<usize>, parameters: Parameters| {
            let title = title.map(|length| "ä".repeat(length));
            let strategy = StrategyDefinition { title, parameters, ..strategy(&[], &[]) };
            assert!(strategy.check_size(Some(&strategy), &BOUNDS).is_ok());
            strategy.check_size(None, &BOUNDS).is_ok()
        };
        assert!(fits(Some(MAX_TITLE_LENGTH), parameters("userIds", MAX_PARAMETER_LENGTH)));
        assert!(!fits(Some(MAX_TITLE_LENGTH + 1), Parameters::new()));
        assert!(!fits(None, parameters("userIds", MAX_PARAMETER_LENGTH + 1)));
        assert!(!fits(None, parameters(&"n".repeat(MAX_PARAMETER_NAME_LENGTH + 1), 0)));
        assert!(!fits(None, many));
    }

    #[test]
    fn an_import_may_bring_what_the_operator_admits_or_any_server_may_hold() {
        let greater = StrategyBounds { strategies: 2000, ..StrategyBounds::MOVED };
        assert_eq!(BOUNDS.of_import(), StrategyBounds::MOVED);
        assert_eq!(greater.of_import(), greater);
        let depth = StrategyBounds::MOVED.strategies + StrategyBounds::MOVED.constraints;
        assert!(depth < u64::try_from(crate::rule_size::RuleSize::MOST_DEPTH).expect("fits"));
    }

    #[test]
    fn what_it_names_must_exist_unless_it_named_it_before() {
        let around = Surroundings {
            has_type: true,
            legal_values: LegalValues::from([("userId".to_owned(), HashSet::new())]),
            segments: HashMap::from([(1, None), (2, Some("shop".to_owned())), (3, Some("bank".to_owned()))]),
        };
        let nothing = Surroundings::default();
        let full = strategy(&[1], &[1, 2]);
        assert_eq!(full.judge(None, &around, "shop"), Ok(()));
        assert_eq!(full.judge(Some(&full), &nothing, "shop"), Ok(()));
        let pointer = |refusal: Result<(), StrategyRefusal>| match refusal {
            Err(StrategyRefusal::Invalid { pointer, .. }) => pointer,
            other => format!("{other:?}"),
        };
        assert_eq!(pointer(full.judge(None, &nothing, "shop")), "/name");
        for segments in [&[3], &[4]] {
            assert_eq!(pointer(strategy(&[], segments).judge(None, &around, "shop")), "/segments");
        }
        assert_eq!(pointer(strategy(&[1, 0], &[]).judge(None, &around, "shop")), "/constraints/1/values");
        let around = Surroundings { legal_values: LegalValues::new(), ..around };
        assert_eq!(pointer(full.judge(None, &around, "shop")), "/constraints/0/contextName");
    }
}
