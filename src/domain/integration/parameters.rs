//! Parameters of an integration, bounded and checked whichever way they come in.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flagstone_wire::Scalar;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{fields::Form, provider::Provider};
use crate::text::{has_nul, is_longer};

/// Mask that is shown in the place of a secret, and that keeps it when it is sent back.
const MASK: &str = "*****";
/// Most characters of a text of several lines.
const LONGEST: usize = 10_000;
/// Maximum number of characters of one line.
const LONGEST_LINE: usize = 2_000;
/// Maximum number of unknown names that are listed.
const MOST_UNKNOWN: usize = 5;
/// Secrets that sign together, at most.
const MOST_SECRETS: usize = 4;
/// Prefix of a secret of Standard Webhooks.
const SECRET_PREFIX: &str = "whsec_";
/// Headers that belong to the connection or to the signature.
const RESERVED: [&str; 8] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    "content-encoding",
];

/// Addresses, secrets and the like, by name. Printing it shows none of them.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<String, Scalar>);

impl std::fmt::Debug for Parameters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Parameter that cannot be taken, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The parameter.
    pub name: String,
    /// Rule for its value, as the rest of a sentence about it.
    pub rule: String,
}

impl Problem {
    fn new(name: &str, rule: impl Into<String>) -> Self {
        Self { name: name.to_owned(), rule: rule.into() }
    }
}

impl Parameters {
    /// Returns the parameters that were given for a provider; where a secret is masked, the one of before. Empty texts
    /// are not set. Where messages go to another address or say something else than before, no secret of before serves,
    /// so that a user who does not know it cannot have it sent to an address of their own. The error lists everything
    /// that cannot be taken.
    pub fn admit(
        provider: Provider,
        given: &BTreeMap<String, Scalar>,
        before: Option<&Self>,
    ) -> Result<Self, Vec<Problem>> {
        let (mut taken, mut problems) = (BTreeMap::new(), Vec::new());
        let fields = provider.fields();
        let is_unknown = |name: &&String| !fields.iter().any(|field| field.name == **name);
        let known: Vec<_> = fields.iter().map(|field| field.name).collect();
        for name in given.keys().filter(is_unknown).take(MOST_UNKNOWN) {
            problems.push(Problem::new(name, format!("is not known; {} has {}", provider.name(), known.join(", "))));
        }
        for field in fields {
            let stored = before.and_then(|before| before.0.get(field.name));
            let value = match given.get(field.name) {
                Some(value) if field.sensitive && *value == Scalar::from(MASK) => stored,
                value => value,
            };
            let text = match value.map(Scalar::text) {
                Some(None) => {
                    problems.push(Problem::new(field.name, "must be a text, a number, true or false"));
                    continue;
                }
                Some(text) => text.filter(|text| !text.is_empty()),
                None => None,
            };
            let (Some(value), Some(text)) = (value, text) else {
                if field.required {
                    problems.push(Problem::new(field.name, "is required"));
                }
                continue;
            };
            match field.form.check(&text) {
                Ok(()) => drop(taken.insert(field.name.to_owned(), value.clone())),
                Err(rule) => problems.push(Problem::new(field.name, rule)),
            }
        }
        let taken = Self(taken);
        if let Some(before) = before.filter(|_| problems.is_empty()) {
            problems.extend(taken.secrets_that_do_not_serve(provider, given, before));
        }
        if problems.is_empty() { Ok(taken) } else { Err(problems) }
    }

