//! Favourites of people.

use flagstone_domain::{project::VisibleProject, time::Timestamp};
use sea_orm::{ActiveValue::Set, EntityTrait, TryInsertResult};

use crate::{StoreError, db::Tx, entity::favorite_feature, features::write::hold_visible};

/// Internal id of the feature of a project with this name, archived or not, held until the transaction ends. To mark
/// what one sees takes no permission.
pub async fn hold_feature(tx: &Tx, project: &VisibleProject, name: &str) -> Result<Option<i64>, StoreError> {
    Ok(hold_visible(tx, project, name).await?.map(|held| held.id))
}

/// Marks a feature; marking it again changes nothing. Returns whether it had not been marked.
pub async fn add_feature(tx: &Tx, user_id: i64, feature_id: i64, now: Timestamp) -> Result<bool, StoreError> {
    let row =
        favorite_feature::ActiveModel { user_id: Set(user_id), feature_id: Set(feature_id), created_at: Set(now) };
    let inserted = favorite_feature::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(matches!(inserted, TryInsertResult::Inserted(1)))
}

/// Takes the mark off a feature. Returns whether it had been marked.
pub async fn remove_feature(tx: &Tx, user_id: i64, feature_id: i64) -> Result<bool, StoreError> {
    let outcome = favorite_feature::Entity::delete_by_id((user_id, feature_id)).exec(tx).await?;
    Ok(outcome.rows_affected > 0)
}
