//! Rows of `scim_directory`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A directory in addition to the default one.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "scim_directory")]
pub struct Model {
    /// Id of the directory.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Digest of the token.
    pub token_hash: String,
    /// When the directory was created.
    pub created_at: Timestamp,
    /// Name of the creator.
    pub created_by: Option<String>,
    /// When the token was generated.
    pub token_created_at: Timestamp,
    /// When the token was last used; absent for never.
    pub last_used_at: Option<Timestamp>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