    fn secrets_that_do_not_serve(
        &self,
        provider: Provider,
        given: &BTreeMap<String, Scalar>,
        before: &Self,
    ) -> Vec<Problem> {
        let set = |parameters: &Self, name: &str| parameters.text(name).filter(|text| !text.is_empty());
        let is_changed = |name: &str| set(self, name) != set(before, name);
        let changed = provider.fields().iter().filter(|field| field.steers && is_changed(field.name));
        let changed: Vec<&str> = changed.map(|field| field.name).collect();
        if changed.is_empty() {
            return Vec::new();
        }
        let is_kept = |name: &str| set(before, name).is_some() && given.get(name) == Some(&Scalar::from(MASK));
        let kept = provider.fields().iter().filter(|field| field.sensitive && is_kept(field.name));
        let rule = format!(
            "must be given again, or left out: {MASK} keeps a secret only while {} stays as it is",
            changed.join(" and ")
        );
        kept.map(|field| Problem::new(field.name, rule.clone())).collect()
    }

    /// Returns the parameters with a mask in the place of each secret.
    pub fn masked(&self, provider: Provider) -> BTreeMap<String, Scalar> {
        let is_secret = |name: &str| provider.fields().iter().any(|field| field.name == name && field.sensitive);
        let shown = |(name, value): (&String, &Scalar)| {
            let value = if is_secret(name) { MASK.into() } else { value.clone() };
            (name.clone(), value)
        };
        self.0.iter().map(shown).collect()
    }

    /// One of them as a text, if it is set.
    pub fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).and_then(Scalar::text)
    }

    /// Whether one of them is `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.text(name).is_some_and(|text| text == "true")
    }

    /// The template for the body, if there is one: a single character is none.
    pub fn body_template(&self) -> Option<String> {
        self.text("bodyTemplate").filter(|template| template.chars().count() > 1)
    }

    /// Returns the additional headers to send; none where they cannot be read.
    pub fn custom_headers(&self) -> Result<BTreeMap<String, String>, String> {
        self.text("customHeaders").map_or_else(|| Ok(BTreeMap::new()), |text| headers(&text))
    }

    /// The keys to sign with.
    pub fn signing_keys(&self) -> Vec<Vec<u8>> {
        let secrets = self.text("signingSecret").unwrap_or_default();
        secrets.split_whitespace().filter_map(|secret| key(secret).ok()).collect()
    }
}

impl Form {
    /// Returns the rule that a text breaks which is not of this form.
    fn check(self, text: &str) -> Result<(), String> {
        let longest = if matches!(self, Self::Headers | Self::Template) { LONGEST } else { LONGEST_LINE };
        if is_longer(text, longest) {
            return Err(format!("must have at most {longest} characters"));
        }
        if has_nul(text) {
            return Err("must not contain NUL".to_owned());
        }
        if longest == LONGEST_LINE && text.chars().any(char::is_control) {
            return Err("must be one line without control characters".to_owned());
        }
        match self {
            Self::Line | Self::Template => Ok(()),
            Self::HeaderValue => is_header_value(text)
                .then_some(())
                .ok_or_else(|| "must consist of printable ASCII characters, as the value of a header does".to_owned()),
            Self::Url => url(text),
            Self::Headers => headers(text).map(drop),
            Self::Secrets => secrets(text),
            Self::Choice => {
                matches!(text, "true" | "false").then_some(()).ok_or_else(|| "must be true or false".to_owned())
            }
        }
    }
}

fn url(text: &str) -> Result<(), String> {
    let wanted = || Err("must be an absolute address of http or https without credentials in it".to_owned());
    let Ok(url) = Url::parse(text) else { return wanted() };
    let is_safe = url.username().is_empty() && url.password().is_none() && url.host_str().is_some();
    if matches!(url.scheme(), "http" | "https") && is_safe { Ok(()) } else { wanted() }
}

fn is_header_value(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && text.trim() == text
}

fn is_header_name(name: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_sign)
}

fn headers(text: &str) -> Result<BTreeMap<String, String>, String> {
    let headers: BTreeMap<String, String> =
        serde_json::from_str(text).map_err(|_| "must be a JSON object whose values are texts".to_owned())?;
    for (name, value) in &headers {
        if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(format!("must not set {name}"));
        }
        if !is_header_name(name) || !is_header_value(value) {
            return Err("must have the names and values of headers".to_owned());
        }
    }
    Ok(headers)
}

