//! States of change requests, entered with compare-and-set, and the reviews that decide them.

use flagstone_domain::{
    change_request::{review::Verdict, state::State},
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, TryInsertResult,
    sea_query::{Expr, OnConflict},
};

use super::rows;
use crate::{
    StoreError,
    db::Tx,
    entity::{change_request, change_request_review, change_request_state_entry},
};

/// A change request without what belongs to it, as it was when it was read or locked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Unique id.
    pub id: i64,
    /// Id of its project.
    pub project: String,
    /// Name of its environment.
    pub environment: String,
    /// State that it is in.
    pub state: State,
    /// Title that a user gave it.
    pub title: Option<String>,
    /// Approvals that it needs.
    pub min_approvals: i64,
    /// Number that rises with each change of its contents.
    pub revision: i64,
    /// Id of its author.
    pub created_by: i64,
}

impl TryFrom<change_request::Model> for Head {
    type Error = DbErr;

    fn try_from(row: change_request::Model) -> Result<Self, DbErr> {
        Ok(Self {
            state: rows::state(&row.state)?,
            id: row.id,
            project: row.project,
            environment: row.environment,
            title: row.title,
            min_approvals: row.min_approvals,
            revision: row.revision,
            created_by: row.created_by_user_id,
        })
    }
}

/// The change request with this id, which others may change before the transaction ends.
pub async fn find_head(tx: &Tx, id: i64) -> Result<Option<Head>, StoreError> {
    let row = change_request::Entity::find_by_id(id).one(tx).await?;
    Ok(row.map(Head::try_from).transpose()?)
}

/// Returns the change request with this id, locked until the transaction ends.
pub async fn hold(tx: &Tx, id: i64) -> Result<Option<Head>, StoreError> {
    let row = change_request::Entity::find_by_id(id).lock_exclusive().one(tx).await?;
    Ok(row.map(Head::try_from).transpose()?)
}

/// Moves a change request to a state, if it is in the state and has the contents of `head`. Returns whether it was.
pub async fn enter(tx: &Tx, head: &Head, to: State, now: Timestamp) -> Result<bool, StoreError> {
    let moved = change_request::Entity::update_many()
        .col_expr(change_request::Column::State, Expr::value(to.as_str()))
        .filter(change_request::Column::Id.eq(head.id))
        .filter(change_request::Column::State.eq(head.state.as_str()))
        .filter(change_request::Column::Revision.eq(head.revision))
        .exec(tx)
        .await?;
    if moved.rows_affected == 0 {
        return Ok(false);
    }
    if head.state != to {
        note_entered(tx, head.id, to, now).await?;
    }
    Ok(true)
}

/// Notes when a change request entered a state.
pub(super) async fn note_entered(tx: &Tx, id: i64, state: State, now: Timestamp) -> Result<(), StoreError> {
    use change_request_state_entry::{ActiveModel, Column, Entity};
    let row = ActiveModel { change_request_id: Set(id), state: Set(state.as_str().to_owned()), entered_at: Set(now) };
    let again =
        OnConflict::columns([Column::ChangeRequestId, Column::State]).update_column(Column::EnteredAt).to_owned();
    Entity::insert(row).on_conflict(again).exec_without_returning(tx).await?;
    Ok(())
}

/// Adds the verdict of a user on the changes with this digest. Returns the id of the review, or `None` when the user has
/// given this verdict before.
pub async fn add_review(
    tx: &Tx,
    id: i64,
    user_id: i64,
    verdict: Verdict,
    digest: &str,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    use change_request_review::{ActiveModel, Column, Entity};
    let row = ActiveModel {
        change_request_id: Set(id),
        user_id: Set(user_id),
        verdict: Set(verdict.as_str().to_owned()),
        digest: Set(digest.to_owned()),
        created_at: Set(now),
        ..Default::default()
    };
    let once = [Column::ChangeRequestId, Column::Verdict, Column::UserId];
    let inserted = Entity::insert(row).on_conflict_do_nothing_on(once).exec_without_returning(tx).await?;
    if !matches!(inserted, TryInsertResult::Inserted(1)) {
        return Ok(None);
    }
    let review: Option<i64> = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::ChangeRequestId.eq(id))
        .filter(Column::Verdict.eq(verdict.as_str()))
        .filter(Column::UserId.eq(user_id))
        .into_tuple()
        .one(tx)
        .await?;
    Ok(review)
}

/// Drops all approvals of a change request, since its changes are no longer those that were approved.
pub async fn drop_approvals(tx: &Tx, id: i64) -> Result<(), StoreError> {
    change_request_review::Entity::delete_many()
        .filter(change_request_review::Column::ChangeRequestId.eq(id))
        .filter(change_request_review::Column::Verdict.eq(Verdict::Approval.as_str()))
        .exec(tx)
        .await?;
    Ok(())
}

/// Notes the digest of the changes that were applied.
pub async fn note_applied(tx: &Tx, id: i64, digest: &str) -> Result<(), StoreError> {
    change_request::Entity::update_many()
        .col_expr(change_request::Column::AppliedDigest, Expr::value(digest))
        .filter(change_request::Column::Id.eq(id))
        .exec(tx)
        .await?;
    Ok(())
}
