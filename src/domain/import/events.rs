//! The events of an import, made one after another while they are stored: a large import has many.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::json;

use super::{Link, Plan, PlannedFeature};
use crate::{
    actor::Actor, change_request::touch::Touch, event::NewEvent, event_kind::EventKind, feature_link::LinkChange,
    tag::Tag,
};

/// Data of the event about a new parent.
#[derive(Serialize)]
struct LinkData<'a> {
    feature: &'a str,
    enabled: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    variants: &'a [String],
}

impl PlannedFeature {
    /// The tags that it has before its own are replaced.
    fn tags_before(&self) -> &[Tag] {
        self.stored.as_ref().map_or(&[], |stored| &stored.tags)
    }
}

impl Plan {
    /// The events, in the order in which the import takes its steps.
    pub fn events<'a>(&'a self, actor: &'a Actor) -> Box<dyn Iterator<Item = NewEvent> + Send + 'a> {
        let source = Source { plan: self, actor };
        let features = || self.features.iter();
        let mut new_tags: HashSet<&Tag> = self.new_tags.iter().collect();
        Box::new(
            features()
                .filter_map(move |feature| source.overwritten(feature))
                .chain(features().filter_map(move |feature| source.created(feature)))
                .chain(features().filter_map(move |feature| source.variants(feature)))
                .chain(
                    self.tag_types.iter().map(move |kind| source.instance(EventKind::TagTypeCreated).with_data(kind)),
                )
                .chain(features().flat_map(move |feature| source.tagged(feature, &mut new_tags)))
                .chain(self.context_fields.iter().map(move |field| {
                    let event = source.instance(EventKind::ContextFieldCreated).belonging_to(field.owner());
                    event.with_data(field)
                }))
                .chain(features().flat_map(move |feature| source.replaced(feature)))
                .chain(features().flat_map(move |feature| source.strategies(feature)))
                .chain(features().filter_map(move |feature| source.switched(feature)))
                .chain(features().flat_map(move |feature| source.dependent(feature)))
                .chain(features().flat_map(move |feature| source.linked(feature)))
                .chain(std::iter::once_with(move || source.done())),
        )
    }

    /// Returns its changes to features that exist, as far as schedules of change requests are about them.
    pub fn touches(&self) -> Vec<Touch<'_>> {
        let environment = &*self.environment;
        let mut touches = Vec::new();
        for planned in &self.features {
            let (feature, Some(stored)) = (planned.name(), &planned.stored) else { continue };
            touches.push(Touch::StrategiesReplaced { feature, environment });
            if planned.variants.as_ref().is_some_and(|after| *after != stored.configuration.variants) {
                touches.push(Touch::VariantsUpdated { feature, environment: Some(environment) });
            }
        }
        touches
    }
}

#[derive(Clone, Copy)]
struct Source<'a> {
    plan: &'a Plan,
    actor: &'a Actor,
}

impl<'a> Source<'a> {
    fn instance(self, kind: EventKind) -> NewEvent {
        NewEvent::new(kind, self.actor)
    }

    fn about(self, kind: EventKind, feature: &PlannedFeature, tags: &[Tag]) -> NewEvent {
        NewEvent::new(kind, self.actor).in_project(&self.plan.project).of_feature(feature.name(), tags)
    }

    fn here(self, kind: EventKind, feature: &PlannedFeature, tags: &[Tag]) -> NewEvent {
        self.about(kind, feature, tags).in_environment(&self.plan.environment)
    }

    fn overwritten(self, feature: &PlannedFeature) -> Option<NewEvent> {
        let stored = feature.stored.as_ref()?;
        let event = self.about(EventKind::FeatureMetadataUpdated, feature, &stored.tags);
        Some(event.with_data(&feature.document).with_pre_data(&stored.document))
    }

    fn created(self, feature: &PlannedFeature) -> Option<NewEvent> {
        let event = || self.about(EventKind::FeatureCreated, feature, &[]);
        feature.stored.is_none().then(|| event().with_data(&feature.document))
    }

    fn variants(self, feature: &PlannedFeature) -> Option<NewEvent> {
        let after = feature.variants.as_ref()?;
        let before = feature.stored.as_ref().map(|stored| &*stored.configuration.variants).unwrap_or_default();
        if after.is_empty() && before.is_empty() {
            return None;
        }
        let event = self.here(EventKind::FeatureEnvironmentVariantsUpdated, feature, feature.tags_before());
        Some(event.with_data(&json!({ "variants": after })).with_pre_data(&json!({ "variants": before })))
    }

    /// For each tag: that it exists, when this is the first time, and that the feature carries it.
    fn tagged(self, feature: &'a PlannedFeature, new_tags: &mut HashSet<&Tag>) -> Vec<NewEvent> {
        let mut events = Vec::with_capacity(feature.tags.len());
        for tag in &feature.tags {
            if new_tags.remove(tag) {
                events.push(self.instance(EventKind::TagCreated).with_data(tag));
            }
            events.push(self.about(EventKind::FeatureTagged, feature, &feature.tags).with_data(tag));
        }
        events
    }

    /// The strategies that the imported ones replace.
    fn replaced(self, feature: &'a PlannedFeature) -> impl Iterator<Item = NewEvent> + 'a {
        let event = move || self.here(EventKind::FeatureStrategyRemove, feature, &feature.tags);
        let stored = feature.stored.as_ref().filter(|_| self.plan.configures);
        let strategies = stored.map(|stored| &*stored.configuration.strategies).unwrap_or_default();
        strategies.iter().map(move |strategy| event().with_pre_data(strategy))
    }

    fn strategies(self, feature: &'a PlannedFeature) -> impl Iterator<Item = NewEvent> + 'a {
        let event = move || self.here(EventKind::FeatureStrategyAdd, feature, &feature.tags);
        feature.strategies.iter().map(move |strategy| event().with_data(strategy))
    }

    fn switched(self, feature: &PlannedFeature) -> Option<NewEvent> {
        let was_enabled = feature.stored.as_ref().is_some_and(|stored| stored.configuration.enabled);
        let kind = match (was_enabled, feature.enabled?) {
            (false, true) => EventKind::FeatureEnvironmentEnabled,
            (true, false) => EventKind::FeatureEnvironmentDisabled,
            _ => return None,
        };
        Some(self.here(kind, feature, &feature.tags))
    }

    fn dependent(self, feature: &'a PlannedFeature) -> impl Iterator<Item = NewEvent> + 'a {
        feature.parents.iter().map(move |Link { parent, enabled, variants }| {
            let data = LinkData { feature: parent, enabled: *enabled, variants };
            self.about(EventKind::FeatureDependencyAdded, feature, &feature.tags).with_data(&data)
        })
    }

    /// The links that the feature does not have yet come last.
    fn linked(self, feature: &'a PlannedFeature) -> impl Iterator<Item = NewEvent> + 'a {
        let held = feature.stored.as_ref().map_or(0, |stored| stored.links.len());
        feature
            .links
            .iter()
            .skip(held)
            .map(move |link| LinkChange::Added(link).tell(self.about(LinkChange::KIND, feature, &feature.tags)))
    }

    fn done(self) -> NewEvent {
        let event = self.instance(EventKind::FeaturesImported);
        event.in_project(&self.plan.project).in_environment(&self.plan.environment)
    }
}
