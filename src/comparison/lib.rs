//! Comparison of two servers by the features that they serve: their definitions, and the results of their evaluation.
//!
//! Both descriptions are judged by one engine, for people who are made from what the rules themselves look at. What
//! chance decides is counted separately.

mod people;
mod served;

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{evaluation::Subject, time::Timestamp};
use flagstone_evaluation::{Asker, Engine};
use serde::Serialize;

pub use self::{people::people, served::Served};

/// Maximum number of people that a difference names.
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

/// A context for which a feature is evaluated differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Properties of the context.
    pub context: BTreeMap<String, String>,
    /// Result of the old server: `off`, `on`, or the name of a variant with its payload.
    pub old: String,
    /// Result of the new server.
    pub new: String,
}

/// Features that two servers do not decide alike, as they are found.
#[derive(Debug, Default)]
pub struct Differences(BTreeMap<String, Difference>);

impl Differences {
    /// Notes the results that differ for a context. A feature that is not listed is off.
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

    /// Returns the differences, by name, without the features of which chance decides; and the number of those.
    pub fn told(self, by_chance: &BTreeSet<String>) -> (Vec<Difference>, usize) {
        let (chance, told): (Vec<_>, Vec<_>) =
            self.0.into_values().partition(|found| by_chance.contains(&found.feature));
        (told, chance.len())
    }
}

/// Results by feature: `on`, or the name of a variant with its payload. Those that are off may be absent.
pub type Decisions = BTreeMap<String, String>;

/// Writes the result for a feature that is on, with the name and the payload of a variant, so that two can be compared.
pub fn decision(variant: Option<(&str, Option<&str>)>) -> String {
    match variant {
        None => "on".to_owned(),
        Some((name, None)) => name.to_owned(),
        Some((name, Some(payload))) => format!("{name}: {payload}"),
    }
}

/// Evaluates the features that a server serves, without those that are off.
fn decisions(served: &Served, engine: &Engine, asker: &Asker) -> Decisions {
    let judged = served.names().map(|name| (name, engine.judge(name, asker)));
    let on = judged.filter(|(_, (enabled, _))| *enabled).map(|(name, (_, variant))| {
        let variant =
            variant.as_ref().map(|variant| (&*variant.name, variant.payload.as_ref().map(|payload| &*payload.value)));
        (name.to_owned(), decision(variant))
    });
    on.collect()
}

/// Returns what a server decides for each of these people, at one moment.
pub fn decided(served: &Served, people: &[Subject], now: Timestamp) -> Vec<Decisions> {
    let engine = served.engine(now);
    let decided =
        people.iter().map(|person| decisions(served, &engine, &Asker::new(person, served.environment(), now)));
    decided.collect()
}

/// Judges both descriptions for each of these people, at one moment.
pub fn judge(old: &Served, new: &Served, people: &[Subject], now: Timestamp) -> Differences {
    let (before, after) = (old.engine(now), new.engine(now));
    let mut differences = Differences::default();
    for person in people {
        let asker = Asker::new(person, old.environment(), now);
        differences.note(person, &decisions(old, &before, &asker), &decisions(new, &after, &asker));
    }
    differences
}

#[cfg(test)]
mod tests;
