//! What is not the same afterwards.

use serde::Serialize;

use crate::domain::repair::Repair;

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
    /// Tells a repair as a finding whose kind is the table and whose name is the key of the row.
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
    /// Something that came over, but not as it was.
    pub fn changed(kind: &'static str, name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Changed, kind, name: name.into(), reason: reason.into(), cell: None }
    }

    /// Something that did not come over.
    pub fn left_out(kind: &'static str, name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::LeftOut, kind, name: name.into(), reason: reason.into(), cell: None }
    }
}
