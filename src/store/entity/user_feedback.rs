//! Rows of `user_feedback`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A user's answer to a question of the console.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_feedback")]
pub struct Model {
    /// Id of the user.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// Id of the question.
    #[sea_orm(primary_key, auto_increment = false)]
    pub feedback_id: String,
    /// Whether the user does not want to be asked again.
    pub never_show: bool,
    /// When the user answered; `None` when they have not.
    pub given_at: Option<Timestamp>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
