//! Many rows fetched as one: the database writes them as a single JSON text.
//!
//! A row that travels on its own costs several times what reading it costs, so lists of hundreds are packed.

mod row;

use std::{borrow::Cow, ops::Deref, slice};

use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseBackend, DbErr, QueryResult,
    sea_query::{Expr, ExprTrait, Func, FunctionCall, Query, SelectStatement},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub(crate) use self::row::{PackedValue, ReadRow, Row, flags, lists, read_column, read_row, row, weighed};
use crate::{StoreError, db::text::CONCAT};

/// Runs `query`, which must not name columns, and reads its rows, which come in no particular order.
pub(crate) async fn fetch<R: Row + DeserializeOwned>(
    db: &impl ConnectionTrait,
    mut query: SelectStatement,
) -> Result<Vec<R>, StoreError> {
    query.expr(rows::<R>(db.get_database_backend()));
    read(db, &query).await
}

/// Runs `query`, which must not name columns, and reads from its rows the one column.
pub(crate) async fn fetch_column<T: DeserializeOwned>(
    db: &impl ConnectionTrait,
    mut query: SelectStatement,
    column: impl ColumnTrait,
) -> Result<Vec<T>, StoreError> {
    let backend = db.get_database_backend();
    query.expr(as_text(inner_values(backend, row_of(backend, [column.into_expr()]).into())));
    let rows: Vec<(T,)> = read(db, &query).await?;
    Ok(rows.into_iter().map(|(value,)| value).collect())
}

/// Runs a query whose only column is [`rows`] or [`values`].
pub(crate) async fn read<T: DeserializeOwned>(
    db: &impl ConnectionTrait,
    query: &SelectStatement,
) -> Result<Vec<T>, StoreError> {
    match db.query_one(query).await? {
        Some(row) => Ok(list(&row, 0)?),
        None => Ok(Vec::new()),
    }
}

/// Runs several queries, each as for [`read`], as one statement, so that all see the same moment.
pub(crate) async fn all(
    db: &impl ConnectionTrait,
    queries: impl IntoIterator<Item = SelectStatement>,
) -> Result<Texts, StoreError> {
    texts(db, &Query::select().exprs(queries.into_iter().map(Expr::from)).take()).await
}

/// Runs a statement whose columns are each [`rows`] or [`values`].
pub(crate) async fn texts(db: &impl ConnectionTrait, query: &SelectStatement) -> Result<Texts, StoreError> {
    let row = db.query_one(query).await?.ok_or_else(|| DbErr::RecordNotFound("packed rows".to_owned()))?;
    Ok(Texts::of(row))
}

/// Results of several queries.
pub(crate) struct Texts {
    row: QueryResult,
    next: usize,
}

impl Texts {
    /// Results in a row whose columns are each [`rows`] or [`values`].
    pub(crate) const fn of(row: QueryResult) -> Self {
        Self { row, next: 0 }
    }

    /// Returns the result of the next query.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> Result<Vec<T>, StoreError> {
        Ok(self.written()?.rows()?)
    }

    /// Returns the results of the next queries, unread, so that rows can borrow from them.
    pub(crate) fn take(&mut self, number: usize) -> Result<Vec<Written>, StoreError> {
        Ok((0..number).map(|_| self.written()).collect::<Result<_, _>>()?)
    }

    fn written(&mut self) -> Result<Written, DbErr> {
        let column = self.next;
        self.next += 1;
        Written::of(&self.row, column)
    }
}

/// Result of a query, as the database wrote it.
pub(crate) struct Written(Option<String>);

impl Written {
    fn of(row: &QueryResult, column: usize) -> Result<Self, DbErr> {
        row.try_get_by_index(column).map(Self)
    }

    /// The rows, or values.
    pub(crate) fn rows<'a, T: Deserialize<'a>>(&'a self) -> Result<Vec<T>, DbErr> {
        // No rows are NULL to PostgreSQL, and to SQLite where it does not make the list itself.
        let Some(text) = &self.0 else { return Ok(Vec::new()) };
        serde_json::from_str(text).map_err(|error| DbErr::Json(format!("packed rows: {error}")))
    }
}

/// Reads the next of several results, for [`lists`].
pub(crate) fn read_list<'a, T: Deserialize<'a>>(results: &mut slice::Iter<'a, Written>) -> Result<Vec<T>, DbErr> {
    results.next().map_or_else(|| Ok(Vec::new()), Written::rows)
}

/// A text in a packed row. It stays where the database wrote it, unless that is not how it reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

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

/// Reads a column that is [`rows`] or [`values`].
pub(crate) fn list<T: DeserializeOwned>(row: &QueryResult, column: usize) -> Result<Vec<T>, DbErr> {
    Written::of(row, column)?.rows()
}

/// All rows of a query as one JSON text: a list of rows, each the list of its columns.
///
/// Without rows it is NULL on PostgreSQL and an empty list on SQLite.
pub(crate) fn rows<R: Row>(backend: DatabaseBackend) -> Expr {
    as_text(inner_rows::<R>(backend))
}

