//! Usage of one feature over a period: added up in the database, so that the answer does not grow with the number of
//! programs.

use flagstone_domain::{
    time::{DAY_MS, HOUR_MS, Timestamp},
    usage_period::UsagePeriod,
};
use sea_orm::{ConnectionTrait, DatabaseBackend, DbErr, QueryResult, Statement, Value};

use crate::StoreError;

/// Most applications, and most variants, that are told apart: those with the most evaluations.
pub const NAMES: usize = 20;

/// The evaluations that are asked for.
#[derive(Debug, Clone, Copy)]
pub struct UsageQuery<'q> {
    /// Name of the feature.
    pub feature: &'q str,
    /// Only in this environment.
    pub environment: Option<&'q str>,
    /// Only by this application.
    pub application: Option<&'q str>,
    /// Period whose buckets are added up.
    pub period: UsagePeriod,
    /// Start of the first bucket.
    pub from: Timestamp,
}

/// Evaluations in one bucket, by the name of what they are told apart by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Start of the bucket.
    pub start: Timestamp,
    /// Name of the application or variant. `None` for all that are beyond [`NAMES`].
    pub name: Option<String>,
    /// Evaluations that were on, or that gave the variant.
    pub yes: i64,
    /// Evaluations that were off; none where variants are counted.
    pub no: i64,
}

/// Evaluations, told apart by one thing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Sums other than zero, in no order.
    pub counts: Vec<Count>,
    /// Names that occur, also those that are not told apart.
    pub names: u64,
}

/// Tables of one kind of counts, with the columns that differ.
struct Tables {
    hourly: &'static str,
    daily: &'static str,
    name: &'static str,
    yes: &'static str,
    no: &'static str,
    /// Condition that a row of a day is of the same name as one of an hour, apart from the rest of its key.
    same_name: &'static str,
}

const BY_APPLICATION: Tables = Tables {
    hourly: "client_metrics_hourly",
    daily: "client_metrics_daily",
    name: "app_name",
    yes: "yes",
    no: "no",
    same_name: "",
};
const BY_VARIANT: Tables = Tables {
    hourly: "client_metrics_variant_hourly",
    daily: "client_metrics_variant_daily",
    name: "variant",
    yes: "\"count\"",
    no: "0",
    same_name: "AND day.variant = counted.variant ",
};

/// Evaluations by application.
pub async fn by_application(db: &impl ConnectionTrait, query: &UsageQuery<'_>) -> Result<Counts, StoreError> {
    of(db, query, &BY_APPLICATION).await
}

/// Evaluations by variant.
pub async fn by_variant(db: &impl ConnectionTrait, query: &UsageQuery<'_>) -> Result<Counts, StoreError> {
    of(db, query, &BY_VARIANT).await
}

async fn of(db: &impl ConnectionTrait, query: &UsageQuery<'_>, tables: &Tables) -> Result<Counts, StoreError> {
    let rows = db.query_all_raw(statement(query, tables, db.get_database_backend())).await?;
    let names = rows.first().map(|row| row.try_get_by_index::<i64>(4)).transpose()?.unwrap_or_default();
    let counts = rows.iter().map(count).collect::<Result<_, DbErr>>()?;
    Ok(Counts { counts, names: u64::try_from(names).unwrap_or_default() })
}

fn count(row: &QueryResult) -> Result<Count, DbErr> {
    Ok(Count {
        start: row.try_get_by_index(0)?,
        name: row.try_get_by_index(1)?,
        yes: row.try_get_by_index(2)?,
        no: row.try_get_by_index(3)?,
    })
}

/// Days that are not added up yet are taken from their hours.
fn statement(query: &UsageQuery<'_>, tables: &Tables, backend: DatabaseBackend) -> Statement {
    let Tables { hourly, daily, name, yes, no, same_name } = tables;
    let mut values: Vec<Value> = vec![query.feature.into(), query.from.into()];
    let mut wanted = "counted.feature_name = $1".to_owned();
    for (column, value) in [("environment", query.environment), ("app_name", query.application)] {
        if let Some(value) = value {
            values.push(value.into());
            wanted = format!("{wanted} AND counted.{column} = ${}", values.len());
        }
    }
    let hours = format!(
        "SELECT {name} AS name, \"timestamp\" AS at, {yes} AS yes, {no} AS no FROM {hourly} AS counted \
         WHERE {wanted} AND \"timestamp\" >= $2"
    );
    let rows = match query.period {
        UsagePeriod::Hours => hours,
        UsagePeriod::Days | UsagePeriod::Months => format!(
            "{hours} AND NOT EXISTS (SELECT 1 FROM {daily} AS day WHERE day.feature_name = counted.feature_name \
             AND day.app_name = counted.app_name AND day.environment = counted.environment {same_name}\
             AND day.date = counted.\"timestamp\" - counted.\"timestamp\" % {DAY_MS}) \
             UNION ALL SELECT {name}, date, {yes}, {no} FROM {daily} AS counted WHERE {wanted} AND date >= $2"
        ),
    };
    let bucket = bucket(query.period, backend);
    let sql = format!(
        "WITH given AS ({rows}), \
         ranked AS (SELECT name, ROW_NUMBER() OVER (ORDER BY sum(yes + no) DESC, name) AS place \
         FROM given GROUP BY name) \
         SELECT {bucket} AS bucket, CASE WHEN ranked.place <= {NAMES} THEN ranked.name END AS told, \
         CAST(sum(given.yes) AS bigint), CAST(sum(given.no) AS bigint), (SELECT count(*) FROM ranked) \
         FROM given INNER JOIN ranked ON ranked.name = given.name GROUP BY 1, 2"
    );
    Statement::from_sql_and_values(backend, sql, values)
}

/// Start of the bucket that a row lies in, in milliseconds.
fn bucket(period: UsagePeriod, backend: DatabaseBackend) -> String {
    match (period, backend) {
        (UsagePeriod::Hours, _) => format!("given.at - given.at % {HOUR_MS}"),
        (UsagePeriod::Days, _) => format!("given.at - given.at % {DAY_MS}"),
        (UsagePeriod::Months, DatabaseBackend::Postgres) => "CAST(extract(epoch FROM date_trunc('month', \
             to_timestamp(given.at / 1000) AT TIME ZONE 'UTC')) * 1000 AS bigint)"
            .to_owned(),
        (UsagePeriod::Months, _) => {
            "CAST(strftime('%s', given.at / 1000, 'unixepoch', 'start of month') AS bigint) * 1000".to_owned()
        }
    }
}
