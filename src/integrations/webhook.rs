//! Requests of webhooks.

use flagstone_domain::integration::Parameters;
use serde_json::{Value, json};

use super::{JSON, Message, Notification, Prepared, template};

pub(super) fn prepare(parameters: &Parameters, notification: Notification<'_>) -> Result<Prepared, String> {
    let url = parameters.text("url").unwrap_or_default();
    let content_type = parameters.text("contentType").unwrap_or_else(|| JSON.to_owned());
    let (body, shown) = if let Some(template) = parameters.body_template() {
        let text = template::render(&template, notification, is_json(&content_type))?;
        (text.clone().into_bytes(), Value::from(text))
    } else {
        let event = serde_json::to_value(notification.event).unwrap_or_default();
        (event.to_string().into_bytes(), event)
    };
    let details = json!({ "url": origin(&url), "contentType": content_type, "body": shown });
    let mut message = Message::new(url, &content_type, body);
    if let Some(authorization) = parameters.text("authorization") {
        message = message.with("Authorization", authorization);
    }
    if parameters.is_true("cloudEvents") {
        message = with_cloud_event(message, notification);
    }
    Ok(Prepared { messages: vec![message], details, problem: None })
}

/// The headers of `CloudEvents` 1.0 for a body that is the data ("binary content mode").
fn with_cloud_event(message: Message, notification: Notification<'_>) -> Message {
    let event = notification.event;
    message
        .with("ce-specversion", "1.0")
        .with("ce-id", event.id.to_string())
        .with("ce-source", notification.base_url)
        .with("ce-type", format!("flagstone.{}", event.kind.as_str()))
        .with("ce-time", event.created_at.to_string())
}

/// Whether a media type is that of JSON.
pub(super) fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == JSON || essence.ends_with("+json")
}

/// Returns the origin of an address, without the path, which may hold a secret.
pub(super) fn origin(url: &str) -> String {
    url::Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use flagstone_domain::{event::Event, event_kind::EventKind, integration::Provider};

    use super::*;
    use crate::tests::{event, header, prepared};

    #[test]
    fn the_event_itself_is_sent_unless_a_template_says_otherwise() {
        let event = event(EventKind::FeatureCreated);
        let url = ("url", "https://example.com/hook/s3cret?key=s3cret");
        let plain = prepared(Provider::Webhook, &[url, ("authorization", "Bearer s3cret")], &event);
        let body: Value = serde_json::from_slice(&plain.messages[0].body).expect("JSON");
        assert_eq!(body, serde_json::to_value(&event).expect("an event"));
        assert_eq!(body.get("reason"), None);
        let because = Event { reason: Some("the \"sale\"".to_owned()), ..event.clone() };
        let template = [url, ("bodyTemplate", r#"{"why": "{{event.reason}}"}"#)];
        for (parameters, place) in [(&[url][..], "reason"), (&template[..], "why")] {
            let sent = prepared(Provider::Webhook, parameters, &because);
            let body: Value = serde_json::from_slice(&sent.messages[0].body).expect("JSON");
            assert_eq!(body[place], "the \"sale\"");
        }
        assert_eq!(header(&plain.messages[0], "authorization"), Some("Bearer s3cret"));
        assert_eq!(header(&plain.messages[0], "content-type"), Some("application/json"));
        assert_eq!(plain.details["url"], "https://example.com");
        assert!(!plain.details.to_string().contains("s3cret"));
        let text = [url, ("contentType", "text/plain"), ("bodyTemplate", "{{event.type}}!"), ("cloudEvents", "true")];
        let text = prepared(Provider::Webhook, &text, &event);
        assert_eq!(text.messages[0].body, b"feature-created!");
        assert_eq!(header(&text.messages[0], "ce-type"), Some("flagstone.feature-created"));
        assert_eq!(header(&text.messages[0], "ce-id"), Some("7"));
        assert_eq!(text.details["body"], "feature-created!");
    }

    #[test]
    fn headers_of_ones_own_take_the_place_of_others() {
        let event = event(EventKind::FeatureCreated);
        let own = [("url", "https://example.com"), ("customHeaders", r#"{"content-type": "x/y", "X-Team": "shop"}"#)];
        let sent = prepared(Provider::Webhook, &own, &event);
        let named =
            |name: &str| sent.messages[0].headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name)).count();
        assert_eq!((named("content-type"), named("x-team")), (1, 1));
        assert_eq!(header(&sent.messages[0], "Content-Type"), Some("x/y"));
        assert_eq!(header(&sent.messages[0], "x-team"), Some("shop"));
    }

    #[test]
    fn media_types_of_json_are_known() {
        for (media_type, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/cloudevents+json", true),
            ("text/plain", false),
        ] {
            assert_eq!(is_json(media_type), expected, "{media_type}");
        }
    }
}
