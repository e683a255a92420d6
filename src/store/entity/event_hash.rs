//! Rows of `event_hash`.

use sea_orm::entity::prelude::*;

/// The hash of an event in the chain over the log. Not here is what has not been hashed yet.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_hash")]
pub struct Model {
    /// The event, which may have been removed since.
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: i64,
    /// SHA-256 over the event and the hash before it.
    pub hash: Vec<u8>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
