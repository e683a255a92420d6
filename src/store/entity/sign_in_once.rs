//! Rows of `sign_in_once`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Something that serves once, and has.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sign_in_once")]
pub struct Model {
    /// Kind of the value.
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: String,
    /// Digest of it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub digest: String,
    /// End of the time in which it could be shown again.
    pub usable_until: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
