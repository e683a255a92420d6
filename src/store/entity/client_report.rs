//! Rows of `client_report`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A report that was counted, and is not when it comes again.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "client_report")]
pub struct Model {
    /// Digest of what the report is recognised by.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// End of the time in which the report is recognised.
    pub known_until: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
