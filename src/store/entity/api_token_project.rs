//! Rows of `api_token_project`.

use sea_orm::entity::prelude::*;

/// A project that an API token reaches.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_token_project")]
pub struct Model {
    /// Id of the token.
    #[sea_orm(primary_key, auto_increment = false)]
    pub token_id: i64,
    /// Id of the project, `*` for all.
    #[sea_orm(primary_key, auto_increment = false)]
    pub project: String,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
