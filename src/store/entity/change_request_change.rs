//! Rows of `change_request_change`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A change that a change request holds.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_request_change")]
pub struct Model {
    /// Id of the change.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Id of the change request.
    pub change_request_id: i64,
    /// Place among its changes, lowest first.
    pub position: i64,
    /// Name of the feature that it is about.
    pub feature: Option<String>,
    /// Internal id of that feature when the change was recorded.
    pub feature_id: Option<i64>,
    /// Id of the segment that it is about.
    pub segment_id: Option<i64>,
    /// Name of its action.
    pub action: String,
    /// JSON of its payload.
    #[sea_orm(column_type = "Text", nullable)]
    pub payload: Option<String>,
    /// JSON of its target when it was recorded.
    #[sea_orm(column_type = "Text", nullable)]
    pub snapshot: Option<String>,
    /// Id of its author.
    pub created_by_user_id: i64,
    /// When it was recorded.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
