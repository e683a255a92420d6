//! Rows of `insight_project_week`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// The state of a project in one week.
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "insight_project_week")]
pub struct Model {
    /// Year and week, such as `2026-07`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub week: String,
    /// Id of the project.
    #[sea_orm(primary_key, auto_increment = false)]
    pub project: String,
    /// When the row was last computed.
    pub date: Timestamp,
    /// Share of healthy features in percent.
    pub health: i64,
    /// Average days from creation to production; `None` without data.
    pub time_to_production: Option<f64>,
    /// All features in use.
    pub total: i64,
    /// Features that are neither stale nor potentially stale.
    pub active: i64,
    /// Features marked as stale.
    pub stale: i64,
    /// Features past their expected lifetime.
    pub potentially_stale: i64,
    /// Members of the project; `None` where not known.
    pub users: Option<i64>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
