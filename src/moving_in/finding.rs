//! What is not the same afterwards.

use serde::Serialize;

/// What became of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It came over, but not as it was.
    Changed,
    /// It did not come over.
    LeftOut,
}

/// One thing that is not the same afterwards.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// What became of it.
    pub outcome: Outcome,
    /// What it is: a feature, a token.
    pub kind: &'static str,
    /// What it is called. Never a secret.
    pub name: String,
    /// What is changed, or why it is left out.
    pub reason: String,
}

impl Finding {
    /// Something that came over, but not as it was.
    pub fn changed(kind: &'static str, name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Changed, kind, name: name.into(), reason: reason.into() }
    }

    /// Something that did not come over.
    pub fn left_out(kind: &'static str, name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::LeftOut, kind, name: name.into(), reason: reason.into() }
    }
}
