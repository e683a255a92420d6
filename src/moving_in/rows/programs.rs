//! Programs that have connected, the log of changes, and usage.

use std::collections::BTreeMap;

use flagstone_domain::{
    event_kind::EventKind,
    repair::{Repairs, Row, readable},
    time::Timestamp,
};
use serde_json::{Value, value::RawValue};

use super::Reading;
use crate::neutral::{Application, Event, Instance, Set, Usage};

pub(super) const TABLES: &[&str] = &["client_applications", "client_instances"];

/// Columns of the log whose JSON is kept as it was written, as databases and as APIs call them.
const WRITTEN: [&str; 3] = ["data", "pre_data", "tags"];
/// Columns of the log about groups of events.
const GROUPS: [&str; 2] = ["group_type", "group_id"];
/// Reason why that is left out.
const NO_GROUPS: &str = "events have no groups here: each stands for itself";

pub(super) fn read(reading: &mut Reading<'_>, set: &mut Set) {
    for value in reading.take("client_applications") {
        let Some(row) = reading.row("client_applications", &["app_name"], &value) else { continue };
        let Some(app_name) = row.text("app_name") else { continue };
        let text = |column: &str| row.find_text(column).filter(|text| !text.is_empty());
        set.applications.push(Application {
            app_name,
            description: text("description"),
            url: text("url"),
            color: text("color"),
            icon: text("icon"),
            strategies: row.texts("strategies"),
            created_by: text("created_by"),
            created_at: row.time("created_at"),
            updated_at: row.time("updated_at"),
            seen_at: row.time("seen_at"),
        });
    }
    for value in reading.take("client_instances") {
        let Some(row) = reading.row("client_instances", &["instance_id", "app_name"], &value) else { continue };
        let (Some(app_name), Some(instance_id)) = (row.text("app_name"), row.text("instance_id")) else { continue };
        let text = |column: &str| row.find_text(column).filter(|text| !text.is_empty());
        set.instances.push(Instance {
            app_name,
            instance_id,
            environment: text("environment").unwrap_or_else(|| "default".to_owned()),
            sdk_version: text("sdk_version"),
            last_seen_at: row.time("last_seen"),
            created_at: row.time("created_at"),
        });
    }
}

/// Reads an entry of the log, in the words of the database or of the API. What is JSON stays as it was written. `None` for
/// one without a number or a type.
pub fn read_event(text: &str, repairs: &Repairs) -> Option<Event> {
    let Ok(mut members) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(text) else {
        let shown = Value::String(text.to_owned());
        Row::new("events", "?", &shown, repairs).is_left_out("is no row");
        return None;
    };
    let mut written = |name: &str| members.remove(name).or_else(|| members.remove(&camel_case(name)));
    let [data, pre_data, tags] = WRITTEN.map(&mut written);
    let columns = members
        .iter()
        .filter_map(|(name, raw)| Some((snake_case(name), serde_json::from_str::<Value>(&readable(raw.get())).ok()?)));
    let value = Value::Object(columns.collect());
    let row = Row::new("events", value["id"].to_string(), &value, repairs);
    for column in GROUPS {
        if !row.value(column).is_null() {
            repairs.count("events", column, NO_GROUPS);
        }
    }
    let json = |raw: Option<Box<RawValue>>| raw.filter(|raw| raw.get() != "null");
    Some(Event {
        id: row.number("id")?,
        created_at: row.time("created_at").unwrap_or(Timestamp::from_millis(0)),
        kind: own_type(&row).or_else(|| row.text("type"))?,
        created_by: row.find_text("created_by").unwrap_or_default(),
        created_by_user_id: row.find_number("created_by_user_id"),
        environment: row.find_text("environment"),
        project: row.find_text("project"),
        feature: row.find_text("feature_name"),
        data: json(data),
        pre_data: json(pre_data),
        tags: json(tags),
    })
}

/// Type of an event that a server of this kind shows by a label.
fn own_type(row: &Row<'_>) -> Option<String> {
    row.find_text("label").filter(|label| EventKind::labelled(label).is_some())
}

/// Reads a count of usage. `start` is the column of its hour or day; where it names a variant, `count` counts that.
pub fn read_usage(row: &Row<'_>, start: &str, is_variant: bool) -> Option<Usage> {
    Some(Usage {
        feature: row.text("feature_name")?,
        app_name: row.text("app_name")?,
        environment: row.text("environment")?,
        start: row.end(start)?,
        variant: if is_variant { Some(row.text("variant")?) } else { None },
        yes: row.find_number(if is_variant { "count" } else { "yes" }).unwrap_or_default(),
        no: row.find_number("no").unwrap_or_default(),
    })
}

/// Returns a name as the API writes it.
fn camel_case(column: &str) -> String {
    let mut parts = column.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let (head, tail) = part.split_at(part.len().min(1));
        name + &head.to_ascii_uppercase() + tail
    })
}

/// Returns a name of the API as the database writes it.
pub fn snake_case(name: &str) -> String {
    let mut column = String::with_capacity(name.len() + 4);
    for sign in name.chars() {
        if sign.is_ascii_uppercase() {
            column.push('_');
        }
        column.push(sign.to_ascii_lowercase());
    }
    column
}
