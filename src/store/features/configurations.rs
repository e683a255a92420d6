//! The configuration of a feature in each environment of its project.

use std::collections::HashMap;

use flagstone_domain::variant::FeatureVariant;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use crate::{
    StoreError,
    db::value::json_column,
    entity::{environment, feature_environment},
};

/// A feature's switch and variants in one environment.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    /// Name of the environment.
    pub environment: String,
    /// Whether the feature is on there.
    pub enabled: bool,
    /// Its variants there.
    pub variants: Vec<FeatureVariant>,
}

/// The configuration of a feature in an environment; none where its project does not use the environment.
pub async fn find(
    db: &impl ConnectionTrait,
    feature_id: i64,
    environment: &str,
) -> Result<Option<Configuration>, StoreError> {
    let row = feature_environment::Entity::find_by_id((feature_id, environment.to_owned())).one(db).await?;
    row.map(configuration).transpose()
}

/// The configurations of a feature in all environments, by the environments' sort order, then name.
pub async fn list(db: &impl ConnectionTrait, feature_id: i64) -> Result<Vec<Configuration>, StoreError> {
    let environments = environment::Entity::find().all(db).await?;
    let positions: HashMap<String, i64> =
        environments.into_iter().map(|environment| (environment.name, environment.sort_order)).collect();
    let mut rows = feature_environment::Entity::find()
        .filter(feature_environment::Column::FeatureId.eq(feature_id))
        .all(db)
        .await?;
    let position = |name: &str| positions.get(name).copied().unwrap_or(i64::MAX);
    rows.sort_by(|a, b| (position(&a.environment), &a.environment).cmp(&(position(&b.environment), &b.environment)));
    rows.into_iter().map(configuration).collect()
}

fn configuration(row: feature_environment::Model) -> Result<Configuration, StoreError> {
    let variants = json_column("feature_environment.variants", &row.variants)?;
    Ok(Configuration { environment: row.environment, enabled: row.enabled, variants })
}
