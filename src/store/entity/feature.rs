//! Rows of `feature`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A feature, archived ones included.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feature")]
pub struct Model {
    /// Internal id; the contract knows features by name.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Unique name, also among archived features.
    pub name: String,
    /// Id of the owning project.
    pub project: String,
    /// Id of the feature type.
    pub r#type: String,
    /// Free text.
    pub description: Option<String>,
    /// Whether the feature is marked as stale.
    pub stale: bool,
    /// Whether SDKs report impressions.
    pub impression_data: bool,
    /// Whether the feature has outlived its type's lifetime; kept by a job.
    pub potentially_stale: bool,
    /// When the feature was created.
    pub created_at: Timestamp,
    /// Id of its creator.
    pub created_by_user_id: Option<i64>,
    /// When it was archived; `None` while in use.
    pub archived_at: Option<Timestamp>,
    /// Newest use in any environment.
    pub last_seen_at: Option<Timestamp>,
    /// Derived from `feature_dependency`: `parent`, `child`, or neither.
    pub dependency_kind: Option<String>,
    /// Derived from name and tags: the name in lower case, then a line `type:value` for each tag.
    #[sea_orm(column_type = "Text")]
    pub search_text: String,
    /// Its links, as JSON; `None` where it has none.
    #[sea_orm(column_type = "Text")]
    pub links: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
