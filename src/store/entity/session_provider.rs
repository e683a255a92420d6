//! Rows of `session_provider`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// The login provider that a session came through.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "session_provider")]
pub struct Model {
    /// Digest of the cookie's value.
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_hash: String,
    /// Key of the provider.
    pub provider: String,
    /// Digest of provider, issuer and subject.
    pub identity_hash: String,
    /// Digest of provider, issuer and the provider's own session.
    pub sid_hash: Option<String>,
    /// Digest of the settings under which it came.
    pub settings_hash: String,
    /// Data that the provider is shown when the user signs out or access is checked again, encrypted.
    #[sea_orm(column_type = "Text")]
    pub sealed: String,
    /// When access is checked again at the provider; absent where the provider gave no refresh token.
    pub check_at: Option<Timestamp>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
