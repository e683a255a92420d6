//! Rows of `sign_in_log`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Outcome of an attempt to sign in, or of several of which only their number is kept.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sign_in_log")]
pub struct Model {
    /// Id of the entry.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// When it ended.
    pub created_at: Timestamp,
    /// Way of signing in: `simple` for a password, `oidc` or `saml`.
    pub provider: String,
    /// Outcome.
    pub outcome: String,
    /// Reason of a refusal.
    pub reason: Option<String>,
    /// Id of the user who signed in.
    pub user_id: Option<i64>,
    /// Name that the attempt gave.
    #[sea_orm(column_type = "Text", nullable)]
    pub subject: Option<String>,
    /// Address of the client.
    pub address: Option<String>,
    /// Id of the error that the browser was shown.
    pub error_id: Option<String>,
    /// Expected value.
    #[sea_orm(column_type = "Text", nullable)]
    pub expected: Option<String>,
    /// Actual value.
    #[sea_orm(column_type = "Text", nullable)]
    pub found: Option<String>,
    /// Number of attempts in the entry.
    pub attempts: i64,
    /// Id of the login provider, if it is none of those of the two settings.
    pub provider_id: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
