//! Bounds on the rows of a report.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::usage::Gathered;
use sea_orm::{ConnectionTrait, Statement};

use super::{Bounds, number, rows, text};
use crate::{StoreError, db::Tx};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::store::programs::usage::room";

/// A table of counts by the hour, and the columns of its key apart from the hour, by their places in a given row.
pub(super) struct Counts {
    table: &'static str,
    key: &'static [(&'static str, usize)],
}

/// Place of the hour in a given row.
const HOUR: usize = 3;

/// Counts of features.
pub(super) const HOURLY: Counts =
    Counts { table: "client_metrics_hourly", key: &[("feature_name", 0), ("app_name", 1), ("environment", 2)] };
/// Counts of variants.
pub(super) const BY_VARIANT: Counts = Counts {
    table: "client_metrics_variant_hourly",
    key: &[("feature_name", 0), ("app_name", 1), ("environment", 2), ("variant", 4)],
};

/// The new applications that there is room for: in all, and among those of their token.
pub(super) async fn new_applications(
    tx: &Tx,
    gathered: &Gathered,
    known: &BTreeSet<String>,
    bounds: Bounds,
) -> Result<Vec<String>, StoreError> {
    let new: Vec<_> = gathered.applications.iter().filter(|(name, _)| !known.contains(*name)).collect();
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "SELECT COALESCE(created_by, ''), count(*) FROM client_application GROUP BY created_by";
    let counted = tx.query_all_raw(Statement::from_string(tx.get_database_backend(), sql)).await?;
    let mut by_token: BTreeMap<String, usize> = BTreeMap::new();
    for row in counted {
        let count: i64 = row.try_get_by_index(1)?;
        *by_token.entry(row.try_get_by_index(0)?).or_default() += usize::try_from(count).unwrap_or_default();
    }
    let mut all: usize = by_token.values().sum();
    let (mut taken, mut left_out) = (Vec::new(), 0_usize);
    for (name, heard) in new {
        let of_one = by_token.entry(heard.token.clone()).or_default();
        if all < bounds.applications && *of_one < bounds.applications_of_one_token {
            (all, *of_one) = (all + 1, *of_one + 1);
            taken.push(name.clone());
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        tracing::warn!(
            target: LOG,
            left_out,
            "new applications are not kept: there are too many, or too many of one token"
        );
    }
    Ok(taken)
}

/// Returns the given rows that there is room for in their hours: all that are there already, and so many new ones.
pub(super) async fn in_their_hours(
    tx: &Tx,
    counts: &Counts,
    given: Vec<serde_json::Value>,
    most: usize,
) -> Result<Vec<serde_json::Value>, StoreError> {
    let hour_of = |row: &serde_json::Value| row[HOUR].as_i64().unwrap_or_default();
    let mut wanted: BTreeMap<i64, usize> = BTreeMap::new();
    for row in &given {
        *wanted.entry(hour_of(row)).or_default() += 1;
    }
    let Counts { table, key } = counts;
    let mut room: BTreeMap<i64, usize> = BTreeMap::new();
    for (hour, wanted) in wanted {
        // Counted no further than to the bound.
        let sql =
            format!("SELECT count(*) FROM (SELECT 1 FROM {table} WHERE \"timestamp\" = $1 LIMIT {most}) AS counted");
        let counted = Statement::from_sql_and_values(tx.get_database_backend(), &sql, [hour.into()]);
        let row = tx.query_one_raw(counted).await?;
        let there: i64 = row.map(|row| row.try_get_by_index(0)).transpose()?.unwrap_or_default();
        let free = most.saturating_sub(usize::try_from(there).unwrap_or(usize::MAX));
        if free < wanted {
            room.insert(hour, free);
        }
    }
    if room.is_empty() {
        return Ok(given);
    }
    let (full, mut taken): (Vec<_>, Vec<_>) = given.into_iter().partition(|row| room.contains_key(&hour_of(row)));
    let known = known_rows(tx, counts, &full).await?;
    let mut left_out = 0_usize;
    for row in full {
        let is_known = known.contains(&key_of(key, &row));
        let free = room.entry(hour_of(&row)).or_default();
        if !is_known && *free == 0 {
            left_out += 1;
            continue;
        }
        *free -= usize::from(!is_known);
        taken.push(row);
    }
    if left_out > 0 {
        tracing::warn!(target: LOG, left_out, table, "counts of usage are not kept: there are too many of one hour");
    }
    Ok(taken)
}

/// Hour and key of a row.
type Key = (i64, Vec<String>);

fn key_of(key: &[(&str, usize)], row: &serde_json::Value) -> Key {
    let part = |place: usize| row[place].as_str().unwrap_or_default().to_owned();
    (row[HOUR].as_i64().unwrap_or_default(), key.iter().map(|(_, place)| part(*place)).collect())
}

/// The keys of the given rows that are there.
async fn known_rows(tx: &Tx, counts: &Counts, given: &[serde_json::Value]) -> Result<BTreeSet<Key>, StoreError> {
    let Counts { table, key } = counts;
    let columns: Vec<&str> = key.iter().map(|(column, _)| *column).collect();
    let matches: Vec<String> = key.iter().map(|(column, place)| format!("known.{column} = {}", text(*place))).collect();
    let sql = format!(
        "SELECT known.\"timestamp\", {} FROM {} INNER JOIN {table} AS known ON known.\"timestamp\" = {} AND {}",
        columns.iter().map(|column| format!("known.{column}")).collect::<Vec<_>>().join(", "),
        rows(tx),
        number(HOUR),
        matches.join(" AND ")
    );
    let given = serde_json::to_string(given).expect("rows have string keys and finite numbers");
    let statement = Statement::from_sql_and_values(tx.get_database_backend(), &sql, [given.into()]);
    let mut keys = BTreeSet::new();
    for row in tx.query_all_raw(statement).await? {
        let parts = (1..=key.len()).map(|index| row.try_get_by_index(index)).collect::<Result<Vec<String>, _>>()?;
        keys.insert((row.try_get_by_index(0)?, parts));
    }
    Ok(keys)
}
