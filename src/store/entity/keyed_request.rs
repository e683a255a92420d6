//! Rows of `keyed_request`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A request with an `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "keyed_request")]
pub struct Model {
    /// Digest of who sent it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub caller: String,
    /// Digest of the key.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Digest of operation, address and body.
    pub request: String,
    /// The answer, sealed; `None` until there is one.
    pub answer: Option<String>,
    /// Bytes of the sealed answer.
    pub bytes: i64,
    /// When the request came.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
