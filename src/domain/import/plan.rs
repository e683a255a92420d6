//! Plan of an import, worked out before anything is written.

use std::collections::{BTreeSet, HashSet};

use flagstone_wire::{Nullable, Number};
use uuid::Uuid;

use super::{
    ContextField, ImportRequest, Known, KnownFeature,
    closing::Closing,
    content::segment_names,
    selection::{Entry, Selection},
};
use crate::{
    constraint::Constraint,
    feature::Dependency,
    feature_document::FeatureDocument,
    feature_link::{FeatureLink, with_given},
    ids::{FeatureName, ProjectId},
    strategy::{
        FeatureStrategy,
        parameters::{clamp, normalize},
        with_default_parameters,
    },
    strategy_id::StrategyId,
    switching::is_disabled,
    tag::{Tag, TagType},
    time::Timestamp,
    variant::{FeatureVariant, distribute_feature, distribute_strategy},
};

/// Position of a context field that names none.
const DEFAULT_SORT_ORDER: i64 = 10;

/// All that an import writes.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Project that receives the features.
    pub project: String,
    /// Environment that receives strategies, variants and switches.
    pub environment: String,
    /// Tag types that are new and used.
    pub tag_types: Vec<TagType>,
    /// Context fields that are new.
    pub context_fields: Vec<ContextField>,
    /// Tags that nothing carries yet.
    pub new_tags: BTreeSet<Tag>,
    /// The features, in the order of the data set.
    pub features: Vec<PlannedFeature>,
    /// Whether the configuration of features in the environment is overwritten; otherwise it stays.
    pub configures: bool,
}

/// Configuration of a feature that an import would give it, and that needs approval.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Name of the feature.
    pub feature: String,
    /// All of its strategies in the environment, in order, with position.
    pub strategies: Vec<FeatureStrategy>,
    /// Whether it is on in the environment; `None` leaves it as it is.
    pub enabled: Option<bool>,
    /// Whether it is on there now.
    pub was_enabled: bool,
    /// Its variants in the environment, if they are others than now.
    pub variants: Option<Vec<FeatureVariant>>,
    /// Parents that it does not depend on yet, or otherwise.
    pub parents: Vec<Link>,
}

/// A feature as it will be.
#[derive(Debug, Clone)]
pub struct PlannedFeature {
    /// Its properties.
    pub document: FeatureDocument,
    /// The stored feature of that name; none for a new feature.
    pub stored: Option<KnownFeature>,
    /// All of its tags, by type, then value.
    pub tags: Vec<Tag>,
    /// All of its strategies in the environment, in order, with id and position.
    pub strategies: Vec<FeatureStrategy>,
    /// Whether it is on in the environment; none leaves it as it is.
    pub enabled: Option<bool>,
    /// Its variants in the environment; none leaves them as they are.
    pub variants: Option<Vec<FeatureVariant>>,
    /// Parents that it will depend on.
    pub parents: Vec<Link>,
    /// All of its links.
    pub links: Vec<FeatureLink>,
}

/// A parent that a feature depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Name of the parent.
    pub parent: String,
    /// Whether the parent must be on.
    pub enabled: bool,
    /// Variants one of which the parent must give; empty for any.
    pub variants: Vec<String>,
}

impl PlannedFeature {
    /// The name of the feature.
    pub fn name(&self) -> &str {
        &self.document.name
    }
}

impl Plan {
    /// Leaves the configuration of all features as it is, and returns the one that they would have got.
    pub fn take_configuration(&mut self) -> Vec<Wanted> {
        self.configures = false;
        let take = |feature: &mut PlannedFeature| {
            let stored = feature.stored.as_ref();
            let before = stored.map(|stored| stored.configuration.clone()).unwrap_or_default();
            let held = stored.map(|stored| stored.parents.clone()).unwrap_or_default();
            let parents = std::mem::take(&mut feature.parents).into_iter().filter(|link| !held.contains(link));
            Wanted {
                feature: feature.document.name.clone(),
                strategies: std::mem::take(&mut feature.strategies),
                enabled: feature.enabled.take(),
                was_enabled: before.enabled,
                variants: feature.variants.take().filter(|variants| *variants != before.variants),
                parents: parents.collect(),
            }
        };
        self.features.iter_mut().map(take).collect()
    }

    /// Whether any feature would depend on another, or in another way, in all environments.
    pub fn changes_dependencies(&self) -> bool {
        self.features.iter().any(|feature| {
            let before = feature.stored.as_ref().map(|stored| &*stored.parents).unwrap_or_default();
            !feature.parents.iter().all(|link| before.contains(link))
        })
    }
}

/// Works out an import that has been judged free of errors. `now` dates new features, and `new_id` gives each strategy
/// its id.
pub fn plan(request: &ImportRequest, known: &Known, now: Timestamp, new_id: impl Fn() -> Uuid) -> Plan {
    let data = &request.data;
    let selection = Selection::of(data, known);
    let closing = Closing::of(data, known, &selection);
    let planner = Planner { project: &request.project, known, segments: segment_names(data), closing, now, new_id };
    let features: Vec<PlannedFeature> = selection.entries.iter().map(|entry| planner.feature(entry)).collect();
    let tags = || features.iter().flat_map(|feature| &feature.tags);
    let used_types: HashSet<&str> = tags().map(|tag| &*tag.kind).collect();
    let mut seen = HashSet::new();
    let tag_types = data.tag_types.iter().filter(|kind| {
        let name = &*kind.name;
        used_types.contains(name) && !known.tag_types.contains(name) && seen.insert(name)
    });
    let tag_types = tag_types.map(complete_tag_type).collect();
    let mut seen = HashSet::new();
    let context_fields = data
        .fields()
        .iter()
        .filter(|field| !known.context_fields.contains_key(&field.name) && seen.insert(&field.name));
    Plan {
        project: request.project.clone(),
        environment: request.environment.clone(),
        tag_types,
        context_fields: context_fields.map(|field| complete_field(field, &request.project)).collect(),
        new_tags: tags().filter(|tag| !known.tags.contains(tag)).cloned().collect(),
        features,
        configures: true,
    }
}

