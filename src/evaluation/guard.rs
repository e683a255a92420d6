//! Which rules the engine can be given: those that are small enough, and can be written in its language without leaving
//! their place in it.
//!
//! The engine wraps each strategy and constraint into the one before, and calls itself for each. It puts names and
//! values into the text of a rule and reads that text with a parser that calls itself for each bracket: a rule that is
//! too large, like a text that breaks out of its quotes, could make it run out of stack, and the server with it.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use crate::{
    domain::{
        constraint::{Constraint, Operator},
        rule_size::{Excess, RuleSize},
    },
    evaluation::{Condition, Rule},
};

/// Parameters whose values stand in quotes, as they are.
const QUOTED: [&str; 4] = ["groupId", "stickiness", "IPs", "hostNames"];

/// Most features of which the log is told.
const MOST_TOLD: usize = 1000;

/// Names of the features that the log was told of.
static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Whether the engine can be given the rule. Of one that is too large the log is told, once.
pub(super) fn admits(rule: &Rule<'_>) -> bool {
    match size(rule).excess() {
        Some(excess) => {
            tell(&rule.name, excess);
            false
        }
        None => rule.strategies.iter().all(is_readable),
    }
}

/// Tells the log, once in the life of the process, that a feature is never on since its rule is too large.
fn tell(feature: &str, excess: Excess) {
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.len() < MOST_TOLD && told.insert(feature.to_owned()) {
        tracing::warn!(feature, rule = %excess, "a rule is too large to be evaluated: the feature is never on");
    }
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

/// How many values a strategy compares with: those of its constraints, and those that its parameters list.
fn operands(condition: &Condition<'_>) -> usize {
    let of_constraints = condition.constraints.iter().map(|constraint| constraint.count_values());
    let of_parameters = condition.parameters.values().map(|value| value.matches(',').count());
    of_constraints.chain(of_parameters).sum()
}

fn is_readable(condition: &Condition<'_>) -> bool {
    let parameters = condition.parameters.iter().filter(|(name, _)| QUOTED.contains(name));
    parameters.map(|(_, value)| *value).all(stays_in_quotes)
        && condition.parameters.get("userIds").is_none_or(|ids| !ids.contains('\\'))
        && condition.constraints.iter().all(|constraint| is_constraint_readable(constraint))
}

fn is_constraint_readable(constraint: &Constraint) -> bool {
    if !stays_in_quotes(&constraint.context_name) {
        return false;
    }
    match constraint.operator {
        // Quotes within are escaped by the engine; a backslash at the end would escape the closing one.
        Operator::In
        | Operator::NotIn
        | Operator::StrContains
        | Operator::StrStartsWith
        | Operator::StrEndsWith
        | Operator::InCidr => constraint.values.iter().flatten().all(|value| !value.ends_with('\\')),
        Operator::Regex => constraint.value.as_deref().is_some_and(|pattern| !pattern.ends_with('\\')),
        Operator::Unknown => false,
        _ => constraint.value.as_deref().is_some_and(is_bare),
    }
}

pub(super) fn stays_in_quotes(text: &str) -> bool {
    !text.contains(['"', '\\'])
}

/// Numbers, dates and versions stand without quotes.
fn is_bare(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|sign| sign.is_ascii_alphanumeric() || "+-.:".contains(sign))
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn what_would_break_out_of_its_place_is_not_read() {
        let cases = [
            (constraint(Operator::In, &["a", "a\"b", "a\\b"], None), true),
            (constraint(Operator::In, &["a\\", "] or (((("], None), false),
            (constraint(Operator::NumGt, &[], Some("1.5e3")), true),
            (constraint(Operator::NumGt, &[], Some("1 or ((((")), false),
            (constraint(Operator::NumGt, &[], None), false),
            (constraint(Operator::DateAfter, &[], Some("2026-01-15T12:00:00.000+01:00")), true),
            (constraint(Operator::SemverEq, &[], Some("1.2.3-rc.1+5")), true),
            (constraint(Operator::Regex, &[], Some(r#"^\w+" or (((("#)), true),
            (constraint(Operator::Regex, &[], Some(r"^\w+\")), false),
            (constraint(Operator::InCidr, &[r"10.0.0.0/8\"], None), false),
        ];
        for (constraint, readable) in cases {
            assert_eq!(is_readable(&Condition::only([&constraint])), readable, "{constraint:?}");
        }
        let mut rollout = Condition::only([]);
        rollout.name = "flexibleRollout";
        rollout.parameters.insert("groupId", "cart\" or ((((");
        assert!(!is_readable(&rollout));
        rollout.parameters.insert("groupId", "cart (new)");
        assert!(is_readable(&rollout));
    }
}
