//! Rows of `client_application`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// An application that has connected.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "client_application")]
pub struct Model {
    /// Name of the application, as it reported.
    #[sea_orm(primary_key, auto_increment = false)]
    pub app_name: String,
    /// Free text.
    pub description: Option<String>,
    /// Address of its documentation.
    pub url: Option<String>,
    /// Colour shown with it.
    pub color: Option<String>,
    /// Icon shown with it.
    pub icon: Option<String>,
    /// JSON array of the strategy names it knows.
    #[sea_orm(column_type = "Text")]
    pub strategies: String,
    /// Name of the token it first came with.
    pub created_by: Option<String>,
    /// When it first connected.
    pub created_at: Timestamp,
    /// When this row last changed.
    pub updated_at: Timestamp,
    /// When it last connected.
    pub seen_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
