//! Reasons why nothing was copied.

use std::{fmt, path::PathBuf};

use sea_orm::sqlx;

use crate::StoreError;

/// Most things of a kind that a message names.
const NAMED: usize = 5;

/// Reason why nothing was copied. The contents of the target are still there; at most its schema was brought to this
/// version.
#[derive(Debug)]
pub enum CopyError {
    /// The source is not what this program could serve from.
    Source(PathBuf, SourceSchema),
    /// The source cannot be read.
    Unreadable(sqlx::Error),
    /// The target cannot be reached.
    Unreachable(StoreError),
    /// The target failed.
    Target(sqlx::Error),
    /// The target's schema cannot be made.
    Schema(StoreError),
    /// The target holds tables that are not of this program.
    Foreign(Vec<String>),
    /// The target has been used: tables with the number of rows that a new database does not have.
    InUse(Vec<(String, u64)>),
    /// Another program is at work in the target at this moment.
    Busy,
    /// A table or column is on one side only.
    Unmatched(String),
    /// A table has a column of a type that no copy was thought of for.
    UnknownType(String),
    /// A value cannot be carried over.
    Value {
        /// Table and column.
        place: String,
        /// Reason why it cannot.
        reason: String,
    },
    /// A table reads differently from the target than from the source.
    Differs(String),
}

/// Reason why the schema of a file does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceSchema {
    /// The file holds something else.
    Foreign,
    /// An older program made it.
    Older,
    /// A newer program made it.
    Newer,
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(file, SourceSchema::Foreign) => {
                write!(f, "{} is no database of Flagstone", file.display())
            }
            Self::Source(file, SourceSchema::Older) => write!(
                f,
                "{0} is of an older version: back it up, run `flagstone migrate --database-url sqlite://{0}` with this \
                 program, and copy then",
                file.display()
            ),
            Self::Source(file, SourceSchema::Newer) => write!(
                f,
                "{} is of a newer version than this program: copy with the program that served it last",
                file.display()
            ),
            Self::Unreadable(error) => write!(f, "the source cannot be read: {error}"),
            Self::Unreachable(error) => write!(f, "the target: {error}"),
            Self::Target(error) => write!(f, "the target failed, and nothing was kept: {error}"),
            Self::Schema(error) => write!(f, "the schema of the target cannot be made: {error}"),
            Self::Foreign(tables) => {
                let tables = tables.iter().map(String::as_str);
                write!(f, "the target is not Flagstone's, it holds {}: give an empty database", list(tables))
            }
            Self::InUse(found) => {
                let found: Vec<_> = found.iter().map(|(table, rows)| format!("{table} ({rows})")).collect();
                let found = list(found.iter().map(String::as_str));
                write!(f, "the target is in use, it holds rows in {found}: give an empty database")
            }
            Self::Busy => f.write_str("somebody is at work in the target: stop every node that uses it, and copy then"),
            Self::Unmatched(what) => write!(f, "source and target differ in their schema: {what}"),
            Self::UnknownType(what) => write!(f, "{what} is of a type that cannot be copied"),
            Self::Value { place, reason } => write!(f, "a value in {place} cannot be copied: {reason}"),
            Self::Differs(table) => {
                write!(f, "{table} reads differently from the target than from the source; nothing was kept")
            }
        }
    }
}

impl std::error::Error for CopyError {}

/// The first few, and how many more there are.
fn list<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let first = names.take(NAMED).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        assert_eq!(list(names[..2].iter().copied()), "a, b");
        assert_eq!(list(names.iter().copied()), "a, b, c, d, e and 2 more");
    }
}
