//! Rows of `change_request_change_target`.

use sea_orm::entity::prelude::*;

/// Derived from `change_request_change`: a strategy or segment that a change is about or applies.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_request_change_target")]
pub struct Model {
    /// Id of the change.
    #[sea_orm(primary_key, auto_increment = false)]
    pub change_id: i64,
    /// Kind of the target, and its part in the change.
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: String,
    /// Id of the target.
    #[sea_orm(primary_key, auto_increment = false)]
    pub target: String,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
