//! Rows of `role_permission`.

use sea_orm::entity::prelude::*;

/// A permission that a role grants.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "role_permission")]
pub struct Model {
    /// Id of the grant.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Id of the role.
    pub role_id: i64,
    /// Name of the permission.
    pub permission: String,
    /// Project it counts in; `None` or `*` is all.
    pub project: Option<String>,
    /// Environment it counts in; `None` or `*` is all.
    pub environment: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
