//! Rows of `change_request_approver`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A user who is asked to approve a change request.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_request_approver")]
pub struct Model {
    /// Id of the change request.
    #[sea_orm(primary_key, auto_increment = false)]
    pub change_request_id: i64,
    /// Id of the user.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// When the user was asked.
    pub requested_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
