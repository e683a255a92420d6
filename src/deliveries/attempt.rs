//! One attempt to deliver an event to an integration.

use flagstone_domain::{
    event::Event,
    integration::{Integration, Provider, delivery::Outcome},
    time::Timestamp,
};
use flagstone_integrations::{Message, Notification, Prepared, prepare, refusal};
use flagstone_outbound::{Answer, Failure, Outbound, Request};
use flagstone_state::State;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::ATTEMPT;

/// Bytes of an answer that are read.
const ANSWER: usize = 4096;
/// Characters of an answer that are quoted.
const QUOTED: usize = 200;

/// Whether what a receiver answers may be quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    /// The beginning of it.
    Beginning,
    /// Nothing: a reader of the answer could have this server read what only it can reach.
    None,
}

/// Outcome of an attempt.
#[derive(Debug)]
pub struct Attempted {
    /// Result of the delivery.
    pub outcome: Outcome,
    /// The sent message, without secrets.
    pub details: Value,
}

impl Attempted {
    pub(super) fn never(reason: &str) -> Self {
        Self { outcome: Outcome::Never(reason.to_owned()), details: json!({}) }
    }
}

/// Delivers an event to an integration, as its settings say, under this id.
pub(super) async fn attempt(
    state: &State,
    outbound: &Outbound,
    integration: &Integration,
    event: &Event,
    message_id: &str,
    quoting: Quoting,
) -> Attempted {
    let now = state.clock.now();
    let notification = Notification { event, message_id, base_url: &state.config.base_url, now };
    let Prepared { messages, details, problem } =
        match prepare(integration.provider, &integration.parameters, notification) {
            Ok(prepared) => prepared,
            Err(reason) => return Attempted::never(&reason),
        };
    let sending = timeout(ATTEMPT, send_all(outbound, integration.provider, messages, now, quoting));
    let outcome = sending.await.unwrap_or_else(|_| Outcome::Later {
        reason: format!("The requests took more than {} seconds altogether.", ATTEMPT.as_secs()),
        asked_wait_ms: None,
    });
    let outcome = match outcome {
        Outcome::Taken(None) => Outcome::Taken(problem),
        other => other,
    };
    Attempted { outcome, details }
}

/// Sends several requests. Their outcome is that of the one that has most to be waited for; where some were taken and
/// some never will be, they were taken with errors.
async fn send_all(
    outbound: &Outbound,
    provider: Provider,
    messages: Vec<Message>,
    now: Timestamp,
    quoting: Quoting,
) -> Outcome {
    let (mut taken, mut refused, mut later) = (0, None, None);
    for message in messages {
        match send(outbound, provider, message, now, quoting).await {
            Outcome::Taken(_) => taken += 1,
            Outcome::Never(reason) => refused = Some(reason),
            outcome @ Outcome::Later { .. } => later = Some(outcome),
        }
    }
    match (later, refused) {
        (Some(later), _) => later,
        (None, Some(reason)) if taken > 0 => Outcome::Taken(Some(format!("Delivered in part. {reason}"))),
        (None, Some(reason)) => Outcome::Never(reason),
        (None, None) => Outcome::Taken(None),
    }
}

async fn send(outbound: &Outbound, provider: Provider, message: Message, now: Timestamp, quoting: Quoting) -> Outcome {
    let Message { url, headers, body } = message;
    match outbound.send(Request::deliver(&url, headers, body, ANSWER)).await {
        Ok(answer) => judge(provider, &answer, now, quoting),
        Err(failure) => unanswered(&failure),
    }
}

