//! GO Feature Flag: flag files, one environment each.

mod query;
mod steps;

use std::collections::HashMap;

use flagstone_domain::time::Timestamp;
use serde_json::{Map, Value};

use self::query::field_of;
use super::{
    Document, Options,
    assemble::Found,
    comparison::{Order, Otherwise, Test, time},
    condition::{Condition, Unsupported},
    flag::{Flag, Outcome, Rule, Rules, Ruling, Served, Split},
    jsonlogic::Logic,
    read::{distinct, field, list, metadata_tags, object, text},
};

pub(super) fn is(document: &Value) -> bool {
    let flags = document.as_object();
    flags.is_some_and(|flags| {
        !flags.is_empty() && flags.values().all(|flag| flag.get("variations").is_some_and(Value::is_object))
    })
}

pub(super) fn read(documents: &[Document<'_>], options: &Options) -> Found {
    let mut found = Found::default();
    found.project(&options.project, &options.project, None);
    for document in documents {
        let environment = document.environment.unwrap_or(&options.environment);
        found.environment(environment);
        for (key, flag) in document.value.as_object().into_iter().flatten() {
            let mut notes = Vec::new();
            let metadata = flag.get("metadata").and_then(Value::as_object);
            let described = metadata.and_then(|metadata| metadata.get("description")).and_then(Value::as_str);
            let ruling = ruling(key, flag, options.now, &mut notes).unwrap_or_else(Ruling::Unsupported);
            found.flags.push(Flag {
                key: key.clone(),
                project: options.project.clone(),
                description: described.map(str::to_owned),
                tags: metadata_tags(metadata),
                notes,
                environments: vec![(environment.to_owned(), ruling)],
                ..Flag::default()
            });
        }
    }
    found
}

fn ruling(key: &str, flag: &Value, now: Timestamp, notes: &mut Vec<String>) -> Result<Ruling, Unsupported> {
    let flag = &steps::taken(flag, now, notes)?;
    if flag.get("disable") == Some(&Value::Bool(true)) {
        return Ok(Ruling::Off);
    }
    let empty = Map::new();
    let variations = object(flag, "variations")?.unwrap_or(&empty);
    let by = text(flag, "bucketingKey").filter(|field| !field.is_empty()).map_or_else(|| "userId".to_owned(), field_of);
    let reading = Reading {
        key,
        names: distinct(variations.keys().cloned().collect()),
        boolean: variations.values().all(Value::is_boolean),
        variations,
        by,
        now,
    };
    let mut rules = Vec::new();
    if let Some(during) = object(flag, "experimentation")? {
        let mut outside = Vec::new();
        for (name, order) in [("start", Order::Less), ("end", Order::AtLeast)] {
            if let Some(at) = during.get(name).filter(|value| !value.is_null()) {
                outside.push(time(order, date(at)?));
            }
        }
        rules.push(Rule { title: None, when: Condition::Any(outside), then: Outcome::Serve(Served::Off) });
    }
    for rule in list(flag, "targeting")? {
        if rule.get("disable") != Some(&Value::Bool(true)) {
            rules.push(Rule {
                title: text(rule, "name").map(str::to_owned),
                when: reading.when(condition(rule).unwrap_or_else(Condition::Unsupported)),
                then: reading.outcome(rule, notes)?,
            });
        }
    }
    if let Some(rule) = flag.get("defaultRule").filter(|value| value.is_object()) {
        rules.push(Rule { title: None, when: reading.when(Condition::Always), then: reading.outcome(rule, notes)? });
    }
    Ok(Ruling::Rules(Rules { listed: rules, ..Rules::default() }))
}

fn condition(rule: &Value) -> Result<Condition, Unsupported> {
    match rule.get("query") {
        None | Some(Value::Null) => Ok(Condition::Always),
        Some(Value::String(query)) if query.trim().is_empty() => Ok(Condition::Always),
        Some(Value::String(query)) if query.trim_start().starts_with('{') => {
            let value: Value = serde_json::from_str(query).map_err(|_| "a query is no JSON".to_owned())?;
            logic(&value)
        }
        Some(Value::String(query)) => query::parse(query),
        Some(other) => logic(other),
    }
}

fn logic(value: &Value) -> Result<Condition, Unsupported> {
    Logic { shared: HashMap::new(), key: "key", ..Logic::default() }.condition(value, 0)
}

fn date(value: &Value) -> Result<i64, Unsupported> {
    let at = value.as_str().and_then(Timestamp::parse);
    at.map(Timestamp::millis).ok_or_else(|| format!("{value} is no date with time and zone"))
}

/// Context in which the rules of one flag are read.
struct Reading<'a> {
    key: &'a str,
    variations: &'a Map<String, Value>,
    /// Names for the variations here, in their order.
    names: Vec<String>,
    boolean: bool,
    by: String,
    now: Timestamp,
}

