//! Rows of `delivery`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Delivery of an event to an integration.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery")]
pub struct Model {
    /// Id of the delivery.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Id of the integration.
    pub integration_id: i64,
    /// Id of the event.
    pub event_id: i64,
    /// Id of the message for the receiver, the same in every attempt.
    pub message_id: String,
    /// State of the delivery.
    pub state: String,
    /// When the delivery was queued.
    pub created_at: Timestamp,
    /// When it is to be attempted next.
    pub due_at: Timestamp,
    /// End of the claim of the node that attempts it.
    pub claimed_until: Option<Timestamp>,
    /// Number of attempts.
    pub attempts: i64,
    /// Outcome of the last attempt, in words.
    #[sea_orm(column_type = "Text")]
    pub state_details: String,
    /// JSON of what was sent, without secrets.
    #[sea_orm(column_type = "Text")]
    pub details: String,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
