//! Integrations: other systems that receive events, such as chats, monitoring and webhooks.

pub mod delivery;
mod fields;
mod kinds;
mod parameters;
mod provider;
mod systems;

use serde::{Deserialize, Serialize};

use url::Url;

use crate::{
    actor::Actor,
    event::{Event, NewEvent},
    event_kind::EventKind,
    ids::EnvironmentName,
    time::Timestamp,
    token::ALL,
    visibility::Visibility,
};

pub use self::{
    parameters::{Parameters, Problem},
    provider::{Alert, Installation, Parameter, Provider, ProviderDefinition, TagTypeDefinition},
};

/// Another system that receives events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integration {
    /// Its id.
    pub id: i64,
    /// Kind of system.
    pub provider: Provider,
    /// Selection of the events that it receives.
    pub settings: Settings,
    /// Addresses, secrets and the like.
    pub parameters: Parameters,
    /// When the first of the attempts failed since which none succeeded.
    pub failing_since: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Number of its changes.
    pub version: i64,
    /// User whose visibility bounds the events that it receives; `None` for an integration of the instance.
    pub owner: Option<Owner>,
    /// Former id of a departed integration, which only ends what it began, since it was removed or leads to another
    /// place now.
    pub departed_from: Option<i64>,
}

/// User who created an integration or changed it last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Id of the user, or of a stand-in.
    pub user_id: i64,
    /// Their name at that time.
    pub name: String,
}

impl From<&Actor> for Owner {
    fn from(actor: &Actor) -> Self {
        Self { user_id: actor.user_id, name: actor.name.clone() }
    }
}

/// Selection of the events that an integration receives. No part of it is secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether it receives events.
    pub enabled: bool,
    /// Description of its purpose.
    pub description: Option<String>,
    /// Types of events that it receives.
    pub events: Vec<EventKind>,
    /// Projects whose events it receives; empty, or beginning with `*`, is all.
    pub projects: Vec<String>,
    /// Environments likewise.
    pub environments: Vec<String>,
    /// Whether it receives events that belong to no project.
    pub instance_events: bool,
}

impl Settings {
    /// The projects whose events reach it, as lists of projects are written that hold for all.
    fn reach(&self) -> Vec<String> {
        if is_all(&self.projects) { vec![ALL.to_owned()] } else { self.projects.clone() }
    }

    /// Returns the settings as a user with this visibility may ask for them: with events that belong to no project only
    /// if they see those.
    #[must_use]
    pub fn asked_for_by(self, visibility: &Visibility) -> Self {
        let may_belong_to_none = self.events.iter().any(|kind| !kinds::is_always_of_a_project(*kind));
        Self { instance_events: visibility.sees_instance && may_belong_to_none, ..self }
    }

    /// Whether a user with this visibility may ask for these settings as they are.
    pub fn are_within(&self, visibility: &Visibility) -> bool {
        (visibility.sees_instance || !self.instance_events) && visibility.covers(&self.reach())
    }

    /// Whether an event of this type in these projects, with commas between them, and this environment is to be sent.
    /// An event of several projects is sent where all of them are selected.
    pub fn admit(&self, kind: EventKind, projects: Option<&str>, environment: Option<EnvironmentName<'_>>) -> bool {
        let in_projects = match projects {
            None => self.instance_events,
            Some(named) => is_all(&self.projects) || named.split(',').all(|one| holds(&self.projects, one)),
        };
        let in_environment =
            environment.is_none_or(|one| is_all(&self.environments) || holds(&self.environments, one.as_str()));
        self.events.contains(&kind) && in_projects && in_environment
    }
}

fn is_all(list: &[String]) -> bool {
    list.first().is_none_or(|first| first == ALL)
}

fn holds(list: &[String], one: &str) -> bool {
    list.iter().any(|entry| entry == one)
}

/// Whether events of this type are the change or the removal of an integration.
pub const fn is_end(kind: EventKind) -> bool {
    matches!(kind, EventKind::AddonConfigUpdated | EventKind::AddonConfigDeleted)
}

/// Id of the integration that an event is about.
pub fn integration_of(event: &Event) -> Option<i64> {
    let told = [&event.data, &event.pre_data].into_iter().flatten().filter_map(|json| json.0.as_ref());
    told.filter_map(|json| serde_json::from_str::<About>(json.text()).ok()).map(|about| about.id).next()
}

#[derive(Deserialize)]
struct About {
    id: i64,
}

/// Properties of an integration in the event log: not its parameters.
#[derive(Debug, Clone, Serialize)]
struct Recorded {
    id: i64,
    provider: &'static str,
    enabled: bool,
    description: Option<String>,
    events: Vec<EventKind>,
    projects: Vec<String>,
    environments: Vec<String>,
}

