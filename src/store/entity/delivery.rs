//! Rows of `delivery`.

use sea_orm::entity::prelude::*;

use crate::domain::time::Timestamp;

/// An event that is to be told to an integration, or was.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery")]
pub struct Model {
    /// Id of the delivery.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The integration that is told.
    pub integration_id: i64,
    /// The event that it is told of.
    pub event_id: i64,
    /// What the receiver knows the message by, whichever attempt it is.
    pub message_id: String,
    /// How far it is.
    pub state: String,
    /// When the delivery was queued.
    pub created_at: Timestamp,
    /// When it is to be attempted next.
    pub due_at: Timestamp,
    /// Until when somebody is attempting it.
    pub claimed_until: Option<Timestamp>,
    /// How often it was attempted.
    pub attempts: i64,
    /// How the last attempt ended, in words.
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
