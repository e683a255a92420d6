//! Events: what a change leaves behind in the log.

use flagstone_wire::{Nullable, Number, RawJson, RawJsonOf};
use poem_openapi::Object;
use serde::Serialize;
use serde_json::Value;

use crate::{actor::Actor, event_kind::EventKind, tag::Tag, time::Timestamp};

/// One entry of the event log. The optional properties are always present in answers, except `label` and `reason`.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Id of the event. Ids rise in the order in which changes took effect; there may be gaps.
    #[oai(validator(minimum(value = "1")))]
    pub id: i64,
    /// When it happened. Never earlier than the event with the previous id.
    pub created_at: Timestamp,
    /// Type of the event. An event whose type is not in this list, such as one that was taken over from another server,
    /// is shown as a change of what it concerns (`feature-updated`, `project-updated`, else `setting-updated`), and
    /// `label` has its own type. Searches by type find it by that label alone, and so do searches for a text.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// The own type of the event, when `type` has no value for it: `feature-link-added`, `feature-link-updated`,
    /// `feature-link-removed`, `freeze-window-created`, `freeze-window-updated`, `freeze-window-deleted`,
    /// `scim-users-deleted`, `scim-groups-deleted`, `user-access-request-registered`, `user-access-request-approved`,
    /// `user-access-request-rejected`, or that of another server; absent otherwise.
    pub label: Option<String>,
    /// Name of the author at that time: email, else user name, else the name of the API token.
    pub created_by: String,
    /// Id of the user who did it: -1337 for the server itself, -42 for admin API tokens; `null` when unknown.
    pub created_by_user_id: Option<Nullable<Number>>,
    /// Why it was done: the text that the request gave in `X-Change-Reason`, or the server's own reason for what it does
    /// by a policy; absent when there is none.
    pub reason: Option<String>,
    /// Environment it happened in; `null` when it concerns none.
    pub environment: Option<Nullable<String>>,
    /// Id of the project it happened in; `null` when it concerns none.
    pub project: Option<Nullable<String>>,
    /// Name of the feature it happened to; `null` when it concerns none.
    pub feature_name: Option<Nullable<String>>,
    /// The state after the change, or details of what was done; `null` when there are none.
    pub data: Option<Nullable<RawJson>>,
    /// The state before the change; `null` when there was none.
    pub pre_data: Option<Nullable<RawJson>>,
    /// Tags that the feature had at that moment; empty when it concerns no feature.
    pub tags: Option<Nullable<RawJsonOf<Vec<Tag>>>>,
}

/// An event that has not been stored yet; the store gives it its id and time.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Type of the event.
    pub kind: EventKind,
    /// More precise type, where the list of types has no word for it.
    pub label: Option<&'static str>,
    /// Author of the change.
    pub actor: Actor,
    /// Project concerned, if any.
    pub project: Option<String>,
    /// Feature concerned, if any.
    pub feature: Option<String>,
    /// Environment concerned, if any.
    pub environment: Option<String>,
    /// The new state, or what was done.
    pub data: Option<Value>,
    /// The state before.
    pub pre_data: Option<Value>,
    /// The feature's tags at this moment.
    pub tags: Vec<Tag>,
}

impl NewEvent {
    /// An event about nothing but the instance.
    pub fn new(kind: EventKind, actor: &Actor) -> Self {
        Self {
            kind,
            label: None,
            actor: actor.clone(),
            project: None,
            feature: None,
            environment: None,
            data: None,
            pre_data: None,
            tags: Vec::new(),
        }
    }

    /// The type under which it is stored.
    pub fn stored_type(&self) -> &'static str {
        self.label.unwrap_or_else(|| self.kind.as_str())
    }

    /// Of a type that is not in the list: one of [`EventKind::LABELS`].
    #[must_use]
    pub const fn labelled(mut self, label: &'static str) -> Self {
        self.label = Some(label);
        self
    }

    /// About a project.
    #[must_use]
    pub fn in_project(mut self, project: &str) -> Self {
        self.project = Some(project.to_owned());
        self
    }

    /// About something that belongs to a project, or to the whole instance where there is none.
    #[must_use]
    pub fn belonging_to(self, project: Option<&str>) -> Self {
        match project {
            Some(project) => self.in_project(project),
            None => self,
        }
    }

    /// About a feature, whose tags are recorded with it.
    #[must_use]
    pub fn of_feature(mut self, feature: &str, tags: &[Tag]) -> Self {
        self.feature = Some(feature.to_owned());
        self.tags = tags.to_vec();
        self
    }

    /// About an environment.
    #[must_use]
    pub fn in_environment(mut self, environment: &str) -> Self {
        self.environment = Some(environment.to_owned());
        self
    }

    /// Returns the event with the new state.
    #[must_use]
    pub fn with_data<T: Serialize>(mut self, data: &T) -> Self {
        self.data = Some(to_value(data));
        self
    }

    /// Returns the event with the state before.
    #[must_use]
    pub fn with_pre_data<T: Serialize>(mut self, pre_data: &T) -> Self {
        self.pre_data = Some(to_value(pre_data));
        self
    }
}

fn to_value<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("event data have string keys and finite numbers")
}
