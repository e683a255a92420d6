//! Features that are decided otherwise than before for some people.

use std::collections::{BTreeMap, BTreeSet};

use crate::{comparison::Decisions, domain::evaluation::Subject};

/// Values of an example's context that are shown.
const SHOWN: usize = 6;
/// Decision about a feature that is not on.
const OFF: &str = "off";

/// A feature that is decided otherwise for some people.
pub(super) struct Differing {
    /// Its name.
    pub(super) feature: String,
    /// Number of these people.
    people: usize,
    /// The first of them, in words.
    example: String,
    /// The result before the move.
    before: String,
    /// The result after the move.
    after: String,
}

/// Returns the features that are decided otherwise for some people, by name, but for those about which nothing can be
/// said.
pub(super) fn differing(
    before: &[Decisions],
    after: &[Decisions],
    people: &[Subject],
    unsaid: &BTreeSet<String>,
) -> Vec<Differing> {
    let mut found: BTreeMap<&str, Differing> = BTreeMap::new();
    for ((before, after), person) in before.iter().zip(after).zip(people) {
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for name in names {
            let (old, new) = (decided(before, name), decided(after, name));
            if old == new || unsaid.contains(name) {
                continue;
            }
            let one = found.entry(name).or_insert_with(|| Differing {
                feature: name.clone(),
                people: 0,
                example: words(person),
                before: old.to_owned(),
                after: new.to_owned(),
            });
            one.people += 1;
        }
    }
    found.into_values().collect()
}

/// Returns for how many people a feature is decided otherwise.
pub(super) fn count_of(feature: &str, before: &[Decisions], after: &[Decisions]) -> usize {
    let pairs = before.iter().zip(after);
    pairs.filter(|(before, after)| decided(before, feature) != decided(after, feature)).count()
}

/// Returns what changes, in words.
pub(super) fn described(differing: &Differing, people: usize) -> String {
    let Differing { people: count, example, before, after, .. } = differing;
    format!("{count} of {people} made-up people get something else, such as {example}: {before} → {after}")
}

fn decided<'a>(decisions: &'a Decisions, feature: &str) -> &'a str {
    decisions.get(feature).map_or(OFF, String::as_str)
}

fn words(person: &Subject) -> String {
    let values: Vec<String> = person.0.iter().take(SHOWN).map(|(name, value)| format!("{name}={value}")).collect();
    if values.is_empty() { "somebody unknown".to_owned() } else { values.join(" ") }
}
