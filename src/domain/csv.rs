//! Cells of comma-separated values, as RFC 4180 has them.

use std::borrow::Cow;

/// A cell, in quotes where it needs them.
pub fn cell(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) { Cow::Owned(quoted(text)) } else { Cow::Borrowed(text) }
}

/// A cell in quotes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
