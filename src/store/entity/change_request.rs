//! Rows of `change_request`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A change request.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_request")]
pub struct Model {
    /// Id of the change request.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Id of its project.
    pub project: String,
    /// Name of its environment.
    pub environment: String,
    /// State that it is in.
    pub state: String,
    /// Title that a user gave it.
    pub title: Option<String>,
    /// Approvals that it needs.
    pub min_approvals: i64,
    /// Number that rises with each change of its contents.
    pub revision: i64,
    /// Id of its author.
    pub created_by_user_id: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// Digest of the changes that were applied.
    pub applied_digest: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
