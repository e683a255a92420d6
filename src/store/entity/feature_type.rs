//! Rows of `feature_type`.

use sea_orm::entity::prelude::*;

/// A kind of feature, with the time that such features are expected to live.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feature_type")]
pub struct Model {
    /// Id, such as `release`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Display name.
    pub name: String,
    /// Purpose of the kind.
    pub description: String,
    /// Days after which such a feature counts as potentially stale; `None` is never.
    pub lifetime_days: Option<i64>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
