//! Rows of `role`.

use sea_orm::entity::prelude::*;

/// A role: a named set of permissions.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "role")]
pub struct Model {
    /// Id; 1 to 5 are built in, and so is that of `Reader`, which was the next free one.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// `root` or `project` when built in, `root-custom` or `custom` when not.
    pub r#type: String,
    /// Purpose of the role.
    pub description: String,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
