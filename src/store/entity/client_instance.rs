//! Rows of `client_instance`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A running copy of an application in one environment.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "client_instance")]
pub struct Model {
    /// Name of the application.
    #[sea_orm(primary_key, auto_increment = false)]
    pub app_name: String,
    /// Name that the copy gave itself.
    #[sea_orm(primary_key, auto_increment = false)]
    pub instance_id: String,
    /// Name of the environment.
    #[sea_orm(primary_key, auto_increment = false)]
    pub environment: String,
    /// Name and version of its SDK.
    pub sdk_version: Option<String>,
    /// When it last connected.
    pub last_seen_at: Timestamp,
    /// When it first connected.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
