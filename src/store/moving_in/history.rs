//! The log and usage, batch by batch: they are never in memory as a whole.

use futures_util::{Stream, TryStreamExt as _};
use sea_orm::ActiveValue::Set as To;
use serde_json::value::RawValue;

use super::{MoveInError, target::insert, unleash::UsageKind};
use crate::{
    moving_in::{Event, Usage},
    store::{
        db::Tx,
        entity::{client_metrics_daily, client_metrics_hourly, client_metrics_variant_hourly, event},
        events::{search_origin, search_payload},
    },
};

/// Rows that are in memory at a time.
const BATCH: usize = 500;

/// Writes events with their ids, in their order, and gives how many there were.
pub async fn write_events(
    tx: &Tx,
    mut events: impl Stream<Item = Result<Event, MoveInError>> + Unpin + Send,
    told: &(dyn Fn(u64) + Sync),
) -> Result<u64, MoveInError> {
    let mut written = 0;
    loop {
        let batch = next(&mut events).await?;
        let Some(count) = u64::try_from(batch.len()).ok().filter(|count| *count > 0) else { return Ok(written) };
        insert(tx, batch.into_iter().map(row).collect()).await?;
        written += count;
        told(count);
    }
}

/// The next batch; empty at the end.
async fn next<T>(
    stream: &mut (impl Stream<Item = Result<T, MoveInError>> + Unpin + Send),
) -> Result<Vec<T>, MoveInError> {
    let mut batch = Vec::with_capacity(BATCH);
    while batch.len() < BATCH {
        let Some(it) = stream.try_next().await? else { break };
        batch.push(it);
    }
    Ok(batch)
}

fn row(it: Event) -> event::ActiveModel {
    let text = |json: Option<Box<RawValue>>| json.map(|json| compact(json.get())).filter(|text| text != "null");
    let (data, pre_data) = (text(it.data), text(it.pre_data));
    let tags = text(it.tags).filter(|tags| tags.starts_with('[')).unwrap_or_else(|| "[]".to_owned());
    event::ActiveModel {
        id: To(it.id),
        created_at: To(it.created_at),
        search_payload: To(search_payload(data.as_deref(), pre_data.as_deref(), &tags)),
        search_origin: To(search_origin(&it.kind, &it.created_by)),
        r#type: To(it.kind),
        created_by: To(it.created_by),
        created_by_user_id: To(it.created_by_user_id),
        environment: To(it.environment),
        project: To(it.project),
        feature_name: To(it.feature),
        data: To(data),
        pre_data: To(pre_data),
        tags: To(tags),
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

/// Writes usage, and gives how many rows there were.
pub async fn write_usage(
    tx: &Tx,
    kind: UsageKind,
    mut usage: impl Stream<Item = Result<Usage, MoveInError>> + Unpin + Send,
    told: &(dyn Fn(u64) + Sync),
) -> Result<u64, MoveInError> {
    let mut written = 0;
    loop {
        let batch = next(&mut usage).await?;
        let Some(count) = u64::try_from(batch.len()).ok().filter(|count| *count > 0) else { return Ok(written) };
        match kind {
            UsageKind::Hourly => insert(tx, batch.into_iter().map(hourly).collect()).await?,
            UsageKind::Daily => insert(tx, batch.into_iter().map(daily).collect()).await?,
            UsageKind::Variants => insert(tx, batch.into_iter().map(by_variant).collect()).await?,
        }
        written += count;
        told(count);
    }
}

fn hourly(it: Usage) -> client_metrics_hourly::ActiveModel {
    client_metrics_hourly::ActiveModel {
        feature_name: To(it.feature),
        app_name: To(it.app_name),
        environment: To(it.environment),
        timestamp: To(it.start),
        yes: To(it.yes),
        no: To(it.no),
    }
}

fn daily(it: Usage) -> client_metrics_daily::ActiveModel {
    client_metrics_daily::ActiveModel {
        feature_name: To(it.feature),
        app_name: To(it.app_name),
        environment: To(it.environment),
        date: To(it.start),
        yes: To(it.yes),
        no: To(it.no),
    }
}

fn by_variant(it: Usage) -> client_metrics_variant_hourly::ActiveModel {
    client_metrics_variant_hourly::ActiveModel {
        feature_name: To(it.feature),
        app_name: To(it.app_name),
        environment: To(it.environment),
        timestamp: To(it.start),
        variant: To(it.variant.unwrap_or_default()),
        count: To(it.yes),
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
