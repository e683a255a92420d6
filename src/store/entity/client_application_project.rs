//! Rows of `client_application_project`.

use sea_orm::entity::prelude::*;

/// A project that the token reaches with which an application registered: users who see the project see the
/// application.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "client_application_project")]
pub struct Model {
    /// Name of the application.
    #[sea_orm(primary_key, auto_increment = false)]
    pub app_name: String,
    /// Id of the project; `*` for all, when the application was registered by hand.
    #[sea_orm(primary_key, auto_increment = false)]
    pub project: String,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
