//! Copies of the database.

/// Retention of copies older than the newest. Without either number all are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// Number of copies.
    pub keep: Option<usize>,
    /// Copies of so many days.
    pub days: Option<i64>,
}
