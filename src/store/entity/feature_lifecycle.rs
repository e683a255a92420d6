//! Rows of `feature_lifecycle`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// When a feature entered a stage of its life.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feature_lifecycle")]
pub struct Model {
    /// Id of the feature.
    #[sea_orm(primary_key, auto_increment = false)]
    pub feature_id: i64,
    /// Stage, such as `pre-live`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub stage: String,
    /// Outcome of a completed feature.
    pub status: Option<String>,
    /// Detail of the status, such as the variant kept.
    pub status_value: Option<String>,
    /// When the stage began.
    pub entered_stage_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
