//! Many rows fetched as one: the database writes them as a single JSON text.
//!
//! A row that travels on its own costs several times what reading it costs, so lists of hundreds are packed.

use sea_orm::{
    ConnectionTrait, DatabaseBackend, DbErr,
    sea_query::{Expr, Func, Query, SelectStatement},
};
use serde::de::DeserializeOwned;

use crate::{domain::time::Timestamp, store::StoreError};

/// Runs `query`, which must not name columns, and reads each row from the values of `columns`, in that order.
///
/// Flags must be cast to numbers (see [`number`]), since SQLite has no other. Rows come in no particular order.
pub(super) async fn fetch<T: DeserializeOwned>(
    db: &impl ConnectionTrait,
    mut query: SelectStatement,
    columns: impl IntoIterator<Item = Expr>,
) -> Result<Vec<T>, StoreError> {
    query.expr(rows(db.get_database_backend(), columns));
    read(db, &query).await
}

/// Runs a query whose only column is [`rows`] or [`values`].
pub(super) async fn read<T: DeserializeOwned>(
    db: &impl ConnectionTrait,
    query: &SelectStatement,
) -> Result<Vec<T>, StoreError> {
    let answer = db.query_one(query).await?;
    let text = match answer {
        Some(answer) => answer.try_get_by_index(0)?,
        None => None,
    };
    Packed(text).unpack()
}

/// The rows of a query as the database packed them.
pub(super) struct Packed(Option<String>);

impl Packed {
    /// The rows.
    pub(super) fn unpack<T: DeserializeOwned>(self) -> Result<Vec<T>, StoreError> {
        // PostgreSQL aggregates no rows to NULL, SQLite to an empty array.
        let Some(text) = self.0 else { return Ok(Vec::new()) };
        serde_json::from_str(&text).map_err(|error| DbErr::Json(format!("packed rows: {error}")).into())
    }
}

/// Runs several queries in one statement, which sees all of them at one moment. The only column of each is [`rows`] or
/// [`values`].
pub(super) async fn fetch_together<const N: usize>(
    db: &impl ConnectionTrait,
    queries: [SelectStatement; N],
) -> Result<[Packed; N], StoreError> {
    let mut together = Query::select();
    together.exprs(queries.map(|query| Expr::SubQuery(None, Box::new(query.into()))));
    let answer = db.query_one(&together).await?;
    let mut packed = [const { Packed(None) }; N];
    for (index, packed) in packed.iter_mut().enumerate() {
        packed.0 = answer.as_ref().map_or(Ok(None), |answer| answer.try_get_by_index(index))?;
    }
    Ok(packed)
}

/// All rows of a query as one JSON text: a list of rows, each the list of its columns. Flags as in [`fetch`].
///
/// Without rows it is NULL on PostgreSQL and an empty list on SQLite.
pub(super) fn rows(backend: DatabaseBackend, columns: impl IntoIterator<Item = Expr>) -> Expr {
    Func::cast_as(inner_rows(backend, columns), "text").into()
}

/// One value of each row of a query as one JSON text. Without rows as in [`rows`].
pub(super) fn values(backend: DatabaseBackend, value: Expr) -> Expr {
    Func::cast_as(inner_values(backend, value), "text").into()
}

/// Like [`rows`], as a column of rows that are packed themselves.
pub(super) fn inner_rows(backend: DatabaseBackend, columns: impl IntoIterator<Item = Expr>) -> Expr {
    let row = if backend == DatabaseBackend::Postgres { "json_build_array" } else { "json_array" };
    inner_values(backend, Func::cust(row).args(columns).into())
}

/// One value of each row of a query, as a column of rows that are packed themselves. Without rows as in [`rows`].
pub(super) fn inner_values(backend: DatabaseBackend, value: Expr) -> Expr {
    let list = if backend == DatabaseBackend::Postgres { "json_agg" } else { "json_group_array" };
    Func::cust(list).arg(value).into()
}

/// Stored JSON text, as a column that is JSON and not a text.
pub(super) fn json(backend: DatabaseBackend, text: Expr) -> Expr {
    if backend == DatabaseBackend::Postgres {
        Func::cast_as(text, "json").into()
    } else {
        Func::cust("json").arg(text).into()
    }
}

/// A flag as the number 0 or 1.
pub(super) fn number(flag: Expr) -> Expr {
    Func::cast_as(flag, "integer").into()
}

/// Reads what [`number`] wrote.
pub(super) fn flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let number = <i64 as serde::Deserialize>::deserialize(deserializer)?;
    Ok(number != 0)
}

/// Reads an instant from its milliseconds.
pub(super) fn instant<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    <i64 as serde::Deserialize>::deserialize(deserializer).map(Timestamp::from_millis)
}

/// Reads an instant that may be missing.
pub(super) fn optional_instant<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Timestamp>, D::Error> {
    let millis = <Option<i64> as serde::Deserialize>::deserialize(deserializer)?;
    Ok(millis.map(Timestamp::from_millis))
}
