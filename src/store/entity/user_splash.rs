//! Rows of `user_splash`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A notice that a user has seen.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_splash")]
pub struct Model {
    /// Id of the user.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// Id of the notice.
    #[sea_orm(primary_key, auto_increment = false)]
    pub splash_id: String,
    /// When the user saw it.
    pub seen_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
