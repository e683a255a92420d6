//! Rows of `sign_in_log`.

use sea_orm::entity::prelude::*;

use crate::domain::time::Timestamp;

/// How an attempt to sign in ended, or several of which only their number is kept.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sign_in_log")]
pub struct Model {
    /// Id of the entry.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// When it ended.
    pub created_at: Timestamp,
    /// How: `simple` for a password, `oidc` or `saml`.
    pub provider: String,
    /// Outcome.
    pub outcome: String,
    /// Why it was refused.
    pub reason: Option<String>,
    /// Who signed in.
    pub user_id: Option<i64>,
    /// Who it was said to be.
    #[sea_orm(column_type = "Text", nullable)]
    pub subject: Option<String>,
    /// Where it came from.
    pub address: Option<String>,
    /// Id of the error that the browser was shown.
    pub error_id: Option<String>,
    /// What was expected.
    #[sea_orm(column_type = "Text", nullable)]
    pub expected: Option<String>,
    /// What was found instead.
    #[sea_orm(column_type = "Text", nullable)]
    pub found: Option<String>,
    /// How many attempts the entry stands for.
    pub attempts: i64,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
