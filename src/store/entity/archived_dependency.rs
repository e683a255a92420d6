//! Rows of `archived_dependency`.

use sea_orm::entity::prelude::*;

/// Dependency of an archived feature, until it is revived.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "archived_dependency")]
pub struct Model {
    /// Feature that depended.
    #[sea_orm(primary_key, auto_increment = false)]
    pub child_id: i64,
    /// Name of the feature that it depended on, which may be gone meanwhile.
    #[sea_orm(primary_key, auto_increment = false)]
    pub parent: String,
    /// State that the parent had to be in.
    pub enabled: bool,
    /// JSON array of the parent's variants of which one had to be given; empty is any.
    #[sea_orm(column_type = "Text")]
    pub variants: String,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
