//! Rows of `session`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A signed-in browser. The cookie's value is not stored.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "session")]
pub struct Model {
    /// Digest of the cookie's value.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id_hash: String,
    /// Id of the user who signed in.
    pub user_id: i64,
    /// When the user signed in.
    pub created_at: Timestamp,
    /// When the session ends.
    pub expires_at: Timestamp,
    /// Way of signing in; absent for a session of a version that did not note it.
    pub method: Option<String>,
    /// Address of the client that signed in.
    pub address: Option<String>,
    /// Name by which the client called itself.
    pub user_agent: Option<String>,
    /// When the session was last used, a few minutes late.
    pub seen_at: Option<Timestamp>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
