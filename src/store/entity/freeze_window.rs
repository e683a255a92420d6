//! Rows of `freeze_window`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A time in which an environment, or each of them, must not be changed.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "freeze_window")]
pub struct Model {
    /// Id of the window.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Name of the environment; `None` for all.
    pub environment: Option<String>,
    /// First instant of a window that comes once.
    pub from_at: Option<Timestamp>,
    /// Instant of its end.
    pub to_at: Option<Timestamp>,
    /// JSON array of the days on which a weekly window begins.
    #[sea_orm(column_type = "Text", nullable)]
    pub days: Option<String>,
    /// Minute of the day at which it begins.
    pub from_minute: Option<i64>,
    /// Minute at which it ends.
    pub to_minute: Option<i64>,
    /// Zone of days and minutes.
    pub zone: Option<String>,
    /// Reason of the freeze.
    #[sea_orm(column_type = "Text")]
    pub reason: String,
    /// JSON array of the ids of the roles whose holders are exempt.
    #[sea_orm(column_type = "Text")]
    pub exempt_roles: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
