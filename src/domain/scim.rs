//! People and groups as a company's directory keeps them through SCIM 2.0 (RFC 7643, RFC 7644).

pub mod bulk;
pub mod directory;
pub mod filter;
pub mod group;
pub mod patch;
pub mod path;
pub mod person;
pub mod tolerance;

use std::fmt;

use serde::{Deserialize, Serialize};

use self::filter::{Attribute, Kind};
use crate::preference::Preference;

/// Part of the users or groups that a directory asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Filter of the entries; `None` for all.
    pub filter: Option<filter::Filter>,
    /// Their order; `None` for that of their ids.
    pub sorting: Option<Sorting>,
    /// Number of those before the part.
    pub skipped: u64,
    /// Most entries of the part.
    pub most: u64,
}

/// Order of users or groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sorting {
    /// The attribute that decides.
    pub by: Attribute,
    /// Whether the greatest value comes first.
    pub descending: bool,
}

impl Sorting {
    /// Values of the query parameter `sortOrder`.
    pub const WORDS: [&'static str; 2] = ["ascending", "descending"];

    /// Reads the query parameter `sortBy`.
    pub fn parse(kind: Kind, by: &str, descending: bool) -> Result<Self, Fault> {
        let path = path::Path::parse(by).ok().filter(|path| path.only.is_none());
        let name = path.map(|path| match path.part {
            Some(part) => format!("{}.{part}", path.attribute),
            None => path.attribute,
        });
        let by = name.and_then(|name| Attribute::named(kind, &name)).filter(|by| !by.has_several());
        let unknown = || {
            let rule = "The query parameter `sortBy` names an attribute that can be compared and has one value.";
            Fault::new(FaultKind::Path, rule)
        };
        Ok(Self { by: by.ok_or_else(unknown)?, descending })
    }

    /// Reads the query parameter `sortOrder`: whether the greatest value comes first.
    pub fn is_descending(order: &str) -> Result<bool, Fault> {
        let word = Self::WORDS.iter().position(|word| order.eq_ignore_ascii_case(word));
        let rule = "The query parameter `sortOrder` is `ascending` or `descending`.";
        word.map(|index| index == 1).ok_or_else(|| Fault::new(FaultKind::Value, rule))
    }
}

/// Most people in a group, those in nested ones included, and most nested groups.
pub const MOST_MEMBERS: usize = 5000;
/// Most groups in a chain of which each is nested in the one before.
pub const MOST_LEVELS: usize = 10;

/// Whether a directory keeps people and groups, and the token that it does so by. The digest stands for the secret.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provisioning {
    /// Whether it does.
    pub enabled: bool,
    /// Digest of the token; nothing as long as none was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_hash: Option<String>,
}

impl Preference for Provisioning {
    const ID: &'static str = "flagstone.scim";
}

/// Names of a user in the directory that keeps them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Names {
    /// The name to sign in with there, as it was given.
    pub user_name: String,
    /// The full name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formatted: Option<String>,
    /// The given name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_name: Option<String>,
    /// The family name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family_name: Option<String>,
}

/// Properties of a user that a directory keeps.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptUser {
    /// Names in the directory.
    #[serde(flatten)]
    pub names: Names,
    /// Their id there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
}

/// Properties of a group that a directory keeps.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptGroup {
    /// Its id there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
}

/// Kind of fault of something that a directory sent, by the names of RFC 7644.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A filter that is none, or one that is not known here.
    Filter,
    /// A path that is none, or leads to no attribute.
    Path,
    /// A value that an attribute cannot have.
    Value,
    /// A request that is none of this protocol.
    Syntax,
    /// An operation that says not what it is for.
    NoTarget,
    /// An attribute that the server alone sets.
    Mutability,
}

impl FaultKind {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Filter => "invalidFilter",
            Self::Path => "invalidPath",
            Self::Value => "invalidValue",
            Self::Syntax => "invalidSyntax",
            Self::NoTarget => "noTarget",
            Self::Mutability => "mutability",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Filter, Self::Path, Self::Value, Self::Syntax, Self::NoTarget, Self::Mutability]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}

/// Fault of something that a directory sent, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Kind by the protocol's names.
    pub kind: FaultKind,
    /// Message: a sentence that names the place.
    pub message: String,
}

impl Fault {
    /// A fault with its sentence.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns the fault as one of several operations has it.
    #[must_use]
    pub fn in_operation(self, index: usize) -> Self {
        let member = match self.kind {
            FaultKind::Syntax => "op",
            FaultKind::Value | FaultKind::Filter => "value",
            FaultKind::Path | FaultKind::NoTarget | FaultKind::Mutability => "path",
        };
        Self { message: format!("/body/Operations/{index}/{member}: {}", self.message), ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
