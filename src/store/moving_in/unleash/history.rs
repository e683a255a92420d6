//! The log and usage, as they come in.

use flagstone_domain::repair::{self, Repairs, Row};
use flagstone_moving_in::{Event, Usage, read_event, read_usage};
use futures_util::{StreamExt as _, stream::BoxStream};
use serde_json::Value;

use super::{Source, UsageKind};
use crate::moving_in::MoveInError;

pub(super) const TABLES: &[&str] = &[
    "events",
    "client_metrics_env",
    "client_metrics_env_variants",
    "client_metrics_env_daily",
    "client_metrics_env_variants_daily",
];

pub(super) fn events<'a>(
    source: &'a mut Source,
    repairs: &'a Repairs,
) -> BoxStream<'a, Result<Option<Event>, MoveInError>> {
    source.stream("events", "ORDER BY id").map(|text| Ok(read_event(&text?, repairs))).boxed()
}

pub(super) fn usage<'a>(
    source: &'a mut Source,
    kind: UsageKind,
    repairs: &'a Repairs,
) -> BoxStream<'a, Result<Option<Usage>, MoveInError>> {
    let (table, start) = match kind {
        UsageKind::Hourly => ("client_metrics_env", "timestamp"),
        UsageKind::Variants => ("client_metrics_env_variants", "timestamp"),
        UsageKind::Daily => ("client_metrics_env_daily", "date"),
        UsageKind::VariantsDaily => ("client_metrics_env_variants_daily", "date"),
    };
    let is_by_variant = matches!(kind, UsageKind::Variants | UsageKind::VariantsDaily);
    let read = move |text: Result<String, MoveInError>| {
        let value = repair::parse(text?.as_bytes()).unwrap_or(Value::Null);
        let key = value["feature_name"].as_str().unwrap_or("?");
        Ok(read_usage(&Row::new(table, key, &value, repairs), start, is_by_variant))
    };
    source.stream(table, "").map(read).boxed()
}
