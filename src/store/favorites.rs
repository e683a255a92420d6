//! What people marked as favourites.

use sea_orm::{ActiveValue::Set, EntityTrait};

use crate::{
    domain::time::Timestamp,
    store::{
        StoreError,
        db::Tx,
        entity::{favorite_feature, favorite_project},
    },
};

/// Marks a feature; marking it again changes nothing.
pub async fn add_feature(tx: &Tx, user_id: i64, feature_id: i64, now: Timestamp) -> Result<(), StoreError> {
    let row =
        favorite_feature::ActiveModel { user_id: Set(user_id), feature_id: Set(feature_id), created_at: Set(now) };
    favorite_feature::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(())
}

/// Marks a project; marking it again changes nothing.
pub async fn add_project(tx: &Tx, user_id: i64, project: &str, now: Timestamp) -> Result<(), StoreError> {
    let row =
        favorite_project::ActiveModel { user_id: Set(user_id), project: Set(project.to_owned()), created_at: Set(now) };
    favorite_project::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(())
}
