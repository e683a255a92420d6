//! Many rows fetched as one: the database writes them as a single JSON text.
//!
//! A row that travels on its own costs several times what reading it costs, so lists of hundreds are packed.

use std::{borrow::Cow, ops::Deref, sync::OnceLock};

use sea_orm::{
    ConnectionTrait, DatabaseBackend, DbErr, QueryResult, Statement, Value,
    sea_query::{
        Expr, ExprTrait, Func, FunctionCall, PostgresQueryBuilder, Query, SelectStatement, SqliteQueryBuilder,
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    domain::time::Timestamp,
    store::{StoreError, db::text::CONCAT},
};

/// Runs `query`, which must not name columns, and reads each row from the values of `columns`, in that order.
///
/// Flags must be cast to numbers (see [`number`]), since SQLite has no other. Rows come in no particular order.
pub(in crate::store) async fn fetch<T: DeserializeOwned>(
    db: &impl ConnectionTrait,
    mut query: SelectStatement,
    columns: impl IntoIterator<Item = Expr>,
) -> Result<Vec<T>, StoreError> {
    query.expr(rows(db.get_database_backend(), columns));
    read(db, &query).await
}

/// Runs a query whose only column is [`rows`] or [`values`].
pub(in crate::store) async fn read<T: DeserializeOwned>(
    db: &impl ConnectionTrait,
    query: &SelectStatement,
) -> Result<Vec<T>, StoreError> {
    match db.query_one(query).await? {
        Some(row) => Ok(list(&row, 0)?),
        None => Ok(Vec::new()),
    }
}

/// Runs several queries, each as for [`read`], as one statement, so that all see the same moment.
pub(in crate::store) async fn all(
    db: &impl ConnectionTrait,
    queries: impl IntoIterator<Item = SelectStatement>,
) -> Result<Texts, StoreError> {
    texts(db, &Query::select().exprs(queries.into_iter().map(Expr::from)).take()).await
}

/// Runs a statement whose columns are each [`rows`] or [`values`].
pub(in crate::store) async fn texts(db: &impl ConnectionTrait, query: &SelectStatement) -> Result<Texts, StoreError> {
    let row = db.query_one(query).await?.ok_or_else(|| DbErr::RecordNotFound("packed rows".to_owned()))?;
    Ok(Texts::of(row))
}

/// Results of several queries.
pub(in crate::store) struct Texts {
    row: QueryResult,
    next: usize,
}

impl Texts {
    /// Results in a row whose columns are each [`rows`] or [`values`].
    pub(in crate::store) const fn of(row: QueryResult) -> Self {
        Self { row, next: 0 }
    }

    /// Returns the result of the next query.
    pub(in crate::store) fn next<T: DeserializeOwned>(&mut self) -> Result<Vec<T>, StoreError> {
        Ok(self.written()?.rows()?)
    }

    /// Returns the results of the next `N` queries, unread, so that rows can borrow from them.
    pub(in crate::store) fn several<const N: usize>(&mut self) -> Result<[Written; N], StoreError> {
        let mut several = [const { Written(None) }; N];
        for one in &mut several {
            *one = self.written()?;
        }
        Ok(several)
    }

    fn written(&mut self) -> Result<Written, DbErr> {
        let column = self.next;
        self.next += 1;
        Written::of(&self.row, column)
    }
}

/// Result of a query, as the database wrote it.
pub(in crate::store) struct Written(Option<String>);

impl Written {
    fn of(row: &QueryResult, column: usize) -> Result<Self, DbErr> {
        row.try_get_by_index(column).map(Self)
    }

    /// The rows, or values.
    pub(in crate::store) fn rows<'a, T: Deserialize<'a>>(&'a self) -> Result<Vec<T>, DbErr> {
        // No rows are NULL to PostgreSQL, and to SQLite where it does not make the list itself.
        let Some(text) = &self.0 else { return Ok(Vec::new()) };
        serde_json::from_str(text).map_err(|error| DbErr::Json(format!("packed rows: {error}")))
    }
}

/// A text in a packed row. It stays where the database wrote it, unless that is not how it reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::store) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(text.into())
    }
}

