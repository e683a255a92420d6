//! Rows of `second_factor`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A second factor of a user.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "second_factor")]
pub struct Model {
    /// Id of the factor.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Id of the user whose it is.
    pub user_id: i64,
    /// Kind of the factor: `totp` or `passkey`.
    pub kind: String,
    /// The secret or the public key that it is checked with, encrypted.
    #[sea_orm(column_type = "Text")]
    pub sealed: String,
    /// When its enrolment began.
    pub created_at: Timestamp,
    /// When its user proved to have it; absent until then.
    pub confirmed_at: Option<Timestamp>,
    /// Time step of the last code that was accepted, since 1970.
    pub last_step: Option<i64>,
    /// Name of a passkey.
    pub name: Option<String>,
    /// Digest of the id by which a passkey calls itself.
    pub credential_hash: Option<String>,
    /// When a passkey last proved its user.
    pub used_at: Option<Timestamp>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
