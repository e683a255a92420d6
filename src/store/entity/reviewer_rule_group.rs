//! Rows of `reviewer_rule_group`.

use sea_orm::entity::prelude::*;

/// A group of which some member must approve.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "reviewer_rule_group")]
pub struct Model {
    /// Id of the rule.
    #[sea_orm(primary_key, auto_increment = false)]
    pub rule_id: i64,
    /// Id of the group.
    #[sea_orm(primary_key, auto_increment = false)]
    pub group_id: i64,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
