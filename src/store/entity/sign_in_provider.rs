//! Rows of `sign_in_provider`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A further login provider.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sign_in_provider")]
pub struct Model {
    /// Id of the provider, which is part of its addresses.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Text of its button.
    #[sea_orm(column_type = "Text")]
    pub label: String,
    /// Name of the icon of its button.
    pub icon: String,
    /// Position of its button, lowest first.
    pub sort_order: i64,
    /// Whether people can sign in through it.
    pub enabled: bool,
    /// JSON of its connection, encrypted.
    #[sea_orm(column_type = "Text")]
    pub settings: String,
    /// Root role of users that are created; absent for Viewer.
    pub default_root_role_id: Option<i64>,
    /// JSON of its other rules.
    #[sea_orm(column_type = "Text")]
    pub rules: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// JSON of whether it follows its metadata; absent while nobody said so.
    #[sea_orm(column_type = "Text", nullable)]
    pub metadata_refresh: Option<String>,
    /// JSON of how the last attempt to read its metadata went; absent before the first.
    #[sea_orm(column_type = "Text", nullable)]
    pub metadata_outcome: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
