//! Rows of `job_run`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// The last run of a background job.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "job_run")]
pub struct Model {
    /// Name of the job.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// When it last began.
    pub last_started_at: Timestamp,
    /// When it last ended well; `None` before the first time.
    pub last_finished_at: Option<Timestamp>,
    /// Error of the last run, if any.
    pub last_error: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
