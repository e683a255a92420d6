//! Log of the outcomes of attempts to sign in.

use flagstone_domain::{
    sign_in_log::{Entry, Method, Outcome, Record},
    time::{HOUR_MS, Timestamp},
};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::{
    StoreError,
    db::{Tx, batches::WRITTEN_AT_ONCE},
    entity::sign_in_log,
};

/// Most entries that are kept.
const MOST: u64 = 50_000;

/// Filter of the entries.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Entries whose error has this id.
    pub error_id: Option<String>,
    /// Entries with an id below this one.
    pub before: Option<i64>,
}

/// Stores entries, oldest first.
pub async fn append(tx: &Tx, entries: Vec<Entry>) -> Result<(), StoreError> {
    let rows: Vec<_> = entries.into_iter().map(row).collect();
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        sign_in_log::Entity::insert_many(batch.to_vec()).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// The newest entries that a filter lets through, newest first.
pub async fn list(db: &impl ConnectionTrait, filter: &Filter, limit: u64) -> Result<Vec<Record>, StoreError> {
    let mut rows = sign_in_log::Entity::find().order_by_desc(sign_in_log::Column::Id).limit(limit);
    if let Some(error_id) = &filter.error_id {
        rows = rows.filter(sign_in_log::Column::ErrorId.eq(error_id));
    }
    if let Some(before) = filter.before {
        rows = rows.filter(sign_in_log::Column::Id.lt(before));
    }
    Ok(rows.all(db).await?.into_iter().filter_map(record).collect())
}

/// Forgets entries that are older than some hours, or too many.
pub(super) async fn remove_old(tx: &Tx, now: Timestamp, kept_hours: i64) -> Result<(), StoreError> {
    let too_old = sign_in_log::Column::CreatedAt.lt(now.plus_millis(-kept_hours.saturating_mul(HOUR_MS)));
    sign_in_log::Entity::delete_many().filter(too_old).exec(tx).await?;
    let first_too_many = sign_in_log::Entity::find()
        .select_only()
        .column(sign_in_log::Column::Id)
        .order_by_desc(sign_in_log::Column::Id)
        .offset(MOST)
        .limit(1)
        .into_tuple::<i64>()
        .one(tx)
        .await?;
    if let Some(last) = first_too_many {
        sign_in_log::Entity::delete_many().filter(sign_in_log::Column::Id.lte(last)).exec(tx).await?;
    }
    Ok(())
}

fn row(entry: Entry) -> sign_in_log::ActiveModel {
    sign_in_log::ActiveModel {
        created_at: Set(entry.at),
        provider: Set(entry.method.as_str().to_owned()),
        outcome: Set(entry.outcome.as_str().to_owned()),
        reason: Set(entry.reason),
        user_id: Set(entry.user_id),
        subject: Set(entry.subject),
        address: Set(entry.address),
        error_id: Set(entry.error_id.map(|id| id.to_string())),
        expected: Set(entry.expected),
        found: Set(entry.found),
        attempts: Set(entry.attempts),
        provider_id: Set(entry.provider_id),
        ..Default::default()
    }
}

/// Record of a row. One of a kind that this version does not know is none.
fn record(row: sign_in_log::Model) -> Option<Record> {
    let entry = Entry {
        at: row.created_at,
        method: Method::parse(&row.provider)?,
        outcome: Outcome::parse(&row.outcome)?,
        reason: row.reason,
        user_id: row.user_id,
        subject: row.subject,
        address: row.address,
        error_id: row.error_id.and_then(|id| id.parse().ok()),
        expected: row.expected,
        found: row.found,
        attempts: row.attempts,
        provider_id: row.provider_id,
    };
    Some(Record { id: row.id, entry })
}
