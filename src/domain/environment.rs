//! Environments: where features are on or off.

use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::Serialize;

use crate::{actor::Actor, event::NewEvent, event_kind::EventKind};

/// The settings of an environment, as events record them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "EnvironmentSettings", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Environment {
    /// Unique name.
    pub name: String,
    /// Type, such as `development` or `production`.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether the environment is enabled.
    pub enabled: bool,
    /// Whether the environment can be neither deleted nor given another type.
    pub protected: bool,
    /// Position in lists, lowest first.
    pub sort_order: i64,
    /// Approvals that change requests of projects need there from the start; `null` where projects start without change
    /// requests.
    pub required_approvals: Nullable<i64>,
}

impl Environment {
    /// Returns the event that the environment was created.
    pub fn created(&self, actor: &Actor) -> NewEvent {
        NewEvent::new(EventKind::EnvironmentCreated, actor).in_environment(&self.name).with_data(self)
    }

    /// Returns the event that the environment has changed into `after`, or `None` when it has not.
    pub fn updated(&self, after: &Self, actor: &Actor) -> Option<NewEvent> {
        let event = || {
            NewEvent::new(EventKind::EnvironmentUpdated, actor)
                .in_environment(&self.name)
                .with_data(after)
                .with_pre_data(self)
        };
        (self != after).then(event)
    }

    /// Returns the event that the environment was deleted.
    pub fn deleted(&self, actor: &Actor) -> NewEvent {
        NewEvent::new(EventKind::EnvironmentDeleted, actor).in_environment(&self.name).with_pre_data(self)
    }
}

/// Returns the events that projects began or ceased to use an environment.
pub fn projects_changed<'a>(
    kind: EventKind,
    environment: &'a str,
    projects: &'a [String],
    actor: &'a Actor,
) -> impl Iterator<Item = NewEvent> + 'a {
    projects.iter().map(move |id| NewEvent::new(kind, actor).in_project(id).in_environment(environment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_that_changes_nothing_leaves_no_event() {
        let environment = Environment {
            name: "qa".to_owned(),
            kind: "test".to_owned(),
            enabled: true,
            protected: false,
            sort_order: 4,
            required_approvals: Nullable(None),
        };
        let actor = Actor::new(1, "ada");
        assert_eq!(environment.updated(&environment.clone(), &actor), None);
        let after = Environment { enabled: false, ..environment.clone() };
        let event = environment.updated(&after, &actor).expect("an event");
        assert_eq!(event.environment.as_deref(), Some("qa"));
        assert_eq!(event.data.expect("data")["enabled"], false);
        assert_eq!(event.pre_data.expect("previous data")["enabled"], true);
    }
}
