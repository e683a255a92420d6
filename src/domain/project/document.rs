//! A project without its contents, as events carry it.

use serde::Serialize;

use super::ProjectMode;
use crate::{
    actor::Actor, event::NewEvent, event_kind::EventKind, feature_link::LinkTemplate, feature_naming::FeatureNaming,
    time::Timestamp,
};

/// The properties of a project itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectDocument {
    /// Unique id.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Description of the project.
    pub description: Option<String>,
    /// Mode of the project, which decides who may see it.
    pub mode: ProjectMode,
    /// Stickiness of new strategies and variants.
    pub default_stickiness: String,
    /// Most features in use; `None` for no limit.
    pub feature_limit: Option<i64>,
    /// Naming rule for its features.
    pub feature_naming: FeatureNaming,
    /// When it was archived; `None` while in use.
    pub archived_at: Option<Timestamp>,
    /// The links that new features get.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub link_templates: Vec<LinkTemplate>,
}

impl ProjectDocument {
    /// Whether the project is archived.
    pub const fn is_archived(&self) -> bool {
        self.archived_at.is_some()
    }

    /// Whether only members and administrators see it.
    pub fn is_private(&self) -> bool {
        self.mode == ProjectMode::Private
    }

    fn event(&self, kind: EventKind, actor: &Actor) -> NewEvent {
        NewEvent::new(kind, actor).in_project(&self.id)
    }

    /// Returns the event that the project was created, with these environments.
    pub fn created(&self, environments: &[String], actor: &Actor) -> NewEvent {
        #[derive(Serialize)]
        struct Created<'a> {
            #[serde(flatten)]
            document: &'a ProjectDocument,
            environments: &'a [String],
        }
        self.event(EventKind::ProjectCreated, actor).with_data(&Created { document: self, environments })
    }

    /// Returns the event that this became `after`, or `None` when nothing changed.
    pub fn updated(&self, after: &Self, actor: &Actor) -> Option<NewEvent> {
        let event = || after.event(EventKind::ProjectUpdated, actor).with_data(after).with_pre_data(self);
        (self != after).then(event)
    }

    /// Returns the event that the project was deleted.
    pub fn deleted(&self, actor: &Actor) -> NewEvent {
        self.event(EventKind::ProjectDeleted, actor).with_pre_data(self)
    }
}
