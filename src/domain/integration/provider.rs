//! Kinds of systems that can receive events, as the API shows them.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::{
    fields::Field,
    systems::{self, System},
};
use crate::event_kind::EventKind;

/// A kind of system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "AddonProvider", rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// Any receiver of HTTP requests.
    Webhook,
    /// Slack, by an incoming webhook.
    Slack,
    /// Slack, by an app of the workspace.
    SlackApp,
    /// Microsoft Teams, by an incoming webhook.
    Teams,
    /// Datadog's stream of events.
    Datadog,
    /// New Relic's events.
    NewRelic,
}

/// A kind of integration.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AddonType", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ProviderDefinition {
    /// Name of the kind, which integrations have as `provider`.
    pub name: Provider,
    /// Name for people.
    pub display_name: String,
    /// Its description.
    pub description: String,
    /// Address of its documentation.
    pub documentation_url: String,
    /// Instructions for setting it up, in short.
    pub how_to: Option<String>,
    /// Reason of its deprecation, and what to use instead; absent otherwise.
    pub deprecated: Option<String>,
    /// Parameters that it needs.
    pub parameters: Vec<Parameter>,
    /// The suggested types of events; others can be chosen as well.
    pub events: Vec<EventKind>,
    /// Tag types that route a feature's events; created with the first integration of this kind.
    pub tag_types: Vec<TagTypeDefinition>,
    /// Place to set it up in the other system; absent when nothing has to be done there.
    pub installation: Option<Installation>,
    /// Notes to read before choosing it.
    pub alerts: Vec<Alert>,
}

/// A parameter of a kind of integration.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AddonParameter", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub display_name: String,
    /// Type of its form field: `text`, `textfield` for several lines, or `url`.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// Purpose of the parameter.
    pub description: String,
    /// An example. Absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// Whether it must be given.
    pub required: bool,
    /// Whether it is secret and never shown again.
    pub sensitive: bool,
}

/// A tag type that belongs to a kind of integration.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AddonTagType")]
pub struct TagTypeDefinition {
    /// Its name.
    pub name: String,
    /// Meaning of such tags.
    pub description: String,
    /// Letter to show next to them.
    pub icon: String,
}

/// First step in the other system.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AddonInstallation", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Installation {
    /// The address.
    pub url: String,
    /// Title of that step.
    pub title: String,
    /// More about it.
    pub help_text: String,
}

/// A note about a kind of integration.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AddonAlert")]
pub struct Alert {
    /// Severity: `info`, `warning`, `error` or `success`.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// The words.
    pub text: String,
}

impl Provider {
    /// Every kind, in the order in which they are offered.
    pub const ALL: [Self; 6] = [Self::Webhook, Self::Slack, Self::SlackApp, Self::Teams, Self::Datadog, Self::NewRelic];

    const fn system(self) -> &'static System {
        match self {
            Self::Webhook => &systems::WEBHOOK,
            Self::Slack => &systems::SLACK,
            Self::SlackApp => &systems::SLACK_APP,
            Self::Teams => &systems::TEAMS,
            Self::Datadog => &systems::DATADOG,
            Self::NewRelic => &systems::NEW_RELIC,
        }
    }

    /// The name on the wire and in the store.
    pub const fn name(self) -> &'static str {
        self.system().name
    }

    /// Reads the name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    pub(super) const fn fields(self) -> &'static [Field] {
        self.system().fields
    }

    /// The kinds of tags that belong to it.
    pub fn tag_types(self) -> Vec<TagTypeDefinition> {
        let System { title, tag_type, .. } = self.system();
        let icon = |name: &str| name.chars().take(1).flat_map(char::to_uppercase).collect();
        let described = |name: &str| TagTypeDefinition {
            name: name.to_owned(),
            description: format!("Where {title} is told of the feature."),
            icon: icon(name),
        };
        tag_type.map(described).into_iter().collect()
    }

    /// Returns its definition, with this page as its description.
    pub fn definition(self, documentation: &str) -> ProviderDefinition {
        let system = self.system();
        ProviderDefinition {
            name: self,
            display_name: system.title.to_owned(),
            description: system.description.to_owned(),
            documentation_url: documentation.to_owned(),
            how_to: None,
            deprecated: system.deprecated.map(str::to_owned),
            parameters: system.fields.iter().map(Field::shown).collect(),
            events: (system.events)(),
            tag_types: self.tag_types(),
            installation: system.installation.map(|installation| installation()),
            alerts: Vec::new(),
        }
    }
}
