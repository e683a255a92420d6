//! Rows of `password_reset`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A link with which a user sets a new password. Its secret is not stored.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "password_reset")]
pub struct Model {
    /// Digest of the secret.
    #[sea_orm(primary_key, auto_increment = false)]
    pub token_hash: String,
    /// Id of the user whose password it sets.
    pub user_id: i64,
    /// Name of who made it.
    pub created_by: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
