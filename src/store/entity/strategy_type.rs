//! Rows of `strategy_type`.

use sea_orm::entity::prelude::*;

/// A kind of strategy and the parameters it takes.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "strategy_type")]
pub struct Model {
    /// Unique name, such as `flexibleRollout`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// Display name.
    pub title: Option<String>,
    /// Description of its behaviour.
    pub description: String,
    /// JSON array of parameter definitions.
    #[sea_orm(column_type = "Text")]
    pub parameters: String,
    /// Whether it came with the product and cannot be edited.
    pub built_in: bool,
    /// Whether it should not be chosen any more.
    pub deprecated: bool,
    /// Position in lists, lowest first.
    pub sort_order: i64,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
