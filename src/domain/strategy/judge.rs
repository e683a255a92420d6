//! What a strategy must keep to before it is stored.

use std::collections::{HashMap, HashSet};

use super::StrategyDefinition;
use crate::domain::constraint::{Constraint, LegalValues, MisfitReason, Operator, judge_one};

/// How much one strategy may hold.
#[derive(Debug, Clone, Copy)]
pub struct StrategyBounds {
    /// Most constraints.
    pub constraints: u64,
    /// Most values of one constraint.
    pub constraint_values: u64,
    /// Most segments.
    pub segments: u64,
}

/// What is stored of the things that a strategy names.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Whether its strategy type exists.
    pub has_type: bool,
    /// Legal values of those of its context fields that exist.
    pub legal_values: LegalValues,
    /// Those of its segments that exist, and the only project that may use each, if it is for one.
    pub segments: HashMap<i64, Option<String>>,
}

/// Why a strategy cannot be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StrategyRefusal {
    /// There is no context field of this name.
    UnknownField(String),
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

impl StrategyDefinition {
    /// Whether it keeps the bounds. One that was beyond them may stay as large as it was `before`.
    pub fn check_size(&self, before: Option<&Self>, bounds: &StrategyBounds) -> Result<(), StrategyRefusal> {
        let held = |count: fn(&Self) -> usize| before.map(count).unwrap_or_default();
        let lists = [
            ("constraints", self.constraints.len(), held(|old| old.constraints.len()), bounds.constraints),
            ("segments", self.segments.len(), held(|old| old.segments.len()), bounds.segments),
        ];
        for (what, count, held, limit) in lists {
            if exceeds(count, held, limit) {
                return Err(too_many(&format!("A strategy may have at most {limit} {what}; this one has {count}.")));
            }
        }
        let mut values_before: HashMap<(&str, Operator), usize> = HashMap::new();
        for constraint in before.iter().flat_map(|before| &before.constraints) {
            let most = values_before.entry((&constraint.context_name, constraint.operator)).or_default();
            *most = (*most).max(count_values(constraint));
        }
        for constraint in &self.constraints {
            let held = values_before.get(&(&*constraint.context_name, constraint.operator)).copied();
            let (count, limit) = (count_values(constraint), bounds.constraint_values);
            if exceeds(count, held.unwrap_or_default(), limit) {
                let name = &constraint.context_name;
                return Err(too_many(&format!(
                    "A constraint may have at most {limit} values; the one on {name} has {count}."
                )));
            }
        }
        Ok(())
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
        let had: HashSet<&Constraint> = before.iter().flat_map(|before| &before.constraints).collect();
        for (index, constraint) in self.constraints.iter().enumerate().filter(|(_, new)| !had.contains(new)) {
            match judge_one(constraint, &around.legal_values) {
                None => {}
                Some(MisfitReason::UnknownField(name)) => return Err(StrategyRefusal::UnknownField(name)),
                Some(reason) => {
                    return invalid(format!("/constraints/{index}{}", reason.pointer()), reason.to_string());
                }
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

fn count_values(constraint: &Constraint) -> usize {
    constraint.values.as_ref().map_or(0, Vec::len)
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

    const BOUNDS: StrategyBounds = StrategyBounds { constraints: 2, constraint_values: 2, segments: 1 };

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
        let unknown = Err(StrategyRefusal::UnknownField("userId".to_owned()));
        let around = Surroundings { legal_values: LegalValues::new(), ..around };
        assert_eq!(full.judge(None, &around, "shop"), unknown);
    }
}
