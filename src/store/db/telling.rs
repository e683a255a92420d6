//! What the log and the traces tell of statements: never their values.

use sea_orm::DatabaseBackend;

use crate::telemetry::{self, Timed};

/// The name under which the log tells each statement, without its values: `RUST_LOG=flagstone::sql=trace`.
pub const STATEMENT_LOG: &str = "flagstone::sql";

/// Tells a statement in the log, and in the trace that it belongs to.
pub(super) fn tell(backend: DatabaseBackend, sql: &str) -> Timed {
    tracing::trace!(target: STATEMENT_LOG, sql);
    tell_step(backend, sql)
}

/// Tells in the trace alone what is no statement of its own, such as the wait for a turn to write.
pub(super) fn tell_step(backend: DatabaseBackend, sql: &str) -> Timed {
    telemetry::statement(if backend == DatabaseBackend::Postgres { "postgresql" } else { "sqlite" }, sql)
}
