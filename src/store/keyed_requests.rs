//! Requests with an `Idempotency-Key`, for a day.

use flagstone_domain::time::{HOUR_MS, Timestamp};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, TryInsertResult,
    sea_query::{Expr, ExprTrait, Func},
};

use crate::{
    StoreError,
    db::Tx,
    entity::keyed_request::{ActiveModel, Column, Entity, Model},
};

/// A request with a key.
#[derive(Debug, Clone)]
pub struct KeyedRequest {
    /// Digest of who sent it.
    pub caller: String,
    /// Digest of the key.
    pub id: String,
    /// Digest of operation, address and body.
    pub request: String,
    /// When it came.
    pub created_at: Timestamp,
}

/// An earlier request with the same key.
#[derive(Debug)]
pub struct Earlier {
    /// Digest of its operation, address and body.
    pub request: String,
    /// The answer, sealed; `None` until there is one.
    pub answer: Option<String>,
    /// When it came.
    pub created_at: Timestamp,
}

/// Milliseconds for which a key is known.
const KNOWN_MS: i64 = 24 * HOUR_MS;
/// Most keys of a caller. Beyond, the oldest are forgotten.
const KEYS: u64 = 10_000;
/// Most bytes of the answers of a caller. Beyond, the oldest are forgotten.
const BYTES: i64 = 16 << 20;
/// Keys that are forgotten at a time.
const PART: u64 = 100;

/// Notes a request, or returns the earlier one with its key.
pub async fn begin(tx: &Tx, new: KeyedRequest) -> Result<Option<Earlier>, StoreError> {
    let KeyedRequest { caller, id, created_at: now, .. } = new.clone();
    let expired = Entity::delete_many().filter(Column::Caller.eq(&caller)).filter(Column::Id.eq(&id));
    expired.filter(Column::CreatedAt.lte(now.plus_millis(-KNOWN_MS))).exec(tx).await?;
    let row = ActiveModel {
        caller: Set(new.caller),
        id: Set(new.id),
        request: Set(new.request),
        answer: Set(None),
        bytes: Set(0),
        created_at: Set(now),
    };
    let outcome = Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    if matches!(outcome, TryInsertResult::Inserted(1)) {
        bound(tx, &caller).await?;
        return Ok(None);
    }
    let earlier = Entity::find_by_id((caller, id)).one(tx).await?;
    Ok(earlier.map(|Model { request, answer, created_at, .. }| Earlier { request, answer, created_at }))
}

/// Forgets the oldest keys of a caller that has too many, or too much.
async fn bound(tx: &Tx, caller: &str) -> Result<(), StoreError> {
    let of_caller = Entity::find().filter(Column::Caller.eq(caller));
    let count = of_caller.clone().count(tx).await?;
    let bytes = Func::cast_as(Func::coalesce([Expr::col(Column::Bytes).sum(), Expr::value(0)]), "bigint");
    let bytes: Option<i64> =
        of_caller.clone().select_only().column_as(Expr::expr(bytes), "bytes").into_tuple().one(tx).await?;
    if count <= KEYS && bytes.unwrap_or_default() <= BYTES {
        return Ok(());
    }
    let oldest = of_caller.order_by_asc(Column::CreatedAt).order_by_asc(Column::Id).limit(PART);
    let oldest: Vec<String> = oldest.select_only().column(Column::Id).into_tuple().all(tx).await?;
    let forgotten = Entity::delete_many().filter(Column::Caller.eq(caller)).filter(Column::Id.is_in(oldest));
    forgotten.exec(tx).await?;
    Ok(())
}

/// Keeps the answer to a request.
pub async fn answer(tx: &Tx, caller: &str, id: &str, sealed: String) -> Result<(), StoreError> {
    let bytes = i64::try_from(sealed.len()).unwrap_or(i64::MAX);
    let row = Entity::update_many().filter(Column::Caller.eq(caller)).filter(Column::Id.eq(id));
    row.col_expr(Column::Answer, Expr::value(sealed)).col_expr(Column::Bytes, Expr::value(bytes)).exec(tx).await?;
    Ok(())
}

/// Forgets a request that had no effect.
pub async fn forget(tx: &Tx, caller: &str, id: &str) -> Result<(), StoreError> {
    Entity::delete_by_id((caller.to_owned(), id.to_owned())).exec(tx).await?;
    Ok(())
}

/// Forgets all keys that are no longer known.
pub async fn remove_ended(tx: &Tx, now: Timestamp) -> Result<(), StoreError> {
    Entity::delete_many().filter(Column::CreatedAt.lte(now.plus_millis(-KNOWN_MS))).exec(tx).await?;
    Ok(())
}
