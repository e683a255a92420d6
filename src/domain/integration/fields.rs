//! Parameters of integrations: their forms, and those that several kinds of systems have.

use super::provider::Parameter;

/// A parameter of a kind of system.
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

pub(super) const fn field(name: &'static str, title: &'static str, form: Form, description: &'static str) -> Field {
    Field { name, form, required: false, sensitive: false, steers: false, title, description, placeholder: "" }
}

impl Field {
    pub(super) const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    pub(super) const fn sensitive(self) -> Self {
        Self { sensitive: true, ..self }
    }

    pub(super) const fn steering(self) -> Self {
        Self { steers: true, ..self }
    }

    pub(super) const fn like(self, placeholder: &'static str) -> Self {
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

pub(super) const CUSTOM_HEADERS: Field = field(
    "customHeaders",
    "Extra HTTP headers",
    Form::Headers,
    "A JSON object of headers to send as well. They take the place of others of the same name.",
)
.sensitive()
.like(r#"{"X-Team": "checkout"}"#);

pub(super) const TEMPLATE: Field = field(
    "bodyTemplate",
    "Body template",
    Form::Template,
    "A template for the body, with variables as in Mustache and the helpers of Handlebars. {{event.type}}, \
     {{event.featureName}} and the other properties of the event can be used; eventJson is the event as a JSON text \
     within quotes, eventMarkdown a sentence about it. Where the body is JSON, {{…}} is escaped for it and {{{…}}} is \
     not. Without a template the event is sent as JSON.",
)
.steering();
