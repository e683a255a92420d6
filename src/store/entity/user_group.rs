//! Rows of `user_group`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A group of users.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_group")]
pub struct Model {
    /// Id of the group.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// JSON array of the identity provider's groups that feed this one.
    #[sea_orm(column_type = "Text")]
    pub mappings_sso: String,
    /// Root role that every member gets in addition.
    pub root_role_id: Option<i64>,
    /// When the group was created.
    pub created_at: Timestamp,
    /// Name of the creator.
    pub created_by: Option<String>,
    /// Whether a directory keeps the group.
    pub is_scim: bool,
    /// The id there.
    pub scim_external_id: Option<String>,
    /// When the group last changed; absent for never.
    pub changed_at: Option<Timestamp>,
    /// Way in which the group came to a directory: `made`, `found` or `linked`; absent for one by hand.
    pub scim_origin: Option<String>,
    /// Id of the directory that the group belongs to; absent for the default one, and for none.
    pub scim_directory_id: Option<i64>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
