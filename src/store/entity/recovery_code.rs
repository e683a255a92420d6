//! Rows of `recovery_code`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A recovery code that was not used yet. The code itself is not stored.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "recovery_code")]
pub struct Model {
    /// Id of the user whose it is.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// Digest of the code.
    #[sea_orm(primary_key, auto_increment = false)]
    pub code_hash: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
