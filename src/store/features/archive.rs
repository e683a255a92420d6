//! Archived features: which there are, and what archiving, reviving and deleting mean, for many at once.

use flagstone_domain::{
    feature::Feature, feature_document::FeatureDocument, lifecycle::Stage, time::Timestamp, visibility::Visibility,
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, sea_query::Expr};

use crate::{
    StoreError,
    db::{Tx, batches::ASKED_AT_ONCE},
    entity::{
        client_metrics_daily, client_metrics_hourly, client_metrics_variant_daily, client_metrics_variant_hourly,
        feature, feature_environment, feature_lifecycle,
    },
    features::{HeldFeature, dependencies, enter_stage_all, figures::FeaturesOf, suspended},
};

/// The archived features of all projects in use that may be seen, the latest first.
pub async fn list_archived(db: &impl ConnectionTrait, visibility: &Visibility) -> Result<Vec<Feature>, StoreError> {
    list_where(db, FeaturesOf::Visible(visibility)).await
}

/// The archived features of one project, the latest first.
pub async fn list_archived_of(db: &impl ConnectionTrait, project: &str) -> Result<Vec<Feature>, StoreError> {
    list_where(db, FeaturesOf::Project(project)).await
}

async fn list_where(db: &impl ConnectionTrait, which: FeaturesOf<'_>) -> Result<Vec<Feature>, StoreError> {
    let rows = feature::Entity::find()
        .filter(feature::Column::ArchivedAt.is_not_null())
        .filter(which.condition())
        .order_by_desc(feature::Column::ArchivedAt)
        .order_by_asc(feature::Column::Name)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(archived).collect())
}

fn archived(row: feature::Model) -> Feature {
    Feature { environments: Some(Vec::new()), ..Feature::from(FeatureDocument::from(row)) }
}

/// Archives features. The caller has made sure that nothing else depends on them.
pub async fn archive_all(tx: &Tx, ids: &[i64], now: Timestamp) -> Result<(), StoreError> {
    for batch in ids.chunks(ASKED_AT_ONCE) {
        feature::Entity::update_many()
            .col_expr(feature::Column::ArchivedAt, Expr::value(now))
            // The job that looks for features past their lifetime passes over these.
            .col_expr(feature::Column::PotentiallyStale, Expr::value(false))
            .filter(feature::Column::Id.is_in(batch.iter().copied()))
            .exec(tx)
            .await?;
    }
    on_archived(tx, ids, now).await
}

/// Takes archived features into use again.
pub async fn revive_all(tx: &Tx, ids: &[i64], now: Timestamp) -> Result<(), StoreError> {
    for batch in ids.chunks(ASKED_AT_ONCE) {
        feature::Entity::update_many()
            .col_expr(feature::Column::ArchivedAt, Expr::value(Option::<Timestamp>::None))
            .filter(feature::Column::Id.is_in(batch.iter().copied()))
            .exec(tx)
            .await?;
    }
    on_revived(tx, ids, now).await
}

/// Marks features as stale, or takes the mark off.
pub async fn mark_stale_all(tx: &Tx, ids: &[i64], stale: bool) -> Result<(), StoreError> {
    for batch in ids.chunks(ASKED_AT_ONCE) {
        let mut update = feature::Entity::update_many()
            .col_expr(feature::Column::Stale, Expr::value(stale))
            .filter(feature::Column::Id.is_in(batch.iter().copied()));
        if stale {
            update = update.col_expr(feature::Column::PotentiallyStale, Expr::value(false));
        }
        update.exec(tx).await?;
    }
    Ok(())
}

/// Deletes features with everything that belongs to them, reported usage included: a later feature of the same name
/// must not inherit it. The log keeps its entries. Nothing else may depend on them.
pub async fn delete_all(tx: &Tx, held: &[HeldFeature]) -> Result<(), StoreError> {
    let ids: Vec<i64> = held.iter().map(|held| held.id).collect();
    dependencies::remove_all_of(tx, &ids).await?;
    for batch in held.chunks(ASKED_AT_ONCE) {
        let names = || batch.iter().map(|held| held.document.name.as_str());
        client_metrics_hourly::Entity::delete_many()
            .filter(client_metrics_hourly::Column::FeatureName.is_in(names()))
            .exec(tx)
            .await?;
        client_metrics_variant_hourly::Entity::delete_many()
            .filter(client_metrics_variant_hourly::Column::FeatureName.is_in(names()))
            .exec(tx)
            .await?;
        client_metrics_daily::Entity::delete_many()
            .filter(client_metrics_daily::Column::FeatureName.is_in(names()))
            .exec(tx)
            .await?;
        client_metrics_variant_daily::Entity::delete_many()
            .filter(client_metrics_variant_daily::Column::FeatureName.is_in(names()))
            .exec(tx)
            .await?;
        feature::Entity::delete_many()
            .filter(feature::Column::Id.is_in(batch.iter().map(|held| held.id)))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// Applies the further effects of archiving: features stop depending on others, until they are revived, and leave the
/// lists of those in use.
pub(super) async fn on_archived(tx: &Tx, ids: &[i64], now: Timestamp) -> Result<(), StoreError> {
    suspended::suspend(tx, ids).await?;
    for batch in ids.chunks(ASKED_AT_ONCE) {
        feature_environment::Entity::update_many()
            .col_expr(feature_environment::Column::Live, Expr::value(false))
            .filter(feature_environment::Column::FeatureId.is_in(batch.iter().copied()))
            .exec(tx)
            .await?;
        enter_stage_all(tx, batch, Stage::Archived, now).await?;
    }
    Ok(())
}

/// Applies the further effects of reviving: features are off everywhere and their lifecycles start over. The caller
/// judges which of the suspended dependencies hold again, and adds these.
pub(super) async fn on_revived(tx: &Tx, ids: &[i64], now: Timestamp) -> Result<(), StoreError> {
    suspended::forget(tx, ids).await?;
    for batch in ids.chunks(ASKED_AT_ONCE) {
        feature_environment::Entity::update_many()
            .col_expr(feature_environment::Column::Live, Expr::value(true))
            .col_expr(feature_environment::Column::Enabled, Expr::value(false))
            .filter(feature_environment::Column::FeatureId.is_in(batch.iter().copied()))
            .exec(tx)
            .await?;
        feature_lifecycle::Entity::delete_many()
            .filter(feature_lifecycle::Column::FeatureId.is_in(batch.iter().copied()))
            .exec(tx)
            .await?;
        enter_stage_all(tx, batch, Stage::Initial, now).await?;
    }
    Ok(())
}
