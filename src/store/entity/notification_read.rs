//! Rows of `notification_read`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Mark that a user has read of an event.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "notification_read")]
pub struct Model {
    /// Id of the user.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// Id of the event, which may be gone.
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: i64,
    /// When.
    pub read_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
