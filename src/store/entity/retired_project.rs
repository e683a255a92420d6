//! Rows of `retired_project`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A private project that was deleted. Its events stay hidden, and its id is not given again.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "retired_project")]
pub struct Model {
    /// Id of the project.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// When it was deleted.
    pub retired_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
