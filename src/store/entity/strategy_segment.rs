//! Rows of `strategy_segment`.

use sea_orm::entity::prelude::*;

/// A segment that a feature's strategy applies.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "strategy_segment")]
pub struct Model {
    /// Id of the `feature_strategy`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub strategy_id: String,
    /// Id of the segment.
    #[sea_orm(primary_key, auto_increment = false)]
    pub segment_id: i64,
    /// Derived from the strategy: its feature, so that features are found by segment.
    pub feature_id: i64,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
