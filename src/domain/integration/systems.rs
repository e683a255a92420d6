//! Kinds of systems that can receive events: their descriptions, parameters and suggested events.

use super::{
    fields::{CUSTOM_HEADERS, Field, Form, TEMPLATE, field},
    kinds,
    provider::Installation,
};
use crate::event_kind::EventKind;

/// A kind of system.
pub(super) struct System {
    /// Name on the wire and in the store.
    pub(super) name: &'static str,
    /// Name for people.
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) fields: &'static [Field],
    /// Returns the suggested types of events.
    pub(super) events: fn() -> Vec<EventKind>,
    /// Type of the tags that route a feature's events.
    pub(super) tag_type: Option<&'static str>,
    /// Reason of its deprecation, and what to use instead.
    pub(super) deprecated: Option<&'static str>,
    /// Returns the first step in the other system.
    pub(super) installation: Option<fn() -> Installation>,
}

/// Any receiver of HTTP requests.
pub(super) const WEBHOOK: System = System {
    name: "webhook",
    title: "Webhook",
    description: "Sends events to any address, signed if you like.",
    fields: &[
        field("url", "Address", Form::Url, "Where the request is sent to, by POST.").required().sensitive().steering(),
        field(
            "contentType",
            "Content type",
            Form::HeaderValue,
            "Media type of the body: application/json unless given.",
        )
        .steering()
        .like("application/json"),
        field("authorization", "Authorization", Form::HeaderValue, "Value of the header Authorization.").sensitive(),
        CUSTOM_HEADERS,
        TEMPLATE,
        field(
            "signingSecret",
            "Signing secret",
            Form::Secrets,
            "Signs each request as Standard Webhooks says: whsec_ and the base64 of 24 to 64 bytes. Several, with \
             spaces between them, sign together, so that a receiver can change from one to the next.",
        )
        .sensitive()
        .like("whsec_…"),
        field(
            "ordered",
            "In order",
            Form::Choice,
            "true to send each event only when the one before was taken or given up. A receiver that is away then \
             holds up all that comes after.",
        )
        .like("false"),
        field(
            "cloudEvents",
            "CloudEvents headers",
            Form::Choice,
            "true to send the headers of CloudEvents 1.0 (ce-id, ce-source, ce-type and others) as well.",
        )
        .like("false"),
    ],
    events: || EventKind::ALL.to_vec(),
    tag_type: None,
    deprecated: None,
    installation: None,
};

/// Slack, by an incoming webhook.
pub(super) const SLACK: System = System {
    name: "slack",
    title: "Slack (incoming webhook)",
    description: "Writes events to channels of Slack by an incoming webhook.",
    fields: &[
        field("url", "Webhook address", Form::Url, "Address of an incoming webhook of Slack.")
            .required()
            .sensitive()
            .steering(),
        field("username", "User name", Form::Line, "Who messages are from: Flagstone unless given.").like("Flagstone"),
        field("emojiIcon", "Emoji", Form::Line, "What is shown beside messages.").like(":triangular_flag_on_post:"),
        field(
            "defaultChannel",
            "Default channel",
            Form::Line,
            "Where messages go about features without a tag of the type slack.",
        )
        .required()
        .steering()
        .like("releases"),
        CUSTOM_HEADERS,
    ],
    events: kinds::of_messengers,
    tag_type: Some("slack"),
    deprecated: Some("Slack retires webhooks of this kind: choose Slack (slack-app)."),
    installation: None,
};

/// Slack, by an app of the workspace.
pub(super) const SLACK_APP: System = System {
    name: "slack-app",
    title: "Slack",
    description: "Writes events to channels of Slack by an app of the workspace.",
    fields: &[
        field(
            "accessToken",
            "Access token",
            Form::HeaderValue,
            "Token of the app's bot, which may write (chat:write).",
        )
        .required()
        .sensitive()
        .like("xoxb-…"),
        field(
            "defaultChannels",
            "Channels",
            Form::Line,
            "Where messages go, with commas between channels; besides, those that tags of the type slack name.",
        )
        .steering()
        .like("releases, operations"),
    ],
    events: kinds::of_workspaces,
    tag_type: Some("slack"),
    deprecated: None,
    installation: Some(|| Installation {
        url: "https://api.slack.com/apps".to_owned(),
        title: "Create an app in Slack".to_owned(),
        help_text: "Give its bot the scope chat:write, install it in the workspace, invite it to the channels, \
                    and copy the token of the bot."
            .to_owned(),
    }),
};

/// Microsoft Teams, by an incoming webhook or a workflow.
pub(super) const TEAMS: System = System {
    name: "teams",
    title: "Microsoft Teams",
    description: "Writes events to a channel of Microsoft Teams.",
    fields: &[
        field("url", "Webhook address", Form::Url, "Address of an incoming webhook of Microsoft Teams.")
            .required()
            .sensitive()
            .steering(),
        CUSTOM_HEADERS,
    ],
    events: kinds::of_messengers,
    tag_type: None,
    deprecated: None,
    installation: None,
};

/// Datadog's stream of events.
pub(super) const DATADOG: System = System {
    name: "datadog",
    title: "Datadog",
    description: "Posts events to Datadog, where they lie beside graphs.",
    fields: &[
        field(
            "url",
            "Address",
            Form::Url,
            "Where events are posted: https://api.datadoghq.com/api/v1/events unless given.",
        )
        .steering()
        .like("https://api.datadoghq.eu/api/v1/events"),
        field("apiKey", "API key", Form::HeaderValue, "Key of the organisation.").required().sensitive(),
        field("sourceTypeName", "Source type", Form::Line, "What Datadog is to call the source of the events."),
        CUSTOM_HEADERS,
        TEMPLATE,
    ],
    events: kinds::of_monitors,
    tag_type: Some("datadog"),
    deprecated: None,
    installation: None,
};

/// New Relic's events.
pub(super) const NEW_RELIC: System = System {
    name: "new-relic",
    title: "New Relic",
    description: "Posts events to New Relic, where they can be queried.",
    fields: &[
        field("url", "Address", Form::Url, "Where events of the account are posted.")
            .required()
            .steering()
            .like("https://insights-collector.newrelic.com/v1/accounts/ACCOUNT/events"),
        field("licenseKey", "Licence key", Form::HeaderValue, "Key that may insert events.").required().sensitive(),
        CUSTOM_HEADERS,
        TEMPLATE,
    ],
    events: kinds::of_monitors,
    tag_type: Some("new-relic"),
    deprecated: None,
    installation: None,
};
