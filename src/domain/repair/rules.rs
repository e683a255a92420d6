//! Conditions of strategies and segments.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Row;
use crate::{
    constraint::{Constraint, Operator},
    feature::Dependency,
};

/// Id of a segment that no server gives: a strategy that applies it never holds.
const NO_SEGMENT: i64 = 0;
/// Field of a constraint that never holds and whose own field cannot be read.
const ANY_FIELD: &str = "userId";

/// Reads constraints. One that cannot be read becomes one that never holds, since without it more would be on than
/// before.
pub fn constraints(row: &Row<'_>, column: &str) -> Vec<Constraint> {
    if let Some(items) = row.objects(column, "contextName") {
        return items.iter().map(constraint).collect();
    }
    row.changed(column, "is no list of constraints: one that holds for nobody is in its place");
    vec![never(ANY_FIELD.to_owned())]
}

fn constraint(row: &Row<'_>) -> Constraint {
    if let Ok(whole) = serde_json::from_value::<Constraint>(row.whole().clone())
        && whole.operator != Operator::Unknown
    {
        return whole;
    }
    read(row).unwrap_or_else(|field| {
        row.is_changed("cannot be evaluated: a constraint that holds for nobody is in its place");
        never(field)
    })
}

/// Reads a constraint property by property. The error is the field of one that cannot be read.
fn read(row: &Row<'_>) -> Result<Constraint, String> {
    let context_name = row.find_text("contextName").ok_or_else(|| ANY_FIELD.to_owned())?;
    let operator = serde_json::from_value(row.value("operator").clone()).unwrap_or(Operator::Unknown);
    let values = row.scalars("values");
    let is_truth = |column: &str| !row.has(column) || row.value(column).is_null() || row.value(column).is_boolean();
    let (true, Some(values), true) = (operator != Operator::Unknown, values, is_truth("inverted")) else {
        return Err(context_name);
    };
    let flag = |column: &str| row.has(column).then(|| row.truth(column, false)).filter(|truth| *truth);
    Ok(Constraint {
        case_insensitive: flag("caseInsensitive"),
        inverted: flag("inverted"),
        values: Some(values),
        value: row.find_text("value"),
        context_name,
        operator,
    })
}

fn never(field: String) -> Constraint {
    Constraint {
        context_name: field,
        operator: Operator::In,
        case_insensitive: None,
        inverted: None,
        values: Some(Vec::new()),
        value: None,
    }
}

/// Reads parameters of a strategy, which are texts.
pub fn parameters(row: &Row<'_>, column: &str) -> BTreeMap<String, String> {
    let mut read = BTreeMap::new();
    match row.value(column) {
        Value::Null => {}
        Value::Object(members) => {
            for (name, value) in members {
                let text = match value {
                    Value::Null => continue,
                    Value::String(text) => text.clone(),
                    other => {
                        row.record(format!("{column}.{name}"), other, false, "is taken as a text");
                        other.to_string()
                    }
                };
                read.insert(name.clone(), text);
            }
        }
        _ => row.left_out(column, "is no object of parameters"),
    }
    read
}

/// Reads ids of segments. For what is no id, one that no segment has is in its place, so that the strategy never holds.
pub fn segment_ids(row: &Row<'_>, column: &str) -> Vec<i64> {
    let value = row.value(column);
    let single = std::slice::from_ref(value);
    let items = match value {
        Value::Null => return Vec::new(),
        Value::Array(items) => items,
        _ => {
            row.changed(column, "is taken as a list of one");
            single
        }
    };
    let id = |(place, item): (usize, &Value)| {
        if let Some(id) = item.as_i64() {
            return id;
        }
        let told = |reason: String| row.record(format!("{column}[{place}]"), item, false, reason);
        let read = match item {
            Value::String(text) => text.trim().parse().ok(),
            Value::Object(members) => members.get("id").and_then(Value::as_i64),
            _ => None,
        };
        match read {
            Some(id) => told(format!("is taken as {id}")),
            None => told("is no id of a segment: the strategy holds for nobody".to_owned()),
        }
        read.unwrap_or(NO_SEGMENT)
    };
    items.iter().enumerate().map(id).collect()
}

/// Reads the features that a feature depends on.
pub fn dependencies(row: &Row<'_>, column: &str) -> Vec<Dependency> {
    let Some(items) = row.objects(column, "feature") else {
        row.left_out(column, "is no list of dependencies");
        return Vec::new();
    };
    let read = |item: Row<'_>| {
        let whole = serde_json::from_value(item.whole().clone());
        whole.ok().or_else(|| {
            Some(Dependency {
                feature: item.text("feature")?,
                enabled: Some(!item.has("enabled") || item.value("enabled").is_null() || item.truth("enabled", true)),
                variants: Some(item.texts("variants")),
            })
        })
    };
    items.into_iter().filter_map(read).collect()
}
