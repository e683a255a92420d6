//! Rows of `environment`.

use sea_orm::entity::prelude::*;

/// An environment in which features are switched on and off.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "environment")]
pub struct Model {
    /// Unique name.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// Kind, such as `development` or `production`.
    pub r#type: String,
    /// Whether the environment may be used by projects.
    pub enabled: bool,
    /// Whether it is kept from being deleted.
    pub protected: bool,
    /// Position in lists, lowest first.
    pub sort_order: i64,
    /// Approvals that new projects need here; `None` where they start without change requests.
    pub required_approvals: Option<i64>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
