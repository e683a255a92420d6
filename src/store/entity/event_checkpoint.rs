//! Rows of `event_checkpoint`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A signed checkpoint of the log of events. Rows are never changed.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_checkpoint")]
pub struct Model {
    /// Id of the checkpoint.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The event that it is about, which may have been removed since.
    pub event_id: i64,
    /// Digits of the hash of that event.
    pub hash: String,
    /// Kind of the checkpoint: `checkpoint` or `beginning`.
    pub kind: String,
    /// Id of the instance.
    pub instance: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// The key that signed it.
    pub public_key: String,
    /// The signature.
    pub signature: String,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
