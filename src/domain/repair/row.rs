//! One row, or an object within one.

use std::borrow::Cow;

use serde_json::Value;

use super::{Repair, Repairs, shown, times};
use crate::time::Timestamp;

/// A row of a table, or an object within one of its columns.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    table: &'static str,
    key: Cow<'a, str>,
    /// Path of the object within the row; empty for the row itself.
    path: String,
    value: Cow<'a, Value>,
    repairs: &'a Repairs,
}

impl<'a> Row<'a> {
    /// Returns the row of a table that is known by a key.
    pub fn new(table: &'static str, key: impl Into<Cow<'a, str>>, value: &'a Value, repairs: &'a Repairs) -> Self {
        Self { table, key: key.into(), path: String::new(), value: Cow::Borrowed(value), repairs }
    }

    /// Returns the same row under another key, for what is found once more is known of it.
    #[must_use]
    pub fn called(mut self, key: impl Into<Cow<'a, str>>) -> Self {
        self.key = key.into();
        self
    }

    /// Returns the value itself.
    pub fn whole(&self) -> &Value {
        &self.value
    }

    /// Returns the value of a column; null where there is none.
    pub fn value(&self, column: &str) -> &Value {
        self.value.get(column).unwrap_or(&Value::Null)
    }

    /// Whether the row has this column, if only with null.
    pub fn has(&self, column: &str) -> bool {
        self.value.get(column).is_some()
    }

    /// Returns a text; `None` where there is none. A number or truth value is taken as its text.
    pub fn find_text(&self, column: &str) -> Option<String> {
        match self.value(column) {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            value @ (Value::Number(_) | Value::Bool(_)) => {
                self.changed(column, "is taken as a text");
                Some(value.to_string())
            }
            Value::Array(_) | Value::Object(_) => {
                self.left_out(column, "is no text");
                None
            }
        }
    }

    /// Returns a text without which the row is left out.
    pub fn text(&self, column: &str) -> Option<String> {
        let found = self.find_text(column);
        if found.is_none() {
            self.left_out(column, "the row is left out: it cannot be without this");
        }
        found
    }

    /// Returns whether a column says yes; `otherwise` for what says neither yes nor no.
    pub fn truth(&self, column: &str, otherwise: bool) -> bool {
        let read = match self.value(column) {
            Value::Bool(truth) => return *truth,
            Value::Null => return false,
            Value::Number(number) => Some(number.as_f64() != Some(0.0)),
            Value::String(text) => match text.to_ascii_lowercase().as_str() {
                "true" | "t" | "yes" | "on" | "1" => Some(true),
                "false" | "f" | "no" | "off" | "0" | "" => Some(false),
                _ => None,
            },
            Value::Array(_) | Value::Object(_) => None,
        };
        let truth = read.unwrap_or(otherwise);
        self.changed(column, if truth { "is taken as true" } else { "is taken as false" });
        truth
    }

