//! Rows of `project_user_role`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A role that a user has in a project.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "project_user_role")]
pub struct Model {
    /// Id of the project.
    #[sea_orm(primary_key, auto_increment = false)]
    pub project: String,
    /// Id of the user.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// Id of the role.
    #[sea_orm(primary_key, auto_increment = false)]
    pub role_id: i64,
    /// When the role was given.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