impl Reading<'_> {
    /// Returns the condition of a draw, which gives nothing to users who lack its key.
    fn when(&self, condition: Condition) -> Condition {
        if self.by == "userId" {
            return condition;
        }
        Condition::All(vec![field(&self.by, Test::IsThere, Otherwise::Unknown), condition])
    }

    /// A variation by its name, which YAML may have read as a truth or a number.
    fn served(&self, name: &Value) -> Result<Served, Unsupported> {
        let text = super::read::plain(name).ok_or("a variation is named by no text")?;
        let exactly = self.variations.keys().position(|key| *key == text);
        let alike = || self.variations.keys().position(|key| name.is_boolean() && key.eq_ignore_ascii_case(&text));
        let place = exactly.or_else(alike).ok_or_else(|| format!("it gives {text}, which it does not have"))?;
        let value = self.variations.values().nth(place).unwrap_or(&Value::Null);
        Ok(match (value, self.boolean) {
            (Value::Bool(truth), true) => Served::truth(*truth),
            _ => Served::value(&self.names[place], value),
        })
    }

    fn outcome(&self, rule: &Value, notes: &mut Vec<String>) -> Result<Outcome, Unsupported> {
        if let Some(progress) = object(rule, "progressiveRollout")? {
            notes.push("its progressive rollout stands where it is today, and does not go on".to_owned());
            return self.progress(progress);
        }
        if let Some(shares) = object(rule, "percentage")?.filter(|shares| !shares.is_empty()) {
            let mut parts = Vec::new();
            for (name, share) in shares {
                let share = share.as_f64().filter(|share| *share >= 0.0).ok_or("a percentage is no number")?;
                parts.push((self.served(&Value::String(name.clone()))?, share));
            }
            if (parts.iter().map(|(_, share)| share).sum::<f64>() - 100.0).abs() > 0.01 {
                return Err("its percentages do not add up to 100".to_owned());
            }
            return Ok(Outcome::Split(self.split(parts)));
        }
        let variation = rule.get("variation").filter(|value| !value.is_null()).ok_or("a rule gives no variation")?;
        Ok(Outcome::Serve(self.served(variation)?))
    }

    fn split(&self, parts: Vec<(Served, f64)>) -> Split {
        Split { by: self.by.clone(), seed: Some(self.key.to_owned()), parts, share: 1.0 }
    }

    /// The share of the last variation grows steadily from one date to another.
    fn progress(&self, progress: &Map<String, Value>) -> Result<Outcome, Unsupported> {
        let side = |name: &str, percentage: f64| {
            let step = progress.get(name).ok_or("a progressive rollout lacks a side")?;
            let served = self.served(step.get("variation").unwrap_or(&Value::Null))?;
            let at = date(step.get("date").unwrap_or(&Value::Null))?;
            Ok::<_, Unsupported>((served, at, step.get("percentage").and_then(Value::as_f64).unwrap_or(percentage)))
        };
        let ((first, from, low), (last, to, high)) = (side("initial", 0.0)?, side("end", 100.0)?);
        if to <= from || !(0.0..=100.0).contains(&low) || !(low..=100.0).contains(&high) {
            return Err("its progressive rollout does not progress".to_owned());
        }
        #[expect(clippy::cast_precision_loss, reason = "days in milliseconds fit")]
        let passed = ((self.now.millis() - from) as f64 / (to - from) as f64).clamp(0.0, 1.0);
        let share = low + (high - low) * passed;
        Ok(Outcome::Split(self.split(vec![(last, share), (first, 100.0 - share)])))
    }
}
