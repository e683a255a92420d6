//! The file of settings as it is written: keys with their lines and values. Their meaning is judged by other modules.

use std::{io::Read as _, path::Path};

use flagstone_domain::opaque_debug;
use toml::de::{DeTable, DeValue};

/// Most bytes of a file of settings, or of one secret.
const MOST_BYTES: u64 = 1 << 20;

/// Byte-order mark, which some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// One key of the file.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    /// From 1.
    pub(super) line: usize,
    pub(super) value: Written,
}

/// A value. Printing it shows nothing, as it may be a secret.
pub(super) enum Written {
    Text(String),
    /// Number in decimal digits.
    Number(String),
    Truth(bool),
    List(Vec<String>),
    Table,
    /// Value that no setting takes.
    Other,
}

opaque_debug!(Written);

/// The text of a file that is not too large for what it is to hold.
pub(super) fn text(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let opened = std::fs::File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text));
    opened.map_err(|error| format!("{}: {error}", path.display()))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("{} is larger than {MOST_BYTES} bytes", path.display()));
    }
    // Editors of Windows write one, and no setting begins with it.
    Ok(text.strip_prefix(BYTE_ORDER_MARK).map(str::to_owned).unwrap_or(text))
}

/// The keys of the file in their order. The error names the line, and nothing that stands in it.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, String> {
    let text = text(path)?;
    entries(&text).map_err(|(line, reason)| format!("{}:{line}: {reason}", path.display()))
}

fn entries(text: &str) -> Result<Vec<Entry>, (usize, String)> {
    let line_of = |at: usize| memchr::memchr_iter(b'\n', &text.as_bytes()[..at.min(text.len())]).count() + 1;
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(span.start));
        (line, format!("this is no TOML: {}", error.message()))
    })?;
    let mut entries: Vec<Entry> = table
        .into_inner()
        .into_iter()
        .map(|(key, value)| Entry {
            line: line_of(key.span().start),
            key: key.into_inner().into_owned(),
            value: written(value.into_inner()),
        })
        .collect();
    entries.sort_by_key(|entry| entry.line);
    Ok(entries)
}

fn written(value: DeValue<'_>) -> Written {
    match value {
        DeValue::String(text) => Written::Text(text.into_owned()),
        DeValue::Integer(number) => {
            let read = i128::from_str_radix(number.as_str(), number.radix());
            read.map_or(Written::Other, |number| Written::Number(number.to_string()))
        }
        DeValue::Boolean(truth) => Written::Truth(truth),
        DeValue::Array(values) => {
            let texts = values.into_iter().map(|value| match value.into_inner() {
                DeValue::String(text) => Some(text.into_owned()),
                _ => None,
            });
            texts.collect::<Option<_>>().map_or(Written::Other, Written::List)
        }
        DeValue::Table(_) => Written::Table,
        DeValue::Float(_) | DeValue::Datetime(_) => Written::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_lines_and_values_their_kinds() {
        let text = "# first\nb = \"x\"\n\na = 0x10\nc = [\"1\", \"2\"]\nd = true\ne = 1.5\n[f]\ng = 1\n";
        let entries = entries(text).expect("TOML");
        let lines: Vec<_> = entries.iter().map(|entry| (entry.line, entry.key.as_str())).collect();
        assert_eq!(lines, [(2, "b"), (4, "a"), (5, "c"), (6, "d"), (7, "e"), (8, "f")]);
        assert!(matches!(&entries[1].value, Written::Number(number) if number == "16"));
        assert!(matches!(&entries[2].value, Written::List(texts) if texts.len() == 2));
        assert!(matches!(entries[4].value, Written::Other) && matches!(entries[5].value, Written::Table));
    }

    #[test]
    fn what_is_no_toml_is_told_with_its_line_and_without_its_text() {
        for (text, line) in [
            ("listen = \"x\"\nmetrics-token = hunter2\n", 2),
            ("\n\nmetrics-token = \"hunter2\n", 3),
            ("metrics-token = \"hunter2\"\nmetrics-token = \"hunter2\"\n", 2),
            ("metrics-token \"hunter2\"", 1),
            ("a = \"hunter2\\q\"", 1),
        ] {
            let (at, reason) = entries(text).expect_err("no TOML");
            assert_eq!(at, line, "{reason}");
            assert!(!reason.contains("hunter2"), "{reason}");
        }
    }
}
