//! Rows of `insight_metrics_week`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Evaluations in a project in one week.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "insight_metrics_week")]
pub struct Model {
    /// Year and week, such as `2026-07`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub week: String,
    /// Id of the project.
    #[sea_orm(primary_key, auto_increment = false)]
    pub project: String,
    /// When the row was last computed.
    pub date: Timestamp,
    /// All evaluations.
    pub total_requests: i64,
    /// Evaluations that were on.
    pub total_yes: i64,
    /// Evaluations that were off.
    pub total_no: i64,
    /// Applications that evaluated.
    pub total_apps: i64,
    /// Features that were evaluated.
    pub total_flags: i64,
    /// Environments in which they were.
    pub total_environments: i64,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
