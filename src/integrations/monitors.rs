//! Events for monitoring: Datadog and New Relic.

use flagstone_domain::integration::Parameters;
use flagstone_gzip as gzip;
use serde_json::{Map, Value, json};

use super::{
    Message, Notification, Prepared,
    sentence::{Links, about},
    template,
    webhook::origin,
};

/// Name of the attribute for the reason of a change at New Relic.
const REASON: &str = "reason";
/// Default address for events of Datadog.
const DATADOG: &str = "https://api.datadoghq.com/api/v1/events";

pub(super) fn datadog(parameters: &Parameters, notification: Notification<'_>) -> Result<Prepared, String> {
    let url = parameters.text("url").unwrap_or_else(|| DATADOG.to_owned());
    let text = match parameters.body_template() {
        Some(template) => template::render(&template, notification, false)?,
        None => format!("%%% \n {} \n %%% ", about(notification.event, notification.base_url, Links::Markdown).text),
    };
    let mut body = json!({ "text": text, "title": "Flagstone notification" });
    let tags: Vec<String> = notification.tags().iter().map(|tag| format!("{}:{}", tag.kind, tag.value)).collect();
    if !tags.is_empty() {
        body["tags"] = tags.into();
    }
    if let Some(source) = parameters.text("sourceTypeName") {
        body["source_type_name"] = source.into();
    }
    let details = json!({ "url": origin(&url), "body": body });
    let key = parameters.text("apiKey").unwrap_or_default();
    Ok(Prepared { messages: vec![Message::json(url, &body).with("DD-API-KEY", key)], details, problem: None })
}

pub(super) fn new_relic(parameters: &Parameters, notification: Notification<'_>) -> Prepared {
    let url = parameters.text("url").unwrap_or_default();
    let event = notification.event;
    let told = serde_json::to_value(event).unwrap_or_default();
    let mut body = Map::new();
    if let Some(data) = event.data.as_ref().and_then(|data| data.0.as_ref()) {
        body.extend(serde_json::from_str::<Map<String, Value>>(data.text()).unwrap_or_default());
    }
    // Last, so that nothing of the data takes their place.
    body.insert("eventType".to_owned(), "UnleashServiceEvent".into());
    body.insert("unleashEventType".to_owned(), event.kind.as_str().into());
    for name in ["featureName", "environment", "createdBy", "createdByUserId"] {
        body.insert(name.to_owned(), told[name].clone());
    }
    body.insert("createdAt".to_owned(), event.created_at.millis().into());
    body.remove(REASON);
    body.extend(event.reason.as_ref().map(|reason| (REASON.to_owned(), reason.as_str().into())));
    let mut problem = None;
    if let Some(template) = parameters.body_template() {
        match template::render(&template, notification, false) {
            Ok(text) => drop(body.insert("message".to_owned(), text.into())),
            Err(reason) => problem = Some(reason),
        }
    }
    let body = Value::Object(body);
    let compressed = gzip::compressed(body.to_string().as_bytes(), gzip::Effort::default());
    let message = Message::new(url.clone(), super::JSON, compressed)
        .with("Content-Encoding", "gzip")
        .with("Api-Key", parameters.text("licenseKey").unwrap_or_default());
    Prepared { messages: vec![message], details: json!({ "url": origin(&url), "body": body }), problem }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flagstone_domain::{event::Event, event_kind::EventKind, integration::Provider};

    use super::*;
    use crate::tests::{body, event, header, prepared, tagged, with};

    #[test]
    fn datadog_gets_text_and_tags() {
        let event = tagged(event(EventKind::FeatureEnvironmentDisabled), "team", "till");
        let sent = prepared(Provider::Datadog, &[("apiKey", "s3cret"), ("sourceTypeName", "flags")], &event);
        let told = body(&sent.messages[0]);
        assert_eq!((&told["tags"][0], &told["source_type_name"]), (&json!("team:till"), &json!("flags")));
        assert!(told["text"].as_str().is_some_and(|text| text.starts_with("%%% \n *ann@example.com* switched off")));
        assert_eq!(header(&sent.messages[0], "dd-api-key"), Some("s3cret"));
        assert_eq!(sent.messages[0].url, DATADOG);
        assert!(!sent.details.to_string().contains("s3cret"));
    }

    #[test]
    fn new_relic_gets_the_data_and_nothing_takes_the_place_of_what_is_known() {
        let event = with(
            event(EventKind::FeatureCreated),
            Some(r#"{"eventType":"forged","reason":"forged","kind":"release"}"#),
            None,
        );
        let parameters = [("url", "https://insights-collector.newrelic.com/v1"), ("licenseKey", "s3cret")];
        let sent = prepared(Provider::NewRelic, &parameters, &event);
        let mut text = String::new();
        flate2::read::GzDecoder::new(&sent.messages[0].body[..]).read_to_string(&mut text).expect("gzip");
        let told: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&told["eventType"], &told["kind"]), (&json!("UnleashServiceEvent"), &json!("release")));
        assert_eq!(told["createdAt"], 1_614_265_330_000_i64);
        assert_eq!(told.get("reason"), None);
        assert_eq!(header(&sent.messages[0], "content-encoding"), Some("gzip"));
        let sent =
            prepared(Provider::NewRelic, &parameters, &Event { reason: Some("the sale".to_owned()), ..event.clone() });
        assert_eq!(sent.details["body"]["reason"], "the sale");
        assert!(!sent.details.to_string().contains("s3cret"));
    }
}
