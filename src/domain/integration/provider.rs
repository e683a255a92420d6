//! Kinds of systems that can receive events, and the parameters of each.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::{
    fields::{DATADOG, Field, NEW_RELIC, SLACK, SLACK_APP, TEAMS, WEBHOOK},
    kinds,
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

    /// The name on the wire and in the store.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Webhook => "webhook",
            Self::Slack => "slack",
            Self::SlackApp => "slack-app",
            Self::Teams => "teams",
            Self::Datadog => "datadog",
            Self::NewRelic => "new-relic",
        }
    }

    /// Reads the name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    pub(super) const fn fields(self) -> &'static [Field] {
        match self {
            Self::Webhook => &WEBHOOK,
            Self::Slack => &SLACK,
            Self::SlackApp => &SLACK_APP,
            Self::Teams => &TEAMS,
            Self::Datadog => &DATADOG,
            Self::NewRelic => &NEW_RELIC,
        }
    }

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Webhook => ("Webhook", "Sends events to any address, signed if you like."),
            Self::Slack => ("Slack (incoming webhook)", "Writes events to channels of Slack by an incoming webhook."),
            Self::SlackApp => ("Slack", "Writes events to channels of Slack by an app of the workspace."),
            Self::Teams => ("Microsoft Teams", "Writes events to a channel of Microsoft Teams."),
            Self::Datadog => ("Datadog", "Posts events to Datadog, where they lie beside graphs."),
            Self::NewRelic => ("New Relic", "Posts events to New Relic, where they can be queried."),
        }
    }

    fn tag_type(self) -> Option<&'static str> {
        match self {
            Self::Slack | Self::SlackApp => Some("slack"),
            Self::Datadog => Some("datadog"),
            Self::NewRelic => Some("new-relic"),
            Self::Webhook | Self::Teams => None,
        }
    }

    /// The kinds of tags that belong to it.
    pub fn tag_types(self) -> Vec<TagTypeDefinition> {
        let (title, _) = self.words();
        let icon = |name: &str| name.chars().take(1).flat_map(char::to_uppercase).collect();
        let described = |name: &str| TagTypeDefinition {
            name: name.to_owned(),
            description: format!("Where {title} is told of the feature."),
            icon: icon(name),
        };
        self.tag_type().map(described).into_iter().collect()
    }

    /// Returns its definition, with this page as its description.
    pub fn definition(self, documentation: &str) -> ProviderDefinition {
        let (title, description) = self.words();
        let events = match self {
            Self::Webhook => EventKind::ALL.to_vec(),
            Self::Slack | Self::Teams => kinds::of_messengers(),
            Self::SlackApp => kinds::of_workspaces(),
            Self::Datadog | Self::NewRelic => kinds::of_monitors(),
        };
        let is_old = self == Self::Slack;
        ProviderDefinition {
            name: self,
            display_name: title.to_owned(),
            description: description.to_owned(),
            documentation_url: documentation.to_owned(),
            how_to: None,
            deprecated: is_old.then(|| "Slack retires webhooks of this kind: choose Slack (slack-app).".to_owned()),
            parameters: self.fields().iter().map(Field::shown).collect(),
            events,
            tag_types: self.tag_types(),
            installation: (self == Self::SlackApp).then(|| Installation {
                url: "https://api.slack.com/apps".to_owned(),
                title: "Create an app in Slack".to_owned(),
                help_text:
                    "Give its bot the scope chat:write, install it in the workspace, invite it to the channels, \
                            and copy the token of the bot."
                        .to_owned(),
            }),
            alerts: Vec::new(),
        }
    }
}
