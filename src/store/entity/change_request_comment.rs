//! Rows of `change_request_comment`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A comment on a change request.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_request_comment")]
pub struct Model {
    /// Id of the comment.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Id of the change request.
    pub change_request_id: i64,
    /// Id of its author.
    pub user_id: i64,
    /// The text.
    #[sea_orm(column_type = "Text")]
    pub text: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
