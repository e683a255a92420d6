//! Removing events that are older than they are kept.

use flagstone_domain::time::Timestamp;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Query};

use crate::{
    StoreError,
    db::Tx,
    entity::{event, event_hash},
};

/// Events that one transaction removes, so that other writers get their turn.
const BATCH: u64 = 500;

/// The newest event of before a moment; `None` without one.
pub async fn newest_before(db: &impl ConnectionTrait, moment: Timestamp) -> Result<Option<i64>, StoreError> {
    let id: Option<i64> = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(event::Column::CreatedAt.lt(moment))
        .order_by_desc(event::Column::CreatedAt)
        .order_by_desc(event::Column::Id)
        .limit(1)
        .into_tuple()
        .one(db)
        .await?;
    Ok(id)
}

/// Removes some of the events up to one, with their hashes, the oldest first. Returns how many events went.
pub async fn remove(tx: &Tx, up_to: i64) -> Result<u64, StoreError> {
    let last: Option<i64> = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(event::Column::Id.lte(up_to))
        .order_by_asc(event::Column::Id)
        .offset(BATCH - 1)
        .limit(1)
        .into_tuple()
        .one(tx)
        .await?;
    let last = last.unwrap_or(up_to);
    let hashes =
        Query::delete().from_table(event_hash::Entity).and_where(event_hash::Column::EventId.lte(last)).to_owned();
    tx.execute(&hashes).await?;
    let gone = event::Entity::delete_many().filter(event::Column::Id.lte(last)).exec(tx).await?;
    Ok(gone.rows_affected)
}
