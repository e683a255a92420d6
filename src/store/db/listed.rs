//! Values that a statement lists, as one parameter: hundreds of parameters take longer to spell, to prepare and to bind
//! than to look up, and each number of them makes another statement.

use sea_orm::{
    DatabaseBackend,
    sea_query::{Alias, Expr, Func, Query, SelectStatement},
};

/// Alias of the one column of these queries.
pub(crate) const VALUE: &str = "value";

/// A query that gives these texts, none of which may hold a NUL.
pub(crate) fn texts<'a>(backend: DatabaseBackend, texts: impl IntoIterator<Item = &'a str>) -> SelectStatement {
    elements(backend, json(&texts.into_iter().collect::<Vec<_>>()), "text")
}

/// A query that gives these numbers.
pub(crate) fn numbers(backend: DatabaseBackend, numbers: &[i64]) -> SelectStatement {
    elements(backend, json(numbers), "bigint")
}

/// A query that gives the numbers of a list that is [`json`] of them.
pub(crate) fn numbers_of(backend: DatabaseBackend, list: Expr) -> SelectStatement {
    elements(backend, list, "bigint")
}

/// The list as its parameter.
pub(crate) fn json(list: &[impl serde::Serialize]) -> String {
    serde_json::to_string(list).expect("texts and numbers")
}

fn elements(backend: DatabaseBackend, list: impl Into<Expr>, kind: &'static str) -> SelectStatement {
    let elements = if backend == DatabaseBackend::Postgres {
        Func::cust("json_array_elements_text").arg(Func::cast_as(list, "json"))
    } else {
        Func::cust("json_each").arg(list)
    };
    let value = Func::cast_as(Expr::col(VALUE), Alias::new(kind));
    Query::select().expr_as(value, VALUE).from_function(elements, "listed").take()
}
