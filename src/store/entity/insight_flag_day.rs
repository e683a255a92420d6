//! Rows of `insight_flag_day`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Numbers of features that a project had at the end of a day.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "insight_flag_day")]
pub struct Model {
    /// Last millisecond of the UTC day.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: Timestamp,
    /// Id of the project.
    #[sea_orm(primary_key, auto_increment = false)]
    pub project: String,
    /// All features in use.
    pub total: i64,
    /// Features that are neither stale nor potentially stale.
    pub active: i64,
    /// Features marked as stale.
    pub stale: i64,
    /// Features past their expected lifetime.
    pub potentially_stale: i64,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
