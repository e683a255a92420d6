//! Rows of `client_metrics_variant_hourly`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Evaluations that gave one variant, by one application in one hour.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "client_metrics_variant_hourly")]
pub struct Model {
    /// Name of the feature.
    #[sea_orm(primary_key, auto_increment = false)]
    pub feature_name: String,
    /// Name of the application.
    #[sea_orm(primary_key, auto_increment = false)]
    pub app_name: String,
    /// Name of the environment.
    #[sea_orm(primary_key, auto_increment = false)]
    pub environment: String,
    /// Start of the hour.
    #[sea_orm(primary_key, auto_increment = false)]
    pub timestamp: Timestamp,
    /// Name of the variant.
    #[sea_orm(primary_key, auto_increment = false)]
    pub variant: String,
    /// Evaluations that gave it.
    pub count: i64,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
