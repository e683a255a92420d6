//! Rows of `insight_environment_type_week`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Changes to the features of a project in environments of one type in one week.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "insight_environment_type_week")]
pub struct Model {
    /// Year and week, such as `2026-07`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub week: String,
    /// Type of environment.
    #[sea_orm(primary_key, auto_increment = false)]
    pub environment_type: String,
    /// Id of the project; empty for changes that belong to none.
    #[sea_orm(primary_key, auto_increment = false)]
    pub project: String,
    /// When the row was last computed.
    pub date: Timestamp,
    /// Changes made.
    pub total_updates: i64,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