    /// Returns a whole number; `None` where there is none.
    pub fn find_number(&self, column: &str) -> Option<i64> {
        let read = match self.value(column) {
            Value::Null => return None,
            Value::Number(number) => match number.as_i64() {
                Some(whole) => return Some(whole),
                None => number.as_f64().and_then(truncated),
            },
            Value::String(text) => text.trim().parse().ok(),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        match read {
            Some(number) => self.changed(column, format!("is taken as {number}")),
            None => self.left_out(column, "is no whole number"),
        }
        read
    }

    /// Returns a whole number without which the row is left out.
    pub fn number(&self, column: &str) -> Option<i64> {
        let found = self.find_number(column);
        if found.is_none() {
            self.left_out(column, "the row is left out: it cannot be without this");
        }
        found
    }

    /// Returns a time; `None` where there is none. One without a zone is in UTC, and `infinity` is none.
    pub fn time(&self, column: &str) -> Option<Timestamp> {
        let value = self.value(column);
        let read = match value {
            Value::Null => return None,
            Value::String(text) => match times::time(text) {
                Some(time) => return Some(time),
                None => times::beyond(text),
            },
            Value::Number(number) => number.as_i64().and_then(times::of_number),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        match read {
            Some(time) => self.changed(column, format!("is taken as {time}")),
            None if value == "infinity" => self.changed(column, "is taken as no time: it never comes"),
            None => self.left_out(column, "is no time"),
        }
        read
    }

    /// Returns the time at which something ends that ends at some time: the last one for `infinity`. Without any, the row
    /// is left out.
    pub fn end(&self, column: &str) -> Option<Timestamp> {
        if self.value(column) == "infinity" {
            self.changed(column, format!("is taken as {}, the last time that there is", Timestamp::LAST));
            return Some(Timestamp::LAST);
        }
        let found = self.time(column);
        if found.is_none() {
            self.left_out(column, "the row is left out: it cannot be without this");
        }
        found
    }

    /// Returns the texts of a list, without what is none.
    pub fn texts(&self, column: &str) -> Vec<String> {
        self.scalars(column).unwrap_or_else(|| {
            self.left_out(column, "is no list");
            Vec::new()
        })
    }

    /// Returns the texts of a list, numbers and truth values as texts; `None` for what is no list.
    pub(super) fn scalars(&self, column: &str) -> Option<Vec<String>> {
        let items = match self.value(column) {
            Value::Null => return Some(Vec::new()),
            Value::Array(items) => items,
            _ => return None,
        };
        let text = |(place, item): (usize, &Value)| match item {
            Value::String(text) => Some(text.clone()),
            Value::Number(_) | Value::Bool(_) => {
                self.record(format!("{column}[{place}]"), item, false, "is taken as a text");
                Some(item.to_string())
            }
            _ => {
                self.record(format!("{column}[{place}]"), item, true, "is no text");
                None
            }
        };
        Some(items.iter().enumerate().filter_map(text).collect())
    }

    /// Returns the objects of a list. An object in the place of a list stands for its members, or for itself if it has
    /// the member `known`; a text, for the JSON that it holds. `None` is what cannot be a list.
    pub fn objects(&self, column: &str, known: &str) -> Option<Vec<Row<'_>>> {
        let within = |place: String, value: Cow<'a, Value>| Row {
            table: self.table,
            key: self.key.clone(),
            path: self.place(&place),
            value,
            repairs: self.repairs,
        };
        let listed = |items: Vec<Value>| {
            let rows = items.into_iter().enumerate();
            rows.map(|(place, item)| within(format!("{column}[{place}]"), Cow::Owned(item))).collect()
        };
        match self.value(column) {
            Value::Null => Some(Vec::new()),
            Value::Array(items) => Some(listed(items.clone())),
            Value::Object(members) if members.contains_key(known) => {
                self.changed(column, "is taken as a list of one");
                Some(listed(vec![self.value(column).clone()]))
            }
            Value::Object(members) if members.values().all(Value::is_object) => {
                self.changed(column, "is taken as the list of its members");
                Some(listed(members.values().cloned().collect()))
            }
            Value::String(text) => {
                let Ok(Value::Array(items)) = super::parse(text.as_bytes()) else { return None };
                self.changed(column, "is taken as the list that it is the text of");
                Some(listed(items))
            }
            Value::Object(_) | Value::Number(_) | Value::Bool(_) => None,
        }
    }

    /// Records that something else is in the place of a value.
    pub fn changed(&self, column: &str, reason: impl Into<String>) {
        self.record(column, self.value(column), false, reason);
    }

    /// Records that a value is left out.
    pub fn left_out(&self, column: &str, reason: impl Into<String>) {
        self.record(column, self.value(column), true, reason);
    }

    /// Records that this object or row is left out.
    pub fn is_left_out(&self, reason: impl Into<String>) {
        self.record("", &self.value, true, reason);
    }

    /// Records that something else is in the place of this object.
    pub fn is_changed(&self, reason: impl Into<String>) {
        self.record("", &self.value, false, reason);
    }

    pub(super) fn record(&self, column: impl AsRef<str>, value: &Value, left_out: bool, reason: impl Into<String>) {
        let column = self.place(column.as_ref());
        self.repairs.add(Repair {
            table: self.table,
            key: self.key.clone().into_owned(),
            value: shown(&column, value),
            column,
            left_out,
            reason: reason.into(),
        });
    }

    fn place(&self, column: &str) -> String {
        match (self.path.as_str(), column) {
            ("", column) => column.to_owned(),
            (path, "") => path.to_owned(),
            (path, column) => format!("{path}.{column}"),
        }
    }
}

/// Returns the whole part of a number that is far from the bounds.
fn truncated(number: f64) -> Option<i64> {
    let whole = number.trunc();
    (whole.abs() < 1e15).then(|| format!("{whole:.0}").parse().ok()).flatten()
}
