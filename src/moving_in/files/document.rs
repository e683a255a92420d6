//! Files as documents: JSON, YAML or TOML, bounded before they are read.

use std::borrow::Cow;

use flagstone_domain::{repair::readable_noting, text::without_byte_order_mark};
use serde_json::Value;

use super::{FileError, MOST_BYTES, SourceFile, keys};

/// Most bytes of a file of YAML or TOML, whose readers hold much more than the file.
const MOST_OTHER: usize = 16 << 20;
/// Brackets that may be open at once. Readers of JSON and YAML stop sooner; this keeps long rows of brackets from them.
const MOST_DEPTH: usize = 1000;

/// One document of a file.
#[derive(Debug)]
pub(super) struct Document<'a> {
    /// Name of the file, for messages.
    pub(super) name: &'a str,
    /// Environment that it stands for.
    pub(super) environment: Option<&'a str>,
    pub(super) value: Value,
    /// Paths of keys that stand there several times.
    pub(super) repeated: Vec<String>,
    /// Numbers that no number here can hold, which are read as texts.
    pub(super) out_of_range: Vec<String>,
}

/// The documents of a file: several only in a stream of YAML.
pub(super) fn read<'a>(file: &SourceFile<'a>) -> Result<Vec<Document<'a>>, FileError> {
    let fault = |place: Option<String>, what: String| FileError { file: file.name.to_owned(), place, what };
    let too_large = |most: usize| {
        let what = format!(
            "has {} MiB, of which at most {} MiB can be read: split it, or move in from the API's pages one by one",
            file.bytes.len() >> 20,
            most >> 20
        );
        fault(None, what)
    };
    if file.bytes.len() > MOST_BYTES {
        return Err(too_large(MOST_BYTES));
    }
    let bytes = without_byte_order_mark(file.bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = memchr::memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count() + 1;
        fault(Some(format!("line {line}")), "is no UTF-8 text: save it as such".to_owned())
    })?;
    if let Some(line) = too_deep(text) {
        let what = format!("is nested more than {MOST_DEPTH} deep, which no flag needs: is it the right file?");
        return Err(fault(Some(format!("line {line}")), what));
    }
    let document = |(value, repeated)| Document {
        name: file.name,
        environment: file.environment,
        value,
        repeated,
        out_of_range: Vec::new(),
    };
    if text.trim_start().starts_with(['{', '[']) && !has_extension(file.name, "toml") {
        // Numbers out of range are read as texts.
        let mut out_of_range = Vec::new();
        let read =
            json(text).or_else(|error| match readable_noting(text, |number| out_of_range.push(number.to_owned())) {
                Cow::Owned(quoted) => json(&quoted),
                Cow::Borrowed(_) => Err(error),
            });
        let read = read.map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            fault(Some(place), format!("is no JSON that can be read: {error}"))
        })?;
        return Ok(vec![Document { out_of_range, ..document(read) }]);
    }
    if text.len() > MOST_OTHER {
        return Err(too_large(MOST_OTHER));
    }
    if has_extension(file.name, "toml") {
        let value = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            fault(line.map(|line| format!("line {line}")), format!("is no TOML that can be read: {}", error.message()))
        })?;
        return Ok(vec![document((value, Vec::new()))]);
    }
    let mut documents = Vec::new();
    for part in serde_norway::Deserializer::from_str(text) {
        let (value, repeated) = keys::read(part).map_err(|error| {
            let place =
                error.location().map(|location| format!("line {}, column {}", location.line(), location.column()));
            fault(place, format!("is no JSON, YAML or TOML that can be read: {error}"))
        })?;
        if !value.is_null() {
            documents.push(document((value, repeated)));
        }
    }
    if documents.is_empty() {
        return Err(fault(None, "is empty".to_owned()));
    }
    Ok(documents)
}

fn json(text: &str) -> serde_json::Result<(Value, Vec<String>)> {
    let mut json = serde_json::Deserializer::from_str(text);
    let read = keys::read(&mut json)?;
    json.end().map(|()| read)
}

fn has_extension(name: &str, wanted: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// The line in which too many brackets are open, wherever they stand.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut line) = (0_usize, 1);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' => line += 1,
            _ => {}
        }
        if depth > MOST_DEPTH {
            return Some(line);
        }
    }
    None
}
