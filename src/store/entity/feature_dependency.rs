//! Rows of `feature_dependency`.

use sea_orm::entity::prelude::*;

/// A feature that is only on when another one is in a given state.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feature_dependency")]
pub struct Model {
    /// Feature that depends.
    #[sea_orm(primary_key, auto_increment = false)]
    pub child_id: i64,
    /// Feature that it depends on; cannot be deleted meanwhile.
    #[sea_orm(primary_key, auto_increment = false)]
    pub parent_id: i64,
    /// State that the parent must be in.
    pub enabled: bool,
    /// JSON array of the parent's variants of which one must be given; empty is any.
    #[sea_orm(column_type = "Text")]
    pub variants: String,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
