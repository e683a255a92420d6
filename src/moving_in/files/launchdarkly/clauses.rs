//! Clauses: comparisons of an attribute with values, of which one is enough.

use std::collections::HashMap;

use serde_json::Value;

use crate::files::{
    comparison::{Order, Otherwise, Test},
    condition::{Condition, Unsupported},
    patterns,
    read::{field, field_name, list, one_of, text, truth, version},
};

/// Places of the segments of each environment.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) segments: HashMap<(String, String), usize>,
}

/// All clauses of a rule.
pub(super) fn condition(rule: &Value, environment: &str, places: &Places) -> Result<Condition, Unsupported> {
    let clauses = list(rule, "clauses")?;
    clauses.iter().map(|item| clause(item, environment, places)).collect::<Result<_, _>>().map(Condition::All)
}

/// The context field for the key of a kind of context.
pub(super) fn key_of(kind: &str) -> String {
    if kind == "user" { "userId".to_owned() } else { format!("{kind}_key") }
}

/// The context field for an attribute of a kind of context.
pub(super) fn field_of(kind: &str, attribute: &str) -> String {
    let attribute = attribute.strip_prefix('/').map_or_else(|| attribute.to_owned(), |path| path.replace('/', "."));
    match (kind, &*attribute) {
        (_, "key") => key_of(kind),
        ("user", _) => field_name(&attribute),
        _ => format!("{kind}_{attribute}"),
    }
}

fn clause(clause: &Value, environment: &str, places: &Places) -> Result<Condition, Unsupported> {
    let operator = text(clause, "op").ok_or("a clause has no operator")?;
    let values = list(clause, "values")?;
    let negate = truth(clause, "negate");
    if operator == "segmentMatch" {
        let place = |value: &Value| {
            let key = value.as_str().ok_or("a segment is named by no text")?;
            let place = places.segments.get(&(environment.to_owned(), key.to_owned()));
            let missing = || format!("the segment {key} of {environment} is not in the files");
            Ok(Condition::Segment(*place.ok_or_else(missing)?))
        };
        let any = Condition::Any(values.iter().map(place).collect::<Result<_, Unsupported>>()?);
        return Ok(if negate { any.inverted() } else { any });
    }
    let kind = text(clause, "contextKind").filter(|kind| !kind.is_empty()).unwrap_or("user");
    let attribute = text(clause, "attribute").filter(|name| !name.is_empty()).ok_or("a clause has no attribute")?;
    if attribute == "kind" {
        return Err("a clause asks for the kind of a context".to_owned());
    }
    let name = field_of(kind, attribute);
    let any = test(&name, operator, values)?;
    // Whoever lacks the attribute matches neither a clause nor its negation.
    Ok(if negate { Condition::All(vec![field(&name, Test::IsThere, Otherwise::Unknown), any.inverted()]) } else { any })
}

fn test(name: &str, operator: &str, values: &[Value]) -> Result<Condition, Unsupported> {
    let texts = || values.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>();
    let of_texts = |test: fn(Vec<String>) -> Test| {
        // One that is empty begins and ends every text.
        let texts = texts();
        if texts.iter().any(String::is_empty) {
            return field(name, Test::IsThere, Otherwise::Unknown);
        }
        field(name, test(texts), Otherwise::Fails)
    };
    let number = |order: Order, widest: fn(f64, f64) -> f64| {
        let widest = values.iter().filter_map(Value::as_f64).reduce(widest);
        widest.map_or(Condition::Never, |number| field(name, Test::Number(order, number), Otherwise::Fails))
    };
    let each = |one: &dyn Fn(&str) -> Condition| Condition::Any(texts().iter().map(|text| one(text)).collect());
    let versions = |order| each(&|text| version(name, order, text, Otherwise::Fails));
    Ok(match operator {
        "in" => one_of(name, values, Otherwise::Fails),
        "startsWith" => of_texts(Test::StartsWith),
        "endsWith" => of_texts(Test::EndsWith),
        "contains" => of_texts(Test::Contains),
        "matches" => each(&|pattern| patterns::matches(name, pattern, Otherwise::Fails)),
        "lessThan" => number(Order::Less, f64::max),
        "lessThanOrEqual" => number(Order::AtMost, f64::max),
        "greaterThan" => number(Order::Greater, f64::min),
        "greaterThanOrEqual" => number(Order::AtLeast, f64::min),
        "semVerEqual" => versions(Order::Equal),
        "semVerLessThan" => versions(Order::Less),
        "semVerGreaterThan" => versions(Order::Greater),
        "before" | "after" => return Err(super::super::DATES.to_owned()),
        other => return Err(format!("the operator {other} is not known")),
    })
}
