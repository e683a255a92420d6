//! Messages of integrations: an event, as the requests that each kind of system takes. Pure: nothing here connects.

mod chat;
mod monitors;
mod sentence;
mod signature;
mod template;
mod webhook;

use flagstone_domain::{
    event::Event,
    integration::{Parameters, Provider},
    tag::Tag,
    time::Timestamp,
};
use serde_json::Value;

pub use self::template::check as check_template;

/// Largest body that is sent, in bytes.
const LARGEST_BODY: usize = 2 * 1024 * 1024;
/// The media type of most bodies.
const JSON: &str = "application/json";

/// An event to be sent.
#[derive(Debug, Clone, Copy)]
pub struct Notification<'a> {
    /// The event.
    pub event: &'a Event,
    /// Id of this message for the receiver, the same at each attempt.
    pub message_id: &'a str,
    /// Public address of this server, which links lead to.
    pub base_url: &'a str,
    /// The time of the attempt.
    pub now: Timestamp,
}

impl Notification<'_> {
    /// The tags that the feature had.
    fn tags(&self) -> Vec<Tag> {
        let tags = self.event.tags.as_ref().and_then(|tags| serde_json::to_value(tags).ok());
        tags.and_then(|tags| serde_json::from_value(tags).ok()).unwrap_or_default()
    }
}

/// A request, by POST. Printing it shows none of it, as all of it may hold secrets.
pub struct Message {
    /// Address of the receiver.
    pub url: String,
    /// Its headers, each name once; the media type among them.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Message").field("bytes", &self.body.len()).finish_non_exhaustive()
    }
}

impl Message {
    fn new(url: String, content_type: &str, body: Vec<u8>) -> Self {
        Self { url, headers: vec![("Content-Type".to_owned(), content_type.to_owned())], body }
    }

    fn json(url: String, body: &Value) -> Self {
        Self::new(url, JSON, body.to_string().into_bytes())
    }

    /// Returns the message with a header, in the place of others of its name.
    fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

/// The requests of one attempt.
#[derive(Debug)]
pub struct Prepared {
    /// Messages to send, in order.
    pub messages: Vec<Message>,
    /// Details that people may see: no secret.
    pub details: Value,
    /// Part of the settings that could not be used.
    pub problem: Option<String>,
}

/// Makes the requests about an event. The error says why there can be none.
pub fn prepare(
    provider: Provider,
    parameters: &Parameters,
    notification: Notification<'_>,
) -> Result<Prepared, String> {
    let mut prepared = match provider {
        Provider::Webhook => webhook::prepare(parameters, notification)?,
        Provider::Slack => chat::slack(parameters, notification),
        Provider::SlackApp => chat::slack_app(parameters, notification)?,
        Provider::Teams => chat::teams(parameters, notification),
        Provider::Datadog => monitors::datadog(parameters, notification)?,
        Provider::NewRelic => monitors::new_relic(parameters, notification),
    };
    if prepared.messages.iter().any(|message| message.body.len() > LARGEST_BODY) {
        return Err(format!("The message would have more than {LARGEST_BODY} bytes."));
    }
    match parameters.custom_headers() {
        Ok(headers) => {
            let with_headers =
                |message| headers.iter().fold(message, |message: Message, (name, value)| message.with(name, value));
            prepared.messages = prepared.messages.into_iter().map(with_headers).collect();
        }
        Err(rule) => prepared.problem = Some(format!("Sent without customHeaders, which {rule}.")),
    }
    if provider == Provider::Webhook {
        prepared.messages =
            prepared.messages.into_iter().map(|one| signature::sign(one, parameters, notification)).collect();
    }
    Ok(prepared)
}

/// Reason that a system gives, in an answer of success, for not taking a message.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, as a sentence; a part of it is the system's own.
    pub reason: String,
    /// Whether the same message can be taken later.
    pub passes: bool,
}

