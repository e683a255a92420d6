//! The kinds of systems that can be told of events, and what each has to know.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::kinds;
use crate::domain::event_kind::EventKind;

/// A kind of system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "AddonProvider", rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// Whoever takes HTTP requests.
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
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AddonType", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ProviderDefinition {
    /// Name of the kind, which integrations have as `provider`.
    pub name: Provider,
    /// Name for people.
    pub display_name: String,
    /// What it does.
    pub description: String,
    /// Where it is described.
    pub documentation_url: String,
    /// How to set it up, in short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how_to: Option<String>,
    /// Why it is deprecated, and what to use instead; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// What it has to know.
    pub parameters: Vec<Parameter>,
    /// The suggested types of events; others can be chosen as well.
    pub events: Vec<EventKind>,
    /// Tag types that route a feature's events; created with the first integration of this kind.
    pub tag_types: Vec<TagTypeDefinition>,
    /// Where to set it up in the other system; absent when nothing has to be done there.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// What it is for.
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
    /// What such tags say.
    pub description: String,
    /// Letter to show beside them.
    pub icon: String,
}

/// Where to begin elsewhere.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AddonInstallation", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Installation {
    /// The address.
    pub url: String,
    /// What is done there.
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

/// A parameter as the tables below write it.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) required: bool,
    pub(super) sensitive: bool,
    title: &'static str,
    description: &'static str,
    placeholder: &'static str,
}

/// What a parameter must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One line.
    Line,
    /// The value of a header.
    HeaderValue,
    /// An absolute address.
    Url,
    /// A JSON object of headers.
    Headers,
    /// A template.
    Template,
    /// Secrets to sign with.
    Secrets,
    /// `true` or `false`.
    Choice,
}

const fn field(name: &'static str, title: &'static str, form: Form, description: &'static str) -> Field {
    Field { name, form, required: false, sensitive: false, title, description, placeholder: "" }
}

impl Field {
    const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    const fn sensitive(self) -> Self {
        Self { sensitive: true, ..self }
    }

    const fn like(self, placeholder: &'static str) -> Self {
        Self { placeholder, ..self }
    }

    fn shown(&self) -> Parameter {
        let kind = match self.form {
            Form::Url => "url",
            Form::Headers | Form::Template => "textfield",
            Form::Line | Form::HeaderValue | Form::Secrets | Form::Choice => "text",
        };
        Parameter {
            name: self.name.to_owned(),
            display_name: self.title.to_owned(),
            kind: kind.to_owned(),
            description: self.description.to_owned(),
            placeholder: (!self.placeholder.is_empty()).then(|| self.placeholder.to_owned()),
            required: self.required,
            sensitive: self.sensitive,
        }
    }
}

const CUSTOM_HEADERS: Field = field(
    "customHeaders",
    "Extra HTTP headers",
    Form::Headers,
    "A JSON object of headers to send as well. They take the place of others of the same name.",
)
.sensitive()
.like(r#"{"X-Team": "checkout"}"#);

const TEMPLATE: Field = field(
    "bodyTemplate",
    "Body template",
    Form::Template,
    "A template for the body, with variables as in Mustache and the helpers of Handlebars. {{event.type}}, {{event.featureName}} and the other properties of the event can be \
     used; eventJson is the event as a JSON text within quotes, eventMarkdown a sentence about it. Where the body is JSON, \
     {{…}} is escaped for it and {{{…}}} is not. Without a template the event is sent as JSON.",
);

const ORDERED: Field = field(
    "ordered",
    "In order",
    Form::Choice,
    "true to send each event only when the one before was taken or given up. A receiver that is away then holds up all \
     that comes after.",
)
.like("false");

const WEBHOOK: [Field; 8] = [
    field("url", "Address", Form::Url, "Where the request is sent to, by POST.").required().sensitive(),
    field("contentType", "Content type", Form::HeaderValue, "Media type of the body: application/json unless given.")
        .like("application/json"),
    field("authorization", "Authorization", Form::HeaderValue, "Value of the header Authorization.").sensitive(),
    CUSTOM_HEADERS,
    TEMPLATE,
    field(
        "signingSecret",
        "Signing secret",
        Form::Secrets,
        "Signs each request as Standard Webhooks says: whsec_ and the base64 of 24 to 64 bytes. Several, with spaces \
         between them, sign together, so that a receiver can change from one to the next.",
    )
    .sensitive()
    .like("whsec_…"),
    ORDERED,
    field(
        "cloudEvents",
        "CloudEvents headers",
        Form::Choice,
        "true to send the headers of CloudEvents 1.0 (ce-id, ce-source, ce-type and others) as well.",
    )
    .like("false"),
];

const SLACK: [Field; 5] = [
    field("url", "Webhook address", Form::Url, "Address of an incoming webhook of Slack.").required().sensitive(),
    field("username", "User name", Form::Line, "Who messages are from: Flagstone unless given.").like("Flagstone"),
    field("emojiIcon", "Emoji", Form::Line, "What is shown beside messages.").like(":triangular_flag_on_post:"),
    field(
        "defaultChannel",
        "Default channel",
        Form::Line,
        "Where messages go about features without a tag of the type slack.",
    )
    .required()
    .like("releases"),
    CUSTOM_HEADERS,
];

const SLACK_APP: [Field; 2] = [
    field("accessToken", "Access token", Form::HeaderValue, "Token of the app's bot, which may write (chat:write).")
        .required()
        .sensitive()
        .like("xoxb-…"),
    field(
        "defaultChannels",
        "Channels",
        Form::Line,
        "Where messages go, with commas between channels; besides, those that tags of the type slack name.",
    )
    .like("releases, operations"),
];

const TEAMS: [Field; 2] = [
    field("url", "Webhook address", Form::Url, "Address of an incoming webhook of Microsoft Teams.")
        .required()
        .sensitive(),
    CUSTOM_HEADERS,
];

const DATADOG: [Field; 5] = [
    field(
        "url",
        "Address",
        Form::Url,
        "Where events are posted: https://api.datadoghq.com/api/v1/events unless given.",
    )
    .like("https://api.datadoghq.eu/api/v1/events"),
    field("apiKey", "API key", Form::HeaderValue, "Key of the organisation.").required().sensitive(),
    field("sourceTypeName", "Source type", Form::Line, "What Datadog is to call the source of the events."),
    CUSTOM_HEADERS,
    TEMPLATE,
];

const NEW_RELIC: [Field; 4] = [
    field("url", "Address", Form::Url, "Where events of the account are posted.")
        .required()
        .like("https://insights-collector.newrelic.com/v1/accounts/ACCOUNT/events"),
    field("licenseKey", "Licence key", Form::HeaderValue, "Key that may insert events.").required().sensitive(),
    CUSTOM_HEADERS,
    TEMPLATE,
];

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

    /// Everything about it, with this page as its description.
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