/// All rows of a query as in [`rows`], with columns of stored JSON behind the others, of which there is at least one.
/// Without rows it is NULL.
///
/// What was stored is known to be JSON and goes in as it is: the database would read all of it first.
pub(crate) fn rows_with_json<R: Row>(backend: DatabaseBackend) -> Expr {
    let glue = if backend == DatabaseBackend::Postgres { "string_agg" } else { "group_concat" };
    let mut columns = R::columns(backend);
    let stored = columns.split_off(columns.len() - R::STORED);
    let row = as_text(row_of(backend, columns).into());
    let open = Func::cust("rtrim").arg(row).arg(Expr::cust("']'")).into();
    let whole = stored.into_iter().fold(open, |row: Expr, stored| {
        row.binary(CONCAT, Expr::cust("','")).binary(CONCAT, Func::coalesce([stored, Expr::cust("'null'")]))
    });
    let rows = Func::cust(glue).arg(whole.binary(CONCAT, Expr::cust("']'"))).arg(Expr::cust("','"));
    Expr::cust("'['").binary(CONCAT, rows).binary(CONCAT, Expr::cust("']'"))
}

/// One value of each row of a query as one JSON text. Without rows as in [`rows`].
pub(crate) fn values(backend: DatabaseBackend, value: Expr) -> Expr {
    as_text(inner_values(backend, value))
}

/// All rows of a query as in [`rows`], as JSON of the database.
pub(crate) fn inner_rows<R: Row>(backend: DatabaseBackend) -> Expr {
    inner_values(backend, row_of(backend, R::columns(backend)).into())
}

/// A row as the list of its columns.
fn row_of(backend: DatabaseBackend, columns: impl IntoIterator<Item = Expr>) -> FunctionCall {
    let list = if backend == DatabaseBackend::Postgres { "json_build_array" } else { "json_array" };
    Func::cust(list).args(columns)
}

/// One value of each row of a query, as JSON of the database. Without rows as in [`rows`].
fn inner_values(backend: DatabaseBackend, value: Expr) -> Expr {
    let list = if backend == DatabaseBackend::Postgres { "json_agg" } else { "json_group_array" };
    Func::cust(list).arg(value).into()
}

fn as_text(json: Expr) -> Expr {
    Func::cast_as(json, "text").into()
}

#[cfg(test)]
mod tests {
    use flagstone_wire::RawJson;
    use sea_orm::sea_query::SqliteQueryBuilder;

    use super::*;
    use crate::db::Db;

    row! {
        #[derive(Debug, Clone, PartialEq, Eq)]
        struct Plain<'a> {
            first: Text<'a> => Expr::col("column1"),
            second: i64 => Expr::col("column2"),
            flags: Flags => (),
        }
    }

    flags! {
        #[derive(Debug, Clone, PartialEq, Eq)]
        struct Flags { third => Expr::col("column3"), fourth => Expr::col("column4") }
    }

    row! {
        struct Stored {
            text: String => Expr::col("column1"),
            first: Option<RawJson> => Expr::col("column2"),
            second: RawJson => Expr::col("column3"),
        }
    }

    #[test]
    fn columns_are_read_in_the_order_in_which_they_are_written() {
        let query = Query::select().expr(rows::<Plain<'_>>(DatabaseBackend::Sqlite)).from("given").take();
        let sql = query.to_string(SqliteQueryBuilder);
        let places = ["column1", "column2", "column3", "* (1)", "column4", "* (2)"].map(|part| sql.find(part));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{sql}");
        let written = Written(Some(r#"[["a", 5, 2]]"#.to_owned()));
        let read: Vec<Plain<'_>> = written.rows().expect("rows");
        let flags = Flags { third: false, fourth: true };
        assert_eq!(read, [Plain { first: "a".into(), second: 5, flags }]);
        for wrong in [r#"[["a", 5]]"#, r#"[["a", 5, 2, 1]]"#, r#"[[5, "a", 2]]"#] {
            assert!(Written(Some(wrong.to_owned())).rows::<Plain<'_>>().is_err(), "{wrong}");
        }
    }

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
        let given = [("a]", Some("{\"b\": [1]}"), "[]"), ("\"],[", None, "\"]\"")];
        let mut query = Query::select();
        query.expr(rows_with_json::<Stored>(db.get_database_backend())).from_values(given, "given");
        let read: Vec<Stored> = super::read(&db, &query).await.expect("rows");
        let texts = |row: &Stored| {
            (row.text.clone(), row.first.as_ref().map(|json| json.text().to_owned()), row.second.text().to_owned())
        };
        let expected =
            given.map(|(text, first, second)| (text.to_owned(), first.map(str::to_owned), second.to_owned()));
        assert_eq!(read.iter().map(texts).collect::<Vec<_>>(), expected);
        query.and_where(Expr::cust("1 = 0"));
        assert!(super::read::<Stored>(&db, &query).await.expect("no rows").is_empty());
    }
}
