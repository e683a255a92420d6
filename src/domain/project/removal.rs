//! What goes with a project when it is deleted, and what the log says of it.

use serde::Serialize;
use serde_json::Value;

use super::document::ProjectDocument;
use crate::domain::{
    actor::Actor, event::NewEvent, event_kind::EventKind, feature_document::FeatureDocument, tag::Tag, time::Timestamp,
};

/// An API token without its secret, as events carry it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenDocument {
    /// Name of the token.
    pub token_name: String,
    /// What it serves for.
    #[serde(rename = "type")]
    pub kind: String,
    /// Ids of the projects that it reaches, joined by commas.
    pub project: String,
    /// Ids of the projects that it reaches.
    pub projects: Vec<String>,
    /// The environment that it reaches.
    pub environment: String,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl TokenDocument {
    /// The token when it no longer reaches a project; `None` when it would reach nothing.
    fn without(&self, project: &str) -> Option<Self> {
        let projects: Vec<String> = self.projects.iter().filter(|id| *id != project).cloned().collect();
        let left = Self { project: projects.join(","), projects, ..self.clone() };
        (!left.projects.is_empty()).then_some(left)
    }

    /// Whether it goes with the project, since it reaches nothing else.
    pub fn goes_with(&self, project: &str) -> bool {
        self.without(project).is_none()
    }
}

/// A project with everything that goes with it.
#[derive(Debug, Clone)]
pub struct Removal {
    /// The project.
    pub project: ProjectDocument,
    /// Its features, all archived, with their tags.
    pub features: Vec<(FeatureDocument, Vec<Tag>)>,
    /// The tokens that reach it.
    pub tokens: Vec<TokenDocument>,
    /// The segments that belong to it, as events carry them.
    pub segments: Vec<Value>,
}

impl Removal {
    /// The events that tell of it, the project last.
    pub fn events(&self, actor: &Actor) -> Vec<NewEvent> {
        let id = &*self.project.id;
        let about = |kind| NewEvent::new(kind, actor).in_project(id);
        let mut events = Vec::new();
        for (feature, tags) in &self.features {
            events.push(about(EventKind::FeatureDeleted).of_feature(&feature.name, tags).with_pre_data(feature));
        }
        for token in &self.tokens {
            let left = token.without(id);
            let kind = if left.is_some() { EventKind::ApiTokenUpdated } else { EventKind::ApiTokenDeleted };
            // In the projects that it reached: whoever may not see one of them does not see the event.
            let mut event = NewEvent::new(kind, actor).in_project(&token.project).in_environment(&token.environment);
            if let Some(left) = &left {
                event = event.with_data(left);
            }
            events.push(event.with_pre_data(token));
        }
        events.extend(self.segments.iter().map(|segment| about(EventKind::SegmentDeleted).with_pre_data(segment)));
        events.push(self.project.deleted(actor));
        events
    }
}
