//! Usage of the past: hours are added up to days, and what is older than it is kept goes.

use flagstone_domain::time::Timestamp;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Statement,
};

use crate::{
    StoreError,
    db::Tx,
    entity::{
        client_instance, client_metrics_daily, client_metrics_hourly, client_metrics_variant_daily,
        client_metrics_variant_hourly, client_report,
    },
};

/// Reports that are remembered when others are forgotten: those of a thousand proxies in more than a day.
const REPORTS: u64 = 2_000_000;

/// Start of the first hour whose usage is kept by the hour.
pub async fn oldest_hour(db: &impl ConnectionTrait) -> Result<Option<Timestamp>, StoreError> {
    use client_metrics_hourly::{Column, Entity};
    let oldest = Entity::find().select_only().column(Column::Timestamp).order_by_asc(Column::Timestamp).limit(1);
    Ok(oldest.into_tuple().one(db).await?)
}

/// Whether a day has been added up.
pub async fn is_added_up(db: &impl ConnectionTrait, day: Timestamp) -> Result<bool, StoreError> {
    let rows = client_metrics_daily::Entity::find().filter(client_metrics_daily::Column::Date.eq(day)).limit(1);
    Ok(rows.count(db).await? > 0)
}

/// Whether the variants of a day have been added up.
pub async fn are_variants_added_up(db: &impl ConnectionTrait, day: Timestamp) -> Result<bool, StoreError> {
    use client_metrics_variant_daily::{Column, Entity};
    Ok(Entity::find().filter(Column::Date.eq(day)).limit(1).count(db).await? > 0)
}

/// Counts of features of one day that are kept: those of which there are most.
pub const COUNTS_OF_A_DAY: usize = 250_000;
/// Counts of variants of one day that are kept: those of which there are most.
pub const VARIANTS_OF_A_DAY: usize = 250_000;

/// Adds up the hours of the day that starts at `day`. Doing it again gives the same.
pub async fn add_up(tx: &Tx, day: Timestamp) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO client_metrics_daily (feature_name, app_name, environment, date, yes, no) \
         SELECT feature_name, app_name, environment, CAST($1 AS bigint), \
         CAST(sum(yes) AS bigint), CAST(sum(no) AS bigint) FROM client_metrics_hourly \
         WHERE \"timestamp\" >= $1 AND \"timestamp\" < $2 GROUP BY feature_name, app_name, environment \
         ORDER BY sum(yes) + sum(no) DESC, feature_name, app_name, environment LIMIT {COUNTS_OF_A_DAY} \
         ON CONFLICT (feature_name, app_name, environment, date) \
         DO UPDATE SET yes = excluded.yes, no = excluded.no"
    );
    of_day(tx, &sql, day).await
}

/// Adds up the hours of the variants of the day that starts at `day`. Doing it again gives the same.
pub async fn add_up_variants(tx: &Tx, day: Timestamp) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO client_metrics_variant_daily (feature_name, app_name, environment, date, variant, \"count\") \
         SELECT feature_name, app_name, environment, CAST($1 AS bigint), variant, CAST(sum(\"count\") AS bigint) \
         FROM client_metrics_variant_hourly WHERE \"timestamp\" >= $1 AND \"timestamp\" < $2 \
         GROUP BY feature_name, app_name, environment, variant \
         ORDER BY sum(\"count\") DESC, feature_name, app_name, environment, variant LIMIT {VARIANTS_OF_A_DAY} \
         ON CONFLICT (feature_name, app_name, environment, date, variant) DO UPDATE SET \"count\" = excluded.\"count\""
    );
    of_day(tx, &sql, day).await
}

/// Executes a statement about the time from its first to its second parameter, for a day.
async fn of_day(tx: &Tx, sql: &str, day: Timestamp) -> Result<(), StoreError> {
    let values = [day.into(), day.plus_days(1).into()];
    tx.execute_raw(Statement::from_sql_and_values(tx.get_database_backend(), sql, values)).await?;
    Ok(())
}

/// Forgets hours that began before `hours`, and days before `days`.
pub async fn forget_usage(tx: &Tx, hours: Timestamp, days: Timestamp) -> Result<(), StoreError> {
    client_metrics_hourly::Entity::delete_many()
        .filter(client_metrics_hourly::Column::Timestamp.lt(hours))
        .exec(tx)
        .await?;
    client_metrics_variant_hourly::Entity::delete_many()
        .filter(client_metrics_variant_hourly::Column::Timestamp.lt(hours))
        .exec(tx)
        .await?;
    client_metrics_daily::Entity::delete_many().filter(client_metrics_daily::Column::Date.lt(days)).exec(tx).await?;
    client_metrics_variant_daily::Entity::delete_many()
        .filter(client_metrics_variant_daily::Column::Date.lt(days))
        .exec(tx)
        .await?;
    Ok(())
}

/// Forgets reports that need not be recognised any more, and the oldest of more than are remembered.
pub async fn forget_reports(tx: &Tx, now: Timestamp) -> Result<(), StoreError> {
    use client_report::{Column, Entity};
    let too_many = Entity::find().select_only().column(Column::KnownUntil).order_by_desc(Column::KnownUntil);
    let too_many: Option<Timestamp> = too_many.offset(REPORTS).limit(1).into_tuple().one(tx).await?;
    let until = too_many.map_or(now, |oldest| oldest.max(now));
    Entity::delete_many().filter(Column::KnownUntil.lte(until)).exec(tx).await?;
    Ok(())
}

/// Forgets running copies that were last heard of before `since`. The applications stay.
pub async fn forget_instances(tx: &Tx, since: Timestamp) -> Result<(), StoreError> {
    client_instance::Entity::delete_many().filter(client_instance::Column::LastSeenAt.lt(since)).exec(tx).await?;
    Ok(())
}
