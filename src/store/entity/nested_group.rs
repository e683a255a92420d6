//! Rows of `nested_group`.

use sea_orm::entity::prelude::*;

/// A group that is a member of a group.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "nested_group")]
pub struct Model {
    /// Id of the group that has the member.
    #[sea_orm(primary_key, auto_increment = false)]
    pub outer_id: i64,
    /// Id of the group that is the member.
    #[sea_orm(primary_key, auto_increment = false)]
    pub inner_id: i64,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
