//! Rows of `insight_user_day`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Numbers of users at the end of a day.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "insight_user_day")]
pub struct Model {
    /// Last millisecond of the UTC day.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: Timestamp,
    /// All users.
    pub total: i64,
    /// Users who were active of late.
    pub active: i64,
    /// The others.
    pub inactive: i64,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
