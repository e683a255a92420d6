//! Rows of `reviewer_rule`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Approval that changes of a project need in an environment.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "reviewer_rule")]
pub struct Model {
    /// Id of the rule.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Id of the project.
    pub project: String,
    /// Name of the environment.
    pub environment: String,
    /// Number of its groups that must approve.
    pub need: String,
    /// Type of the tag of the features that it is about.
    pub tag_type: Option<String>,
    /// Value of that tag.
    pub tag_value: Option<String>,
    /// Pattern of the names of the features that it is about.
    pub name_pattern: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
