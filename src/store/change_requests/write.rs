//! Changes of what a change request holds. The caller has locked it; each of them makes its revision rise.

use flagstone_domain::{
    change_request::{Target, action::Action, state::State},
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType, OnConflict},
};
use serde_json::Value;

use super::{
    rows,
    states::{self, Head},
};
use crate::{
    StoreError,
    db::{Tx, batches::WRITTEN_AT_ONCE},
    entity::{app_user, change_request, change_request_change, change_request_change_target},
};

/// Attempts at finding or creating a pending change request: another transaction may close it between the search and the insertion.
const ATTEMPTS: usize = 5;

/// A change request to be created.
#[derive(Debug, Clone, Copy)]
pub struct NewChangeRequest<'a> {
    /// Id of the project.
    pub project: &'a str,
    /// Name of the environment.
    pub environment: &'a str,
    /// Id of the author.
    pub created_by: i64,
    /// Approvals that it will need.
    pub min_approvals: i64,
}

/// A change to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct NewChange {
    /// Target of the change.
    pub target: Target,
    /// Effect on the target.
    pub action: Action,
    /// State of the target now, if the action has one.
    pub snapshot: Option<Value>,
}

/// Returns the pending change request of a user in an environment of a project, locked until the transaction ends, and
/// whether it was created as a draft by this call.
pub async fn join_or_create(tx: &Tx, new: &NewChangeRequest<'_>, now: Timestamp) -> Result<(Head, bool), StoreError> {
    let mut created = false;
    for _ in 0..ATTEMPTS {
        if let Some(head) = hold_pending(tx, new).await? {
            return Ok((head, created));
        }
        let row = change_request::ActiveModel {
            project: Set(new.project.to_owned()),
            environment: Set(new.environment.to_owned()),
            state: Set(State::Draft.as_str().to_owned()),
            title: Set(None),
            min_approvals: Set(new.min_approvals),
            revision: Set(0),
            created_by_user_id: Set(new.created_by),
            created_at: Set(now),
            applied_digest: Set(None),
            ..Default::default()
        };
        // One that is created at the same time is waited for, and then joined. What is unique there is a part of the
        // rows, which no list of columns names.
        let pending = OnConflict::new().do_nothing().to_owned();
        created = change_request::Entity::insert(row).on_conflict(pending).exec_without_returning(tx).await? > 0;
        if created && let Some(head) = hold_pending(tx, new).await? {
            states::note_entered(tx, head.id, State::Draft, now).await?;
            return Ok((head, true));
        }
    }
    Err(StoreError::external("a pending change request comes and goes".to_owned()))
}

async fn hold_pending(tx: &Tx, new: &NewChangeRequest<'_>) -> Result<Option<Head>, StoreError> {
    let row = change_request::Entity::find()
        .filter(change_request::Column::Project.eq(new.project))
        .filter(change_request::Column::Environment.eq(new.environment))
        .filter(change_request::Column::CreatedByUserId.eq(new.created_by))
        .filter(change_request::Column::State.is_in(State::PENDING.map(State::as_str)))
        .lock_exclusive()
        .one(tx)
        .await?;
    Ok(row.map(Head::try_from).transpose()?)
}

/// Number of open change requests of a user in a project. No other transaction counts those of this user until this one
/// ends, so that of two that would each be the last one allowed, the second sees the first.
pub async fn count_open(tx: &Tx, project: &str, user_id: i64) -> Result<u64, StoreError> {
    // Not `FOR UPDATE`, for which it would wait for rows that others insert with a reference to the user.
    app_user::Entity::find_by_id(user_id).lock(LockType::NoKeyUpdate).one(tx).await?;
    let open = change_request::Entity::find()
        .filter(change_request::Column::Project.eq(project))
        .filter(change_request::Column::CreatedByUserId.eq(user_id))
        .filter(change_request::Column::State.is_in(State::OPEN.map(State::as_str)));
    Ok(open.count(tx).await?)
}

