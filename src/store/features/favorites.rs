//! What people marked as favourites.

use sea_orm::{ActiveValue::Set, EntityTrait, TryInsertResult};

use crate::{
    domain::time::Timestamp,
    store::{
        StoreError,
        db::Tx,
        entity::{favorite_feature, favorite_project},
    },
};

/// Marks a feature; marking it again changes nothing. Tells whether it had not been marked.
pub async fn add_feature(tx: &Tx, user_id: i64, feature_id: i64, now: Timestamp) -> Result<bool, StoreError> {
    let row =
        favorite_feature::ActiveModel { user_id: Set(user_id), feature_id: Set(feature_id), created_at: Set(now) };
    let inserted = favorite_feature::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(matches!(inserted, TryInsertResult::Inserted(1)))
}

/// Takes the mark off a feature. Tells whether it had been marked.
pub async fn remove_feature(tx: &Tx, user_id: i64, feature_id: i64) -> Result<bool, StoreError> {
    let outcome = favorite_feature::Entity::delete_by_id((user_id, feature_id)).exec(tx).await?;
    Ok(outcome.rows_affected > 0)
}

/// Marks a project; marking it again changes nothing.
pub async fn add_project(tx: &Tx, user_id: i64, project: &str, now: Timestamp) -> Result<(), StoreError> {
    let row =
        favorite_project::ActiveModel { user_id: Set(user_id), project: Set(project.to_owned()), created_at: Set(now) };
    favorite_project::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(())
}
