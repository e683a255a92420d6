//! Rows of `integration`.

use sea_orm::entity::prelude::*;

use crate::domain::time::Timestamp;

/// Another system that is told of events.
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
    /// JSON array of the types of events that it is told of.
    #[sea_orm(column_type = "Text")]
    pub events: String,
    /// JSON array of projects; empty is all.
    #[sea_orm(column_type = "Text")]
    pub projects: String,
    /// JSON array of environments; empty is all.
    #[sea_orm(column_type = "Text")]
    pub environments: String,
    /// Whether it is told of events that belong to no project.
    pub instance_events: bool,
    /// The last event that was looked at for it.
    pub last_event_id: i64,
    /// When the first of the attempts failed since which none succeeded.
    pub failing_since: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// How often it was changed.
    pub version: i64,
    /// Id of the user whose sight bounds what it is told, or of a stand-in; none for the instance.
    pub owner_id: Option<i64>,
    /// Their name.
    #[sea_orm(column_type = "Text", nullable)]
    pub owner_name: Option<String>,
    /// Of one that only ends what it began: the id of the integration that it was.
    pub departed_from: Option<i64>,
    /// Whether it is still to be told of its own change or removal.
    pub hears_of_change: bool,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
