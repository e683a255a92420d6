//! Rows of `signup_link`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A link with which people create their own user. Its secret is not stored.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "signup_link")]
pub struct Model {
    /// Id of the link.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Digest of the secret.
    pub secret_hash: String,
    /// Name for administrators.
    pub name: String,
    /// Whether it can be used.
    pub enabled: bool,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// Name of who made it.
    pub created_by: Option<String>,
    /// The only address that signs up with it, in lower case.
    pub email: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
