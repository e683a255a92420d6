//! Rows of `feature_tag`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A tag on a feature.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feature_tag")]
pub struct Model {
    /// Id of the feature.
    #[sea_orm(primary_key, auto_increment = false)]
    pub feature_id: i64,
    /// Id of the tag.
    #[sea_orm(primary_key, auto_increment = false)]
    pub tag_id: i64,
    /// When the tag was put on.
    pub created_at: Timestamp,
    /// Id of the user who put it on.
    pub created_by_user_id: Option<i64>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