/// SQL for each database that is always the same, built once: building a statement takes as long as a part of running
/// it.
#[derive(Debug)]
pub(in crate::store) struct SqlText {
    sqlite: OnceLock<String>,
    postgres: OnceLock<String>,
}

impl SqlText {
    pub(in crate::store) const fn new() -> Self {
        Self { sqlite: OnceLock::new(), postgres: OnceLock::new() }
    }

    /// The text, which `build` gives.
    pub(in crate::store) fn text(
        &'static self,
        backend: DatabaseBackend,
        build: impl FnOnce() -> String,
    ) -> &'static str {
        let text = if backend == DatabaseBackend::Postgres { &self.postgres } else { &self.sqlite };
        text.get_or_init(build)
    }

    /// A query with its values written out, but for those that differ from one time to the next: they stand in it as
    /// `$1`, `$2` and so on, which both databases understand.
    pub(in crate::store) fn statement<const N: usize>(
        &'static self,
        backend: DatabaseBackend,
        query: impl FnOnce() -> SelectStatement,
        values: [Value; N],
    ) -> Statement {
        let text = self.text(backend, || match backend {
            DatabaseBackend::Postgres => query().to_string(PostgresQueryBuilder),
            _ => query().to_string(SqliteQueryBuilder),
        });
        Statement::from_sql_and_values(backend, text, values)
    }

    /// Queries with their values written out, each as a column.
    pub(in crate::store) fn columns(
        &'static self,
        backend: DatabaseBackend,
        queries: impl FnOnce() -> Vec<SelectStatement>,
    ) -> Expr {
        let columns = || queries().iter().map(|query| format!("({})", backend.build(query))).collect::<Vec<_>>();
        Expr::cust(self.text(backend, || columns().join(", ")))
    }
}

/// Reads a column that is [`rows`] or [`values`].
pub(in crate::store) fn list<T: DeserializeOwned>(row: &QueryResult, column: usize) -> Result<Vec<T>, DbErr> {
    Written::of(row, column)?.rows()
}

/// All rows of a query as one JSON text: a list of rows, each the list of its columns. Flags as in [`fetch`].
///
/// Without rows it is NULL on PostgreSQL and an empty list on SQLite.
pub(in crate::store) fn rows(backend: DatabaseBackend, columns: impl IntoIterator<Item = Expr>) -> Expr {
    Func::cast_as(inner_rows(backend, columns), "text").into()
}

/// All rows of a query as in [`rows`], with columns of stored JSON behind the others, of which there is at least one.
/// Without rows it is NULL.
///
/// What was stored is known to be JSON and goes in as it is: the database would read all of it first.
pub(in crate::store) fn rows_with_json<const N: usize>(
    backend: DatabaseBackend,
    columns: impl IntoIterator<Item = Expr>,
    stored: [Expr; N],
) -> Expr {
    let glue = if backend == DatabaseBackend::Postgres { "string_agg" } else { "group_concat" };
    let row = Func::cast_as(row(backend, columns), "text");
    let open = Func::cust("rtrim").arg(row).arg(Expr::cust("']'")).into();
    let whole = stored.into_iter().fold(open, |row: Expr, stored| {
        row.binary(CONCAT, Expr::cust("','")).binary(CONCAT, Func::coalesce([stored, Expr::cust("'null'")]))
    });
    let rows = Func::cust(glue).arg(whole.binary(CONCAT, Expr::cust("']'"))).arg(Expr::cust("','"));
    Expr::cust("'['").binary(CONCAT, rows).binary(CONCAT, Expr::cust("']'"))
}

/// One value of each row of a query as one JSON text. Without rows as in [`rows`].
pub(in crate::store) fn values(backend: DatabaseBackend, value: Expr) -> Expr {
    Func::cast_as(inner_values(backend, value), "text").into()
}

/// All rows of a query as in [`rows`], for a column of rows that are packed themselves.
pub(in crate::store) fn inner_rows(backend: DatabaseBackend, columns: impl IntoIterator<Item = Expr>) -> Expr {
    inner_values(backend, row(backend, columns).into())
}

