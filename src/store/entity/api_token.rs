//! Rows of `api_token`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A token of a program.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_token")]
pub struct Model {
    /// Id of the token.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Digest of the secret.
    pub secret_hash: String,
    /// Digest of a second secret that is accepted too.
    pub alias_hash: Option<String>,
    /// Name of the holder; need not be unique.
    pub token_name: String,
    /// `admin`, `client` or `frontend`.
    pub r#type: String,
    /// Environment it reaches; `*` is all.
    pub environment: Option<String>,
    /// When the token was made.
    pub created_at: Timestamp,
    /// Name of the maker.
    pub created_by: Option<String>,
    /// When it stops working; `None` is never.
    pub expires_at: Option<Timestamp>,
    /// When it was last used.
    pub seen_at: Option<Timestamp>,
    /// Its secret, sealed, where the operator wants that.
    pub sealed_secret: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
