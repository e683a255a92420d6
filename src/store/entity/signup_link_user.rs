//! Rows of `signup_link_user`.

use sea_orm::entity::prelude::*;

/// User who signed up through a link.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "signup_link_user")]
pub struct Model {
    /// The link.
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_id: i64,
    /// The user.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
