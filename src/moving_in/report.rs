//! What came of moving in, for programs and for people.

mod page;

use serde::Serialize;

use super::{Finding, neutral::Origin};

/// How many of a kind there were, and how many are there now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// What was counted.
    pub kind: String,
    /// There.
    pub before: u64,
    /// Here; on a dry run, how many there would be.
    pub after: u64,
}

/// What came of moving in.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Where everything comes from.
    pub origin: Origin,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// What there was and is.
    pub counted: Vec<Counted>,
    /// What is not the same afterwards.
    pub findings: Vec<Finding>,
}

impl Report {
    /// As JSON that people can read too.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts and numbers have a form in JSON") + "\n"
    }

    /// As a page that needs no script and nothing from elsewhere.
    pub fn html(&self) -> String {
        page::write(self)
    }
}