/// A row as the list of its columns.
fn row(backend: DatabaseBackend, columns: impl IntoIterator<Item = Expr>) -> FunctionCall {
    let list = if backend == DatabaseBackend::Postgres { "json_build_array" } else { "json_array" };
    Func::cust(list).args(columns)
}

/// One value of each row of a query, as a column of rows that are packed themselves. Without rows as in [`rows`].
pub(in crate::store) fn inner_values(backend: DatabaseBackend, value: Expr) -> Expr {
    let list = if backend == DatabaseBackend::Postgres { "json_agg" } else { "json_group_array" };
    Func::cust(list).arg(value).into()
}

/// A flag as the number 0 or 1.
pub(in crate::store) fn number(flag: Expr) -> Expr {
    Func::cast_as(flag, "integer").into()
}

/// Several flags as one number, since each value has its price: the first counts 1, the next 2, then 4.
pub(in crate::store) fn flags<const N: usize>(backend: DatabaseBackend, flags: [Expr; N]) -> Expr {
    let weighed = flags.into_iter().enumerate().map(|(place, flag)| {
        // SQLite's flags are numbers already.
        let flag = if backend == DatabaseBackend::Postgres { number(flag) } else { flag };
        flag.mul(Expr::cust((1_u64 << place).to_string()))
    });
    weighed.reduce(ExprTrait::add).unwrap_or_else(|| Expr::cust("0"))
}

/// Reads what [`flags`] wrote.
pub(in crate::store) fn several<'de, D: serde::Deserializer<'de>, const N: usize>(
    deserializer: D,
) -> Result<[bool; N], D::Error> {
    let number = <u64 as serde::Deserialize>::deserialize(deserializer)?;
    Ok(std::array::from_fn(|place| number >> place & 1 == 1))
}

/// Reads what [`number`] wrote.
pub(in crate::store) fn flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let number = <i64 as serde::Deserialize>::deserialize(deserializer)?;
    Ok(number != 0)
}

/// Reads an instant from its milliseconds.
pub(in crate::store) fn instant<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    <i64 as serde::Deserialize>::deserialize(deserializer).map(Timestamp::from_millis)
}

/// Reads an instant that may be missing.
pub(in crate::store) fn optional_instant<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Timestamp>, D::Error> {
    let millis = <Option<i64> as serde::Deserialize>::deserialize(deserializer)?;
    Ok(millis.map(Timestamp::from_millis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{store::db::Db, wire::RawJson};

    type Stored = (String, Option<RawJson>, RawJson);

    #[test]
    fn a_text_stays_where_it_was_written_unless_it_is_escaped() {
        let written = Written(Some(r#"["plain", "a \"quote\""]"#.to_owned()));
        let texts: Vec<Text<'_>> = written.rows().expect("texts");
        assert!(matches!(&*texts, [Text(Cow::Borrowed("plain")), Text(Cow::Owned(_))]), "{texts:?}");
        assert_eq!(&*texts[1], "a \"quote\"");
    }

    #[tokio::test]
    async fn stored_json_comes_as_it_is_behind_texts_of_any_kind() {
        let files = tempfile::tempdir().expect("a temporary directory");
        let url = format!("sqlite://{}", files.path().join("packed.db").display());
        let db = Db::open(&url).await.expect("a database");
        let columns = ["column1", "column2", "column3"].map(Expr::col);
        let [text, first, second] = columns;
        let given = [("a]", Some("{\"b\": [1]}"), "[]"), ("\"],[", None, "\"]\"")];
        let mut query = Query::select();
        query.expr(rows_with_json(db.get_database_backend(), [text], [first, second])).from_values(given, "given");
        let read: Vec<Stored> = super::read(&db, &query).await.expect("rows");
        let texts = |(text, first, second): &Stored| {
            (text.clone(), first.as_ref().map(|json| json.text().to_owned()), second.text().to_owned())
        };
        let expected =
            given.map(|(text, first, second)| (text.to_owned(), first.map(str::to_owned), second.to_owned()));
        assert_eq!(read.iter().map(texts).collect::<Vec<_>>(), expected);
        query.and_where(Expr::cust("1 = 0"));
        assert!(super::read::<Stored>(&db, &query).await.expect("no rows").is_empty());
    }
}
