//! Rows of `integration`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// An integration: another system that receives events.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "integration")]
pub struct Model {
    /// Id of the integration.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Name of the provider.
    pub provider: String,
    /// Whether it receives events.
    pub enabled: bool,
    /// Free text.
    #[sea_orm(column_type = "Text", nullable)]
    pub description: Option<String>,
    /// Sealed JSON of its parameters.
    #[sea_orm(column_type = "Text")]
    pub sealed: String,
    /// JSON array of the types of events that it receives.
    #[sea_orm(column_type = "Text")]
    pub events: String,
    /// JSON array of projects; empty is all.
    #[sea_orm(column_type = "Text")]
    pub projects: String,
    /// JSON array of environments; empty is all.
    #[sea_orm(column_type = "Text")]
    pub environments: String,
    /// Whether it receives events that belong to no project.
    pub instance_events: bool,
    /// The last event that was looked at for it.
    pub last_event_id: i64,
    /// When the first of the attempts failed since which none succeeded.
    pub failing_since: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Number of times it was changed.
    pub version: i64,
    /// Id of the user whose visibility bounds the events, or of a stand-in; none for the instance.
    pub owner_id: Option<i64>,
    /// Their name.
    #[sea_orm(column_type = "Text", nullable)]
    pub owner_name: Option<String>,
    /// Former id of a departing integration.
    pub departed_from: Option<i64>,
    /// Whether the event of its own change or removal is still to be delivered.
    pub hears_of_change: bool,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
