//! Small readings of JSON that the readers share.

use flagstone_domain::constraint::{Constraint, Operator};
use serde_json::{Map, Value};

use super::{
    comparison::{Comparison, Order, Otherwise, Test},
    condition::{Condition, Unsupported},
};
use crate::neutral::Tag;

/// A text of an object.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// A truth of an object; what is no truth is none.
pub(super) fn truth(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// A list of an object; what is absent or null is empty.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> Result<&'a [Value], Unsupported> {
    match value.get(key) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(format!("its \"{key}\" is no list")),
    }
}

/// An object of an object; what is absent or null is none.
pub(super) fn object<'a>(value: &'a Value, key: &str) -> Result<Option<&'a Map<String, Value>>, Unsupported> {
    match value.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(map)) => Ok(Some(map)),
        Some(_) => Err(format!("its \"{key}\" is no object")),
    }
}

/// Whether something is there and says something: not null, false, or empty.
pub(super) fn says(value: &Value, key: &str) -> bool {
    match value.get(key) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(map)) => !map.is_empty(),
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    }
}

/// A single value as it stands in a context: texts, truths and numbers.
pub(super) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the condition that a field is one of some values of any kind.
pub(super) fn one_of(field: &str, values: &[Value], otherwise: Otherwise) -> Condition {
    let (mut texts, mut numbers) = (Vec::new(), Vec::new());
    for value in values {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Bool(truth) => texts.push(truth.to_string()),
            Value::Number(number) => match number.as_f64() {
                Some(number) => numbers.push(number),
                None => return Condition::Unsupported(format!("\"{field}\" is compared with a number out of range")),
            },
            _ => {
                return Condition::Unsupported(format!(
                    "\"{field}\" is compared with what is no text, number or truth"
                ));
            }
        }
    }
    let asked = |test| Condition::Field(Comparison { field: field.to_owned(), test, otherwise });
    match (texts.is_empty(), numbers.is_empty()) {
        (true, true) => Condition::Never,
        (false, true) => asked(Test::OneOf(texts)),
        (true, false) => asked(Test::Equals(numbers)),
        (false, false) => Condition::Any(vec![asked(Test::OneOf(texts)), asked(Test::Equals(numbers))]),
    }
}

/// Metadata as tags, where they fit: `key:value`. What describes the flag is its description.
pub(super) fn metadata_tags(metadata: Option<&Map<String, Value>>) -> Vec<Tag> {
    let others = metadata.into_iter().flatten().filter(|(name, _)| *name != "description");
    let tag = |(name, value): (&String, &Value)| {
        let value = format!("{name}:{}", plain(value)?);
        (2..=50).contains(&value.chars().count()).then(|| Tag { kind: "simple".to_owned(), value })
    };
    others.filter_map(tag).collect()
}

/// A comparison of a field.
pub(super) fn field(field: &str, test: Test, otherwise: Otherwise) -> Condition {
    Condition::Field(Comparison { field: field.to_owned(), test, otherwise })
}

/// Returns the condition that a field stands in an order to a version.
pub(super) fn version(name: &str, order: Order, version: &str, otherwise: Otherwise) -> Condition {
    match full_version(version) {
        Some(full) => field(name, Test::Version(order, full), otherwise),
        None => {
            Condition::Unsupported(format!("\"{name}\" is compared with \"{version}\", which is no semantic version"))
        }
    }
}

/// A version with its three numbers, such as 2.1.0 for v2.1.
pub(super) fn full_version(text: &str) -> Option<String> {
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let (numbers, rest) = text.split_at(text.find(['-', '+']).unwrap_or(text.len()));
    let mut parts: Vec<&str> = numbers.split('.').collect();
    if parts.len() > 3 {
        return None;
    }
    parts.resize(3, "0");
    let full = format!("{}{rest}", parts.join("."));
    let constraint = Constraint {
        context_name: "version".to_owned(),
        operator: Operator::SemverEq,
        case_insensitive: None,
        inverted: None,
        values: None,
        value: Some(full.clone()),
    };
    constraint.check().is_ok().then_some(full)
}

/// The name of a context field for an attribute: those that have a meaning of their own here get another.
pub(super) fn field_name(attribute: &str) -> String {
    match attribute {
        "userId" | "currentTime" | "environment" | "appName" => format!("{attribute}_attribute"),
        other => other.to_owned(),
    }
}

/// Names for values, each given once.
pub(super) fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let take = |(place, name): (usize, String)| {
        let name: String = if name.trim().is_empty() { format!("variation-{place}") } else { name };
        if seen.insert(name.clone()) {
            return name;
        }
        let numbered = format!("{}-{place}", name.chars().take(90).collect::<String>());
        seen.insert(numbered.clone());
        numbered
    };
    names.into_iter().enumerate().map(take).collect()
}
