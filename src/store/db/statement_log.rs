//! Statements in the log and the traces: never their values.

use flagstone_spans::{self as spans, Timed};
use sea_orm::DatabaseBackend;

/// The name under which the log holds each statement, without its values: `RUST_LOG=flagstone::sql=trace`.
pub const STATEMENT_LOG: &str = "flagstone::sql";

/// Writes a statement to the log, and begins its span in the current trace.
pub(super) fn log_statement(backend: DatabaseBackend, sql: &str) -> Timed {
    tracing::trace!(target: STATEMENT_LOG, sql);
    trace_step(backend, sql)
}

/// Begins a span in the current trace alone, for what is no statement of its own, such as the wait for a permit to
/// write.
pub(super) fn trace_step(backend: DatabaseBackend, sql: &str) -> Timed {
    spans::statement(if backend == DatabaseBackend::Postgres { "postgresql" } else { "sqlite" }, sql)
}
