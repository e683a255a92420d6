//! Conditions as `JSONLogic`, the language of rules in flagd.

use chrono::DateTime;
use flagstone_domain::{
    constraint::{Constraint, Operator},
    time::Timestamp,
};
use serde_json::{Value, json};

/// Name of the user's id in the context of flagd.
const SUBJECT: &str = "targetingKey";

/// A context field as a rule reads it.
pub(super) fn field(name: &str) -> Value {
    json!({ "var": if name == "userId" { SUBJECT } else { name } })
}

/// All of these; one that stands alone needs no word for it.
pub(super) fn all(mut conditions: Vec<Value>) -> Value {
    match conditions.len() {
        0 => Value::Bool(true),
        1 => conditions.remove(0),
        _ => json!({ "and": conditions }),
    }
}

/// Any of these.
pub(super) fn any(mut conditions: Vec<Value>) -> Value {
    match conditions.len() {
        0 => Value::Bool(false),
        1 => conditions.remove(0),
        _ => json!({ "or": conditions }),
    }
}

/// The negation.
pub(super) fn not(condition: &Value) -> Value {
    json!({ "!": [condition] })
}

/// The constraint; nothing for what the language has no word for.
pub(super) fn constraint(given: &Constraint) -> Option<Value> {
    let holds = holds(given)?;
    Some(if given.inverted == Some(true) { not(&holds) } else { holds })
}

fn holds(given: &Constraint) -> Option<Value> {
    let of = field(&given.context_name);
    let values = given.values.as_deref().unwrap_or_default();
    let ignores_case = given.case_insensitive == Some(true);
    let each =
        |condition: &dyn Fn(&String) -> Value| (!ignores_case).then(|| any(values.iter().map(condition).collect()));
    match given.operator {
        Operator::In => Some(json!({ "in": [of, values] })),
        Operator::NotIn => Some(not(&json!({ "in": [of, values] }))),
        // A text that nobody gave contains nothing.
        Operator::StrContains => each(&|value| json!({ "in": [value, of] })),
        Operator::StrStartsWith => each(&|value| json!({ "starts_with": [of, value] })),
        Operator::StrEndsWith => each(&|value| json!({ "ends_with": [of, value] })),
        Operator::NumEq => number(given, "=="),
        Operator::NumGt => number(given, ">"),
        Operator::NumGte => number(given, ">="),
        Operator::NumLt => number(given, "<"),
        Operator::NumLte => number(given, "<="),
        Operator::DateAfter => now(given, ">"),
        Operator::DateBefore => now(given, "<"),
        Operator::SemverEq => version(given, "="),
        Operator::SemverGt => version(given, ">"),
        Operator::SemverLt => version(given, "<"),
        Operator::SemverGte => version(given, ">="),
        Operator::SemverLte => version(given, "<="),
        Operator::Regex | Operator::InCidr | Operator::Unknown => None,
    }
}

/// Returns a comparison of numbers. An absent value counts as zero there, and never holds here.
fn number(given: &Constraint, comparison: &str) -> Option<Value> {
    let bound: f64 = given.value.as_deref()?.trim().parse().ok()?;
    let of = field(&given.context_name);
    let compared = json!({ comparison: [of, serde_json::Number::from_f64(bound)?] });
    Some(all(vec![not(&json!({ "in": [of, [null, ""]] })), compared]))
}

/// Dates can only be compared with the present.
fn now(given: &Constraint, comparison: &str) -> Option<Value> {
    if given.context_name != "currentTime" {
        return None;
    }
    let text = given.value.as_deref()?;
    let day = || DateTime::parse_from_rfc3339(&format!("{text}T00:00:00Z")).ok().map(|day| day.timestamp());
    let seconds = Timestamp::parse(text).map(|at| at.millis().div_euclid(1000)).or_else(day)?;
    Some(json!({ comparison: [{ "var": "$flagd.timestamp" }, seconds] }))
}

fn version(given: &Constraint, comparison: &str) -> Option<Value> {
    let bound = given.value.as_deref()?;
    Some(json!({ "sem_ver": [field(&given.context_name), comparison, bound] }))
}
