//! Rules that say today what the old frontend made of them.

use flagstone_domain::constraint::{Constraint, Operator, normal_form};

use super::numbers;
use crate::neutral::FeatureEnvironment;

/// Field whose value is the time of the evaluation.
const TIME_FIELD: &str = "currentTime";
/// Parameter that rollouts are hashed with.
const GROUP: &str = "groupId";

/// A feature in an environment as it could be stored instead.
#[derive(Debug, Clone, PartialEq)]
pub struct Adjusted {
    /// The state to store.
    pub state: FeatureEnvironment,
    /// Changes, as ends of a sentence.
    pub changes: Vec<String>,
}

/// Returns the ways in which a feature could be stored instead, each another one than it is.
pub fn adjusted(state: &FeatureEnvironment) -> Vec<Adjusted> {
    let mut found: Vec<Adjusted> = Vec::new();
    for group in [None, Some(""), Some("undefined")] {
        for options in 0_u8..8 {
            let [dates, fields, values] = [1, 2, 4].map(|bit| options & bit != 0);
            let mut other = Adjusted { state: state.clone(), changes: Vec::new() };
            if let Some(group) = group {
                other.group(group);
            }
            if fields {
                other.each("compares its dates with the time", date_of_time);
            }
            if dates {
                other.each("says its dates with their zone", date_with_zone);
            }
            if values {
                other.each("has its values without blanks around them", trimmed);
            }
            if other.state != *state && !found.iter().any(|known| known.state == other.state) {
                found.push(other);
            }
        }
    }
    found
}

impl Adjusted {
    fn group(&mut self, group: &str) {
        let mut is_changed = false;
        for strategy in &mut self.state.strategies {
            if strategy.name == "flexibleRollout" && !strategy.parameters.contains_key(GROUP) {
                strategy.parameters.insert(GROUP.to_owned(), group.to_owned());
                is_changed = true;
            }
        }
        if is_changed {
            self.changes.push(format!("has the `groupId` \"{group}\""));
        }
    }

    fn each(&mut self, change: &str, adjust: fn(&mut Constraint)) {
        let before = self.state.strategies.clone();
        let strategies = self.state.strategies.iter_mut();
        strategies.flat_map(|strategy| &mut strategy.constraints).for_each(adjust);
        if self.state.strategies != before {
            self.changes.push(change.to_owned());
        }
    }
}

fn date_of_time(constraint: &mut Constraint) {
    if matches!(constraint.operator, Operator::DateAfter | Operator::DateBefore) {
        TIME_FIELD.clone_into(&mut constraint.context_name);
    }
}

fn date_with_zone(constraint: &mut Constraint) {
    if matches!(constraint.operator, Operator::DateAfter | Operator::DateBefore)
        && let Some(value) = &constraint.value
        && normal_form::date(value).is_none()
        && let Some(date) = numbers::date(value)
    {
        constraint.value = Some(date.to_string());
    }
}

fn trimmed(constraint: &mut Constraint) {
    if constraint.operator.needs_values() || matches!(constraint.operator, Operator::In | Operator::NotIn) {
        let values = constraint.values.iter_mut().flatten();
        values.for_each(|value| *value = value.trim().to_owned());
        if let Some(values) = &mut constraint.values {
            values.retain(|value| !value.is_empty());
        }
    }
}
