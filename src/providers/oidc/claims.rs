//! Claims of tokens, read strictly: absent and of another kind are not the same.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::refusal::{Reason, Refusal};

/// The longest subject, session id and token id that are taken, in characters. The standard allows subjects of 255.
const LONGEST_ID: usize = 1000;

pub(super) struct Claims<'a>(pub &'a Map<String, Value>);

impl Claims<'_> {
    /// A text that may be absent or null. What is something else is refused.
    pub fn text(&self, name: &'static str) -> Result<Option<&str>, Refusal> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Refusal::new(Reason::ClaimMalformed).expected("a text").found(name)),
        }
    }

    /// A text that names something: there, not empty, and no longer than names are.
    pub fn id(&self, name: &'static str) -> Result<&str, Refusal> {
        self.optional_id(name)?.ok_or_else(|| missing(name))
    }

    /// Reads an id like [`Self::id`], but it may be absent.
    pub fn optional_id(&self, name: &'static str) -> Result<Option<&str>, Refusal> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        if text.is_empty() || text.chars().count() > LONGEST_ID {
            let expected = format_args!("1 to {LONGEST_ID} characters");
            return Err(Refusal::new(Reason::ClaimMalformed).expected(expected).found(name));
        }
        Ok(Some(text))
    }

    /// A time that must be there.
    pub fn time(&self, name: &'static str) -> Result<DateTime<Utc>, Refusal> {
        self.optional_time(name)?.ok_or_else(|| missing(name))
    }

    /// A time that may be absent: a number of seconds, with or without a fraction.
    pub fn optional_time(&self, name: &'static str) -> Result<Option<DateTime<Utc>>, Refusal> {
        let number = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value.as_i64().or_else(|| value.as_f64().and_then(whole_seconds)),
        };
        let time = number.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        let malformed = || Refusal::new(Reason::ClaimMalformed).expected("a time in seconds").found(name);
        time.ok_or_else(malformed).map(Some)
    }

    /// The texts of a list, or of the one that stands for it.
    pub fn texts(&self, name: &'static str) -> Result<Vec<&str>, Refusal> {
        let malformed = || Refusal::new(Reason::ClaimMalformed).expected("a text or a list of texts").found(name);
        match self.0.get(name) {
            None | Some(Value::Null) => Err(missing(name)),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::Array(list)) => list.iter().map(|entry| entry.as_str().ok_or_else(malformed)).collect(),
            Some(_) => Err(malformed()),
        }
    }
}

fn missing(name: &'static str) -> Refusal {
    Refusal::new(Reason::ClaimMissing).expected(name)
}

#[expect(clippy::cast_possible_truncation, reason = "only a number of a size that fits is converted")]
fn whole_seconds(number: f64) -> Option<i64> {
    // Within it lie all times of the calendar, and each whole number is exact.
    (number.abs() < 1e15).then(|| number.floor() as i64)
}
