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

pub(super) use self::unleash::complete;
use self::{assemble::assemble, document::Document};
use super::{Finding, Set};
use crate::domain::time::Timestamp;

/// Most bytes of a file: one that is larger need not be read into memory to be refused. Of YAML and TOML fewer are
/// taken.
pub const MOST_BYTES: usize = 64 << 20;

/// Reason why a comparison of dates does not come over.
const DATES: &str = "it compares a date of the context, for which some SDKs take the time of now whatever the field";

/// Products whose files can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// flagd's flag files.
    Flagd,
    /// Flagsmith's environment documents and bulk exports.
    Flagsmith,
    /// Flipt's exports and trees.
    Flipt,
    /// GO Feature Flag's flag files.
    GoFeatureFlag,
    /// Answers of GrowthBook's API, and what its SDKs get.
    GrowthBook,
    /// Answers of LaunchDarkly's API, version 2.
    LaunchDarkly,
    /// Unleash's exports of features and of its state, and its list of segments.
    Unleash,
}

impl Format {
    /// All of them, in the order in which they are recognised.
    pub const ALL: [Self; 7] = [
        Self::Unleash,
        Self::LaunchDarkly,
        Self::GrowthBook,
        Self::Flagsmith,
        Self::Flagd,
        Self::Flipt,
        Self::GoFeatureFlag,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flagd => "flagd",
            Self::Flagsmith => "flagsmith",
            Self::Flipt => "flipt",
            Self::GoFeatureFlag => "go-feature-flag",
            Self::GrowthBook => "growthbook",
            Self::LaunchDarkly => "launchdarkly",
            Self::Unleash => "unleash",
        }
    }

    /// Name of the product.
    pub const fn product(self) -> &'static str {
        match self {
            Self::Flagd => "flagd",
            Self::Flagsmith => "Flagsmith",
            Self::Flipt => "Flipt",
            Self::GoFeatureFlag => "GO Feature Flag",
            Self::GrowthBook => "GrowthBook",
            Self::LaunchDarkly => "LaunchDarkly",
            Self::Unleash => "Unleash",
        }
    }

    /// The format of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Recognises the format of a file by what it holds. `None` is a file of no product that is known; one of a product
    /// whose files are not read is refused by its name.
    pub fn detect(file: &SourceFile<'_>) -> Result<Option<Self>, FileError> {
        let documents = document::read(file)?;
        let format = documents.first().and_then(|first| Self::ALL.into_iter().find(|format| format.is(&first.value)));
        if format.is_none() {
            documents.iter().try_for_each(others::refuse)?;
        }
        Ok(format)
    }
}

impl Format {
    fn is(self, document: &serde_json::Value) -> bool {
        match self {
            Self::Flagd => flagd::is(document),
            Self::Flagsmith => flagsmith::is(document),
            Self::Flipt => flipt::is(document),
            Self::GoFeatureFlag => go_feature_flag::is(document),
            Self::GrowthBook => growthbook::is(document),
            Self::LaunchDarkly => launchdarkly::is(document),
            Self::Unleash => unleash::is(document),
        }
    }
}

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
    let (set, findings) = of_product(format, &documents, options)?;
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

fn of_product(format: Format, documents: &[Document<'_>], options: &Options) -> Result<(Set, Vec<Finding>), FileError> {
    let found = match format {
        Format::Unleash => return unleash::read(documents, options),
        Format::Flagd => flagd::read(documents, options),
        Format::Flagsmith => flagsmith::read(documents, options),
        Format::Flipt => flipt::read(documents, options),
        Format::GoFeatureFlag => go_feature_flag::read(documents, options),
        Format::GrowthBook => {
            growthbook::refuse_encrypted(documents)?;
            growthbook::read(documents, options)
        }
        Format::LaunchDarkly => launchdarkly::read(documents, &options.project),
    };
    Ok(assemble(format.product(), "", found, options.now))
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
