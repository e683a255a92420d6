//! Rows of `user_identity`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Identity of a user at a login provider.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_identity")]
pub struct Model {
    /// Digest of provider, issuer and subject.
    #[sea_orm(primary_key, auto_increment = false)]
    pub identity_hash: String,
    /// Key of the provider.
    pub provider: String,
    /// Name of the provider: the issuer, or the entity id.
    #[sea_orm(column_type = "Text")]
    pub issuer: String,
    /// Subject of the user at the provider.
    #[sea_orm(column_type = "Text")]
    pub subject: String,
    /// User whom an identity belongs to.
    pub user_id: i64,
    /// The email that the provider gave last.
    pub email: Option<String>,
    /// When the identity was linked to the user.
    pub created_at: Timestamp,
    /// When it was last used to sign in.
    pub seen_at: Timestamp,
    /// Digest of the settings and the policy under which it was; absent where an earlier version let it in.
    pub settings_hash: Option<String>,
    /// Whether it proves whose the account is: by an email that the provider was trusted for, or an administrator.
    pub proves_owner: bool,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
