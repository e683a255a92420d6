//! Whether two servers tell programs the same: how they describe features, and what becomes of them for somebody.
//!
//! Both descriptions are judged by one engine, for people who are made from what the rules themselves look at. What
//! chance decides is told apart.

mod people;
mod served;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use self::{people::people, served::Served};
use crate::{
    domain::{evaluation::Subject, time::Timestamp},
    evaluation::{Asker, Choice},
};

/// How many people a difference names.
const NAMED: usize = 3;

/// A feature that is not decided alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Name of the feature.
    pub feature: String,
    /// For how many of those who were asked about.
    pub people: usize,
    /// Some of them, with what either server decides.
    pub examples: Vec<Example>,
}

/// Somebody for whom a feature is not decided alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// What they are known by.
    pub context: BTreeMap<String, String>,
    /// What the old server decides: `off`, `on`, or the name of a variant with its payload.
    pub old: String,
    /// What the new one decides.
    pub new: String,
}

/// Features that two servers do not decide alike, as they are found.
#[derive(Debug, Default)]
pub struct Differences(BTreeMap<String, Difference>);

impl Differences {
    /// Notes what is decided differently for somebody. A feature that is not told is off.
    pub fn note(&mut self, context: &Subject, old: &Decisions, new: &Decisions) {
        let off = "off".to_owned();
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for name in names {
            let (old, new) = (old.get(name).unwrap_or(&off), new.get(name).unwrap_or(&off));
            if old == new {
                continue;
            }
            let found = self.0.entry(name.clone()).or_insert_with(|| Difference {
                feature: name.clone(),
                people: 0,
                examples: Vec::new(),
            });
            found.people += 1;
            if found.examples.len() < NAMED {
                found.examples.push(Example { context: context.0.clone(), old: old.clone(), new: new.clone() });
            }
        }
    }

    /// What was found, by name, without the features of which chance decides; and how many of those there were.
    pub fn told(self, by_chance: &BTreeSet<String>) -> (Vec<Difference>, usize) {
        let (chance, told): (Vec<_>, Vec<_>) =
            self.0.into_values().partition(|found| by_chance.contains(&found.feature));
        (told, chance.len())
    }
}

/// What is decided about each feature: `on`, or the name of a variant with its payload. Those that are off may be absent.
pub type Decisions = BTreeMap<String, String>;

/// How a decision is written, so that two can be compared.
pub fn decision(enabled: bool, variant: Option<Choice>) -> String {
    match (enabled, variant) {
        (false, _) => "off".to_owned(),
        (true, None) => "on".to_owned(),
        (true, Some(Choice { name, payload: None })) => name,
        (true, Some(Choice { name, payload: Some(payload) })) => format!("{name}: {}", payload.value),
    }
}

/// Judges both descriptions for each of these people, at one moment.
pub fn judge(old: &Served, new: &Served, people: &[Subject], now: Timestamp) -> Differences {
    let (before, after) = (old.engine(now), new.engine(now));
    let names: BTreeSet<&str> = old.names().chain(new.names()).collect();
    let mut differences = Differences::default();
    for person in people {
        let asker = Asker::new(person, old.environment(), now);
        let decide = |served: &Served, engine: &crate::evaluation::Engine| {
            let known = names.iter().filter(|name| served.has(name));
            let decided = known.map(|name| {
                let (enabled, variant) = engine.judge(name, &asker);
                ((*name).to_owned(), decision(enabled, variant))
            });
            decided.collect::<Decisions>()
        };
        differences.note(person, &decide(old, &before), &decide(new, &after));
    }
    differences
}

#[cfg(test)]
mod tests;
