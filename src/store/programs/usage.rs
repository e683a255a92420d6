//! Writes the reports of programs in a few statements, whatever their size.
//!
//! Each statement is handed its rows as one JSON text, so that neither their number nor the database matters.

mod room;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use flagstone_domain::{
    time::Timestamp,
    usage::{Gathered, MOST_IN_AN_HOUR, Tally, TallyKey},
};
use sea_orm::{ConnectionTrait, DatabaseBackend, Statement, Value};
use serde_json::json;

use crate::{StoreError, db::Tx, programs::unknown_flags};

/// Most rows of what programs report; beyond them new ones are not kept, and those that are there go on.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Applications.
    pub applications: usize,
    /// Applications that programs with one token may have introduced.
    pub applications_of_one_token: usize,
    /// Running copies at a time.
    pub instances: usize,
    /// Counts of features in one hour.
    pub tallies_of_an_hour: usize,
    /// Counts of variants in one hour.
    pub variants_of_an_hour: usize,
    /// Names of features that programs ask for and that their tokens do not reach, by who asked.
    pub unknown_flags: usize,
}

/// The bounds of every server.
pub const BOUNDS: Bounds = Bounds {
    applications: 10_000,
    applications_of_one_token: 5000,
    instances: 200_000,
    tallies_of_an_hour: 250_000,
    variants_of_an_hour: 250_000,
    unknown_flags: 10_000,
};
/// Least time from the last use that was written to the next that is, in milliseconds.
const LATER_MS: i64 = 30_000;

/// Outcome of writing.
#[derive(Debug)]
pub struct Written {
    /// Names of the applications that were not known before.
    pub new_applications: Vec<String>,
    /// Reports that had been written before, and so were not again.
    pub repeated: u64,
}

/// Writes everything.
pub async fn write(tx: &Tx, gathered: &Gathered, now: Timestamp) -> Result<Written, StoreError> {
    write_within(tx, gathered, now, BOUNDS).await
}

/// Writes within the given bounds.
pub async fn write_within(tx: &Tx, gathered: &Gathered, now: Timestamp, bounds: Bounds) -> Result<Written, StoreError> {
    let names: BTreeSet<&str> = gathered.applications.keys().map(String::as_str).collect();
    let known = known_applications(tx, &names).await?;
    let new = room::new_applications(tx, gathered, &known, bounds).await?;
    let admitted: BTreeSet<String> = known.into_iter().chain(new.iter().cloned()).collect();
    applications(tx, gathered, &admitted).await?;
    origins(tx, gathered, &admitted).await?;
    instances(tx, gathered, &admitted, bounds).await?;
    let fresh = new_reports(tx, gathered, now).await?;
    let mut counted = Cow::Borrowed(&gathered.tallies);
    for (key, tally) in fresh.iter().filter_map(|id| gathered.reports.get(id)).flat_map(|report| &report.tallies) {
        counted.to_mut().entry(key.clone()).or_default().add(tally.clone());
    }
    tallies(tx, &counted, &admitted, bounds).await?;
    evaluated(tx, gathered, now).await?;
    unknown_flags::write(tx, &gathered.unknown_flags, bounds).await?;
    tokens(tx, &gathered.tokens).await?;
    Ok(Written {
        new_applications: new,
        repeated: u64::try_from(gathered.reports.len() - fresh.len()).unwrap_or(u64::MAX),
    })
}

/// Remembers reports, and returns the ids of those that no node had remembered.
async fn new_reports(tx: &Tx, gathered: &Gathered, now: Timestamp) -> Result<BTreeSet<String>, StoreError> {
    if gathered.reports.is_empty() {
        return Ok(BTreeSet::new());
    }
    let given: Vec<_> = gathered.reports.iter().map(|(id, report)| (id, report.until.millis())).collect();
    let given = serde_json::to_string(&given).expect("texts and numbers");
    let (rows, id, until) = (rows(tx), text(0), number(1));
    let sql = format!(
        "INSERT INTO client_report (id, known_until) SELECT {id}, {until} FROM {rows} WHERE true ORDER BY 1 \
         ON CONFLICT (id) DO UPDATE SET known_until = excluded.known_until \
         WHERE client_report.known_until <= CAST($2 AS bigint) RETURNING id"
    );
    let statement = Statement::from_sql_and_values(tx.get_database_backend(), sql, [given.into(), now.into()]);
    let fresh = tx.query_all_raw(statement).await?;
    Ok(fresh.iter().map(|row| row.try_get_by_index(0)).collect::<Result<_, _>>()?)
}

