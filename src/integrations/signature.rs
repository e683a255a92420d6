//! Signatures as Standard Webhooks 1.0 says: HMAC-SHA256 over id, time and body, one for each key.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flagstone_domain::integration::Parameters;
use ring::hmac;

use super::{Message, Notification};

/// Names the message and, where there are keys, signs it.
pub(super) fn sign(message: Message, parameters: &Parameters, notification: Notification<'_>) -> Message {
    let seconds = notification.now.millis().div_euclid(1000).to_string();
    let mut content = format!("{}.{seconds}.", notification.message_id).into_bytes();
    content.extend_from_slice(&message.body);
    let keys = parameters.signing_keys();
    let signatures: Vec<String> = keys
        .iter()
        .map(|key| {
            let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), &content);
            format!("v1,{}", STANDARD.encode(tag))
        })
        .collect();
    let named = message.with("webhook-id", notification.message_id).with("webhook-timestamp", seconds);
    if signatures.is_empty() { named } else { named.with("webhook-signature", signatures.join(" ")) }
}

#[cfg(test)]
mod tests {
    use flagstone_domain::{event_kind::EventKind, integration::Provider};

    use crate::tests::{event, header, prepared};

    /// The example that the specification prints, with another message: made with its reference library for Python.
    #[test]
    fn a_known_message_has_its_known_signature() {
        let event = event(EventKind::FeatureCreated);
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let parameters = [
            ("url", "https://example.com"),
            ("signingSecret", secret),
            ("contentType", "application/json"),
            ("bodyTemplate", r#"{"test": 2432232314}"#),
        ];
        let sent = prepared(Provider::Webhook, &parameters, &event);
        assert_eq!(header(&sent.messages[0], "webhook-id"), Some("msg_p5jXN8AQM9LWM0D4loKWxJek"));
        assert_eq!(header(&sent.messages[0], "webhook-timestamp"), Some("1614265330"));
        assert_eq!(
            header(&sent.messages[0], "webhook-signature"),
            Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        );
    }

    #[test]
    fn each_key_signs_and_without_one_the_message_is_only_named() {
        let event = event(EventKind::FeatureCreated);
        let url = ("url", "https://example.com");
        let both = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let sent = prepared(Provider::Webhook, &[url, ("signingSecret", both)], &event);
        let signatures = header(&sent.messages[0], "webhook-signature").expect("signed");
        assert_eq!(signatures.split(' ').filter(|one| one.starts_with("v1,")).count(), 2);
        let plain = prepared(Provider::Webhook, &[url], &event);
        assert_eq!(header(&plain.messages[0], "webhook-signature"), None);
        assert!(header(&plain.messages[0], "webhook-id").is_some());
    }
}
