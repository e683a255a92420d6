//! Rows of `feature_environment`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A feature's state in one environment.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feature_environment")]
pub struct Model {
    /// Id of the feature.
    #[sea_orm(primary_key, auto_increment = false)]
    pub feature_id: i64,
    /// Name of the environment.
    #[sea_orm(primary_key, auto_increment = false)]
    pub environment: String,
    /// Whether the feature is switched on here.
    pub enabled: bool,
    /// Newest use in this environment.
    pub last_seen_at: Option<Timestamp>,
    /// JSON array of the feature's variants here.
    #[sea_orm(column_type = "Text")]
    pub variants: String,
    /// Derived from `feature_strategy`: whether there is any.
    pub has_strategies: bool,
    /// Derived from `feature_strategy`: whether any is not disabled.
    pub has_enabled_strategies: bool,
    /// Derived from `variants`: how many there are.
    pub variant_count: i64,
    /// Derived copy of `feature.name`, so that pages sort without a join.
    pub feature_name: String,
    /// Derived copy of `feature.created_at`, for the same reason.
    pub feature_created_at: Timestamp,
    /// Derived from `feature.archived_at`: whether the feature is in use.
    pub live: bool,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
