//! Rows of `sign_in_trial`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Settings of a login provider that are tried out.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sign_in_trial")]
pub struct Model {
    /// Digest of the id.
    #[sea_orm(primary_key, auto_increment = false)]
    pub trial_hash: String,
    /// The settings and what came of them, encrypted.
    #[sea_orm(column_type = "Text")]
    pub sealed: String,
    /// When it is over.
    pub expires_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
