//! Objects that go with a project when it is deleted, and the events about them.

use super::document::ProjectDocument;
use crate::{
    actor::Actor, context_field::ContextField, event::NewEvent, event_kind::EventKind,
    feature_document::FeatureDocument, segment::Segment, tag::Tag, token::ApiToken,
};

/// A project with everything that goes with it.
#[derive(Debug, Clone)]
pub struct Removal {
    /// The project.
    pub project: ProjectDocument,
    /// Its features, all archived, with their tags.
    pub features: Vec<(FeatureDocument, Vec<Tag>)>,
    /// The tokens that reach it.
    pub tokens: Vec<ApiToken>,
    /// The segments that belong to it.
    pub segments: Vec<Segment>,
    /// The context fields that belong to it.
    pub context_fields: Vec<ContextField>,
}

impl Removal {
    /// Returns the events of the removal, the project last.
    pub fn events(&self, actor: &Actor) -> Vec<NewEvent> {
        let id = &*self.project.id;
        let about = |kind| NewEvent::new(kind, actor).in_project(id);
        let mut events = Vec::new();
        for (feature, tags) in &self.features {
            events.push(about(EventKind::FeatureDeleted).of_feature(&feature.name, tags).with_pre_data(feature));
        }
        events.extend(self.tokens.iter().map(|token| match token.without_project(id) {
            Some(left) => left.updated(token, actor),
            None => token.deleted(actor),
        }));
        events.extend(self.segments.iter().map(|segment| about(EventKind::SegmentDeleted).with_pre_data(segment)));
        let field_deleted =
            |field: &ContextField| about(EventKind::ContextFieldDeleted).with_pre_data(&field.for_log());
        events.extend(self.context_fields.iter().map(field_deleted));
        events.push(self.project.deleted(actor));
        events
    }
}
