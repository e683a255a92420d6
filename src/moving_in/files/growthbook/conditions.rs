//! Conditions in the style of `MongoDB`, and saved groups.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::files::{
    comparison::{Order, Otherwise, Test},
    condition::{Condition, Unsupported},
    patterns,
    read::{field, field_name, list, one_of, text, version},
};

/// A saved group: its place among the segments, and its values where it is a list of them.
pub(super) struct Group<'a> {
    pub(super) place: usize,
    pub(super) values: Option<&'a [Value]>,
}

/// Saved groups by their ids.
pub(super) type Groups<'a> = HashMap<&'a str, Group<'a>>;

/// The context field for an attribute.
pub(super) fn field_of(attribute: &str) -> String {
    if attribute == "id" { "userId".to_owned() } else { field_name(attribute) }
}

/// A condition that stands as text, which may be empty, or as an object.
pub(super) fn stated(value: Option<&Value>, groups: &Groups<'_>) -> Result<Condition, Unsupported> {
    match value {
        None | Some(Value::Null) => Ok(Condition::Always),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Condition::Always),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(map)) => all(&map, groups),
            _ => Err("a condition is no JSON object".to_owned()),
        },
        Some(Value::Object(map)) => all(map, groups),
        Some(_) => Err("a condition is no JSON object".to_owned()),
    }
}

/// Returns the condition of the groups that a rule requires or excludes.
pub(super) fn targeting(rule: &Value, groups: &Groups<'_>) -> Result<Condition, Unsupported> {
    let mut parts = Vec::new();
    for target in list(rule, "savedGroupTargeting")? {
        let place = |id: &Value| {
            let group = id.as_str().and_then(|id| groups.get(id));
            let missing = || format!("the saved group {id} is not in the files");
            group.map(|group| Condition::Segment(group.place)).ok_or_else(missing)
        };
        let of = list(target, "savedGroups")?.iter().map(place).collect::<Result<Vec<_>, Unsupported>>()?;
        parts.push(match text(target, "matchType") {
            Some("all") => Condition::All(of),
            Some("any") => Condition::Any(of),
            Some("none") => Condition::Any(of).inverted(),
            _ => return Err("its saved groups match in a way that is not known".to_owned()),
        });
    }
    Ok(Condition::All(parts))
}

fn all(map: &Map<String, Value>, groups: &Groups<'_>) -> Result<Condition, Unsupported> {
    let mut parts = Vec::new();
    for (name, value) in map {
        let each = || {
            let items = value.as_array().ok_or_else(|| format!("{name} is no list"))?;
            let objects =
                items.iter().map(|item| item.as_object().ok_or_else(|| format!("{name} holds no conditions")));
            objects.map(|object| all(object?, groups)).collect::<Result<Vec<_>, Unsupported>>()
        };
        parts.push(match name.as_str() {
            "$and" => Condition::All(each()?),
            "$or" => match each()? {
                none if none.is_empty() => Condition::Always,
                some => Condition::Any(some),
            },
            "$nor" => match each()? {
                none if none.is_empty() => Condition::Never,
                some => Condition::Any(some).inverted(),
            },
            "$not" => all(value.as_object().ok_or("$not holds no condition")?, groups)?.inverted(),
            other if other.starts_with('$') => return Err(format!("the operator {other} cannot be said here")),
            attribute => of_field(&field_of(attribute), value, groups)?,
        });
    }
    Ok(Condition::All(parts))
}

fn of_field(name: &str, value: &Value, groups: &Groups<'_>) -> Result<Condition, Unsupported> {
    match value {
        Value::Null => Ok(field(name, Test::IsThere, Otherwise::Unknown).inverted()),
        Value::Array(_) => Err(format!("\"{name}\" is compared with a whole list")),
        Value::Object(map) if map.is_empty() || !map.keys().all(|key| key.starts_with('$')) => {
            Err(format!("\"{name}\" is compared with a whole object"))
        }
        Value::Object(map) => map
            .iter()
            .map(|(operator, value)| operation(name, operator, value, groups))
            .collect::<Result<_, _>>()
            .map(Condition::All),
        single => Ok(one_of(name, std::slice::from_ref(single), Otherwise::Fails)),
    }
}

fn operation(name: &str, operator: &str, value: &Value, groups: &Groups<'_>) -> Result<Condition, Unsupported> {
    let values = || match value {
        Value::Array(values) => Ok(one_of(name, values, Otherwise::Fails)),
        _ => Err(format!("{operator} is no list")),
    };
    let order = |order| match value.as_f64() {
        Some(number) => Ok(field(name, Test::Number(order, number), order.for_nothing(number))),
        None => Err(format!("{operator} compares with what is no number, by the order of texts")),
    };
    let of_version = |order| match value {
        // What is absent counts as version 0 there.
        Value::String(text) => Ok(version(name, order, text, order.for_nothing(1.0))),
        _ => Err(format!("{operator} compares with what is no version")),
    };
    let group = || {
        let group =
            value.as_str().and_then(|id| groups.get(id)).ok_or("it names a saved group that is not in the files")?;
        let values = group.values.ok_or("it compares with a saved group that is no list")?;
        Ok::<_, Unsupported>(one_of(name, values, Otherwise::Fails))
    };
    match operator {
        "$eq" => of_field(name, value, groups),
        "$ne" | "$not" => of_field(name, value, groups).map(Condition::inverted),
        "$in" => values(),
        "$nin" => values().map(Condition::inverted),
        "$lt" => order(Order::Less),
        "$lte" => order(Order::AtMost),
        "$gt" => order(Order::Greater),
        "$gte" => order(Order::AtLeast),
        "$vlt" => of_version(Order::Less),
        "$vlte" => of_version(Order::AtMost),
        "$vgt" => of_version(Order::Greater),
        "$vgte" => of_version(Order::AtLeast),
        "$veq" => of_version(Order::Equal),
        "$vne" => of_version(Order::Equal).map(Condition::inverted),
        "$regex" => {
            let pattern = value.as_str().ok_or("$regex is no text")?;
            // What is absent is written out as one of these words there.
            let odd =
                regex::Regex::new(pattern).is_ok_and(|regex| regex.is_match("null") || regex.is_match("undefined"));
            Ok(patterns::matches(name, pattern, if odd { Otherwise::Unknown } else { Otherwise::Fails }))
        }
        "$exists" => {
            let there = field(name, Test::IsThere, Otherwise::Unknown);
            Ok(if *value == Value::Bool(false) { there.inverted() } else { there })
        }
        "$inGroup" => group(),
        "$notInGroup" => group().map(Condition::inverted),
        other => Err(format!("the operator {other} cannot be said here")),
    }
}
