//! Projects that people marked as favourites.

use flagstone_domain::time::Timestamp;
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::{StoreError, db::Tx, entity::favorite_project};

/// Marks a project for a user. Returns whether that changed anything.
pub async fn mark(tx: &Tx, user_id: i64, project: &str, now: Timestamp) -> Result<bool, StoreError> {
    let row =
        favorite_project::ActiveModel { user_id: Set(user_id), project: Set(project.to_owned()), created_at: Set(now) };
    let outcome = favorite_project::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(matches!(outcome, sea_orm::TryInsertResult::Inserted(1)))
}

/// Takes the mark of a user off a project. Returns whether that changed anything.
pub async fn unmark(tx: &Tx, user_id: i64, project: &str) -> Result<bool, StoreError> {
    let outcome = favorite_project::Entity::delete_many()
        .filter(favorite_project::Column::UserId.eq(user_id))
        .filter(favorite_project::Column::Project.eq(project))
        .exec(tx)
        .await?;
    Ok(outcome.rows_affected > 0)
}

/// Ids of the projects that a user marked.
pub async fn of_user(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<String>, StoreError> {
    let ids = favorite_project::Entity::find()
        .select_only()
        .column(favorite_project::Column::Project)
        .filter(favorite_project::Column::UserId.eq(user_id))
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids)
}
