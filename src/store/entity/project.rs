//! Rows of `project`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A project: the owner of features, and the reach of most permissions.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "project")]
pub struct Model {
    /// Id chosen by the creator.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Display name.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// Mode of visibility and membership: `open`, `protected` or `private`.
    pub mode: String,
    /// Context field that new strategies stick to.
    pub default_stickiness: String,
    /// Most features the project may hold; `None` is no limit.
    pub feature_limit: Option<i64>,
    /// Regular expression that names of new features must match.
    pub naming_pattern: Option<String>,
    /// A name that matches the pattern.
    pub naming_example: Option<String>,
    /// Words about the pattern for people.
    pub naming_description: Option<String>,
    /// When the project was created.
    pub created_at: Timestamp,
    /// When the project last changed.
    pub updated_at: Timestamp,
    /// When it was archived; `None` while in use.
    pub archived_at: Option<Timestamp>,
    /// The links that new features get, as JSON; `None` where they get none.
    #[sea_orm(column_type = "Text")]
    pub link_templates: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
