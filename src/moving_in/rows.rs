//! Reader of everything that Unleash stores: rows of its tables, whether they come from its database, from the answers
//! of its API or from a file. No row stops it; what cannot be read is put right or left out, and named.

mod change_requests;
mod features;
mod lists;
mod people;
mod programs;

use std::{borrow::Cow, collections::BTreeMap};

use flagstone_domain::repair::{Repairs, Row};
use serde_json::Value;

use super::{
    Finding,
    neutral::{Origin, Set},
};

pub use self::programs::{read_event, read_usage, snake_case};

/// Tables that are read as a whole.
pub const TABLES: &[&[&str]] =
    &[lists::TABLES, features::TABLES, people::TABLES, programs::TABLES, change_requests::TABLES];

/// Rows by table, named as in Unleash's database.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    rows: BTreeMap<&'static str, Vec<Value>>,
    /// Findings of reading the rows at all.
    noted: Vec<Finding>,
}

impl Tables {
    /// Adds a row to a table.
    pub fn add(&mut self, table: &'static str, row: Value) {
        self.rows.entry(table).or_default().push(row);
    }

    /// Adds a row that is a text of JSON. What is none is named as a row that is none.
    pub fn add_text(&mut self, table: &'static str, text: String) {
        let repairs = Repairs::default();
        let key = |row: &Value| key_of(&["name"], row).replace('?', &key_of(&["feature_name"], row));
        let row = repairs.parse(table, text.as_bytes(), key).unwrap_or(Value::String(text));
        self.noted.extend(repairs.into_all().into_iter().map(Finding::from));
        self.add(table, row);
    }

    /// Adds the rows of a table.
    pub fn extend(&mut self, table: &'static str, rows: impl IntoIterator<Item = Value>) {
        self.rows.entry(table).or_default().extend(rows);
    }

    /// Reads all rows, with a finding for each value that was put right or left out.
    pub fn read(mut self, origin: Origin) -> (Set, Vec<Finding>) {
        let repairs = Repairs::default();
        let (mut set, mut findings) = (Set { origin, ..Set::default() }, Vec::new());
        let mut reading = Reading { tables: &mut self, repairs: &repairs, findings: &mut findings };
        lists::read(&mut reading, &mut set);
        people::read(&mut reading, &mut set);
        features::read(&mut reading, &mut set);
        programs::read(&mut reading, &mut set);
        change_requests::read(&mut reading, &mut set);
        findings.append(&mut self.noted);
        findings.extend(repairs.into_all().into_iter().map(Finding::from));
        (set, findings)
    }
}

/// A reading under way.
struct Reading<'a> {
    tables: &'a mut Tables,
    repairs: &'a Repairs,
    findings: &'a mut Vec<Finding>,
}

impl<'a> Reading<'a> {
    /// Takes the rows of a table, which are not read again.
    fn take(&mut self, table: &'static str) -> Vec<Value> {
        self.tables.rows.remove(table).unwrap_or_default()
    }

    /// Returns a row under a key that its columns give. `None` for what is no row.
    fn row<'v>(&self, table: &'static str, key: &[&str], value: &'v Value) -> Option<Row<'v>>
    where
        'a: 'v,
    {
        let row = Row::new(table, key_of(key, value), value, self.repairs);
        if !value.is_object() {
            row.is_left_out("is no row");
            return None;
        }
        Some(row)
    }
}

/// Returns a key for findings: values of columns, without repairing them.
fn key_of<'v>(columns: &[&str], value: &'v Value) -> Cow<'v, str> {
    let text = |column: &&str| match value.get(*column) {
        None | Some(Value::Null) => Cow::Borrowed("?"),
        Some(Value::String(text)) => Cow::Borrowed(text.as_str()),
        Some(other) => Cow::Owned(other.to_string()),
    };
    match columns {
        [] => Cow::Borrowed("?"),
        [one] => text(one),
        several => Cow::Owned(several.iter().map(text).collect::<Vec<_>>().join(" in ")),
    }
}
