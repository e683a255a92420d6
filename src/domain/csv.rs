//! Cells of comma-separated values, as RFC 4180 has them.

use std::borrow::Cow;

/// The media type of a table.
pub const MEDIA_TYPE: &str = "text/csv; charset=utf-8";

/// A cell, in quotes where it needs them.
pub fn cell(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) { Cow::Owned(quoted(text)) } else { Cow::Borrowed(text) }
}

/// A cell in quotes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
