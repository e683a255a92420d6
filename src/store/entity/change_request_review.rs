//! Rows of `change_request_review`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// An approval or rejection of a change request.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_request_review")]
pub struct Model {
    /// Id of the review.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Id of the change request.
    pub change_request_id: i64,
    /// Id of the reviewer.
    pub user_id: i64,
    /// Approval or rejection.
    pub verdict: String,
    /// Digest of the changes that the reviewer saw.
    pub digest: String,
    /// When it was given.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
