//! The log, usage, and who used it.

use futures_util::{StreamExt as _, stream::BoxStream};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Source, UsageKind,
    record::{Record, time},
};
use crate::{
    domain::time::Timestamp,
    moving_in::{Application, Event, Instance, Set, Usage},
    store::moving_in::MoveInError,
};

pub(super) const TABLES: &[&str] = &[
    "events",
    "client_metrics_env",
    "client_metrics_env_variants",
    "client_metrics_env_daily",
    "client_applications",
    "client_instances",
];

pub(super) async fn read(source: &mut Source, set: &mut Set) -> Result<(), MoveInError> {
    for row in source.rows("client_applications", "ORDER BY app_name").await? {
        set.applications.push(Application {
            app_name: row.text("app_name")?,
            description: row.find_text("description"),
            url: row.find_text("url"),
            color: row.find_text("color"),
            icon: row.find_text("icon"),
            strategies: row.read_list("strategies").0,
            created_by: row.find_text("created_by"),
            created_at: row.time("created_at"),
            updated_at: row.time("updated_at"),
            seen_at: row.time("seen_at"),
        });
    }
    for row in source.rows("client_instances", "ORDER BY app_name, instance_id").await? {
        set.instances.push(Instance {
            app_name: row.text("app_name")?,
            instance_id: row.text("instance_id")?,
            environment: row.find_text("environment").unwrap_or_else(|| "default".to_owned()),
            sdk_version: row.find_text("sdk_version"),
            last_seen_at: row.time("last_seen"),
            created_at: row.time("created_at"),
        });
    }
    Ok(())
}

/// A row of the log. What is JSON stays as it was written.
#[derive(Deserialize)]
struct EventRow {
    id: i64,
    created_at: Option<String>,
    r#type: String,
    #[serde(default)]
    created_by: Option<String>,
    #[serde(default)]
    created_by_user_id: Option<i64>,
    #[serde(default)]
    environment: Option<String>,
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    feature_name: Option<String>,
    #[serde(default)]
    data: Option<Box<RawValue>>,
    #[serde(default)]
    pre_data: Option<Box<RawValue>>,
    #[serde(default)]
    tags: Option<Box<RawValue>>,
}

pub(super) fn events(source: &mut Source) -> BoxStream<'_, Result<Event, MoveInError>> {
    source.stream("events", "ORDER BY id").map(|text| event(&text?)).boxed()
}

fn event(text: &str) -> Result<Event, MoveInError> {
    let failed = |reason: String| MoveInError::Row { table: "events".to_owned(), reason };
    let row: EventRow = serde_json::from_str(text).map_err(|error| failed(error.to_string()))?;
    Ok(Event {
        id: row.id,
        created_at: row.created_at.as_deref().and_then(time).unwrap_or(Timestamp::from_millis(0)),
        kind: row.r#type,
        created_by: row.created_by.unwrap_or_default(),
        created_by_user_id: row.created_by_user_id,
        environment: row.environment,
        project: row.project,
        feature: row.feature_name,
        data: row.data,
        pre_data: row.pre_data,
        tags: row.tags,
    })
}

pub(super) fn usage(source: &mut Source, kind: UsageKind) -> BoxStream<'_, Result<Usage, MoveInError>> {
    let (table, start) = match kind {
        UsageKind::Hourly => ("client_metrics_env", "timestamp"),
        UsageKind::Variants => ("client_metrics_env_variants", "timestamp"),
        UsageKind::Daily => ("client_metrics_env_daily", "date"),
    };
    let read = move |text: Result<String, MoveInError>| {
        let row = Record::parse(table, &text?)?;
        let is_variant = kind == UsageKind::Variants;
        Ok(Usage {
            feature: row.text("feature_name")?,
            app_name: row.text("app_name")?,
            environment: row.text("environment")?,
            start: row.certain_time(start)?,
            variant: if is_variant { Some(row.text("variant")?) } else { None },
            yes: row.find_number(if is_variant { "count" } else { "yes" }).unwrap_or_default(),
            no: row.find_number("no").unwrap_or_default(),
        })
    };
    source.stream(table, "").map(read).boxed()
}
