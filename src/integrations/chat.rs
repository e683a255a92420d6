//! Messages to people: Slack and Microsoft Teams.

use flagstone_domain::integration::Parameters;
use serde_json::{Value, json};

use super::{
    Message, Notification, Prepared, Refusal,
    sentence::{Links, Sentence, about, escaped},
    webhook::origin,
};

/// Most characters of a text in Slack.
const LONGEST_TEXT: usize = 3000;
/// Most channels that one event goes to.
const MOST_CHANNELS: usize = 20;
/// The kind of tags that name channels.
const TAG_TYPE: &str = "slack";
/// Label of a button.
const OPEN: &str = "Open in Flagstone";
/// Errors of Slack that pass.
const PASSING: [&str; 5] = ["ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable"];
/// Most characters of an error that are shown.
const SHOWN: usize = 100;
/// Address to which an app of a workspace writes.
const POST_MESSAGE: &str = "https://slack.com/api/chat.postMessage";

/// Slack's incoming webhooks: one request for each channel.
pub(super) fn slack(parameters: &Parameters, notification: Notification<'_>) -> Prepared {
    let url = parameters.text("url").unwrap_or_default();
    let username = parameters.text("username").unwrap_or_else(|| "Flagstone".to_owned());
    let icon = parameters.text("emojiIcon").unwrap_or_else(|| ":triangular_flag_on_post:".to_owned());
    let sentence = in_slack(notification);
    let mut channels = tagged(notification);
    if channels.is_empty() {
        channels = split(&parameters.text("defaultChannel").unwrap_or_default());
    }
    let message = |channel: &String| {
        let mut body = json!({
            "username": username,
            "icon_emoji": icon,
            "text": sentence.text,
            "channel": format!("#{}", channel.trim_start_matches('#')),
        });
        if let Some(link) = &sentence.url {
            let button = json!({
                "name": "featureToggle", "text": OPEN, "type": "button", "value": "featureToggle", "style": "primary", "url": link,
            });
            body["attachments"] = json!([{ "actions": [button] }]);
        }
        Message::json(url.clone(), &body)
    };
    let messages = channels.iter().take(MOST_CHANNELS).map(message).collect();
    let details = json!({ "url": origin(&url), "channels": channels, "username": username, "message": sentence.text });
    Prepared { messages, details, problem: None }
}

/// An app of a workspace: one request for each channel.
pub(super) fn slack_app(parameters: &Parameters, notification: Notification<'_>) -> Result<Prepared, String> {
    let token = parameters.text("accessToken").unwrap_or_default();
    let sentence = in_slack(notification);
    let mut channels = split(&parameters.text("defaultChannels").unwrap_or_default());
    for channel in tagged(notification) {
        if !channels.contains(&channel) {
            channels.push(channel);
        }
    }
    if channels.is_empty() {
        return Err("No channel is set, and the feature has no tag of the type slack.".to_owned());
    }
    let message = |channel: &String| {
        let mut blocks = vec![json!({ "type": "section", "text": { "type": "mrkdwn", "text": sentence.text } })];
        blocks.extend(sentence.url.as_ref().map(|link| {
            json!({ "type": "actions", "elements": [{
                "type": "button", "url": link, "text": { "type": "plain_text", "text": OPEN },
                "value": "featureToggle", "style": "primary",
            }] })
        }));
        let body = json!({ "channel": channel, "text": sentence.text, "unfurl_links": false, "blocks": blocks });
        let message = Message::json(POST_MESSAGE.to_owned(), &body);
        message.with("Content-Type", "application/json; charset=utf-8").with("Authorization", format!("Bearer {token}"))
    };
    let messages = channels.iter().take(MOST_CHANNELS).map(message).collect();
    Ok(Prepared { messages, details: json!({ "channels": channels, "message": sentence.text }), problem: None })
}

/// Returns the refusal in Slack's answer to an app, which has the status 200.
pub(super) fn refusal_of_slack(answer: &[u8]) -> Option<Refusal> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    (answer.get("ok") == Some(&Value::Bool(false))).then(|| {
        let error: String = answer["error"].as_str().unwrap_or("no reason").chars().take(SHOWN).collect();
        Refusal { passes: PASSING.contains(&error.as_str()), reason: format!("Slack did not take it: {error}.") }
    })
}

/// Teams' incoming webhooks, those of workflows as well: an adaptive card, which is all that the latter show whole.
pub(super) fn teams(parameters: &Parameters, notification: Notification<'_>) -> Prepared {
    let url = parameters.text("url").unwrap_or_default();
    let Sentence { text, url: link } = about(notification.event, notification.base_url, Links::Markdown);
    let facts = json!([
        { "title": "User", "value": escaped(&notification.event.created_by, Links::Markdown) },
        { "title": "Action", "value": notification.event.kind.as_str() },
    ]);
    let mut card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [{ "type": "TextBlock", "text": text, "wrap": true }, { "type": "FactSet", "facts": facts }],
    });
    if let Some(link) = link {
        card["actions"] = json!([{ "type": "Action.OpenUrl", "title": OPEN, "url": link }]);
    }
    let attachment = json!({ "contentType": "application/vnd.microsoft.card.adaptive", "content": card });
    let body = json!({ "type": "message", "summary": "Flagstone", "attachments": [attachment] });
    let details = json!({ "url": origin(&url), "body": body });
    Prepared { messages: vec![Message::json(url, &body)], details, problem: None }
}

