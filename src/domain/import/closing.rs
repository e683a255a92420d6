//! Parts that an import writes more narrowly than its data set says, since they would otherwise be on for more than
//! before.

use std::collections::{HashMap, HashSet};

use super::{
    ImportData, Known,
    content::segment_names,
    selection::{Entry, Selection},
};
use crate::{strategy::FeatureStrategy, switching::is_disabled};

/// Strategies that are written disabled, and features that are switched off for it.
pub(super) struct Closing<'a> {
    known: &'a Known,
    segments: HashMap<i64, &'a str>,
    /// Names of the features that have a strategy that is written disabled.
    narrowed: HashSet<&'a str>,
}

impl<'a> Closing<'a> {
    pub(super) fn of(data: &'a ImportData, known: &'a Known, selection: &Selection<'a>) -> Self {
        let mut closing = Self { known, segments: segment_names(data), narrowed: HashSet::new() };
        let narrowed = selection.entries.iter().filter(|entry| closing.closes_any(entry));
        let narrowed = narrowed.map(|entry| &*entry.feature.name).collect();
        closing.narrowed = narrowed;
        closing
    }

    /// Returns the name of the segment for which a strategy is written disabled: one that an import made, and that has
    /// been given no constraints since. With it the strategy would always hold.
    pub(super) fn placeholder(&self, strategy: &FeatureStrategy) -> Option<&'a str> {
        let is_placeholder =
            |name: &&'a str| self.known.segments.get(*name).is_some_and(|segment| segment.is_placeholder);
        let mut names = strategy.segments.iter().flatten().filter_map(|id| self.segments.get(&id.whole()?).copied());
        names.find(is_placeholder).filter(|_| !is_disabled(strategy))
    }

    /// Whether the feature will be on in the environment; none leaves it as it is.
    pub(super) fn switch(&self, entry: &Entry<'_>) -> Option<bool> {
        if self.switches_off(entry) { Some(false) } else { entry.configuration.map(|given| given.enabled) }
    }

    /// Whether a feature is switched off that the data set would have on: it is archived there, and so never on
    /// whatever its switch says; no strategy is left to decide for whom, which the data set does not ask for; or
    /// another feature must be off for it, and will be.
    pub(super) fn switches_off(&self, entry: &Entry<'_>) -> bool {
        let stored = entry.stored.map(|stored| &stored.configuration);
        let given = entry.configuration.map(|given| given.enabled);
        let is_on = given.unwrap_or_else(|| stored.is_some_and(|stored| stored.enabled));
        let is_decided =
            entry.strategies.iter().any(|strategy| !is_disabled(strategy) && self.placeholder(strategy).is_none());
        let is_emptied = given.is_none() && stored.is_some_and(|stored| stored.has_enabled_strategies);
        let follows = || {
            let mut parents = entry.parents.iter();
            parents.any(|parent| parent.enabled == Some(false) && self.narrowed.contains(&*parent.feature))
        };
        is_on && (entry.is_archived() || !is_decided && (is_emptied || self.closes_any(entry)) || follows())
    }

    fn closes_any(&self, entry: &Entry<'_>) -> bool {
        entry.strategies.iter().any(|strategy| self.placeholder(strategy).is_some())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::{
        feature::{Dependency, Feature, FeatureEnvironment},
        feature_document::FeatureDocument,
        ids::{FeatureName, ProjectId},
        import::{
            ImportDependency, ImportRequest, KnownConfiguration, KnownFeature, KnownSegment, PlannedFeature,
            SegmentReference, plan,
        },
        time::Timestamp,
    };

    const NOW: Timestamp = Timestamp::from_millis(0);

    /// Ids and names of a segment that an import made and of one that a user made.
    const SEGMENTS: [(i64, &str); 2] = [(1, "made"), (2, "real")];

    fn known(stored: Option<(bool, bool)>) -> Known {
        let segments = SEGMENTS.map(|(id, name)| {
            (name.to_owned(), KnownSegment { id: 10 * id, project: None, is_placeholder: name == "made" })
        });
        let feature = |(enabled, has_enabled_strategies)| KnownFeature {
            id: 1,
            document: FeatureDocument::new(FeatureName::new("f"), ProjectId::new(""), NOW),
            is_parent: false,
            is_child: false,
            parents: Vec::new(),
            tags: Vec::new(),
            links: Vec::new(),
            configuration: KnownConfiguration {
                enabled,
                has_strategies: has_enabled_strategies,
                has_enabled_strategies,
                variants: Vec::new(),
                strategies: Vec::new(),
            },
        };
        let features = stored.map(|stored| ("f".to_owned(), feature(stored)));
        Known { segments: segments.into(), features: features.into_iter().collect(), ..Known::default() }
    }

    fn request(strategies: &[(Vec<i64>, bool)], given: Option<bool>, more: ImportData) -> ImportRequest {
        let feature = |name: &str| Feature { name: name.to_owned(), ..Feature::default() };
        let strategy = |(segments, disabled): &(Vec<i64>, bool)| {
            let strategy = serde_json::json!({
                "name": "default", "featureName": "f", "segments": segments, "disabled": disabled,
            });
            serde_json::from_value(strategy).expect("a strategy")
        };
        let switch = |enabled| FeatureEnvironment { name: "f".to_owned(), enabled, ..FeatureEnvironment::default() };
        let segment = |(id, name): (i64, &str)| SegmentReference { id: id.into(), name: name.to_owned() };
        let environments = given.map(switch).into_iter().chain(more.feature_environments.unwrap_or_default());
        let data = ImportData {
            features: vec![feature("f"), feature("child")],
            feature_strategies: strategies.iter().map(strategy).collect(),
            feature_environments: Some(environments.collect()),
            segments: Some(SEGMENTS.map(segment).into()),
            ..more
        };
        ImportRequest { project: String::new(), environment: String::new(), data }
    }

    fn planned(request: &ImportRequest, known: &Known) -> Vec<PlannedFeature> {
        plan(request, known, NOW, Uuid::nil).features
    }

    #[test]
    fn what_must_be_off_where_another_is_on_is_off_when_that_is_narrowed() {
        let on = FeatureEnvironment { name: "child".to_owned(), enabled: true, ..FeatureEnvironment::default() };
        let child_is_on = |segment: i64, enabled: Option<bool>| {
            let parent = Dependency { feature: "f".to_owned(), enabled, variants: None };
            let more = ImportData {
                feature_environments: Some(vec![on.clone()]),
                dependencies: Some(vec![ImportDependency { feature: "child".to_owned(), dependencies: vec![parent] }]),
                ..ImportData::default()
            };
            planned(&request(&[(vec![segment], false)], Some(true), more), &known(None))[1].enabled
        };
        assert_eq!(child_is_on(1, Some(false)), Some(false));
        assert_eq!([child_is_on(1, None), child_is_on(1, Some(true)), child_is_on(2, Some(false))], [Some(true); 3]);
    }

    proptest! {
        #[test]
        fn nothing_is_on_for_more_than_the_data_set_and_the_instance_have_it(
            strategies in proptest::collection::vec((proptest::sample::subsequence(vec![1, 2], 0..=2), any::<bool>()), 0..4),
            given in any::<Option<bool>>(), stored in any::<Option<(bool, bool)>>(),
        ) {
            let known = known(stored);
            let request = request(&strategies, given, ImportData::default());
            let feature = &planned(&request, &known)[0];
            for (planned, (segments, disabled)) in feature.strategies.iter().zip(&strategies) {
                prop_assert_eq!(is_disabled(planned), *disabled || segments.contains(&1));
            }
            let was_on = stored.is_some_and(|(enabled, _)| enabled);
            let is_on = feature.enabled.unwrap_or(was_on);
            let is_for_everybody = feature.strategies.iter().all(is_disabled);
            let meant_for_everybody = match given {
                Some(on) => on && strategies.iter().all(|(_, disabled)| *disabled),
                None => stored == Some((true, false)) && strategies.iter().all(|(_, disabled)| *disabled),
            };
            prop_assert_eq!(is_on && is_for_everybody, meant_for_everybody);
            prop_assert!(!is_on || given.unwrap_or(was_on));
        }
    }
}