/// The rows of the first parameter, as a table of one column `value`.
pub(super) fn rows(tx: &Tx) -> &'static str {
    match tx.get_database_backend() {
        DatabaseBackend::Postgres => "jsonb_array_elements($1::jsonb) AS given(value)",
        _ => "json_each($1) AS given",
    }
}

pub(super) fn text(index: usize) -> String {
    format!("(given.value ->> {index})")
}

pub(super) fn number(index: usize) -> String {
    format!("CAST(given.value ->> {index} AS bigint)")
}

/// The smaller of two numbers.
fn least(tx: &Tx, one: &str, other: &str) -> String {
    let function = if tx.get_database_backend() == DatabaseBackend::Postgres { "LEAST" } else { "min" };
    format!("{function}({one}, {other})")
}

/// The greater of two numbers.
pub(super) fn greatest(tx: &Tx, one: &str, other: &str) -> String {
    let function = if tx.get_database_backend() == DatabaseBackend::Postgres { "GREATEST" } else { "max" };
    format!("{function}({one}, {other})")
}

pub(super) async fn execute(
    tx: &Tx,
    sql: &str,
    rows: &[serde_json::Value],
    more: Vec<Value>,
) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let rows = serde_json::to_string(rows).expect("rows have string keys and finite numbers");
    let values = std::iter::once(Value::from(rows)).chain(more);
    tx.execute_raw(Statement::from_sql_and_values(tx.get_database_backend(), sql, values)).await?;
    Ok(())
}

async fn known_applications(tx: &Tx, names: &BTreeSet<&str>) -> Result<BTreeSet<String>, StoreError> {
    if names.is_empty() {
        return Ok(BTreeSet::new());
    }
    let list = serde_json::to_string(&names.iter().map(|name| [name]).collect::<Vec<_>>()).expect("texts");
    let (rows, name) = (rows(tx), text(0));
    let sql = format!("SELECT app_name FROM client_application WHERE app_name IN (SELECT {name} FROM {rows})");
    let statement = Statement::from_sql_and_values(tx.get_database_backend(), sql, [list.into()]);
    let known = tx.query_all_raw(statement).await?;
    Ok(known.iter().map(|row| row.try_get_by_index(0)).collect::<Result<_, _>>()?)
}

async fn applications(tx: &Tx, gathered: &Gathered, admitted: &BTreeSet<String>) -> Result<(), StoreError> {
    let given: Vec<_> = gathered
        .applications
        .iter()
        .filter(|(name, _)| admitted.contains(*name))
        .map(|(name, heard)| {
            let strategies = serde_json::to_string(&heard.strategies).expect("texts");
            json!([name, strategies, heard.token, heard.at.millis()])
        })
        .collect();
    let (rows, name, strategies, token, at) = (rows(tx), text(0), text(1), text(2), number(3));
    let seen_at = greatest(tx, "client_application.seen_at", "excluded.seen_at");
    let sql = format!(
        "INSERT INTO client_application (app_name, strategies, created_by, created_at, updated_at, seen_at) \
         SELECT {name}, {strategies}, {token}, {at}, {at}, {at} FROM {rows} WHERE true \
         ON CONFLICT (app_name) DO UPDATE SET seen_at = {seen_at}, \
         updated_at = CASE WHEN excluded.strategies IN ('[]', client_application.strategies) \
         THEN client_application.updated_at ELSE excluded.updated_at END, \
         strategies = CASE excluded.strategies WHEN '[]' THEN client_application.strategies \
         ELSE excluded.strategies END"
    );
    execute(tx, &sql, &given, vec![]).await
}

