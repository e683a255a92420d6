//! Parameters of each kind of system.

use super::provider::Parameter;

/// A parameter as the tables below write it.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) required: bool,
    pub(super) sensitive: bool,
    /// Whether it decides where messages go or what they say, so that secrets of before do not serve after its change.
    pub(super) steers: bool,
    title: &'static str,
    description: &'static str,
    placeholder: &'static str,
}

/// Form of a parameter's value.
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
    Field { name, form, required: false, sensitive: false, steers: false, title, description, placeholder: "" }
}

impl Field {
    const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    const fn sensitive(self) -> Self {
        Self { sensitive: true, ..self }
    }

    const fn steering(self) -> Self {
        Self { steers: true, ..self }
    }

    const fn like(self, placeholder: &'static str) -> Self {
        Self { placeholder, ..self }
    }

    pub(super) fn shown(&self) -> Parameter {
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
)
.steering();

const ORDERED: Field = field(
    "ordered",
    "In order",
    Form::Choice,
    "true to send each event only when the one before was taken or given up. A receiver that is away then holds up all \
     that comes after.",
)
.like("false");

pub(super) const WEBHOOK: [Field; 8] = [
    field("url", "Address", Form::Url, "Where the request is sent to, by POST.").required().sensitive().steering(),
    field("contentType", "Content type", Form::HeaderValue, "Media type of the body: application/json unless given.")
        .steering()
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

pub(super) const SLACK: [Field; 5] = [
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
];

pub(super) const SLACK_APP: [Field; 2] = [
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
    .steering()
    .like("releases, operations"),
];

pub(super) const TEAMS: [Field; 2] = [
    field("url", "Webhook address", Form::Url, "Address of an incoming webhook of Microsoft Teams.")
        .required()
        .sensitive()
        .steering(),
    CUSTOM_HEADERS,
];

pub(super) const DATADOG: [Field; 5] = [
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
];

pub(super) const NEW_RELIC: [Field; 4] = [
    field("url", "Address", Form::Url, "Where events of the account are posted.")
        .required()
        .steering()
        .like("https://insights-collector.newrelic.com/v1/accounts/ACCOUNT/events"),
    field("licenseKey", "Licence key", Form::HeaderValue, "Key that may insert events.").required().sensitive(),
    CUSTOM_HEADERS,
    TEMPLATE,
];
