//! SQL that is always the same but for a few values, spelled once.

use std::sync::OnceLock;

use sea_orm::{
    DatabaseBackend, Statement, Value,
    sea_query::{Expr, PostgresQueryBuilder, SelectStatement, SqliteQueryBuilder},
};

/// Place in an [`SqlText`] of a value that differs from one time to the next: `$1`, `$2` and so on, which both databases
/// understand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Placeholder(u8);

impl Placeholder {
    /// The place with this number; those of a statement are numbered from 1.
    pub(crate) const fn new(number: u8) -> Self {
        Self(number)
    }

    /// The place as a part of the query.
    pub(crate) fn expr(self) -> Expr {
        Expr::cust(format!("${}", self.0))
    }

    /// The place with its value.
    pub(crate) fn is(self, value: impl Into<Value>) -> (Self, Value) {
        (self, value.into())
    }
}

/// SQL for each database that is always the same, built once: building a statement takes as long as a part of running
/// it.
#[derive(Debug)]
pub(crate) struct SqlText {
    sqlite: OnceLock<String>,
    postgres: OnceLock<String>,
}

impl SqlText {
    pub(crate) const fn new() -> Self {
        Self { sqlite: OnceLock::new(), postgres: OnceLock::new() }
    }

    fn text(&'static self, backend: DatabaseBackend, build: impl FnOnce() -> String) -> &'static str {
        let text = if backend == DatabaseBackend::Postgres { &self.postgres } else { &self.sqlite };
        text.get_or_init(build)
    }

    /// A query with its values written out, but for those of its placeholders, which come in any order.
    pub(crate) fn statement<const N: usize>(
        &'static self,
        backend: DatabaseBackend,
        query: impl FnOnce() -> SelectStatement,
        mut values: [(Placeholder, Value); N],
    ) -> Statement {
        let text = self.text(backend, || spelled(backend, &query()));
        values.sort_unstable_by_key(|(place, _)| *place);
        debug_assert!(values.iter().zip(1..).all(|((place, _), number)| place.0 == number), "{values:?}");
        Statement::from_sql_and_values(backend, text, values.map(|(_, value)| value))
    }

    /// Queries with their values written out, each as a column.
    pub(crate) fn columns(
        &'static self,
        backend: DatabaseBackend,
        queries: impl FnOnce() -> Vec<SelectStatement>,
    ) -> Expr {
        let columns = || queries().iter().map(|query| format!("({})", spelled(backend, query))).collect::<Vec<_>>();
        Expr::cust(self.text(backend, || columns().join(", ")))
    }
}

/// Returns a query with its values written out, and its placeholders as they are.
fn spelled(backend: DatabaseBackend, query: &SelectStatement) -> String {
    match backend {
        DatabaseBackend::Postgres => query.to_string(PostgresQueryBuilder),
        _ => query.to_string(SqliteQueryBuilder),
    }
}