/// The projects of the tokens with which applications came.
async fn origins(tx: &Tx, gathered: &Gathered, admitted: &BTreeSet<String>) -> Result<(), StoreError> {
    let heard = gathered.applications.iter().filter(|(name, _)| admitted.contains(*name));
    let given: Vec<_> =
        heard.flat_map(|(name, heard)| heard.projects.iter().map(move |project| json!([name, project]))).collect();
    let (rows, name, project) = (rows(tx), text(0), text(1));
    let sql = format!(
        "INSERT INTO client_application_project (app_name, project) SELECT {name}, {project} FROM {rows} WHERE true \
         ON CONFLICT (app_name, project) DO NOTHING"
    );
    execute(tx, &sql, &given, vec![]).await
}

async fn instances(
    tx: &Tx,
    gathered: &Gathered,
    admitted: &BTreeSet<String>,
    bounds: Bounds,
) -> Result<(), StoreError> {
    let most = bounds.instances;
    let given: Vec<_> = gathered
        .instances
        .iter()
        .filter(|(key, _)| admitted.contains(&key.application))
        .map(|(key, heard)| {
            json!([key.application, key.instance, key.environment, heard.sdk_version, heard.at.millis()])
        })
        .collect();
    let (rows, application, instance, environment) = (rows(tx), text(0), text(1), text(2));
    let (sdk_version, at) = (text(3), number(4));
    let last_seen_at = greatest(tx, "client_instance.last_seen_at", "excluded.last_seen_at");
    let sql = format!(
        "INSERT INTO client_instance (app_name, instance_id, environment, sdk_version, last_seen_at, created_at) \
         SELECT {application}, {instance}, {environment}, {sdk_version}, {at}, {at} FROM {rows} \
         WHERE (SELECT count(*) FROM client_instance) < {most} \
         OR EXISTS (SELECT 1 FROM client_instance AS known WHERE known.app_name = {application} \
         AND known.instance_id = {instance} AND known.environment = {environment}) \
         ON CONFLICT (app_name, instance_id, environment) DO UPDATE SET last_seen_at = {last_seen_at}, \
         sdk_version = COALESCE(excluded.sdk_version, client_instance.sdk_version)"
    );
    execute(tx, &sql, &given, vec![]).await
}

async fn tallies(
    tx: &Tx,
    counted: &BTreeMap<TallyKey, Tally>,
    admitted: &BTreeSet<String>,
    bounds: Bounds,
) -> Result<(), StoreError> {
    let (mut hourly, mut by_variant) = (Vec::new(), Vec::new());
    for (key, tally) in counted.iter().filter(|(key, _)| admitted.contains(&key.application)) {
        let hour = key.hour.millis();
        hourly.push(json!([key.feature, key.application, key.environment, hour, tally.yes, tally.no]));
        by_variant.extend(
            tally
                .variants
                .iter()
                .map(|(variant, count)| json!([key.feature, key.application, key.environment, hour, variant, count])),
        );
    }
    let hourly = room::in_their_hours(tx, &room::HOURLY, hourly, bounds.tallies_of_an_hour).await?;
    let by_variant = room::in_their_hours(tx, &room::BY_VARIANT, by_variant, bounds.variants_of_an_hour).await?;
    let (rows, feature, application, environment, hour) = (rows(tx), text(0), text(1), text(2), number(3));
    let most = MOST_IN_AN_HOUR.to_string();
    let sum = |table: &str, column: &str| least(tx, &format!("{table}.{column} + excluded.{column}"), &most);
    let sql = format!(
        "INSERT INTO client_metrics_hourly (feature_name, app_name, environment, \"timestamp\", yes, no) \
         SELECT {feature}, {application}, {environment}, {hour}, {yes}, {no} FROM {rows} WHERE true \
         ON CONFLICT (feature_name, app_name, environment, \"timestamp\") \
         DO UPDATE SET yes = {yes_sum}, no = {no_sum}",
        yes = number(4),
        no = number(5),
        yes_sum = sum("client_metrics_hourly", "yes"),
        no_sum = sum("client_metrics_hourly", "no"),
    );
    execute(tx, &sql, &hourly, vec![]).await?;
    let sql = format!(
        "INSERT INTO client_metrics_variant_hourly \
         (feature_name, app_name, environment, \"timestamp\", variant, \"count\") \
         SELECT {feature}, {application}, {environment}, {hour}, {variant}, {count} FROM {rows} WHERE true \
         ON CONFLICT (feature_name, app_name, environment, \"timestamp\", variant) \
         DO UPDATE SET \"count\" = {count_sum}",
        variant = text(4),
        count = number(5),
        count_sum = sum("client_metrics_variant_hourly", "\"count\""),
    );
    execute(tx, &sql, &by_variant, vec![]).await
}

