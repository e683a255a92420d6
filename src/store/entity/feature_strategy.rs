//! Rows of `feature_strategy`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A strategy of a feature in one environment.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feature_strategy")]
pub struct Model {
    /// UUID in lower-case text.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Id of the feature.
    pub feature_id: i64,
    /// Name of the environment.
    pub environment: String,
    /// Name of the strategy type.
    pub name: String,
    /// Display name.
    pub title: Option<String>,
    /// Whether evaluation skips it.
    pub disabled: bool,
    /// Position within the environment, lowest first.
    pub sort_order: i64,
    /// JSON object of parameters, each a text.
    #[sea_orm(column_type = "Text")]
    pub parameters: String,
    /// JSON array of constraints.
    #[sea_orm(column_type = "Text")]
    pub constraints: String,
    /// JSON array of strategy variants.
    #[sea_orm(column_type = "Text")]
    pub variants: String,
    /// When the strategy was added.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
