//! Segments: rules of rules, of conditions on traits.

use serde_json::Value;

use crate::files::{
    comparison::{Order, Otherwise, Test},
    condition::{Condition, Unsupported},
    patterns,
    read::{field, field_name, list, text, version},
};

/// Condition and share of a segment.
pub(super) struct Segment {
    pub(super) when: Condition,
    /// Share of them, where it is only a share, 0 to 1.
    pub(super) share: Option<f64>,
    /// Seed of the draw of that share, in addition to the user.
    pub(super) seed: String,
}

pub(super) fn read(segment: &Value) -> Result<Segment, Unsupported> {
    let mut share = None;
    let mut parts = Vec::new();
    for value in list(segment, "rules")? {
        parts.push(rule(value, true, &mut share, 0)?);
    }
    let when = if parts.is_empty() { Condition::Never } else { Condition::All(parts) };
    let id = segment.get("id").and_then(super::plain).unwrap_or_default();
    Ok(Segment { when, share, seed: format!("segment-{id}") })
}

/// A rule. `outer` is that all of it must hold for the segment, so that a share of it is a share of the segment.
fn rule(value: &Value, outer: bool, share: &mut Option<f64>, depth: usize) -> Result<Condition, Unsupported> {
    if depth > 50 {
        return Err("its rules are nested more than 50 deep".to_owned());
    }
    let kind = text(value, "type").ok_or("a rule of the segment has no type")?;
    let mut conditions = Vec::new();
    for condition in list(value, "conditions")? {
        if text(condition, "operator") == Some("PERCENTAGE_SPLIT") {
            let percent = condition.get("value").and_then(super::plain).and_then(|percent| percent.parse::<f64>().ok());
            let percent = percent.ok_or("a share of a segment is no number")?;
            if !(outer && kind == "ALL") || share.replace((percent / 100.0).clamp(0.0, 1.0)).is_some() {
                return Err("a share of people is one of several conditions of a segment".to_owned());
            }
            continue;
        }
        conditions.push(compared(condition)?);
    }
    let own = match (kind, conditions.is_empty()) {
        (_, true) => Condition::Always,
        ("ALL", _) => Condition::All(conditions),
        ("ANY", _) => Condition::Any(conditions),
        ("NONE", _) => Condition::Any(conditions).inverted(),
        (other, _) => return Err(format!("a rule of the segment is of type {other}, which is not known")),
    };
    let mut parts = vec![own];
    for inner in list(value, "rules")? {
        parts.push(rule(inner, outer, share, depth + 1)?);
    }
    Ok(Condition::All(parts))
}

fn compared(condition: &Value) -> Result<Condition, Unsupported> {
    let operator = text(condition, "operator").ok_or("a condition has no operator")?;
    let property = text(condition, "property_").or_else(|| text(condition, "property")).unwrap_or_default();
    let name = match property {
        "$.identity.identifier" => "userId".to_owned(),
        other if other.starts_with("$.") => return Err(format!("it asks for {other}")),
        other => field_name(other),
    };
    let there = || field(&name, Test::IsThere, Otherwise::Unknown);
    match operator {
        "IS_SET" => return Ok(there()),
        "IS_NOT_SET" => return Ok(there().inverted()),
        _ => {}
    }
    let value = condition.get("value").and_then(super::plain);
    let value = value.ok_or_else(|| format!("\"{name}\" is compared with nothing"))?;
    let of_version = value.strip_suffix(":semver");
    let order = |order| match (of_version, value.parse::<f64>()) {
        (Some(than), _) => Ok(version(&name, order, than, Otherwise::Fails)),
        (None, Ok(number)) => Ok(field(&name, Test::Number(order, number), Otherwise::Fails)),
        (None, Err(_)) => Err(format!("\"{name}\" is compared by the order of texts")),
    };
    // Traits may be truths, which one side writes with a capital letter.
    let equal = || match &*value.to_lowercase() {
        truth @ ("true" | "false") => {
            let capital = if truth == "true" { "True" } else { "False" };
            Test::OneOf(vec![truth.to_owned(), capital.to_owned()])
        }
        _ => Test::OneOf(vec![value.clone()]),
    };
    // Whoever lacks the trait matches neither a comparison nor its opposite.
    let other = |test| Condition::All(vec![there(), field(&name, test, Otherwise::Fails).inverted()]);
    match operator {
        "EQUAL" if of_version.is_some() => order(Order::Equal),
        "NOT_EQUAL" if of_version.is_some() => Ok(Condition::Any(vec![order(Order::Less)?, order(Order::Greater)?])),
        "EQUAL" => Ok(field(&name, equal(), Otherwise::Fails)),
        "NOT_EQUAL" => Ok(match value.parse::<f64>() {
            Ok(number) => Condition::All(vec![other(equal()), other(Test::Equals(vec![number]))]),
            Err(_) => other(equal()),
        }),
        "GREATER_THAN" => order(Order::Greater),
        "GREATER_THAN_INCLUSIVE" => order(Order::AtLeast),
        "LESS_THAN" => order(Order::Less),
        "LESS_THAN_INCLUSIVE" => order(Order::AtMost),
        "CONTAINS" => Ok(field(&name, Test::Contains(vec![value]), Otherwise::Fails)),
        "NOT_CONTAINS" => Ok(other(Test::Contains(vec![value]))),
        "IN" => {
            let listed = serde_json::from_str::<Vec<String>>(&value).ok();
            let listed = listed.unwrap_or_else(|| value.split(',').map(str::to_owned).collect());
            Ok(field(&name, Test::OneOf(listed), Otherwise::Fails))
        }
        "REGEX" => {
            // The pattern is held against the beginning there.
            let pattern = if value.starts_with('^') && !value.contains('|') { value } else { format!("^(?:{value})") };
            Ok(patterns::matches(&name, &pattern, Otherwise::Fails))
        }
        unknown => Err(format!("the operator {unknown} cannot be said here")),
    }
}