/// When features were last evaluated, and the stages that they enter by it: `pre-live` by any use, `live` by one in an
/// environment of type `production` where the feature is on. What is completed or archived has its last stage.
async fn evaluated(tx: &Tx, gathered: &Gathered, now: Timestamp) -> Result<(), StoreError> {
    let given: Vec<_> = gathered
        .evaluated
        .iter()
        .map(|((feature, environment), at)| json!([feature, environment, at.millis()]))
        .collect();
    let (rows, feature, environment, at) = (rows(tx), text(0), text(1), number(2));
    let joined = format!("{rows} INNER JOIN feature ON feature.name = {feature}");
    let later = |column: &str| format!("({column} IS NULL OR {column} + {LATER_MS} <= used.at)");
    let sql = format!(
        "UPDATE feature_environment SET last_seen_at = used.at FROM \
         (SELECT feature.id AS id, {environment} AS environment, {at} AS at FROM {joined}) AS used \
         WHERE feature_environment.feature_id = used.id AND feature_environment.environment = used.environment \
         AND {}",
        later("feature_environment.last_seen_at")
    );
    execute(tx, &sql, &given, vec![]).await?;
    let sql = format!(
        "UPDATE feature SET last_seen_at = used.at FROM \
         (SELECT feature.id AS id, max({at}) AS at FROM {joined} GROUP BY feature.id) AS used \
         WHERE feature.id = used.id AND {}",
        later("feature.last_seen_at")
    );
    execute(tx, &sql, &given, vec![]).await?;
    let unfinished = "feature.archived_at IS NULL AND NOT EXISTS (SELECT 1 FROM feature_lifecycle AS done \
                      WHERE done.feature_id = feature.id AND done.stage IN ('completed', 'archived'))";
    let sql = format!(
        "INSERT INTO feature_lifecycle (feature_id, stage, entered_stage_at) \
         SELECT DISTINCT feature.id, 'pre-live', CAST($2 AS bigint) FROM {joined} WHERE {unfinished} \
         ON CONFLICT (feature_id, stage) DO NOTHING"
    );
    execute(tx, &sql, &given, vec![now.into()]).await?;
    let sql = format!(
        "INSERT INTO feature_lifecycle (feature_id, stage, entered_stage_at) \
         SELECT DISTINCT feature.id, 'live', CAST($2 AS bigint) FROM {joined} \
         INNER JOIN environment ON environment.name = {environment} AND environment.type = 'production' \
         INNER JOIN feature_environment AS here ON here.feature_id = feature.id \
         AND here.environment = environment.name AND here.enabled WHERE {unfinished} \
         ON CONFLICT (feature_id, stage) DO NOTHING"
    );
    execute(tx, &sql, &given, vec![now.into()]).await
}

/// When API tokens were last used.
async fn tokens(tx: &Tx, sightings: &BTreeMap<i64, Timestamp>) -> Result<(), StoreError> {
    let given: Vec<_> = sightings.iter().map(|(id, at)| json!([id, at.millis()])).collect();
    let (rows, id, at) = (rows(tx), number(0), number(1));
    let sql = format!(
        "UPDATE api_token SET seen_at = used.at FROM (SELECT {id} AS id, {at} AS at FROM {rows}) AS used \
         WHERE api_token.id = used.id AND (api_token.seen_at IS NULL OR api_token.seen_at + {LATER_MS} <= used.at)"
    );
    execute(tx, &sql, &given, vec![]).await
}
