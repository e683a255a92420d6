//! Values that another server holds or answers, read one by one: what does not have the form that it has here is put
//! right or left out, and every repair is recorded with its table, key, column and value.
//!
//! All ways in use these readers: a database, an API, files, the comparison of two servers and the edge. A repair never
//! makes a rule hold for more people than before.

mod client;
mod json;
mod row;
mod rules;
mod times;
mod variants;

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use serde::Serialize;
use serde_json::Value;

pub use self::{
    client::{client_feature, client_segment},
    json::{parse, readable, readable_noting},
    row::Row,
    rules::{constraints, dependencies, parameters, segment_ids},
    times::time,
    variants::variants,
};

/// Most characters of a value that are shown.
const SHOWN: usize = 100;
/// Columns whose values are never shown.
const SECRETS: [&str; 6] = ["secret", "alias", "verifier", "selector", "password_hash", "api_token"];

/// One value that was not taken as it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Repair {
    /// Table of the row, named as in Unleash's database whatever the way in.
    pub table: &'static str,
    /// Key of the row: names that people know it by.
    pub key: String,
    /// Column, and the path of the value in it.
    pub column: String,
    /// The value as JSON, at most 100 characters of it. Never a secret.
    pub value: String,
    /// Whether the value or the row is left out. Otherwise something else is in its place.
    pub left_out: bool,
    /// The value in its place, or why it is left out.
    pub reason: String,
}

impl std::fmt::Display for Repair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let column = if self.column.is_empty() { String::new() } else { format!(", {}", self.column) };
        write!(f, "{} {}{column}: {}: {}", self.table, self.key, self.value, self.reason)
    }
}

/// The repairs of a reading, in their order.
#[derive(Debug, Default)]
pub struct Repairs(Mutex<Recorded>);

#[derive(Debug, Default)]
struct Recorded {
    repairs: Vec<Repair>,
    /// Numbers of values that have no place here, by table, column and reason.
    counted: BTreeMap<(&'static str, &'static str, &'static str), u64>,
}

impl Repairs {
    /// Records that a value of a column has no place here, where there may be one in each of many rows: they are counted.
    pub fn count(&self, table: &'static str, column: &'static str, reason: &'static str) {
        *self.recorded().counted.entry((table, column, reason)).or_default() += 1;
    }

    /// Returns all of them.
    pub fn into_all(self) -> Vec<Repair> {
        let recorded = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let counted = recorded.counted.into_iter().map(|((table, column, reason), count)| Repair {
            table,
            key: "all rows".to_owned(),
            column: column.to_owned(),
            value: if count == 1 { "1 value".to_owned() } else { format!("{count} values") },
            left_out: true,
            reason: reason.to_owned(),
        });
        recorded.repairs.into_iter().chain(counted).collect()
    }

    fn add(&self, repair: Repair) {
        self.recorded().repairs.push(repair);
    }

    fn recorded(&self) -> std::sync::MutexGuard<'_, Recorded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a value as it is shown: as JSON, shortened.
fn shown(column: &str, value: &Value) -> String {
    let last = column.rsplit('.').next().unwrap_or(column);
    if SECRETS.contains(&last) {
        return "a secret".to_owned();
    }
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests;
