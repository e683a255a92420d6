//! Rows of `personal_token`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A token with which a program acts as a user. Its secret is not stored.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "personal_token")]
pub struct Model {
    /// Id of the token.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The user it acts as.
    pub user_id: i64,
    /// Purpose, in the words of the user.
    pub description: String,
    /// Digest of the secret.
    pub secret_hash: String,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When the token was made.
    pub created_at: Timestamp,
    /// When it was last used.
    pub seen_at: Option<Timestamp>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
