//! Sizes of batches that one statement is given. Each row or value is bound as parameters, of which SQLite takes 32,766
//! and PostgreSQL 65,535.

/// Ids or names that one statement asks for.
pub(crate) const ASKED_AT_ONCE: usize = 500;
/// Rows that one statement writes: the widest has 14 columns.
pub(crate) const WRITTEN_AT_ONCE: usize = 500;
