//! A row as JSON, whatever columns it has.

use chrono::{DateTime, NaiveDateTime};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{domain::time::Timestamp, store::moving_in::MoveInError};

pub(super) struct Record {
    table: &'static str,
    values: Map<String, Value>,
}

impl Record {
    pub(super) fn parse(table: &'static str, text: &str) -> Result<Self, MoveInError> {
        match serde_json::from_str(text) {
            Ok(values) => Ok(Self { table, values }),
            Err(error) => Err(MoveInError::Row { table: table.to_owned(), reason: error.to_string() }),
        }
    }

    /// A text that must be there.
    pub(super) fn text(&self, column: &str) -> Result<String, MoveInError> {
        self.find_text(column).ok_or_else(|| self.lacks(column))
    }

    /// A text; `None` where there is none.
    pub(super) fn find_text(&self, column: &str) -> Option<String> {
        match self.values.get(column)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        }
    }

    /// A number that must be there.
    pub(super) fn number(&self, column: &str) -> Result<i64, MoveInError> {
        self.find_number(column).ok_or_else(|| self.lacks(column))
    }

    pub(super) fn find_number(&self, column: &str) -> Option<i64> {
        self.values.get(column)?.as_i64()
    }

    /// Whether it says so.
    pub(super) fn is(&self, column: &str) -> bool {
        match self.values.get(column) {
            Some(Value::Bool(truth)) => *truth,
            Some(Value::Number(number)) => number.as_i64() != Some(0),
            _ => false,
        }
    }

    /// A time. Without a zone it is of UTC.
    pub(super) fn time(&self, column: &str) -> Option<Timestamp> {
        time(self.values.get(column)?.as_str()?)
    }

    /// A time that must be there.
    pub(super) fn certain_time(&self, column: &str) -> Result<Timestamp, MoveInError> {
        self.time(column).ok_or_else(|| self.lacks(column))
    }

    /// JSON within the row; null where there is none.
    pub(super) fn json(&self, column: &str) -> &Value {
        self.values.get(column).unwrap_or(&Value::Null)
    }

    /// The elements of a list within the row.
    pub(super) fn list(&self, column: &str) -> &[Value] {
        self.json(column).as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// The elements of a list that can be read, and how many cannot.
    pub(super) fn read_list<T: DeserializeOwned>(&self, column: &str) -> (Vec<T>, usize) {
        let all = self.list(column);
        let read: Vec<T> = all.iter().filter_map(|value| serde_json::from_value(value.clone()).ok()).collect();
        let lost = all.len() - read.len();
        (read, lost)
    }

    fn lacks(&self, column: &str) -> MoveInError {
        MoveInError::Row { table: self.table.to_owned(), reason: format!("its column {column} holds nothing usable") }
    }
}

/// Reads a time as PostgreSQL writes it into JSON.
pub(super) fn time(text: &str) -> Option<Timestamp> {
    let zoned = DateTime::parse_from_rfc3339(text).map(|time| time.timestamp_millis());
    let plain =
        || NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").map(|time| time.and_utc().timestamp_millis());
    let day = || {
        let day = chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d");
        day.map(|day| Timestamp::start_of(day).millis())
    };
    zoned.or_else(|_| plain()).or_else(|_| day()).ok().map(Timestamp::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_form() {
        for (text, expected) in [
            ("2026-11-22T07:12:42.519963+00:00", Some(1_795_331_562_519)),
            ("2026-11-22T09:12:42.5199+02:00", Some(1_795_331_562_519)),
            ("2026-11-22T07:12:42.519963", Some(1_795_331_562_519)),
            ("2026-11-22", Some(1_795_305_600_000)),
            ("infinity", None),
        ] {
            assert_eq!(time(text).map(Timestamp::millis), expected, "{text}");
        }
    }

    #[test]
    fn columns_that_are_missing_or_null_are_nothing() {
        let record = Record::parse("t", r#"{"a":null,"b":"x","c":7,"d":true,"e":[1,"x"]}"#).expect("a row");
        assert_eq!((record.find_text("a"), record.find_text("z")), (None, None));
        assert_eq!((record.find_text("b").as_deref(), record.find_text("c").as_deref()), (Some("x"), Some("7")));
        assert!(record.is("c") && record.is("d") && !record.is("a") && !record.is("z"));
        assert_eq!(record.read_list::<i64>("e"), (vec![1], 1));
        assert!(record.text("a").is_err() && record.number("b").is_err());
        assert!(Record::parse("t", "[").is_err());
    }
}
