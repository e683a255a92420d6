//! Which strategies can be written in the engine's language without leaving their place in it.
//!
//! The engine puts names and values into the text of a rule and reads that text with a parser that calls itself for
//! each bracket: a text that breaks out of its quotes could make it run out of stack, and the server with it.

use crate::{
    domain::constraint::{Constraint, Operator},
    evaluation::Condition,
};

/// Parameters whose values stand in quotes, as they are.
const QUOTED: [&str; 4] = ["groupId", "stickiness", "IPs", "hostNames"];

pub(super) fn is_readable(condition: &Condition<'_>) -> bool {
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
        _ => constraint.value.as_deref().is_some_and(is_bare),
    }
}

fn stays_in_quotes(text: &str) -> bool {
    !text.contains(['"', '\\'])
}

/// Numbers, dates and versions stand without quotes.
fn is_bare(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|sign| sign.is_ascii_alphanumeric() || "+-.:".contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

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
