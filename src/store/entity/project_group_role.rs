//! Rows of `project_group_role`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A role that all members of a group have in a project.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "project_group_role")]
pub struct Model {
    /// Id of the project.
    #[sea_orm(primary_key, auto_increment = false)]
    pub project: String,
    /// Id of the group.
    #[sea_orm(primary_key, auto_increment = false)]
    pub group_id: i64,
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
