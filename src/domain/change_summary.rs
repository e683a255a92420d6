//! Summary of the changes of a bulk operation, or of those that it would make.

use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::Serialize;

use crate::{event::NewEvent, event_kind::EventKind};

/// Changes that a bulk operation made, or would make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "Changes", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ChangesBody {
    /// Whether this was a dry run: nothing has been changed.
    pub dry_run: bool,
    /// The events that the operation leaves in the log, in their order; empty when there is nothing to change.
    pub events: Vec<ChangeBody>,
}

/// One event, without its data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "Change", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ChangeBody {
    /// Type of the event.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// Id of the project it happens in; `null` when it concerns none.
    pub project: Nullable<String>,
    /// Name of the feature it happens to; `null` when it concerns none.
    pub feature_name: Nullable<String>,
    /// Environment it happens in; `null` when it concerns none.
    pub environment: Nullable<String>,
}

impl ChangesBody {
    /// Body of events that happened, or with `dry_run` would.
    pub fn new(events: &[NewEvent], dry_run: bool) -> Self {
        Self { dry_run, events: events.iter().map(ChangeBody::from).collect() }
    }
}

impl From<&NewEvent> for ChangeBody {
    fn from(event: &NewEvent) -> Self {
        Self {
            kind: event.kind,
            project: event.project.clone().into(),
            feature_name: event.feature.clone().into(),
            environment: event.environment.clone().into(),
        }
    }
}
