//! Rows of `favorite_feature`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A feature that a user marked as a favourite.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "favorite_feature")]
pub struct Model {
    /// Id of the user.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// Id of the feature.
    #[sea_orm(primary_key, auto_increment = false)]
    pub feature_id: i64,
    /// When it was marked.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
