//! The log and usage, batch by batch: they are never in memory as a whole.

use flagstone_moving_in::{Event, Usage};
use futures_util::{Stream, TryStreamExt as _};
use sea_orm::ActiveValue::Set as To;
use serde_json::value::RawValue;

use super::{MoveInError, target::insert, unleash::UsageKind};
use crate::{
    db::Tx,
    entity::{
        client_metrics_daily, client_metrics_hourly, client_metrics_variant_daily, client_metrics_variant_hourly, event,
    },
    events::{search_origin, search_payload},
};

/// Rows that are in memory at a time.
const BATCH: usize = 500;

/// Writes events with their ids, in their order, and returns how many there were, with those that are left out: `None`.
pub async fn write_events(
    tx: &Tx,
    mut events: impl Stream<Item = Result<Option<Event>, MoveInError>> + Unpin + Send,
    told: &(dyn Fn(u64) + Sync),
) -> Result<u64, MoveInError> {
    let mut written = 0;
    loop {
        let batch = next(&mut events).await?;
        let Some(count) = u64::try_from(batch.len()).ok().filter(|count| *count > 0) else { return Ok(written) };
        insert(tx, batch.into_iter().flatten().map(row).collect()).await?;
        written += count;
        told(count);
    }
}

/// Writes events behind those that are there.
pub(super) async fn append_events(tx: &Tx, events: Vec<Event>) -> Result<(), MoveInError> {
    insert(tx, events.into_iter().map(row).collect()).await
}

/// The next batch; empty at the end.
async fn next<T>(
    stream: &mut (impl Stream<Item = Result<T, MoveInError>> + Unpin + Send),
) -> Result<Vec<T>, MoveInError> {
    let mut batch = Vec::with_capacity(BATCH);
    while batch.len() < BATCH {
        let Some(item) = stream.try_next().await? else { break };
        batch.push(item);
    }
    Ok(batch)
}

fn row(event: Event) -> event::ActiveModel {
    let text = |json: Option<Box<RawValue>>| json.map(|json| compact(json.get())).filter(|text| text != "null");
    let (data, pre_data) = (text(event.data), text(event.pre_data));
    let tags = text(event.tags).filter(|tags| tags.starts_with('[')).unwrap_or_else(|| "[]".to_owned());
    event::ActiveModel {
        id: To(event.id),
        created_at: To(event.created_at),
        search_payload: To(search_payload(data.as_deref(), pre_data.as_deref(), &tags, None)),
        search_origin: To(search_origin(&event.kind, &event.created_by)),
        r#type: To(event.kind),
        created_by: To(event.created_by),
        created_by_user_id: To(event.created_by_user_id),
        environment: To(event.environment),
        project: To(event.project),
        feature_name: To(event.feature),
        data: To(data),
        pre_data: To(pre_data),
        tags: To(tags),
        reason: To(None),
    }
}

/// JSON without blanks between its parts, and otherwise as it was written: numbers keep their digits.
fn compact(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let (mut quoted, mut escaped) = (false, false);
    for sign in json.chars() {
        if quoted {
            quoted = escaped || sign != '"';
            escaped = !escaped && sign == '\\';
        } else if sign.is_ascii_whitespace() {
            continue;
        } else {
            quoted = sign == '"';
        }
        text.push(sign);
    }
    text
}

/// Writes usage, and returns how many rows there were, with those that are left out: `None`.
pub async fn write_usage(
    tx: &Tx,
    kind: UsageKind,
    mut usage: impl Stream<Item = Result<Option<Usage>, MoveInError>> + Unpin + Send,
    told: &(dyn Fn(u64) + Sync),
) -> Result<u64, MoveInError> {
    let mut written = 0;
    loop {
        let batch = next(&mut usage).await?;
        let Some(count) = u64::try_from(batch.len()).ok().filter(|count| *count > 0) else { return Ok(written) };
        let batch = batch.into_iter().flatten();
        match kind {
            UsageKind::Hourly => insert(tx, batch.map(hourly).collect()).await?,
            UsageKind::Daily => insert(tx, batch.map(daily).collect()).await?,
            UsageKind::Variants => insert(tx, batch.map(by_variant).collect()).await?,
            UsageKind::VariantsDaily => insert(tx, batch.map(daily_by_variant).collect()).await?,
        }
        written += count;
        told(count);
    }
}

fn hourly(usage: Usage) -> client_metrics_hourly::ActiveModel {
    client_metrics_hourly::ActiveModel {
        feature_name: To(usage.feature),
        app_name: To(usage.app_name),
        environment: To(usage.environment),
        timestamp: To(usage.start),
        yes: To(usage.yes),
        no: To(usage.no),
    }
}

fn daily(usage: Usage) -> client_metrics_daily::ActiveModel {
    client_metrics_daily::ActiveModel {
        feature_name: To(usage.feature),
        app_name: To(usage.app_name),
        environment: To(usage.environment),
        date: To(usage.start),
        yes: To(usage.yes),
        no: To(usage.no),
    }
}

fn by_variant(usage: Usage) -> client_metrics_variant_hourly::ActiveModel {
    client_metrics_variant_hourly::ActiveModel {
        feature_name: To(usage.feature),
        app_name: To(usage.app_name),
        environment: To(usage.environment),
        timestamp: To(usage.start),
        variant: To(usage.variant.unwrap_or_default()),
        count: To(usage.yes),
    }
}

fn daily_by_variant(usage: Usage) -> client_metrics_variant_daily::ActiveModel {
    client_metrics_variant_daily::ActiveModel {
        feature_name: To(usage.feature),
        app_name: To(usage.app_name),
        environment: To(usage.environment),
        date: To(usage.start),
        variant: To(usage.variant.unwrap_or_default()),
        count: To(usage.yes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_go_and_nothing_else_does() {
        let cases = [
            (r#"{"a": [1.0, 2e3],	"b c": "x \" y: z"}"#, r#"{"a":[1.0,2e3],"b c":"x \" y: z"}"#),
            (r#"{ "a\\": " \\\" " }"#, r#"{"a\\":" \\\" "}"#),
            ("null", "null"),
        ];
        for (written, expected) in cases {
            assert_eq!(compact(written), expected);
        }
    }
}
