//! Rows of `segment`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A named list of constraints that strategies share.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "segment")]
pub struct Model {
    /// Id of the segment.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// Project that alone may use it; `None` is all.
    pub project: Option<String>,
    /// JSON array of constraints, all of which must hold.
    #[sea_orm(column_type = "Text")]
    pub constraints: String,
    /// Name of the creator.
    pub created_by: Option<String>,
    /// When the segment was created.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