/// Adds changes behind those that a locked change request has, in their order. Returns their ids.
pub async fn append(
    tx: &Tx,
    head: &Head,
    changes: &[NewChange],
    by: i64,
    now: Timestamp,
) -> Result<Vec<i64>, StoreError> {
    use change_request_change::{Column, Entity};
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let last: Option<Option<i64>> = Entity::find()
        .select_only()
        .column_as(Column::Position.max(), "last")
        .filter(Column::ChangeRequestId.eq(head.id))
        .into_tuple()
        .one(tx)
        .await?;
    let last = last.flatten().unwrap_or_default();
    let rows: Vec<_> = (last + 1..)
        .zip(changes)
        .map(|(position, new)| {
            rows::change_row((head.id, position), &new.target, &new.action, new.snapshot.as_ref(), (by, now))
        })
        .collect();
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        Entity::insert_many(batch.iter().cloned()).exec_without_returning(tx).await?;
    }
    let ids: Vec<i64> = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::ChangeRequestId.eq(head.id))
        .filter(Column::Position.gt(last))
        .order_by_asc(Column::Position)
        .into_tuple()
        .all(tx)
        .await?;
    let targets: Vec<_> = ids.iter().zip(changes).flat_map(|(id, new)| rows::target_rows(*id, &new.action)).collect();
    insert_targets(tx, &targets).await?;
    touch(tx, head.id).await?;
    Ok(ids)
}

/// Gives a change of a locked change request another effect on its target. Returns whether there is such a change.
pub async fn edit(
    tx: &Tx,
    head: &Head,
    change_id: i64,
    action: &Action,
    snapshot: Option<&Value>,
) -> Result<bool, StoreError> {
    let edited = change_request_change::Entity::update_many()
        .set(rows::columns(action, snapshot))
        .filter(change_request_change::Column::Id.eq(change_id))
        .filter(change_request_change::Column::ChangeRequestId.eq(head.id))
        .exec(tx)
        .await?;
    if edited.rows_affected == 0 {
        return Ok(false);
    }
    change_request_change_target::Entity::delete_many()
        .filter(change_request_change_target::Column::ChangeId.eq(change_id))
        .exec(tx)
        .await?;
    insert_targets(tx, &rows::target_rows(change_id, action)).await?;
    touch(tx, head.id).await?;
    Ok(true)
}

/// Takes a change out of a locked change request. Returns whether there was such a change.
pub async fn discard(tx: &Tx, head: &Head, change_id: i64) -> Result<bool, StoreError> {
    let discarded = change_request_change::Entity::delete_many()
        .filter(change_request_change::Column::Id.eq(change_id))
        .filter(change_request_change::Column::ChangeRequestId.eq(head.id))
        .exec(tx)
        .await?;
    if discarded.rows_affected == 0 {
        return Ok(false);
    }
    touch(tx, head.id).await?;
    Ok(true)
}

/// Deletes a change request with everything that belongs to it, if it is a draft. Returns whether it was.
pub async fn delete_draft(tx: &Tx, id: i64) -> Result<bool, StoreError> {
    let deleted = change_request::Entity::delete_many()
        .filter(change_request::Column::Id.eq(id))
        .filter(change_request::Column::State.eq(State::Draft.as_str()))
        .exec(tx)
        .await?;
    Ok(deleted.rows_affected > 0)
}

/// Gives a change request a title, or takes it away.
pub async fn retitle(tx: &Tx, id: i64, title: Option<&str>) -> Result<(), StoreError> {
    change_request::Entity::update_many()
        .col_expr(change_request::Column::Title, Expr::value(title.map(str::to_owned)))
        .filter(change_request::Column::Id.eq(id))
        .exec(tx)
        .await?;
    Ok(())
}

async fn insert_targets(tx: &Tx, rows: &[change_request_change_target::ActiveModel]) -> Result<(), StoreError> {
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        change_request_change_target::Entity::insert_many(batch.iter().cloned()).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// Notes that the contents of a change request are others.
async fn touch(tx: &Tx, id: i64) -> Result<(), StoreError> {
    change_request::Entity::update_many()
        .col_expr(change_request::Column::Revision, Expr::col(change_request::Column::Revision).add(1))
        .filter(change_request::Column::Id.eq(id))
        .exec(tx)
        .await?;
    Ok(())
}
