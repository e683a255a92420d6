//! Flipt: exports of version 1 and trees of version 2: namespaces with flags and segments.

mod constraints;

use std::collections::HashMap;

use serde_json::{Value, json};

use self::constraints::segment;
use super::{
    Document, Options,
    assemble::Found,
    condition::{Condition, Unsupported},
    flag::{Flag, Outcome, Rule, Rules, Ruling, Served, Split},
    read::{list, metadata_tags, text, truth},
};

/// Places of the segments of a namespace, by their keys.
type Places = HashMap<String, usize>;

pub(super) fn is(document: &Value) -> bool {
    let has_key = |item: &Value| item.get("key").is_some_and(Value::is_string);
    let first = |name: &str| document.get(name).and_then(Value::as_array).map(|items| items.first());
    let of_others = ["defaultVariant", "state", "filters"];
    let flag = |item: &Value| has_key(item) && of_others.iter().all(|mark| item.get(mark).is_none());
    match (first("flags"), first("segments")) {
        (Some(Some(item)), _) => flag(item),
        (Some(None), _) | (_, Some(None)) => document.get("namespace").is_some(),
        (None, Some(Some(item))) => has_key(item) && item.get("match_type").is_some(),
        (None, None) => false,
    }
}

pub(super) fn read(documents: &[Document<'_>], options: &Options) -> Found {
    let mut found = Found::default();
    for document in documents {
        let environment = document.environment.unwrap_or(&options.environment);
        found.environment(environment);
        let value = &document.value;
        let namespace = value.get("namespace");
        let key = namespace
            .and_then(|namespace| namespace.as_str().or_else(|| text(namespace, "key")))
            .filter(|key| !key.is_empty());
        let project = key.unwrap_or(&options.project);
        let name =
            namespace.and_then(|namespace| text(namespace, "name")).filter(|name| !name.is_empty()).unwrap_or(project);
        let description =
            namespace.and_then(|namespace| text(namespace, "description")).filter(|text| !text.is_empty());
        found.project(project, name, description.map(str::to_owned));
        let mut places = Places::new();
        for item in list(value, "segments").unwrap_or_default() {
            let Some(key) = text(item, "key") else { continue };
            let when = segment(item).unwrap_or_else(Condition::Unsupported);
            let name = text(item, "name").filter(|name| !name.is_empty()).unwrap_or(key);
            let description = text(item, "description").filter(|text| !text.is_empty()).map(str::to_owned);
            places.insert(key.to_owned(), found.segments.add(name.to_owned(), description, when));
        }
        for flag in list(value, "flags").unwrap_or_default() {
            let rules = if text(flag, "type") == Some("BOOLEAN_FLAG_TYPE") {
                boolean(flag, &places)
            } else if truth(flag, "enabled") {
                variant(flag, &places)
            } else {
                Ok(Vec::new())
            };
            let ruling = rules
                .map_or_else(Ruling::Unsupported, |rules| Ruling::Rules(Rules { listed: rules, ..Rules::default() }));
            let described = text(flag, "description").filter(|text| !text.is_empty()).or_else(|| text(flag, "name"));
            found.flags.push(Flag {
                key: text(flag, "key").unwrap_or_default().to_owned(),
                project: project.to_owned(),
                description: described.map(str::to_owned),
                tags: metadata_tags(flag.get("metadata").and_then(Value::as_object)),
                environments: vec![(environment.to_owned(), ruling)],
                ..Flag::default()
            });
        }
    }
    found
}

/// Returns the condition of the segments that a rule names, by a key or by several with an operator.
fn audience(rule: &Value, places: &Places) -> Result<Condition, Unsupported> {
    let named = rule.get("segment").unwrap_or(rule);
    let keys: Vec<&str> = match (named.as_str(), text(named, "key"), list(named, "keys")?) {
        (Some(key), ..) | (None, Some(key), []) => vec![key],
        (_, _, keys) => keys.iter().filter_map(Value::as_str).collect(),
    };
    if keys.is_empty() {
        return Err("a rule names no segment".to_owned());
    }
    let place = |key: &&str| {
        let place = places.get(*key).ok_or_else(|| format!("the segment {key} is not in the file"))?;
        Ok(Condition::Segment(*place))
    };
    let segments = keys.iter().map(place).collect::<Result<Vec<_>, Unsupported>>()?;
    match text(named, "operator").or_else(|| text(rule, "operator")).unwrap_or("OR_SEGMENT_OPERATOR") {
        "AND_SEGMENT_OPERATOR" => Ok(Condition::All(segments)),
        "OR_SEGMENT_OPERATOR" => Ok(Condition::Any(segments)),
        other => Err(format!("segments are joined by {other}, which is not known")),
    }
}

/// Reads rollouts in their order; where none decides, the switch does.
fn boolean(flag: &Value, places: &Places) -> Result<Vec<Rule>, Unsupported> {
    let mut rules = Vec::new();
    for rollout in list(flag, "rollouts")? {
        let title = text(rollout, "description").map(str::to_owned);
        if let Some(threshold) = rollout.get("threshold").filter(|value| value.is_object()) {
            let percentage =
                threshold.get("percentage").and_then(Value::as_f64).ok_or("a threshold has no percentage")?;
            let parts = vec![(Served::truth(truth(threshold, "value")), 1.0)];
            let split =
                Split { by: "userId".to_owned(), seed: None, parts, share: (percentage / 100.0).clamp(0.0, 1.0) };
            rules.push(Rule { title, when: Condition::Always, then: Outcome::Split(split) });
        } else if let Some(segment) = rollout.get("segment").filter(|value| value.is_object()) {
            let when = audience(rollout, places).unwrap_or_else(Condition::Unsupported);
            rules.push(Rule { title, when, then: Outcome::Serve(Served::truth(truth(segment, "value"))) });
        } else {
            return Err("a rollout has neither segment nor threshold".to_owned());
        }
    }
    rules.push(Rule::for_all(Outcome::Serve(Served::truth(truth(flag, "enabled")))));
    Ok(rules)
}

/// Rules in their order, each with its distributions.
fn variant(flag: &Value, places: &Places) -> Result<Vec<Rule>, Unsupported> {
    let variants = list(flag, "variants")?;
    let served = |key: &str| {
        let variant = variants.iter().find(|variant| text(variant, "key") == Some(key));
        let variant = variant.ok_or_else(|| format!("it gives the variant {key}, which it does not have"))?;
        Ok::<_, Unsupported>(match variant.get("attachment") {
            None | Some(Value::Null) => Served::value(key, &json!(key)),
            Some(Value::String(text)) if text.is_empty() => Served::value(key, &json!(key)),
            // Answers of the API hold JSON as text, files hold it as itself.
            Some(Value::String(text)) => match serde_json::from_str(text) {
                Ok(value @ (Value::Object(_) | Value::Array(_))) => Served::value(key, &value),
                _ => Served::value(key, &json!(text)),
            },
            Some(value) => Served::value(key, value),
        })
    };
    let mut rules = Vec::new();
    for rule in list(flag, "rules")? {
        let mut parts = Vec::new();
        for part in list(rule, "distributions")? {
            let share = part.get("rollout").and_then(Value::as_f64).ok_or("a distribution has no share")?;
            parts.push((served(text(part, "variant").ok_or("a distribution names no variant")?)?, share));
        }
        if parts.is_empty() {
            return Err("a rule gives no variant".to_owned());
        }
        let rest = 100.0 - parts.iter().map(|(_, share)| share).sum::<f64>();
        if rest < -0.01 {
            return Err("shares of a rule are more than the whole".to_owned());
        }
        // A third is written as 33.33 there. Whoever falls into a larger gap gets nothing.
        if rest > 0.05 {
            parts.push((Served::Off, rest));
        }
        rules.push(Rule {
            title: text(rule, "description").map(str::to_owned),
            when: audience(rule, places).unwrap_or_else(Condition::Unsupported),
            then: Outcome::Split(Split { by: "userId".to_owned(), seed: None, parts, share: 1.0 }),
        });
    }
    if let Some(key) =
        variants.iter().find(|variant| truth(variant, "default")).and_then(|variant| text(variant, "key"))
    {
        rules.push(Rule::for_all(Outcome::Serve(served(key)?)));
    }
    Ok(rules)
}
