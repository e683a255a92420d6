//! Rows of `tag`.

use sea_orm::entity::prelude::*;

/// A tag: a value of a tag type.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "tag")]
pub struct Model {
    /// Internal id; the contract knows tags by type and value.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Name of the tag type.
    pub r#type: String,
    /// Value, unique within the type.
    pub value: String,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
