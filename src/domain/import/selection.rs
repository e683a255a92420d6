//! The part of a data set that an import concerns itself with: archived features and all that is theirs stay out.

use std::collections::{BTreeSet, HashMap};

use super::{ImportData, ImportLink, Known, KnownFeature};
use crate::{
    feature::{Dependency, Feature, FeatureEnvironment},
    strategy::FeatureStrategy,
    tag::Tag,
};

/// Part of a data set that is to be imported, sorted by feature.
pub(super) struct Selection<'a> {
    /// The features, in the order of the data set.
    pub(super) entries: Vec<Entry<'a>>,
    /// Features that the data set configures, tags or connects without listing them: that part is left out.
    pub(super) unlisted: BTreeSet<String>,
}

/// One feature and everything that is said about it.
pub(super) struct Entry<'a> {
    pub(super) feature: &'a Feature,
    pub(super) stored: Option<&'a KnownFeature>,
    pub(super) configuration: Option<&'a FeatureEnvironment>,
    pub(super) strategies: Vec<&'a FeatureStrategy>,
    pub(super) tags: BTreeSet<(String, String)>,
    pub(super) parents: Vec<&'a Dependency>,
    pub(super) links: Vec<&'a ImportLink>,
}

impl Entry<'_> {
    /// Whether the feature is archived where the data set comes from.
    pub(super) fn is_archived(&self) -> bool {
        self.feature.archived == Some(true)
    }

    pub(super) fn tags(&self) -> impl Iterator<Item = Tag> {
        self.tags.iter().map(|(kind, value)| Tag { kind: kind.clone(), value: value.clone() })
    }
}

/// Whether a name belongs to an archived feature, whose part of a data set counts for nothing.
pub(super) fn is_archived(known: &Known, name: &str) -> bool {
    known.features.get(name).is_some_and(KnownFeature::is_archived)
}

impl<'a> Selection<'a> {
    pub(super) fn of(data: &'a ImportData, known: &'a Known) -> Self {
        let selection = Self { entries: Vec::new(), unlisted: BTreeSet::new() };
        let mut builder = Builder { known, positions: HashMap::new(), selection };
        data.features.iter().for_each(|feature| builder.list(feature));
        for strategy in &data.feature_strategies {
            let name = strategy.feature_name.as_deref().unwrap_or_default();
            if let Some(entry) = builder.entry(name) {
                entry.strategies.push(strategy);
            }
        }
        for configuration in data.environments() {
            // In an export `name` repeats the feature's name.
            let name = configuration.feature_name.as_ref().unwrap_or(&configuration.name);
            if let Some(entry) = builder.entry(name) {
                entry.configuration = Some(configuration);
            }
        }
        for tag in data.tags() {
            if let Some(entry) = builder.entry(&tag.feature_name) {
                let tag = tag.tag();
                entry.tags.insert((tag.kind, tag.value));
            }
        }
        for link in data.links() {
            if let Some(entry) = builder.entry(&link.feature) {
                entry.parents.extend(&link.dependencies);
            }
        }
        for of_feature in data.feature_links() {
            if let Some(entry) = builder.entry(&of_feature.feature) {
                entry.links.extend(&of_feature.links);
            }
        }
        builder.selection
    }
}

struct Builder<'a> {
    known: &'a Known,
    positions: HashMap<&'a str, usize>,
    selection: Selection<'a>,
}

impl<'a> Builder<'a> {
    /// Takes a feature in, once; a second one of that name is an error of its own.
    fn list(&mut self, feature: &'a Feature) {
        let stored = self.known.features.get(&feature.name);
        if is_archived(self.known, &feature.name) || self.positions.contains_key(&*feature.name) {
            return;
        }
        self.positions.insert(&feature.name, self.selection.entries.len());
        self.selection.entries.push(Entry {
            feature,
            stored,
            configuration: None,
            strategies: Vec::new(),
            tags: BTreeSet::new(),
            parents: Vec::new(),
            links: Vec::new(),
        });
    }

    /// The entry of a feature; none for archived ones, and for those that the data set does not list.
    fn entry(&mut self, name: &str) -> Option<&mut Entry<'a>> {
        if let Some(position) = self.positions.get(name) {
            return self.selection.entries.get_mut(*position);
        }
        if !is_archived(self.known, name) {
            self.selection.unlisted.insert(name.to_owned());
        }
        None
    }
}
