//! Rows of `user_access_request`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Request for access by an identity at a login provider that belongs to no user.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_access_request")]
pub struct Model {
    /// Id of the request.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Digest of provider, issuer and subject.
    pub identity_hash: String,
    /// Key of the provider.
    pub provider: String,
    /// Name of the provider: the issuer, or the entity id.
    #[sea_orm(column_type = "Text")]
    pub issuer: String,
    /// Subject of the person at the provider.
    #[sea_orm(column_type = "Text")]
    pub subject: String,
    /// The email from the provider.
    pub email: String,
    /// The name from the provider.
    pub name: Option<String>,
    /// Whether the identity proves whose the email is.
    pub proves_owner: bool,
    /// When the request was made.
    pub requested_at: Timestamp,
    /// When it was last made again.
    pub last_requested_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
    /// When it was rejected.
    pub rejected_at: Option<Timestamp>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
