//! Bounds of a data set: all that an import stores has a bound here, in the rules of its noun, or in
//! [`content`](super::content).

use std::collections::BTreeSet;

use flagstone_wire::Nullable;

use super::{
    Finding, ImportData, Known,
    selection::{Entry, Selection},
};
use crate::{
    constraint::Constraint,
    feature::Dependency,
    feature_link::{LONGEST_TITLE, MOST_LINKS, normalized},
    naming::MAX_NAME_LENGTH,
    patch::{MAX_DESCRIPTION_LENGTH, MAX_TYPE_LENGTH},
    rule_size::RuleSize,
    strategy::{FeatureStrategy, StrategyBounds, StrategyParts, StrategyRefusal},
    tag::TagType,
    text::is_longer,
};

/// Most tags of a feature.
const MOST_TAGS: usize = 100;
/// Most features that a feature depends on.
const MOST_PARENTS: usize = 100;
/// Most variants that a dependency names.
const MOST_PARENT_VARIANTS: usize = 1000;
/// Most characters of a tag type's description.
const MAX_TAG_TYPE_DESCRIPTION_LENGTH: usize = 1000;
/// Most characters of a tag type's icon.
const MAX_ICON_LENGTH: usize = 255;

/// Bounds of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Most active features that the instance may hold.
    pub features: u64,
    /// Bounds of the strategies of a feature: how many, and how large each may be.
    pub strategies: StrategyBounds,
}

/// Returns the findings about exceeded bounds, with the name of the feature or tag type; each sentence once, however
/// many times it applies.
pub(super) fn errors(
    data: &ImportData,
    known: &Known,
    selection: &Selection<'_>,
    bounds: &Bounds,
) -> impl Iterator<Item = Finding> {
    let of_features = selection.entries.iter().flat_map(|entry| {
        let excesses: BTreeSet<String> = excesses(entry, &bounds.strategies).into_iter().collect();
        excesses.into_iter().map(|excess| format!("{}: {excess}", entry.feature.name))
    });
    let of_types = tag_types(data, known, selection).map(|kind| {
        format!(
            "{}: The description of a tag type may have at most {MAX_TAG_TYPE_DESCRIPTION_LENGTH} characters, its icon \
             {MAX_ICON_LENGTH}.",
            kind.name
        )
    });
    Finding::about("There is more of these than an import may bring:", of_features.chain(of_types)).into_iter()
}

fn excesses(entry: &Entry<'_>, bounds: &StrategyBounds) -> Vec<String> {
    let feature = entry.feature;
    let description = feature.description.as_ref().and_then(|description| description.0.as_ref());
    let mut excesses = Vec::new();
    if description.is_some_and(|text| is_longer(text, MAX_DESCRIPTION_LENGTH)) {
        excesses.push(format!("Its description may have at most {MAX_DESCRIPTION_LENGTH} characters."));
    }
    if feature.kind.as_ref().is_some_and(|kind| is_longer(kind, MAX_TYPE_LENGTH)) {
        excesses.push(format!("Its type may have at most {MAX_TYPE_LENGTH} characters."));
    }
    if entry.tags.len() > MOST_TAGS {
        excesses.push(format!("It may have at most {MOST_TAGS} tags; these are {}.", entry.tags.len()));
    }
    let (held, count) = count_parents(entry);
    if count > MOST_PARENTS.max(held) {
        excesses.push(format!("It may depend on at most {MOST_PARENTS} features; these are {count}."));
    }
    if !entry.parents.iter().all(|parent| names_few_variants(parent)) {
        excesses.push(format!(
            "What it depends on may name at most {MOST_PARENT_VARIANTS} variants of 1 to {MAX_NAME_LENGTH} characters."
        ));
    }
    excesses.extend(links(entry));
    excesses.extend(strategies(&entry.strategies, bounds));
    excesses
}

/// Returns the bound that the links of an entry exceed, if any. Links that the feature has already count once.
fn links(entry: &Entry<'_>) -> Option<String> {
    if entry.links.iter().any(|link| link.given().title.is_some_and(|title| is_longer(title, LONGEST_TITLE))) {
        return Some(format!("Titles of its links may have at most {LONGEST_TITLE} characters."));
    }
    let stored = entry.stored.map(|stored| &*stored.links).unwrap_or_default();
    let stored: BTreeSet<String> = stored.iter().map(|link| link.url.clone()).collect();
    let (held, given) = (stored.len(), entry.links.iter().filter_map(|link| normalized(&link.url).ok()));
    let all: BTreeSet<String> = stored.into_iter().chain(given).collect();
    let count = all.len();
    (count > MOST_LINKS.max(held)).then(|| format!("It may have at most {MOST_LINKS} links; these are {count}."))
}

fn strategies(strategies: &[&FeatureStrategy], bounds: &StrategyBounds) -> Vec<String> {
    let (count, most) = (strategies.len(), bounds.strategies);
    if u64::try_from(count).is_ok_and(|count| count > most) {
        return vec![format!("It may have at most {most} strategies in an environment; these are {count}.")];
    }
    let mut excesses = Vec::new();
    for strategy in strategies {
        if let Err(StrategyRefusal::TooMany(message)) = StrategyParts::from(*strategy).check(None, bounds) {
            excesses.push(message);
        }
    }
    // What is too large in one place is told of that place.
    if excesses.is_empty() {
        let sizes = strategies.iter().map(|strategy| {
            let constraints = || strategy.constraints.iter().flatten();
            (constraints().count(), constraints().map(Constraint::count_values).sum())
        });
        let excess = RuleSize::default().with_strategies(sizes).excess();
        excesses.extend(excess.map(|excess| format!("It has {excess}.")));
    }
    excesses
}

/// Number of features that the entry's depends on, and that after the import.
fn count_parents(entry: &Entry<'_>) -> (usize, usize) {
    let stored = entry.stored.map(|stored| &*stored.parents).unwrap_or_default();
    let given = entry.parents.iter().map(|parent| &*parent.feature);
    let all: BTreeSet<&str> = stored.iter().map(|link| &*link.parent).chain(given).collect();
    (stored.len(), all.len())
}

fn names_few_variants(parent: &Dependency) -> bool {
    let variants = parent.variants.as_deref().unwrap_or_default();
    let has_length = |name: &String| !name.is_empty() && !is_longer(name, MAX_NAME_LENGTH);
    variants.len() <= MOST_PARENT_VARIANTS && variants.iter().all(has_length)
}

/// The tag types that the import would make and whose texts are too long.
fn tag_types<'a>(
    data: &'a ImportData,
    known: &'a Known,
    selection: &'a Selection<'_>,
) -> impl Iterator<Item = &'a TagType> {
    let used: BTreeSet<&str> =
        selection.entries.iter().flat_map(|entry| &entry.tags).map(|(kind, _)| &**kind).collect();
    let is_new = move |kind: &&TagType| used.contains(&*kind.name) && !known.tag_types.contains(&kind.name);
    data.tag_types.iter().filter(is_new).filter(|kind| {
        let icon = kind.icon.clone().and_then(Nullable::into_inner);
        let description = kind.description.as_ref();
        description.is_some_and(|text| is_longer(text, MAX_TAG_TYPE_DESCRIPTION_LENGTH))
            || icon.is_some_and(|icon| is_longer(&icon, MAX_ICON_LENGTH))
    })
}
