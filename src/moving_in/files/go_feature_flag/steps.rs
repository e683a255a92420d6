//! Scheduled rollouts: steps whose day has come are taken, in the order in which they stand.

use flagstone_domain::time::Timestamp;
use serde_json::{Map, Value};

use super::date;
use crate::files::{
    condition::Unsupported,
    read::{list, text},
};

/// The flag as it is after the steps of the past.
pub(super) fn taken(flag: &Value, now: Timestamp, notes: &mut Vec<String>) -> Result<Value, Unsupported> {
    let mut flag = flag.clone();
    let steps = list(&flag, "scheduledRollout")?.to_vec();
    for step in steps {
        let at = date(step.get("date").unwrap_or(&Value::Null))?;
        if at > now.millis() {
            notes.push("its scheduled rollout stands where it is today, and later steps are not moved".to_owned());
            continue;
        }
        let (Some(whole), Some(changes)) = (flag.as_object_mut(), step.as_object()) else { continue };
        for (name, change) in changes {
            match (&**name, change) {
                ("date", _) | (_, Value::Null) => {}
                ("targeting", Value::Array(rules)) => {
                    let held = whole.entry("targeting").or_insert_with(|| Value::Array(Vec::new()));
                    targeting(held.as_array_mut().ok_or("its targeting is no list")?, rules)?;
                }
                ("defaultRule", Value::Object(rule)) => {
                    let held = whole.entry("defaultRule").or_insert_with(|| Value::Object(Map::new()));
                    merge(held.as_object_mut().ok_or("its default rule is no object")?, rule)?;
                }
                ("variations", Value::Object(more)) => {
                    let held = whole.entry("variations").or_insert_with(|| Value::Object(Map::new()));
                    held.as_object_mut().ok_or("its variations are no object")?.extend(more.clone());
                }
                (name, change) => {
                    whole.insert(name.to_owned(), change.clone());
                }
            }
        }
    }
    Ok(flag)
}

/// Rules of a step change those of the same name and follow the others.
fn targeting(held: &mut Vec<Value>, rules: &[Value]) -> Result<(), Unsupported> {
    for rule in rules {
        let name = text(rule, "name").filter(|name| !name.is_empty());
        let same =
            held.iter_mut().find(|rule| name.is_some() && text(rule, "name") == name).and_then(Value::as_object_mut);
        match (same, rule.as_object()) {
            (Some(same), Some(changes)) => merge(same, changes)?,
            _ => held.push(rule.clone()),
        }
    }
    Ok(())
}

fn merge(rule: &mut Map<String, Value>, changes: &Map<String, Value>) -> Result<(), Unsupported> {
    for (name, change) in changes {
        match (&**name, change) {
            ("name", _) | (_, Value::Null) => {}
            ("query" | "variation", Value::String(text)) if text.is_empty() => {
                return Err(format!("a step of its scheduled rollout sets an empty {name}"));
            }
            ("percentage", Value::Object(more)) => {
                let held = rule.entry("percentage").or_insert_with(|| Value::Object(Map::new()));
                match held.as_object_mut() {
                    Some(held) => held.extend(more.clone()),
                    None => *held = change.clone(),
                }
            }
            ("variation", _) => {
                // One variation takes the place of shares.
                rule.remove("percentage");
                rule.insert(name.clone(), change.clone());
            }
            _ => {
                rule.insert(name.clone(), change.clone());
            }
        }
    }
    Ok(())
}