impl Integration {
    fn recorded(&self) -> Recorded {
        Recorded {
            id: self.id,
            provider: self.provider.name(),
            enabled: self.settings.enabled,
            description: self.settings.description.clone(),
            events: self.settings.events.clone(),
            projects: self.settings.projects.clone(),
            environments: self.settings.environments.clone(),
        }
    }

    /// The receiver: host and port of its address, or the kind of system where that has only one.
    pub fn receiver(&self) -> String {
        let url = self.parameters.text("url").and_then(|url| Url::parse(&url).ok());
        let address = url.and_then(|url| Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?)));
        address.unwrap_or_else(|| self.provider.name().to_owned())
    }

    /// Whether an event is the change or the removal of this integration, which it receives whatever its settings
    /// select.
    pub fn is_about_itself(&self, event: &Event) -> bool {
        let id = self.departed_from.unwrap_or(self.id);
        is_end(event.kind) && integration_of(event) == Some(id)
    }

    /// Whether a user with this visibility may still have an event sent to it.
    pub fn may_be_told(&self, event: &Event, sight: &Visibility) -> bool {
        let projects = event.project.as_ref().and_then(|project| project.0.as_deref());
        let is_seen = match projects {
            None => sight.sees_instance,
            Some(named) => named.split(',').all(|project| sight.admits(project)),
        };
        is_seen || self.is_about_itself(event)
    }

    /// Whether the change to `after` leads to other receivers, or speaks to them otherwise.
    pub fn leads_elsewhere(&self, after: &Self) -> bool {
        self.parameters != after.parameters
    }

    /// The event of its making.
    pub fn created(&self, actor: &Actor) -> NewEvent {
        NewEvent::new(EventKind::AddonConfigCreated, actor).with_data(&self.recorded())
    }

    /// The event of its change.
    pub fn updated(&self, before: &Self, actor: &Actor) -> NewEvent {
        let event = NewEvent::new(EventKind::AddonConfigUpdated, actor);
        event.with_data(&self.recorded()).with_pre_data(&before.recorded())
    }

    /// The event of its end.
    pub fn deleted(&self, actor: &Actor) -> NewEvent {
        NewEvent::new(EventKind::AddonConfigDeleted, actor).with_pre_data(&self.recorded())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(events: &[EventKind], projects: &[&str], environments: &[&str], instance_events: bool) -> Settings {
        let owned = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect();
        Settings {
            enabled: true,
            description: None,
            events: events.to_vec(),
            projects: owned(projects),
            environments: owned(environments),
            instance_events,
        }
    }

    /// Type of event that is asked for, projects, environments, whether of the instance, type, project and environment
    /// of the event, and whether it is sent.
    type Case<'a> = (EventKind, &'a [&'a str], &'a [&'a str], bool, Option<&'a str>, Option<&'a str>, bool);

    #[test]
    fn an_event_is_told_where_its_type_its_projects_and_its_environment_are_asked_for() {
        let (on, other) = (EventKind::FeatureEnvironmentEnabled, EventKind::FeatureCreated);
        let cases: [Case<'_>; 11] = [
            (on, &[], &[], true, Some("shop"), Some("production"), true),
            (other, &[], &[], true, Some("shop"), Some("production"), false),
            (on, &["shop"], &["production"], false, Some("shop"), Some("production"), true),
            (on, &["shop"], &["development"], false, Some("shop"), Some("production"), false),
            (on, &["till"], &[], true, Some("shop"), Some("production"), false),
            (on, &["*", "till"], &["*"], true, Some("shop"), Some("production"), true),
            (on, &["shop"], &["production"], false, Some("shop"), None, true),
            (on, &["shop"], &[], true, None, None, true),
            (on, &["shop"], &[], false, None, None, false),
            (on, &["shop"], &[], true, Some("shop,hidden"), None, false),
            (on, &["shop", "hidden"], &[], true, Some("shop,hidden"), None, true),
        ];
        for (number, (asked, projects, environments, instance, project, environment, expected)) in
            cases.into_iter().enumerate()
        {
            let told = settings(&[asked], projects, environments, instance).admit(
                on,
                project,
                environment.map(EnvironmentName::new),
            );
            assert_eq!(told, expected, "case {number}");
        }
    }

    #[test]
    fn nobody_has_told_what_they_may_not_see() {
        let member = Visibility { hidden_projects: vec!["secret".to_owned()], sees_instance: false };
        for (projects, instance_events, expected) in [
            (&["shop"][..], false, true),
            (&["shop"], true, false),
            (&["shop", "secret"], false, false),
            (&[], false, false),
            (&["*"], false, false),
        ] {
            let wanted = settings(&[], projects, &[], instance_events);
            assert_eq!(wanted.are_within(&member), expected, "{projects:?} {instance_events}");
            assert!(wanted.are_within(&Visibility::everything()));
        }
    }
}
