//! Rules of a feature, in the form of the API and in that for SDKs.

use flagstone_domain::time::Timestamp;
use serde_json::Value;

use super::conditions::{Groups, field_of, stated, targeting};
use crate::files::{
    comparison::{Order, time},
    condition::{Condition, Unsupported},
    flag::{Outcome, Rule, Served, Split},
    read::{list, says, text},
};

/// Most characters of a value that names its variant.
const MOST_NAME: usize = 80;

/// Context in which the rules of one feature are read.
pub(super) struct Reading<'a> {
    pub(super) key: &'a str,
    pub(super) kind: &'a str,
    pub(super) groups: &'a Groups<'a>,
}

/// A value of some kind, which stands as text or as itself.
pub(super) fn served(value: &Value, kind: &str) -> Result<Served, Unsupported> {
    let value = match (kind, value) {
        ("boolean" | "number" | "json", Value::String(text)) => {
            serde_json::from_str(text).map_err(|_| format!("the value {text} is no {kind}"))?
        }
        _ => value.clone(),
    };
    if kind == "boolean" {
        return value.as_bool().map(Served::truth).ok_or_else(|| "a value is neither true nor false".to_owned());
    }
    let text = super::super::read::plain(&value).unwrap_or_else(|| value.to_string());
    let name = match text.chars().count() {
        0 => "empty".to_owned(),
        1..=MOST_NAME => text,
        length => format!("{}… ({length})", text.chars().take(MOST_NAME).collect::<String>()),
    };
    Ok(Served::value(&name, &value))
}

impl Reading<'_> {
    /// The rules in their order, with the default as the last.
    pub(super) fn rules<'r>(
        &self,
        rules: impl Iterator<Item = &'r Value>,
        default: &Value,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Rule>, Unsupported> {
        let mut read = Vec::new();
        for rule in rules {
            if rule.get("enabled") == Some(&Value::Bool(false)) {
                notes.push("a rule that is switched off is not moved".to_owned());
                continue;
            }
            read.push(Rule {
                title: text(rule, "description").map(str::to_owned),
                when: self.condition(rule).unwrap_or_else(Condition::Unsupported),
                then: self.outcome(rule, notes)?,
            });
        }
        read.push(Rule::for_all(Outcome::Serve(served(default, self.kind)?)));
        Ok(read)
    }

    fn condition(&self, rule: &Value) -> Result<Condition, Unsupported> {
        if says(rule, "prerequisites") || says(rule, "parentConditions") {
            return Err("one of its rules depends on another feature; here only a whole feature can".to_owned());
        }
        let mut parts = vec![stated(rule.get("condition"), self.groups)?, targeting(rule, self.groups)?];
        for (place, step) in list(rule, "scheduleRules")?.iter().enumerate() {
            let Some(at) = text(step, "timestamp") else { continue };
            let at = Timestamp::parse(at).ok_or("a date of its schedule is no date")?.millis();
            match (place, step.get("enabled").and_then(Value::as_bool)) {
                (0, Some(true)) => parts.push(time(Order::AtLeast, at)),
                (_, Some(false)) => parts.push(time(Order::Less, at)),
                _ => return Err("one of its rules has a schedule of more than a beginning and an end".to_owned()),
            }
        }
        Ok(Condition::All(parts))
    }

    fn outcome(&self, rule: &Value, notes: &mut Vec<String>) -> Result<Outcome, Unsupported> {
        let value = || served(rule.get("value").ok_or("a rule gives no value")?, self.kind);
        let coverage = rule.get("coverage").and_then(Value::as_f64);
        match text(rule, "type") {
            Some("force") => Ok(Outcome::Serve(value()?)),
            Some("rollout") => {
                let parts = vec![(value()?, 1.0)];
                Ok(Outcome::Split(self.split(rule, parts, coverage.ok_or("a rollout has no coverage")?)))
            }
            Some("experiment") => {
                let mut parts = Vec::new();
                for part in list(rule, "value")? {
                    let value = served(part.get("value").ok_or("a variation has no value")?, self.kind)?;
                    parts.push((value, part.get("weight").and_then(Value::as_f64).ok_or("a variation has no weight")?));
                }
                let mut share = coverage.unwrap_or(1.0);
                if let Some(space) = rule.get("namespace").filter(|space| super::super::read::truth(space, "enabled")) {
                    let bound = |place| space.pointer(&format!("/range/{place}")).and_then(Value::as_f64);
                    let (from, to) = bound(0).zip(bound(1)).ok_or("a namespace has no range")?;
                    share *= (to - from).max(0.0);
                    notes.push(
                        "its namespace is not moved: its share counts, but people may be in other experiments too"
                            .to_owned(),
                    );
                }
                if says(rule, "fallbackAttribute") {
                    notes.push("the attribute that an experiment falls back to is not moved".to_owned());
                }
                notes.push("results of its experiment are not moved".to_owned());
                Ok(Outcome::Split(self.split(rule, parts, share)))
            }
            Some("experiment-ref") => Err("the weights of its experiment are not in the file".to_owned()),
            Some(other) => Err(format!("one of its rules is a {other}")),
            None => Err("one of its rules has no type".to_owned()),
        }
    }

    fn split(&self, rule: &Value, parts: Vec<(Served, f64)>, share: f64) -> Split {
        let attribute = text(rule, "hashAttribute").filter(|name| !name.is_empty()).unwrap_or("id");
        let seed = text(rule, "seed").or_else(|| text(rule, "trackingKey")).or_else(|| text(rule, "key"));
        let seed = seed.filter(|seed| !seed.is_empty()).unwrap_or(self.key);
        Split { by: field_of(attribute), seed: Some(seed.to_owned()), parts, share }
    }
}