fn secrets(text: &str) -> Result<(), String> {
    if text.split_whitespace().count() > MOST_SECRETS {
        return Err(format!("must be at most {MOST_SECRETS} secrets"));
    }
    text.split_whitespace().try_for_each(|secret| key(secret).map(drop))
}

fn key(secret: &str) -> Result<Vec<u8>, String> {
    let key = secret.strip_prefix(SECRET_PREFIX).and_then(|text| STANDARD.decode(text).ok());
    key.filter(|key| (24..=64).contains(&key.len()))
        .ok_or_else(|| format!("must be {SECRET_PREFIX} and the base64 of 24 to 64 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(pairs: &[(&str, &str)]) -> BTreeMap<String, Scalar> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect()
    }

    fn refused(provider: Provider, pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let problems = Parameters::admit(provider, &given(pairs), None).expect_err("refused");
        problems.into_iter().map(|problem| (problem.name, problem.rule)).collect()
    }

    #[test]
    fn everything_that_is_missing_or_unknown_is_named() {
        let names = |problems: Vec<(String, String)>| problems.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(refused(Provider::Slack, &[("channel", "x")])), ["channel", "url", "defaultChannel"]);
        assert_eq!(
            names(refused(Provider::Webhook, &[("url", "*****")])),
            ["url"],
            "nothing is stored behind the mask"
        );
        assert_eq!(names(refused(Provider::Datadog, &[("apiKey", "")])), ["apiKey"]);
        let list = serde_json::from_value(serde_json::json!({ "url": ["https://example.com"] })).expect("parameters");
        let problems = Parameters::admit(Provider::Webhook, &list, None).expect_err("no text");
        assert_eq!(problems[0].rule, "must be a text, a number, true or false");
    }

    #[test]
    fn each_form_refuses_what_it_cannot_use() {
        let url = ("url", "https://example.com/hook");
        for (name, value, rule) in [
            ("url", "example.com", "absolute address"),
            ("url", "ftp://example.com", "absolute address"),
            ("url", "https://a:b@example.com", "absolute address"),
            ("url", "https://example.com/\u{7}", "control characters"),
            ("authorization", "Bearer ä", "printable ASCII"),
            ("authorization", "Bearer a\r\nX: y", "one line"),
            ("contentType", " text/plain", "printable ASCII"),
            ("customHeaders", "nonsense", "JSON object"),
            ("customHeaders", r#"{"a": 1}"#, "JSON object"),
            ("customHeaders", r#"{"Host": "elsewhere"}"#, "must not set Host"),
            ("customHeaders", r#"{"webhook-Signature": "v1,x"}"#, "must not set webhook-Signature"),
            ("customHeaders", r#"{"a b": "c"}"#, "names and values"),
            ("customHeaders", r#"{"a": "b\r\nc: d"}"#, "names and values"),
            ("bodyTemplate", "\0", "NUL"),
            ("signingSecret", "secret", "whsec_"),
            ("signingSecret", "whsec_c2hvcnQ=", "24 to 64 bytes"),
            ("ordered", "yes", "true or false"),
        ] {
            let mut pairs = vec![url];
            pairs.retain(|(other, _)| *other != name);
            pairs.push((name, value));
            let problems = refused(Provider::Webhook, &pairs);
            assert!(problems.len() == 1 && problems[0].0 == name, "{name} {value}: {problems:?}");
            assert!(problems[0].1.contains(rule), "{name} {value}: {problems:?}");
        }
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(refused(Provider::Webhook, &[url, ("bodyTemplate", &long)]).len(), 1);
    }

    #[test]
    fn a_masked_secret_stays_and_is_never_shown() {
        let first = given(&[("url", "https://example.com/secret"), ("contentType", "text/plain")]);
        let stored = Parameters::admit(Provider::Webhook, &first, None).expect("taken");
        let shown = stored.masked(Provider::Webhook);
        assert_eq!(shown["url"], "*****".into());
        assert_eq!(shown["contentType"], "text/plain".into());
        assert!(!format!("{stored:?}").contains("secret"));
        let again = Parameters::admit(Provider::Webhook, &shown, Some(&stored)).expect("taken");
        assert_eq!(again, stored);
        let other = given(&[("url", "https://example.com/other"), ("contentType", "")]);
        let other = Parameters::admit(Provider::Webhook, &other, Some(&stored)).expect("taken");
        assert_eq!(other.text("url").as_deref(), Some("https://example.com/other"));
        assert_eq!(other.text("contentType"), None);
    }

    /// Returns a value that a parameter of this form can have.
    fn sample(form: Form, number: usize) -> String {
        match form {
            Form::Line | Form::HeaderValue => format!("text-{number}"),
            Form::Template => format!("{{{{event.type}}}} {number}"),
            Form::Url => format!("https://example.com/{number}"),
            Form::Headers => format!(r#"{{"x-number":"{number}"}}"#),
            Form::Secrets => format!("whsec_{}", STANDARD.encode([u8::try_from(number).expect("small"); 24])),
            Form::Choice => (number == 1).to_string(),
        }
    }

    #[test]
    fn no_secret_of_before_goes_where_it_did_not_go_before() {
        for provider in Provider::ALL {
            let fields = provider.fields();
            let all =
                |number| fields.iter().map(move |field| (field.name.to_owned(), (&*sample(field.form, number)).into()));
            let stored = Parameters::admit(provider, &all(1).collect(), None).expect("taken");
            let shown = stored.masked(provider);
            assert_eq!(Parameters::admit(provider, &shown, Some(&stored)), Ok(stored.clone()), "{provider:?}");
            let secrets: Vec<&str> = fields.iter().filter(|field| field.sensitive).map(|field| field.name).collect();
            assert!(!secrets.is_empty() && fields.iter().any(|field| field.steers), "{provider:?}");
            for field in fields {
                let mut changes = vec![Some(sample(field.form, 2))];
                changes.extend((!field.required).then_some(None));
                for change in changes {
                    let mut given = shown.clone();
                    match &change {
                        Some(value) => given.insert(field.name.to_owned(), value.as_str().into()),
                        None => given.remove(field.name),
                    };
                    let outcome = Parameters::admit(provider, &given, Some(&stored));
                    let names = |problems: Vec<Problem>| problems.into_iter().map(|one| one.name).collect::<Vec<_>>();
                    let others: Vec<&str> = secrets.iter().copied().filter(|name| *name != field.name).collect();
                    let expected = if field.steers { others.clone() } else { Vec::new() };
                    let problems = outcome.map_or_else(names, |_| Vec::new());
                    assert_eq!(problems, expected, "{provider:?} {}", field.name);
                    // With every secret given again, or none, it is taken.
                    let mut anew = given.clone();
                    for name in &others {
                        let form = fields.iter().find(|field| field.name == *name).expect("a field").form;
                        anew.insert((*name).to_owned(), (&*sample(form, 1)).into());
                    }
                    assert!(Parameters::admit(provider, &anew, Some(&stored)).is_ok(), "{provider:?} {}", field.name);
                }
            }
        }
    }

    #[test]
    fn several_secrets_sign_together() {
        let secret = |byte: u8| format!("whsec_{}", STANDARD.encode([byte; 24]));
        let both = format!("{} {}", secret(1), secret(2));
        let pairs = [("url", "https://example.com"), ("signingSecret", both.as_str()), ("ordered", "true")];
        let parameters = Parameters::admit(Provider::Webhook, &given(&pairs), None).expect("taken");
        assert_eq!(parameters.signing_keys(), [vec![1; 24], vec![2; 24]]);
        assert!(parameters.is_true("ordered") && !parameters.is_true("cloudEvents"));
    }
}
