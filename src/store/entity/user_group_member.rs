//! Rows of `user_group_member`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A user in a group.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_group_member")]
pub struct Model {
    /// Id of the group.
    #[sea_orm(primary_key, auto_increment = false)]
    pub group_id: i64,
    /// Id of the user.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// When the user joined.
    pub created_at: Timestamp,
    /// Source of the membership: `login-provider`, or nothing for one made by hand.
    pub source: Option<String>,
    /// Key of the login provider that gave it; nothing for one made by hand, and where it is not known.
    pub source_provider: Option<String>,
    /// Whether the user is a member themself, and not only one of a group that is nested in this one.
    pub is_direct: bool,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
