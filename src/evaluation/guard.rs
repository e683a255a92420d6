//! Guard of the engine: rules that are too large for it are refused, and rules that never hold are logged.
//!
//! The engine wraps each strategy and constraint into the one before, and calls itself for each: a rule that is too large
//! could make it run out of stack, and the server with it.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use flagstone_domain::{
    rule_size::{Excess, RuleSize},
    strategy::StrategyFault,
};

use crate::{Condition, Rule};

/// Maximum number of features in the warnings.
const MOST_TOLD: usize = 1000;

/// Names of the features that were warned of.
static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Whether the engine can be given the rule. One that is too large is logged, once.
pub(super) fn admits(rule: &Rule<'_>) -> bool {
    match size(rule).excess() {
        Some(excess) => {
            tell(&rule.name, excess);
            false
        }
        None => true,
    }
}

/// Warns, once in the life of the process, that a feature is never on since its rule is too large.
fn tell(feature: &str, excess: Excess) {
    if is_first_warning(feature) {
        tracing::warn!(
            target: "flagstone::evaluation::guard",
            feature,
            rule = %excess,
            "a rule is too large to be evaluated: the feature is never on"
        );
    }
}

/// Warns, once in the life of the process for a feature, that one of its strategies never holds.
pub(super) fn tell_of_fault(feature: &str, fault: &StrategyFault) {
    if is_first_warning(feature) {
        tracing::warn!(
            target: "flagstone::evaluation::guard",
            feature,
            %fault,
            "a strategy cannot be evaluated: it holds for nobody"
        );
    }
}

fn is_first_warning(feature: &str) -> bool {
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    told.len() < MOST_TOLD && told.insert(feature.to_owned())
}

/// The size of a rule.
fn size(rule: &Rule<'_>) -> RuleSize {
    let strategies = rule.strategies.iter().map(|condition| (condition.constraints.len(), operands(condition)));
    RuleSize::of_feature(rule.variants, rule.dependencies).with_strategies(strategies)
}

/// The size of a rule with this strategy alone.
pub(super) fn size_alone(condition: &Condition<'_>) -> RuleSize {
    RuleSize::default().with_strategies(std::iter::once((condition.constraints.len(), operands(condition))))
}

/// Number of values that a strategy compares with: those of its constraints, and those that its parameters list.
fn operands(condition: &Condition<'_>) -> usize {
    let of_constraints = condition.constraints.iter().map(|constraint| constraint.count_values());
    let of_parameters = condition.parameters.values().map(|value| value.matches(',').count());
    of_constraints.chain(of_parameters).sum()
}

#[cfg(test)]
mod tests {
    use flagstone_domain::constraint::{Constraint, Operator};

    use super::*;

    #[test]
    fn a_rule_that_is_too_large_is_never_on_and_told_once() {
        #[derive(Clone, Default)]
        struct Written(std::sync::Arc<Mutex<Vec<u8>>>);
        impl std::io::Write for Written {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.lock().expect("no panic").extend_from_slice(bytes);
                Ok(bytes.len())
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let written = Written::default();
        let writer = written.clone();
        let log = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
        let one = constraint(Operator::NumGt, &[], Some("1"));
        let rule = |constraints: usize| Rule {
            name: "told-once".to_owned(),
            enabled: true,
            strategies: vec![Condition::only(std::iter::repeat_n(&one, constraints))],
            ..Rule::default()
        };
        tracing::subscriber::with_default(log, || {
            assert!(admits(&rule(RuleSize::MOST_DEPTH - 1)));
            assert!(!admits(&rule(RuleSize::MOST_DEPTH)) && !admits(&rule(RuleSize::MOST_DEPTH)));
        });
        let told = String::from_utf8(written.0.lock().expect("no panic").clone()).expect("text");
        assert_eq!(told.matches("told-once").count(), 1, "{told}");
        assert!(told.contains("WARN") && told.contains("6001 strategies and constraints"), "{told}");
    }

    #[test]
    fn listed_values_count_wherever_they_stand() {
        let mut listed = Condition::only([]);
        listed.parameters.insert("userIds", "1,2,3");
        let ten = constraint(Operator::NumGt, &["x"; 10], Some("1"));
        let rule = Rule { strategies: vec![listed, Condition::only([&ten, &ten])], ..Rule::default() };
        assert_eq!(size(&rule), RuleSize { depth: 4, operands: 22, parents: 0 });
    }

    fn constraint(operator: Operator, values: &[&str], value: Option<&str>) -> Constraint {
        Constraint {
            context_name: "tier".to_owned(),
            operator,
            case_insensitive: None,
            inverted: None,
            values: Some(values.iter().map(|value| (*value).to_owned()).collect()),
            value: value.map(str::to_owned),
        }
    }
}