fn judge(provider: Provider, answer: &Answer, now: Timestamp, quoting: Quoting) -> Outcome {
    let asked_wait_ms = answer.retry_after.as_deref().and_then(|text| wait_ms(text, now));
    match answer.status {
        200..300 => match refusal(provider, &answer.body) {
            None => Outcome::Taken(None),
            Some(refusal) => {
                let reason = printable(&refusal.reason);
                if refusal.passes { Outcome::Later { reason, asked_wait_ms } } else { Outcome::Never(reason) }
            }
        },
        status => {
            let quoted = printable(&String::from_utf8_lossy(&answer.body));
            let quoted =
                if quoted.is_empty() || quoting == Quoting::None { String::new() } else { format!(": {quoted}") };
            let reason = format!("The receiver answered {status}{quoted}.");
            if matches!(status, 408 | 425 | 429 | 500..) {
                Outcome::Later { reason, asked_wait_ms }
            } else {
                Outcome::Never(reason)
            }
        }
    }
}

fn unanswered(failure: &Failure) -> Outcome {
    let reason = format!("{failure}.");
    if failure.kind.lasts() { Outcome::Never(reason) } else { Outcome::Later { reason, asked_wait_ms: None } }
}

/// Milliseconds that a `Retry-After` asks for: seconds, or a date.
fn wait_ms(text: &str, now: Timestamp) -> Option<i64> {
    let seconds = text.trim().parse::<u32>().ok().map(|seconds| i64::from(seconds) * 1000);
    let until = || chrono::DateTime::parse_from_rfc2822(text.trim()).ok().map(|date| date.timestamp_millis());
    seconds.or_else(|| until().map(|until| until.saturating_sub(now.millis())))
}

/// Returns the beginning of foreign text, fit for a log.
fn printable(text: &str) -> String {
    let line: String = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, retry_after: Option<&str>, body: &str) -> Answer {
        Answer {
            status,
            content_type: None,
            cache_control: None,
            retry_after: retry_after.map(str::to_owned),
            etag: None,
            body: body.as_bytes().to_vec(),
        }
    }

    #[test]
    fn what_may_pass_is_tried_again_and_what_may_not_is_not() {
        let now = Timestamp::from_millis(1_000_000);
        let webhook =
            |status, retry_after| judge(Provider::Webhook, &answer(status, retry_after, ""), now, Quoting::Beginning);
        for status in [200, 202, 204] {
            assert_eq!(webhook(status, None), Outcome::Taken(None));
        }
        for status in [408, 425, 429, 500, 502, 599] {
            assert!(matches!(webhook(status, None), Outcome::Later { asked_wait_ms: None, .. }), "{status}");
        }
        for status in [400, 401, 404, 410, 413] {
            assert_eq!(webhook(status, None), Outcome::Never(format!("The receiver answered {status}.")));
        }
        for (text, expected) in
            [("120", Some(120_000)), ("Thu, 01 Jan 1970 00:17:40 GMT", Some(60_000)), ("soon", None), ("-1", None)]
        {
            let Outcome::Later { asked_wait_ms, .. } = webhook(503, Some(text)) else { panic!("{text}") };
            assert_eq!(asked_wait_ms, expected, "{text}");
        }
    }

    #[test]
    fn slack_says_no_in_the_body() {
        let now = Timestamp::from_millis(0);
        let slack = |body| judge(Provider::SlackApp, &answer(200, None, body), now, Quoting::Beginning);
        assert_eq!(slack(r#"{"ok":true}"#), Outcome::Taken(None));
        assert_eq!(
            slack(r#"{"ok":false,"error":"invalid_auth"}"#),
            Outcome::Never("Slack did not take it: invalid_auth.".to_owned())
        );
        assert!(matches!(slack(r#"{"ok":false,"error":"ratelimited"}"#), Outcome::Later { .. }));
    }

    #[test]
    fn what_others_write_is_quoted_shortly_and_on_one_line() {
        let told = judge(
            Provider::Webhook,
            &answer(400, None, &format!("no\r\n\u{1b}[31m{}", "x".repeat(500))),
            Timestamp::from_millis(0),
            Quoting::Beginning,
        );
        let Outcome::Never(reason) = told else { panic!("{told:?}") };
        assert!(reason.starts_with("The receiver answered 400: no [31mxxx") && reason.len() < 240, "{reason}");
        assert!(!reason.contains(['\n', '\r', '\u{1b}']));
    }
}
