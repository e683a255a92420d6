//! Rows of `sign_in_ticket`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Identity that a login provider vouches for, until the browser shows that it asked.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sign_in_ticket")]
pub struct Model {
    /// Digest of the ticket.
    #[sea_orm(primary_key, auto_increment = false)]
    pub ticket_hash: String,
    /// The identity, encrypted.
    #[sea_orm(column_type = "Text")]
    pub sealed: String,
    /// When it stops working.
    pub expires_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