fn in_slack(notification: Notification<'_>) -> Sentence {
    let sentence = about(notification.event, notification.base_url, Links::Slack);
    Sentence { text: sentence.text.chars().take(LONGEST_TEXT).collect(), ..sentence }
}

/// The channels that tags of the feature name.
fn tagged(notification: Notification<'_>) -> Vec<String> {
    let mut channels: Vec<String> = notification
        .tags()
        .into_iter()
        .filter(|tag| tag.kind == TAG_TYPE)
        .map(|tag| tag.value)
        .take(MOST_CHANNELS)
        .collect();
    channels.dedup();
    channels
}

fn split(channels: &str) -> Vec<String> {
    let mut channels: Vec<String> =
        channels.split(',').map(str::trim).filter(|channel| !channel.is_empty()).map(str::to_owned).collect();
    channels.dedup();
    channels
}

#[cfg(test)]
mod tests {
    use flagstone_domain::{event::Event, event_kind::EventKind, integration::Provider};

    use super::{Refusal, refusal_of_slack};
    use crate::tests::{body, event, header, prepare_for, prepared, tagged as with_tag};

    #[test]
    fn slack_is_told_in_the_channels_that_tags_name_or_else_in_the_usual_one() {
        let plain = event(EventKind::FeatureCreated);
        let parameters = [("url", "https://hooks.slack.com/services/s3cret"), ("defaultChannel", "releases, #all")];
        let sent = prepared(Provider::Slack, &parameters, &plain);
        let channels: Vec<_> = sent.messages.iter().map(|message| body(message)["channel"].clone()).collect();
        assert_eq!(channels, ["#releases", "#all"]);
        assert_eq!(body(&sent.messages[0])["attachments"][0]["actions"][0]["style"], "primary");
        let sent = prepared(Provider::Slack, &parameters, &with_tag(plain, "slack", "till"));
        assert_eq!(body(&sent.messages[0])["channel"], "#till");
        assert_eq!(sent.messages.len(), 1);
        assert!(!sent.details.to_string().contains("s3cret"));
    }

    #[test]
    fn an_app_is_told_in_all_of_them_once_and_says_when_there_is_none() {
        let tagged = with_tag(event(EventKind::FeatureCreated), "slack", "till");
        let parameters = [("accessToken", "xoxb-s3cret"), ("defaultChannels", "all,till")];
        let sent = prepared(Provider::SlackApp, &parameters, &tagged);
        assert_eq!(sent.messages.len(), 2);
        assert_eq!(header(&sent.messages[0], "authorization"), Some("Bearer xoxb-s3cret"));
        let told = body(&sent.messages[1]);
        assert_eq!((told["channel"].as_str(), told["unfurl_links"].as_bool()), (Some("till"), Some(false)));
        assert_eq!(told["blocks"][0]["text"]["type"], "mrkdwn");
        assert_eq!(told["blocks"][1]["elements"][0]["type"], "button");
        let none = prepare_for(Provider::SlackApp, &parameters[..1], &event(EventKind::FeatureCreated));
        assert!(none.expect_err("nowhere").contains("No channel"));
    }

    #[test]
    fn slack_refuses_with_200_and_some_of_it_passes() {
        let refused = |error: &str| refusal_of_slack(format!(r#"{{"ok":false,"error":"{error}"}}"#).as_bytes());
        let refusal =
            |reason: &str, passes| Some(Refusal { reason: format!("Slack did not take it: {reason}."), passes });
        assert_eq!(refused("channel_not_found"), refusal("channel_not_found", false));
        assert_eq!(refused("ratelimited"), refusal("ratelimited", true));
        assert_eq!(refusal_of_slack(br#"{"ok":false}"#), refusal("no reason", false));
        assert_eq!(refusal_of_slack(br#"{"ok":true}"#), None);
        assert_eq!(refusal_of_slack(b"ok"), None);
    }

    #[test]
    fn teams_gets_a_card_that_leads_to_the_feature() {
        let sent = prepared(
            Provider::Teams,
            &[("url", "https://x.webhook.office.com/s3cret")],
            &event(EventKind::FeatureArchived),
        );
        let told = body(&sent.messages[0]);
        assert_eq!(told["attachments"][0]["contentType"], "application/vnd.microsoft.card.adaptive");
        let card = &told["attachments"][0]["content"];
        assert_eq!(card["body"][1]["facts"][1]["value"], "feature-archived");
        assert_eq!(card["actions"][0]["url"], "https://flags.example.com/console/projects/shop/archive");
        assert!(!sent.details.to_string().contains("s3cret"));
    }

    #[test]
    fn names_make_no_links_in_a_card() {
        let by = Event { created_by: "[help](https://evil.example)".to_owned(), ..event(EventKind::FeatureCreated) };
        let sent = prepared(Provider::Teams, &[("url", "https://x.webhook.office.com/s3cret")], &by);
        let card = &body(&sent.messages[0])["attachments"][0]["content"]["body"];
        for text in [&card[0]["text"], &card[1]["facts"][0]["value"]] {
            assert!(!text.as_str().expect("a text").contains("[help]("), "{text}");
        }
    }
}
