//! Rows of `unknown_flag`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Name of a feature that an application asked for, and that its token does not reach.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "unknown_flag")]
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
    /// Ids of the projects that the token reaches, as a JSON list.
    #[sea_orm(primary_key, auto_increment = false)]
    pub projects: String,
    /// When the application last asked.
    pub seen_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
