//! Reports of SDKs about one feature.

use std::collections::BTreeMap;

use flagstone_domain::time::Timestamp;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};

use crate::{
    StoreError,
    entity::{client_metrics_hourly, client_metrics_variant_hourly},
};

/// Evaluations of a feature by one application in one environment and hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hour {
    /// Name of the application.
    pub application: String,
    /// Name of the environment.
    pub environment: String,
    /// Start of the hour.
    pub timestamp: Timestamp,
    /// Evaluations that were on.
    pub yes: i64,
    /// Evaluations that were off.
    pub no: i64,
    /// Evaluations by variant.
    pub variants: BTreeMap<String, i64>,
}

/// The hours that began at or after `from`, newest first, then by application and environment.
pub async fn hours(db: &impl ConnectionTrait, feature: &str, from: Timestamp) -> Result<Vec<Hour>, StoreError> {
    let rows = client_metrics_hourly::Entity::find()
        .filter(client_metrics_hourly::Column::FeatureName.eq(feature))
        .filter(client_metrics_hourly::Column::Timestamp.gte(from))
        .order_by_desc(client_metrics_hourly::Column::Timestamp)
        .order_by_asc(client_metrics_hourly::Column::AppName)
        .order_by_asc(client_metrics_hourly::Column::Environment)
        .all(db)
        .await?;
    let chosen = client_metrics_variant_hourly::Entity::find()
        .filter(client_metrics_variant_hourly::Column::FeatureName.eq(feature))
        .filter(client_metrics_variant_hourly::Column::Timestamp.gte(from))
        .all(db)
        .await?;
    let mut variants: BTreeMap<(String, String, Timestamp), BTreeMap<String, i64>> = BTreeMap::new();
    for row in chosen {
        let place = (row.app_name, row.environment, row.timestamp);
        variants.entry(place).or_default().insert(row.variant, row.count);
    }
    let hours = rows.into_iter().map(|row| Hour {
        variants: variants.remove(&(row.app_name.clone(), row.environment.clone(), row.timestamp)).unwrap_or_default(),
        application: row.app_name,
        environment: row.environment,
        timestamp: row.timestamp,
        yes: row.yes,
        no: row.no,
    });
    Ok(hours.collect())
}
