//! Notices that people have seen or answered in the console.

use flagstone_domain::time::Timestamp;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    sea_query::OnConflict,
};

use crate::{
    StoreError,
    db::Tx,
    entity::{user_feedback, user_splash},
    users::hold_account,
};

/// A user's answer to a question of the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    /// Id of the question.
    pub id: String,
    /// Whether the user does not want to be asked again.
    pub never_show: bool,
    /// When the user answered; `None` when they have not.
    pub given_at: Option<Timestamp>,
}

/// Ids of the notices that a user has seen, sorted.
pub async fn splashes(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<String>, StoreError> {
    let rows = user_splash::Entity::find()
        .filter(user_splash::Column::UserId.eq(user_id))
        .order_by_asc(user_splash::Column::SplashId)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|row| row.splash_id).collect())
}

/// Notes that a user has seen a notice.
pub async fn saw(tx: &Tx, user_id: i64, id: &str, now: Timestamp) -> Result<(), StoreError> {
    let row = user_splash::ActiveModel { user_id: Set(user_id), splash_id: Set(id.to_owned()), seen_at: Set(now) };
    user_splash::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(())
}

/// Number of other notices that a user has seen. It stays until the transaction ends.
pub async fn count_other_splashes(tx: &Tx, user_id: i64, id: &str) -> Result<u64, StoreError> {
    hold_account(tx, user_id).await?;
    let others = user_splash::Entity::find()
        .filter(user_splash::Column::UserId.eq(user_id))
        .filter(user_splash::Column::SplashId.ne(id));
    Ok(others.count(tx).await?)
}

/// A user's answers, by id of the question.
pub async fn feedback(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<Feedback>, StoreError> {
    let rows = user_feedback::Entity::find()
        .filter(user_feedback::Column::UserId.eq(user_id))
        .order_by_asc(user_feedback::Column::FeedbackId)
        .all(db)
        .await?;
    let read = |row: user_feedback::Model| Feedback {
        id: row.feedback_id,
        never_show: row.never_show,
        given_at: row.given_at,
    };
    Ok(rows.into_iter().map(read).collect())
}

/// Stores a user's answer in the place of an earlier one.
pub async fn answer(tx: &Tx, user_id: i64, feedback: &Feedback) -> Result<(), StoreError> {
    let row = user_feedback::ActiveModel {
        user_id: Set(user_id),
        feedback_id: Set(feedback.id.clone()),
        never_show: Set(feedback.never_show),
        given_at: Set(feedback.given_at),
    };
    let key = [user_feedback::Column::UserId, user_feedback::Column::FeedbackId];
    let changed = [user_feedback::Column::NeverShow, user_feedback::Column::GivenAt];
    user_feedback::Entity::insert(row)
        .on_conflict(OnConflict::columns(key).update_columns(changed).to_owned())
        .exec_without_returning(tx)
        .await?;
    Ok(())
}

/// Number of other questions that a user has answered. It stays until the transaction ends.
pub async fn count_other_feedback(tx: &Tx, user_id: i64, id: &str) -> Result<u64, StoreError> {
    hold_account(tx, user_id).await?;
    let others = user_feedback::Entity::find()
        .filter(user_feedback::Column::UserId.eq(user_id))
        .filter(user_feedback::Column::FeedbackId.ne(id));
    Ok(others.count(tx).await?)
}
