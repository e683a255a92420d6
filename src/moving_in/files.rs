//! Files of other products, read into the neutral set.
//!
//! A reader for each product returns its flags in one form: rules in their order, conditions on the context, answers.
//! One planner makes strategies of them. One rule stands above all: *a translation never widens who gets a feature*.
//! A rule that cannot be translated becomes a feature that is off in that environment, with a tag and a description
//! that say so.

mod assemble;
mod comparison;
mod condition;
mod document;
mod flag;
mod flagd;
mod flagsmith;
mod flipt;
mod format;
mod go_feature_flag;
mod growthbook;
mod jsonlogic;
mod keys;
mod launchdarkly;
mod normal_form;
mod others;
mod patterns;
mod plan;
mod read;
mod segments;
mod unleash;

use std::fmt;

use flagstone_domain::time::Timestamp;

use self::document::Document;
pub use self::format::Format;
pub(super) use self::unleash::complete;
use super::{Finding, Set};

/// Most bytes of a file: one that is larger need not be read into memory to be refused. Of YAML and TOML fewer are
/// taken.
pub const MOST_BYTES: usize = 64 << 20;

/// Reason why a comparison of dates does not come over.
const DATES: &str = "it compares a date of the context, for which some SDKs take the time of now whatever the field";

/// A file, read already.
#[derive(Debug, Clone, Copy)]
pub struct SourceFile<'a> {
    /// Its name, for messages; its extension distinguishes TOML from YAML.
    pub name: &'a str,
    /// Environment that it stands for. Where the file has several, the others are left out.
    pub environment: Option<&'a str>,
    /// Its content.
    pub bytes: &'a [u8],
}

/// Values for what files do not contain.
#[derive(Debug, Clone)]
pub struct Options {
    /// Project of flags whose file names none.
    pub project: String,
    /// Environment of files that are for none and name none.
    pub environment: String,
    /// The time of the move: what changes with time comes over as it is then.
    pub now: Timestamp,
}

/// Reason why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// Its name.
    pub file: String,
    /// The place in it, as a line or a path.
    pub place: Option<String>,
    /// Description of the fault, and of its remedy.
    pub what: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{}, {place}: it {}", self.file, self.what),
            None => write!(f, "{}: it {}", self.file, self.what),
        }
    }
}

impl std::error::Error for FileError {}

/// Reads files of one product into a set, with findings of what is not the same.
pub fn read(format: Format, files: &[SourceFile<'_>], options: &Options) -> Result<(Set, Vec<Finding>), FileError> {
    let mut documents = Vec::new();
    for file in files {
        for document in document::read(file)? {
            if !format.is(&document.value) {
                others::refuse(&document)?;
                let what = format!(
                    "does not look like a file of {}: see the documentation for which are read",
                    format.product()
                );
                return Err(FileError { file: file.name.to_owned(), place: None, what });
            }
            documents.push(document);
        }
    }
    let mut repeated: Vec<Finding> = documents.iter().flat_map(repeated).collect();
    let (set, findings) = format.read(&documents, options)?;
    repeated.extend(findings);
    Ok((set, repeated))
}

/// Returns a finding for each key that stands in a document several times, and for each number out of range.
fn repeated(document: &Document<'_>) -> impl Iterator<Item = Finding> {
    let repeated = document.repeated.iter();
    let repeated = repeated.map(|path| format!("has \"{path}\" several times, of which the last one counts"));
    let out_of_range = document.out_of_range.iter();
    let out_of_range = out_of_range
        .map(|number| format!("has {number}, which is out of the range of numbers, and is taken as a text"));
    repeated.chain(out_of_range).map(|reason| Finding::changed("file", document.name, reason))
}

/// Returns what a running Unleash answered, put together as its state, as rows of its tables.
pub(super) fn state_tables(
    state: serde_json::Value,
    options: &Options,
) -> Result<(super::rows::Tables, Vec<Finding>), FileError> {
    let name = "the server's answers";
    unleash::tables(
        &[Document { name, environment: None, value: state, repeated: Vec::new(), out_of_range: Vec::new() }],
        options,
    )
}

#[cfg(test)]
mod tests;
