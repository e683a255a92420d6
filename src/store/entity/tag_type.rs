//! Rows of `tag_type`.

use sea_orm::entity::prelude::*;

/// A kind of tag.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "tag_type")]
pub struct Model {
    /// Unique name.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// Purpose of such tags.
    pub description: String,
    /// Icon shown with it.
    pub icon: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
