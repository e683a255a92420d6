//! Rows of `change_request_schedule`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// When a change request is to be applied.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_request_schedule")]
pub struct Model {
    /// Id of the change request.
    #[sea_orm(primary_key, auto_increment = false)]
    pub change_request_id: i64,
    /// When it is to be applied.
    pub due_at: Timestamp,
    /// Status of the schedule.
    pub status: String,
    /// Reason why it is not applied.
    #[sea_orm(column_type = "Text", nullable)]
    pub reason: Option<String>,
    /// Id of the user in whose name it is applied.
    pub scheduled_by_user_id: i64,
    /// Node that applies it.
    pub claimed_by: Option<String>,
    /// End of the claim of that node.
    pub claimed_until: Option<Timestamp>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
