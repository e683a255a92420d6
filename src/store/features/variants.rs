//! Variants of features in environments.

use flagstone_domain::variant::FeatureVariant;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};

use crate::{
    StoreError,
    db::{Tx, value::to_json_column},
    entity::feature_environment,
};

/// Replaces the variants of a feature in an environment.
pub async fn set(tx: &Tx, feature_id: i64, environment: &str, variants: &[FeatureVariant]) -> Result<(), StoreError> {
    set_in(tx, feature_id, &[environment], variants).await
}

/// Replaces the variants of a feature in each of these environments.
pub async fn set_in(
    tx: &Tx,
    feature_id: i64,
    environments: &[&str],
    variants: &[FeatureVariant],
) -> Result<(), StoreError> {
    let count = i64::try_from(variants.len()).unwrap_or(i64::MAX);
    feature_environment::Entity::update_many()
        .col_expr(feature_environment::Column::Variants, Expr::value(to_json_column(&variants)))
        .col_expr(feature_environment::Column::VariantCount, Expr::value(count))
        .filter(feature_environment::Column::FeatureId.eq(feature_id))
        .filter(feature_environment::Column::Environment.is_in(environments.iter().copied()))
        .exec(tx)
        .await?;
    Ok(())
}
