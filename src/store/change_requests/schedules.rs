//! Schedules: when change requests are applied by themselves, by one node each.

use flagstone_domain::{
    change_request::{schedule::Status, state::State},
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, OnConflict},
};

use super::states::{self, Head};
use crate::{StoreError, db::Tx, entity::change_request_schedule};

/// Longest time that a node may take to apply what it has claimed. A claim that ends later was made by a clock that has been set
/// back since.
pub const LONGEST_CLAIM_MS: i64 = 10 * 60_000;

/// A schedule that is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// Id of the change request.
    pub change_request_id: i64,
    /// When it was to be applied.
    pub due_at: Timestamp,
    /// Id of the user in whose name it is applied.
    pub scheduled_by: i64,
}

/// Schedules a change request, in place of an earlier schedule.
pub async fn set(tx: &Tx, id: i64, at: Timestamp, by: i64) -> Result<(), StoreError> {
    use change_request_schedule::{ActiveModel, Column, Entity};
    let row = ActiveModel {
        change_request_id: Set(id),
        due_at: Set(at),
        status: Set(Status::PENDING.to_owned()),
        reason: Set(None),
        scheduled_by_user_id: Set(by),
        claimed_by: Set(None),
        claimed_until: Set(None),
    };
    let again = OnConflict::column(Column::ChangeRequestId)
        .update_columns([
            Column::DueAt,
            Column::Status,
            Column::Reason,
            Column::ScheduledByUserId,
            Column::ClaimedBy,
            Column::ClaimedUntil,
        ])
        .to_owned();
    Entity::insert(row).on_conflict(again).exec_without_returning(tx).await?;
    Ok(())
}

/// Removes the schedule of a change request that is no longer scheduled.
pub async fn end(tx: &Tx, id: i64) -> Result<(), StoreError> {
    change_request_schedule::Entity::delete_by_id(id).exec(tx).await?;
    Ok(())
}

/// Whether any schedule is due that nobody has claimed.
pub async fn any_due(db: &impl ConnectionTrait, now: Timestamp) -> Result<bool, StoreError> {
    let first: Option<i64> = change_request_schedule::Entity::find()
        .select_only()
        .column(change_request_schedule::Column::ChangeRequestId)
        .filter(is_due(now))
        .limit(1)
        .into_tuple()
        .one(db)
        .await?;
    Ok(first.is_some())
}

/// Claims schedules whose time has come, so many at most, the longest overdue first: no other node applies them until
/// `until`. `claimant` names this claim and no other.
pub async fn claim_due(
    tx: &Tx,
    claimant: &str,
    most: u64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<Claimed>, StoreError> {
    use change_request_schedule::{Column, Entity};
    let first = Entity::find()
        .select_only()
        .column(Column::ChangeRequestId)
        .filter(is_due(now))
        .order_by_asc(Column::DueAt)
        .order_by_asc(Column::ChangeRequestId)
        .limit(most)
        .into_query();
    // The condition stands here once more for whoever waited for another claim of the same rows.
    let rows = Entity::update_many()
        .col_expr(Column::ClaimedBy, Expr::value(claimant))
        .col_expr(Column::ClaimedUntil, Expr::value(until))
        .filter(Column::ChangeRequestId.in_subquery(first))
        .filter(is_due(now))
        .exec_with_returning(tx)
        .await?;
    let mut claimed: Vec<Claimed> = rows
        .into_iter()
        .map(|row| Claimed {
            change_request_id: row.change_request_id,
            due_at: row.due_at,
            scheduled_by: row.scheduled_by_user_id,
        })
        .collect();
    claimed.sort_by_key(|one| (one.due_at, one.change_request_id));
    Ok(claimed)
}

/// Returns a change request that is claimed, locked with its schedule until the transaction ends; `None` when the claim no
/// longer holds. What is applied in this transaction is applied once.
pub async fn hold_claimed(tx: &Tx, id: i64, claimant: &str, now: Timestamp) -> Result<Option<Head>, StoreError> {
    use change_request_schedule::{Column, Entity};
    let Some(head) = states::hold(tx, id).await?.filter(|head| head.state == State::Scheduled) else {
        return Ok(None);
    };
    let schedule = Entity::find_by_id(id)
        .filter(Column::Status.eq(Status::PENDING))
        .filter(Column::ClaimedBy.eq(claimant))
        .filter(Column::ClaimedUntil.gt(now))
        .lock_exclusive()
        .one(tx)
        .await?;
    Ok(schedule.map(|_| head))
}

/// Notes that a claimed schedule could not be applied, unless the claim has passed to another node. Returns whether it was
/// noted.
pub async fn fail(tx: &Tx, id: i64, claimant: &str, reason: &str) -> Result<bool, StoreError> {
    use change_request_schedule::{Column, Entity};
    let failed = Entity::update_many()
        .col_expr(Column::Status, Expr::value(Status::FAILED))
        .col_expr(Column::Reason, Expr::value(reason))
        .col_expr(Column::ClaimedBy, Expr::value(Option::<String>::None))
        .col_expr(Column::ClaimedUntil, Expr::value(Option::<Timestamp>::None))
        .filter(Column::ChangeRequestId.eq(id))
        .filter(Column::Status.eq(Status::PENDING))
        .filter(Column::ClaimedBy.eq(claimant))
        .exec(tx)
        .await?;
    Ok(failed.rows_affected > 0)
}

/// Gives up all claims, where no other node can hold any.
pub async fn release_all(tx: &Tx) -> Result<(), StoreError> {
    give_up(tx, change_request_schedule::Column::ClaimedBy.is_not_null()).await
}

/// Gives up a claim, as where a freeze has to end first: the schedules stay due.
pub async fn release(tx: &Tx, claimant: &str) -> Result<(), StoreError> {
    give_up(tx, change_request_schedule::Column::ClaimedBy.eq(claimant)).await
}

async fn give_up(tx: &Tx, claims: Expr) -> Result<(), StoreError> {
    use change_request_schedule::{Column, Entity};
    Entity::update_many()
        .col_expr(Column::ClaimedBy, Expr::value(Option::<String>::None))
        .col_expr(Column::ClaimedUntil, Expr::value(Option::<Timestamp>::None))
        .filter(claims)
        .exec(tx)
        .await?;
    Ok(())
}

fn is_due(now: Timestamp) -> Condition {
    use change_request_schedule::Column;
    let is_free = Condition::any()
        .add(Column::ClaimedUntil.is_null())
        .add(Column::ClaimedUntil.lte(now))
        .add(Column::ClaimedUntil.gt(now.plus_millis(LONGEST_CLAIM_MS)));
    Condition::all().add(Column::Status.eq(Status::PENDING)).add(Column::DueAt.lte(now)).add(is_free)
}
