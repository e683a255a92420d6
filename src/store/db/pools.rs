//! Figures about the use of the connections to the database.

/// Connections of one purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolFigures {
    /// The purpose: single reads, `readers`; transactions that read, `moments`; and those that write, `writer`. On
    /// PostgreSQL the last two are one, `transactions`, and there may be heavy reads on a `replica`.
    pub name: &'static str,
    /// Connections that are open.
    pub open: u32,
    /// Open connections that are idle.
    pub idle: usize,
    /// Most connections that may be open.
    pub limit: u32,
}
