//! Rows of `tag_project`.

use sea_orm::entity::prelude::*;

/// A project whose features carry a tag, or once did: users who see the project see the tag.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "tag_project")]
pub struct Model {
    /// Id of the tag.
    #[sea_orm(primary_key, auto_increment = false)]
    pub tag_id: i64,
    /// Id of the project; `*` when the tag was made on its own, for all.
    #[sea_orm(primary_key, auto_increment = false)]
    pub project: String,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
