//! JSON with numbers that no number here can hold, such as `1e400`: they become the texts that they are written as.

use std::borrow::Cow;

use serde_json::Value;

use super::{Repairs, Row};

/// Reason why a number is not taken as it is.
const OUT_OF_RANGE: &str = "is out of the range of numbers, and is taken as a text";

/// Reads JSON. A number out of range is read as its text.
pub fn parse(bytes: &[u8]) -> serde_json::Result<Value> {
    parse_noting(bytes, |_| ())
}

/// Parses bytes as JSON, and notes each number out of range.
fn parse_noting(bytes: &[u8], mut note: impl FnMut(&str)) -> serde_json::Result<Value> {
    serde_json::from_slice(bytes).or_else(|error| {
        let Ok(text) = std::str::from_utf8(bytes) else { return Err(error) };
        match quoted(text, &mut note) {
            Cow::Owned(quoted) => serde_json::from_str(&quoted),
            Cow::Borrowed(_) => Err(error),
        }
    })
}

impl Repairs {
    /// Reads a row, or an answer with rows; each number out of range is recorded. `key` gives what it is known by.
    pub fn parse(
        &self,
        table: &'static str,
        bytes: &[u8],
        key: impl Fn(&Value) -> String,
    ) -> serde_json::Result<Value> {
        let mut numbers = Vec::new();
        let value = parse_noting(bytes, |number| numbers.push(number.to_owned()))?;
        for number in numbers {
            let row = Row::new(table, key(&value), &value, self);
            row.record("", &Value::String(number), false, OUT_OF_RANGE);
        }
        Ok(value)
    }
}

/// Returns JSON with numbers out of range in quotation marks, and everything else as it is.
pub fn readable(text: &str) -> Cow<'_, str> {
    quoted(text, &mut |_| ())
}

/// Returns the text with readable numbers, and notes each of those that were not.
pub fn readable_noting(text: &str, mut note: impl FnMut(&str)) -> Cow<'_, str> {
    quoted(text, &mut note)
}

fn quoted<'a>(text: &'a str, note: &mut dyn FnMut(&str)) -> Cow<'a, str> {
    let (mut quoted, mut copied) = (String::new(), 0);
    let (mut at, bytes) = (0, text.as_bytes());
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_text(bytes, at),
            b'-' | b'0'..=b'9' => {
                let length = bytes[at..].iter().take_while(|byte| b"+-.eE0123456789".contains(byte)).count();
                let number = &text[at..at + length];
                if number.parse::<f64>().is_ok_and(f64::is_infinite) {
                    note(number);
                    quoted.push_str(&text[copied..at]);
                    quoted.extend(["\"", number, "\""]);
                    copied = at + length;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    quoted.push_str(&text[copied..]);
    Cow::Owned(quoted)
}

/// Returns the place behind a text that begins at a place.
fn end_of_text(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}
