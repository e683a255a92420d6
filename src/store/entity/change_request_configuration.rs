//! Rows of `change_request_configuration`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Approvals that changes of a project need in an environment.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_request_configuration")]
pub struct Model {
    /// Id of the project.
    #[sea_orm(primary_key, auto_increment = false)]
    pub project: String,
    /// Name of the environment.
    #[sea_orm(primary_key, auto_increment = false)]
    pub environment: String,
    /// Approvals that a change request needs.
    pub required_approvals: i64,
    /// Since when changes need approval.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
