//! Findings: differences between the source and what is stored here.

use flagstone_domain::repair::Repair;
use serde::Serialize;

/// Outcome of moving a thing in.
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
    /// Outcome.
    pub outcome: Outcome,
    /// Kind of thing: a feature, a token.
    pub kind: &'static str,
    /// Its name. Never a secret.
    pub name: String,
    /// Description of the change, or the reason why it is left out.
    pub reason: String,
    /// The value of a row that was put right or left out.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub cell: Option<Cell>,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Cell {
    /// Its column, and the path in it; empty for the whole row.
    pub column: String,
    /// The value as JSON, shortened. Never a secret.
    pub value: String,
}

impl From<Repair> for Finding {
    /// Makes a finding of a repair; its kind is the table and its name the key of the row.
    fn from(repair: Repair) -> Self {
        let Repair { table, key, column, value, left_out, reason } = repair;
        let place = if column.is_empty() { String::new() } else { format!("{column}: ") };
        Self {
            outcome: if left_out { Outcome::LeftOut } else { Outcome::Changed },
            kind: table,
            name: key,
            reason: format!("{place}{value}: {reason}"),
            cell: Some(Cell { column, value }),
        }
    }
}

impl Finding {
    /// Returns the finding of a thing that came over, but not as it was.
    pub fn changed(kind: &'static str, name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Changed, kind, name: name.into(), reason: reason.into(), cell: None }
    }

    /// Returns the finding of a thing that did not come over.
    pub fn left_out(kind: &'static str, name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::LeftOut, kind, name: name.into(), reason: reason.into(), cell: None }
    }
}