/// The rules of a feature as the SDKs get it.
pub(super) fn of_payload(key: &str, item: &Value, groups: &Groups<'_>) -> Result<Vec<Rule>, Unsupported> {
    const KNOWN: [&str; 18] = [
        "id",
        "condition",
        "force",
        "coverage",
        "hashAttribute",
        "hashVersion",
        "seed",
        "variations",
        "weights",
        "key",
        "name",
        "phase",
        "meta",
        "namespace",
        "tracks",
        "fallbackAttribute",
        "disableStickyBucketing",
        "minBucketVersion",
    ];
    let null = Value::Null;
    let default = item.get("defaultValue").unwrap_or(&null);
    let rules = list(item, "rules")?;
    let values = || {
        let of_rules = rules
            .iter()
            .flat_map(|rule| rule.get("force").into_iter().chain(list(rule, "variations").unwrap_or_default()));
        of_rules.chain((!default.is_null()).then_some(default))
    };
    // Texts are not read as JSON here: they are what they are.
    let kind = if values().all(Value::is_boolean) { "boolean" } else { "any" };
    let reading = Reading { key, kind, groups };
    let mut read = Vec::new();
    for rule in rules {
        if let Some(unknown) = rule.as_object().into_iter().flatten().find(|(name, _)| !KNOWN.contains(&&***name)) {
            return Err(format!("one of its rules has {}, which is not known", unknown.0));
        }
        let share = rule.get("coverage").and_then(Value::as_f64);
        let then = match (rule.get("force"), list(rule, "variations")?) {
            (Some(value), _) => match share {
                None => Outcome::Serve(served(value, kind)?),
                Some(share) => Outcome::Split(reading.split(rule, vec![(served(value, kind)?, 1.0)], share)),
            },
            (None, []) => return Err("one of its rules gives nothing".to_owned()),
            (None, variations) => {
                let weights = list(rule, "weights")?;
                let equal = 1.0 / f64::from(u32::try_from(variations.len()).unwrap_or(u32::MAX));
                let mut parts = Vec::new();
                for (place, value) in variations.iter().enumerate() {
                    let weight =
                        if weights.is_empty() { Some(equal) } else { weights.get(place).and_then(Value::as_f64) };
                    parts.push((served(value, kind)?, weight.ok_or("a variation has no weight")?));
                }
                let space = list(rule, "namespace")?;
                let bound = |place: usize| space.get(place).and_then(Value::as_f64);
                let width =
                    if space.is_empty() { 1.0 } else { bound(2).zip(bound(1)).map_or(0.0, |(to, from)| to - from) };
                if (parts.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() > 0.01 {
                    return Err("the weights of an experiment do not add up".to_owned());
                }
                Outcome::Split(reading.split(rule, parts, share.unwrap_or(1.0) * width.max(0.0)))
            }
        };
        read.push(Rule {
            title: None,
            when: stated(rule.get("condition"), groups).unwrap_or_else(Condition::Unsupported),
            then,
        });
    }
    let last = if default.is_null() { Served::Off } else { served(default, kind)? };
    read.push(Rule::for_all(Outcome::Serve(last)));
    Ok(read)
}