/// The type as it is stored.
fn complete_tag_type(kind: &TagType) -> TagType {
    TagType {
        name: kind.name.clone(),
        description: Some(kind.description.clone().unwrap_or_default()),
        icon: Some(kind.icon.clone().unwrap_or_default()),
    }
}

/// Returns the field as it is stored, without what is counted or dated. One that belonged to a project belongs to the
/// project that receives the features.
fn complete_field(field: &ContextField, project: &str) -> ContextField {
    ContextField {
        name: field.name.clone(),
        description: Some(Nullable(field.description.clone().and_then(Nullable::into_inner))),
        stickiness: Some(field.stickiness.unwrap_or(false)),
        sort_order: Some(field.sort_order.unwrap_or(DEFAULT_SORT_ORDER)),
        created_at: None,
        used_in_features: None,
        used_in_projects: None,
        project: field.owner().map(|_| Nullable(Some(project.to_owned()))),
        legal_values: Some(field.legal().to_vec()),
    }
}

struct Planner<'a, F> {
    project: &'a str,
    known: &'a Known,
    segments: std::collections::HashMap<i64, &'a str>,
    closing: Closing<'a>,
    now: Timestamp,
    new_id: F,
}

impl<F: Fn() -> Uuid> Planner<'_, F> {
    /// The properties of a feature, which comes into use in the project.
    fn document(&self, entry: &Entry<'_>) -> FeatureDocument {
        let (given, stored) = (entry.feature, entry.stored.map(|stored| &stored.document));
        let created_at = stored.map_or(self.now, |stored| stored.created_at);
        let new = FeatureDocument::new(FeatureName::new(&given.name), ProjectId::new(self.project), created_at);
        FeatureDocument {
            kind: given.kind.clone().unwrap_or(new.kind),
            description: given.description.clone().and_then(Nullable::into_inner),
            stale: given.stale.unwrap_or(false),
            impression_data: given.impression_data.unwrap_or(false),
            last_seen_at: stored.and_then(|stored| stored.last_seen_at),
            ..new
        }
    }

    fn feature(&self, entry: &Entry<'_>) -> PlannedFeature {
        let variants = entry.configuration.and_then(|configuration| configuration.variants.clone());
        PlannedFeature {
            document: self.document(entry),
            stored: entry.stored.cloned(),
            tags: entry.tags().collect(),
            strategies: (0..)
                .zip(&entry.strategies)
                .map(|(place, strategy)| self.strategy(entry, place, strategy))
                .collect(),
            enabled: self.closing.switch(entry),
            variants: variants.and_then(|variants| distribute_feature(variants).ok()),
            parents: links(&entry.parents),
            links: self.links(entry),
        }
    }

    fn links(&self, entry: &Entry<'_>) -> Vec<FeatureLink> {
        let stored = entry.stored.map(|stored| stored.links.clone()).unwrap_or_default();
        with_given(stored, entry.links.iter().map(|link| link.given()), || (self.new_id)().to_string())
    }

    fn strategy(&self, entry: &Entry<'_>, place: i64, given: &FeatureStrategy) -> FeatureStrategy {
        let stickiness = &self.known.project.default_stickiness;
        let parameters = given.parameters.clone().unwrap_or_default();
        let feature = FeatureName::new(&entry.feature.name);
        let mut parameters = with_default_parameters(&given.name, parameters, feature, stickiness);
        clamp(&given.name, &mut parameters);
        normalize(&given.name, &mut parameters);
        let constraints = given.constraints.iter().flatten().cloned().map(Constraint::normalized);
        let disabled = is_disabled(given) || self.closing.placeholder(given).is_some();
        FeatureStrategy {
            id: Some(StrategyId((self.new_id)())),
            name: given.name.clone(),
            title: Some(given.title.clone().unwrap_or_default()),
            disabled: Some(Nullable(Some(disabled))),
            feature_name: None,
            sort_order: Some(place.into()),
            segments: Some(self.segments(given)),
            constraints: Some(constraints.collect()),
            variants: Some(distribute_strategy(given.variants.clone().unwrap_or_default()).unwrap_or_default()),
            parameters: Some(parameters),
        }
    }

    /// Ids here of the segments that the data set names by its own ids, each once.
    fn segments(&self, strategy: &FeatureStrategy) -> Vec<Number> {
        let mut seen = HashSet::new();
        let ids = strategy.segments.iter().flatten();
        let names = ids.filter_map(|id| self.segments.get(&id.whole()?));
        names
            .filter_map(|name| self.known.usable_segment(name))
            .filter(|id| seen.insert(*id))
            .map(Number::from)
            .collect()
    }
}

/// Parents in their order; of several links to the same parent the last one counts.
pub(super) fn links(parents: &[&Dependency]) -> Vec<Link> {
    let mut seen = HashSet::new();
    let last_ones = parents.iter().rev().filter(|parent| seen.insert(&*parent.feature));
    let mut links: Vec<Link> = last_ones
        .map(|parent| {
            let enabled = parent.enabled.unwrap_or(true);
            let variants = parent.variants.clone().filter(|_| enabled).unwrap_or_default();
            Link { parent: parent.feature.clone(), enabled, variants }
        })
        .collect();
    links.reverse();
    links
}
