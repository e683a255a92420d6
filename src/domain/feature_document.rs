//! A feature without its surroundings, as events carry it: ten properties, of which five can be changed.

use flagstone_wire::Nullable;
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    feature::{DEFAULT_TYPE, Feature},
    ids::{FeatureName, ProjectId},
    tag::Tag,
    time::Timestamp,
};

/// The properties of a feature itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureDocument {
    /// Unique name.
    pub name: String,
    /// Description of the feature.
    pub description: Option<String>,
    /// Feature type.
    pub kind: String,
    /// Id of the owning project.
    pub project: String,
    /// Whether it is marked as stale.
    pub stale: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// When usage was last reported.
    pub last_seen_at: Option<Timestamp>,
    /// Whether SDKs report each evaluation.
    pub impression_data: bool,
    /// When it was archived; `None` while in use.
    pub archived_at: Option<Timestamp>,
}

/// Change of a feature's archived state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveTransition {
    /// The feature leaves use.
    Archive,
    /// The feature comes back into use.
    Revive,
}

impl FeatureDocument {
    /// The properties of a new feature, with the defaults of all that is not given.
    pub fn new(name: FeatureName<'_>, project: ProjectId<'_>, created_at: Timestamp) -> Self {
        Self {
            name: name.as_str().to_owned(),
            description: None,
            kind: DEFAULT_TYPE.to_owned(),
            project: project.as_str().to_owned(),
            stale: false,
            created_at,
            last_seen_at: None,
            impression_data: false,
            archived_at: None,
        }
    }

    /// Whether the feature is archived.
    pub const fn is_archived(&self) -> bool {
        self.archived_at.is_some()
    }

    /// Whether `after` is archived where this is not, or the other way round.
    pub const fn archive_transition(&self, after: &Self) -> Option<ArchiveTransition> {
        match (self.is_archived(), after.is_archived()) {
            (false, true) => Some(ArchiveTransition::Archive),
            (true, false) => Some(ArchiveTransition::Revive),
            _ => None,
        }
    }

    /// Returns the events of a change of this into `after`, in order. None when nothing changed.
    ///
    /// Being archived or revived has events of its own, so it does not count as a change of the document.
    pub fn change_events(&self, after: &Self, actor: &Actor, tags: &[Tag]) -> Vec<NewEvent> {
        let event = |kind| NewEvent::new(kind, actor).in_project(&after.project).of_feature(&after.name, tags);
        let mut events = Vec::new();
        if (Self { archived_at: after.archived_at, ..self.clone() }) != *after {
            events.push(event(EventKind::FeatureMetadataUpdated).with_data(after).with_pre_data(self));
        }
        if self.stale != after.stale {
            events.push(event(if after.stale { EventKind::FeatureStaleOn } else { EventKind::FeatureStaleOff }));
        }
        match self.archive_transition(after) {
            // The first one comes whether or not there was a dependency, as readers of the log expect.
            Some(ArchiveTransition::Archive) => {
                events.extend([EventKind::FeatureDependenciesRemoved, EventKind::FeatureArchived].map(event));
            }
            Some(ArchiveTransition::Revive) => events.push(event(EventKind::FeatureRevived)),
            None => {}
        }
        events
    }
}

impl From<FeatureDocument> for Feature {
    fn from(document: FeatureDocument) -> Self {
        Self {
            archived: Some(document.is_archived()),
            name: document.name,
            kind: Some(document.kind),
            description: Some(Nullable(document.description)),
            project: Some(document.project),
            stale: Some(document.stale),
            impression_data: Some(document.impression_data),
            created_at: Some(Nullable(Some(document.created_at))),
            archived_at: Some(Nullable(document.archived_at)),
            last_seen_at: Some(Nullable(document.last_seen_at)),
            ..Self::default()
        }
    }
}

impl Serialize for FeatureDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_struct("FeatureDocument", 10)?;
        document.serialize_field("name", &self.name)?;
        document.serialize_field("description", &self.description)?;
        document.serialize_field("type", &self.kind)?;
        document.serialize_field("project", &self.project)?;
        document.serialize_field("stale", &self.stale)?;
        document.serialize_field("createdAt", &self.created_at)?;
        document.serialize_field("lastSeenAt", &self.last_seen_at)?;
        document.serialize_field("impressionData", &self.impression_data)?;
        document.serialize_field("archivedAt", &self.archived_at)?;
        document.serialize_field("archived", &self.is_archived())?;
        document.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document() -> FeatureDocument {
        FeatureDocument::new(FeatureName::new("f"), ProjectId::new("shop"), Timestamp::from_millis(0))
    }

    fn kinds(before: &FeatureDocument, after: &FeatureDocument) -> Vec<&'static str> {
        let events = before.change_events(after, &Actor::system(), &[]);
        events.iter().map(|event| event.kind.as_str()).collect()
    }

    #[test]
    fn is_written_with_ten_properties_in_their_order() {
        let archived = FeatureDocument { archived_at: Some(Timestamp::from_millis(1)), ..document() };
        assert_eq!(
            serde_json::to_string(&archived).expect("serialises"),
            json!({
                "name": "f", "description": null, "type": "release", "project": "shop", "stale": false,
                "createdAt": "1970-01-01T00:00:00.000Z", "lastSeenAt": null, "impressionData": false,
                "archivedAt": "1970-01-01T00:00:00.001Z", "archived": true,
            })
            .to_string()
        );
    }

    #[test]
    fn each_change_has_its_events_in_order_and_no_change_has_none() {
        let old = document();
        let described = FeatureDocument { description: Some("new".to_owned()), ..document() };
        let stale = FeatureDocument { stale: true, ..document() };
        let archived = FeatureDocument { archived_at: Some(Timestamp::from_millis(1)), ..document() };
        let both = FeatureDocument { stale: true, ..archived.clone() };
        assert_eq!(kinds(&old, &old), [""; 0]);
        assert_eq!(kinds(&old, &described), ["feature-metadata-updated"]);
        assert_eq!(kinds(&old, &stale), ["feature-metadata-updated", "feature-stale-on"]);
        assert_eq!(kinds(&stale, &old), ["feature-metadata-updated", "feature-stale-off"]);
        assert_eq!(kinds(&old, &archived), ["feature-dependencies-removed", "feature-archived"]);
        assert_eq!(kinds(&archived, &old), ["feature-revived"]);
        assert_eq!(
            kinds(&old, &both),
            ["feature-metadata-updated", "feature-stale-on", "feature-dependencies-removed", "feature-archived"]
        );
    }
}
