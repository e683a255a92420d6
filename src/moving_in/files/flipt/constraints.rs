//! Segments: constraints of which all or one must hold.

use serde_json::Value;

use crate::files::{
    comparison::{Order, Otherwise, Test},
    condition::{Condition, Unsupported},
    read::{field, field_name, list, text},
};

/// Texts that count as true, and as false.
const TRUTHS: [&str; 6] = ["1", "t", "T", "TRUE", "true", "True"];
const LIES: [&str; 6] = ["0", "f", "F", "FALSE", "false", "False"];

pub(super) fn segment(segment: &Value) -> Result<Condition, Unsupported> {
    let constraints = list(segment, "constraints")?.iter().map(constraint).collect::<Result<Vec<_>, Unsupported>>()?;
    if constraints.is_empty() {
        return Ok(Condition::Always);
    }
    match text(segment, "match_type").or_else(|| text(segment, "matchType")).unwrap_or("ALL_MATCH_TYPE") {
        "ALL_MATCH_TYPE" => Ok(Condition::All(constraints)),
        "ANY_MATCH_TYPE" => Ok(Condition::Any(constraints)),
        other => Err(format!("it matches by {other}, which is not known")),
    }
}

fn constraint(constraint: &Value) -> Result<Condition, Unsupported> {
    let kind = text(constraint, "type").ok_or("a constraint has no type")?;
    let property = text(constraint, "property").unwrap_or_default();
    let operator = text(constraint, "operator").ok_or("a constraint has no operator")?;
    let value = constraint.get("value").unwrap_or(&Value::Null);
    let unknown = || Err(format!("the operator {operator} is not known for {kind}"));
    let name = if kind == "ENTITY_ID_COMPARISON_TYPE" { "userId".to_owned() } else { field_name(property) };
    match (kind, operator) {
        (_, "present") => Ok(field(&name, Test::IsThere, Otherwise::Unknown)),
        (_, "notpresent") => Ok(field(&name, Test::IsThere, Otherwise::Unknown).inverted()),
        ("STRING_COMPARISON_TYPE", _) => texts(&name, operator, value, false).unwrap_or_else(unknown),
        ("ENTITY_ID_COMPARISON_TYPE", _) => texts(&name, operator, value, true).unwrap_or_else(unknown),
        ("NUMBER_COMPARISON_TYPE", _) => {
            let number = super::super::read::plain(value).and_then(|text| text.trim().parse::<f64>().ok());
            let number = number.ok_or_else(|| format!("\"{name}\" is compared with what is no number"))?;
            let of = |order| Ok::<_, Unsupported>(field(&name, Test::Number(order, number), Otherwise::Fails));
            match operator {
                "eq" => of(Order::Equal),
                "neq" => Ok(Condition::Any(vec![of(Order::Less)?, of(Order::Greater)?])),
                "lt" => of(Order::Less),
                "lte" => of(Order::AtMost),
                "gt" => of(Order::Greater),
                "gte" => of(Order::AtLeast),
                _ => unknown(),
            }
        }
        ("BOOLEAN_COMPARISON_TYPE", "true" | "false") => {
            let values = if operator == "true" { TRUTHS } else { LIES };
            Ok(field(&name, Test::OneOf(values.map(str::to_owned).to_vec()), Otherwise::Fails))
        }
        ("DATETIME_COMPARISON_TYPE", _) => Err(super::super::DATES.to_owned()),
        _ => unknown(),
    }
}

/// Comparisons of texts; `None` for an operator that is not known. A text that is absent or empty fits none of them.
fn texts(name: &str, operator: &str, value: &Value, always_there: bool) -> Option<Result<Condition, Unsupported>> {
    let one = || super::super::read::plain(value).map(|text| vec![text]);
    let several = || match value {
        Value::Array(items) => items.iter().map(super::super::read::plain).collect(),
        // Before version 1.6 of the format, a list stands as JSON in a text.
        Value::String(text) => {
            serde_json::from_str::<Vec<Value>>(text).ok()?.iter().map(super::super::read::plain).collect()
        }
        _ => None,
    };
    let test: (fn(Vec<String>) -> Test, bool) = match operator {
        "eq" | "isoneof" => (Test::OneOf, false),
        "neq" | "isnotoneof" => (Test::OneOf, true),
        "prefix" => (Test::StartsWith, false),
        "suffix" => (Test::EndsWith, false),
        "contains" => (Test::Contains, false),
        "notcontains" => (Test::Contains, true),
        // Not written by anybody means blank here too, which no operator asks for.
        "empty" => return Some(Err(format!("\"{name}\" must be empty, which cannot be asked for"))),
        "notempty" => return Some(Ok(filled(name))),
        _ => return None,
    };
    let Some(values) = (if operator.ends_with("oneof") { several() } else { one() }) else {
        return Some(Err(format!("\"{name}\" is compared with what is no text")));
    };
    let asked = field(name, test.0(values), Otherwise::Fails);
    Some(Ok(match test.1 {
        false => asked,
        true if always_there => asked.inverted(),
        true => Condition::All(vec![filled(name), asked.inverted()]),
    }))
}

/// Returns the condition that a text holds more than blanks.
fn filled(name: &str) -> Condition {
    field(name, Test::Matches(r"\S".to_owned()), Otherwise::Unknown)
}
