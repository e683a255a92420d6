//! Rows of `setting`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A setting of the instance.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "setting")]
pub struct Model {
    /// Name of the setting.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// JSON, encrypted where it holds secrets.
    #[sea_orm(column_type = "Text")]
    pub content: String,
    /// When it was first stored.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