/// Returns the refusal in an answer whose status is one of success: `None` where the system took the message.
pub fn refusal(provider: Provider, answer: &[u8]) -> Option<Refusal> {
    match provider {
        Provider::SlackApp => chat::refusal_of_slack(answer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use flagstone_domain::event_kind::EventKind;
    use flagstone_wire::{Nullable, RawJson, RawJsonOf};

    use super::*;

    /// Returns an event of ann about a feature.
    pub(super) fn event(kind: EventKind) -> Event {
        let text = |text: &str| Some(Nullable(Some(text.to_owned())));
        Event {
            id: 7,
            created_at: Timestamp::from_millis(1_614_265_330_000),
            kind,
            label: None,
            created_by: "ann@example.com".to_owned(),
            created_by_user_id: None,
            reason: None,
            environment: text("production"),
            project: text("shop"),
            feature_name: text("new-till"),
            data: None,
            pre_data: None,
            tags: None,
        }
    }

    pub(super) fn with(event: Event, data: Option<&str>, pre_data: Option<&str>) -> Event {
        let json =
            |text: Option<&str>| Some(Nullable(text.map(|text| RawJson::from_text(text.to_owned()).expect("JSON"))));
        Event { data: json(data), pre_data: json(pre_data), ..event }
    }

    pub(super) fn tagged(event: Event, kind: &str, value: &str) -> Event {
        let tags = format!(r#"[{{"type":"{kind}","value":"{value}"}}]"#);
        Event { tags: Some(Nullable(Some(RawJsonOf::from_text(tags).expect("JSON")))), ..event }
    }

    pub(super) fn notification(event: &Event) -> Notification<'_> {
        Notification {
            event,
            message_id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            base_url: "https://flags.example.com",
            now: Timestamp::from_millis(1_614_265_330_000),
        }
    }

    pub(super) fn prepare_for(provider: Provider, given: &[(&str, &str)], event: &Event) -> Result<Prepared, String> {
        let given: BTreeMap<_, _> = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
        prepare(provider, &Parameters::admit(provider, &given, None).expect("parameters"), notification(event))
    }

    pub(super) fn prepared(provider: Provider, given: &[(&str, &str)], event: &Event) -> Prepared {
        prepare_for(provider, given, event).expect("requests")
    }

    pub(super) fn header<'a>(message: &'a Message, name: &str) -> Option<&'a str> {
        message.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(super) fn body(message: &Message) -> Value {
        serde_json::from_slice(&message.body).expect("JSON")
    }

    /// Returns three events of a kind: with little content, with much, and with unexpected content.
    fn notifications(kind: EventKind) -> [Event; 3] {
        let plain = event(kind);
        let much = format!(r#"{{"name":"{}","parameters":{{"rollout":"50"}}}}"#, "till ".repeat(1000));
        let full = tagged(with(plain.clone(), Some(&much), Some(r#"{"parameters":{"rollout":"5"}}"#)), "slack", "till");
        let odd = Event {
            created_by: "</script> *_~`| <!channel> \u{202e}\u{1f600}\n\"\\".to_owned(),
            reason: Some("</script> *_~`| <!channel> \u{202e}\u{1f600} \"\\ %%% [x](https://evil)".to_owned()),
            feature_name: None,
            project: None,
            environment: Some(Nullable(None)),
            ..with(plain.clone(), Some("[]"), None)
        };
        [plain, full, odd]
    }

    #[test]
    #[ignore = "tests/payloads/run asks for it, and holds what is written against what the makers publish"]
    #[expect(clippy::disallowed_methods, reason = "where the bodies go is no setting of the program")]
    fn write_the_bodies() {
        use std::{fmt::Write as _, io::Read as _};

        let file = std::env::var_os("FLAGSTONE_BODIES").expect("FLAGSTONE_BODIES names the file");
        let url = ("url", "https://example.com/hook");
        let systems: [(Provider, &[(&str, &str)]); 5] = [
            (Provider::Slack, &[url, ("defaultChannel", "releases")]),
            (Provider::SlackApp, &[("accessToken", "xoxb-1"), ("defaultChannels", "releases")]),
            (Provider::Teams, &[url]),
            (Provider::Datadog, &[("apiKey", "1"), ("sourceTypeName", "flags")]),
            (Provider::NewRelic, &[url, ("licenseKey", "1")]),
        ];
        let mut lines = String::new();
        for kind in EventKind::ALL {
            for event in notifications(*kind) {
                for (provider, parameters) in systems {
                    for message in prepared(provider, parameters, &event).messages {
                        let mut text = Vec::new();
                        match header(&message, "content-encoding") {
                            Some(_) => drop(flate2::read::GzDecoder::new(&message.body[..]).read_to_end(&mut text)),
                            None => text.clone_from(&message.body),
                        }
                        let body: Value = serde_json::from_slice(&text).expect("JSON");
                        let line =
                            serde_json::json!({ "provider": provider.name(), "kind": kind.as_str(), "body": body });
                        writeln!(lines, "{line}").expect("memory");
                    }
                }
            }
        }
        std::fs::write(file, lines).expect("writes");
    }
}
