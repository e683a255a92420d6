//! Rows of `change_request_state_entry`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// The last time that a change request entered a state.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_request_state_entry")]
pub struct Model {
    /// Id of the change request.
    #[sea_orm(primary_key, auto_increment = false)]
    pub change_request_id: i64,
    /// The state.
    #[sea_orm(primary_key, auto_increment = false)]
    pub state: String,
    /// When it was entered.
    pub entered_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
