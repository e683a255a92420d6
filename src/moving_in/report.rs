//! Report of moving in, for programs and for people.

mod page;

use serde::Serialize;

use super::{Finding, neutral::Origin};

/// Numbers of things of a kind before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Kind of the things that were counted.
    pub kind: String,
    /// There.
    pub before: u64,
    /// Here; on a dry run, how many there would be.
    pub after: u64,
}

/// Report of moving in.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Origin of the set.
    pub origin: Origin,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// Numbers of things before and after.
    pub counted: Vec<Counted>,
    /// Findings of what is not the same afterwards.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Returns the report as JSON that people can read too.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts and numbers have a form in JSON") + "\n"
    }

    /// Returns the report as a page that needs no script and no other resource.
    pub fn html(&self) -> String {
        page::write(self)
    }
}
