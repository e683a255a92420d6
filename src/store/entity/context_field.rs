//! Rows of `context_field`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A context field that constraints and stickiness may use.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "context_field")]
pub struct Model {
    /// Unique name.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// Whether rollouts may stick to it.
    pub stickiness: bool,
    /// Position in lists, lowest first.
    pub sort_order: i64,
    /// JSON array of the values that may be chosen; empty is any.
    #[sea_orm(column_type = "Text")]
    pub legal_values: String,
    /// When the field was created.
    pub created_at: Timestamp,
    /// The only project whose features may use it; `None` for all.
    pub project: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
