//! Rows of `event`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// An entry of the event log. Rows are never changed, and outlive what they name.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event")]
pub struct Model {
    /// Id; rises in the order of commits.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// When it happened.
    pub created_at: Timestamp,
    /// Kind of the event.
    pub r#type: String,
    /// Name of who did it, as it was then.
    pub created_by: String,
    /// Id of who did it; the user may be gone.
    pub created_by_user_id: Option<i64>,
    /// Environment it happened in.
    pub environment: Option<String>,
    /// Project it happened in.
    pub project: Option<String>,
    /// Feature it happened to.
    pub feature_name: Option<String>,
    /// JSON of the state after.
    #[sea_orm(column_type = "Text", nullable)]
    pub data: Option<String>,
    /// JSON of the state before.
    #[sea_orm(column_type = "Text", nullable)]
    pub pre_data: Option<String>,
    /// JSON array of the feature's tags at that time.
    #[sea_orm(column_type = "Text")]
    pub tags: String,
    /// Derived from `data`, `pre_data`, `tags` and `reason`: their text with its case folded, each on a line.
    #[sea_orm(column_type = "Text")]
    pub search_payload: String,
    /// Derived from `type` and `created_by`: both with their case folded, each on a line.
    #[sea_orm(column_type = "Text")]
    pub search_origin: String,
    /// Why it was done, in the words of who did it.
    #[sea_orm(column_type = "Text", nullable)]
    pub reason: Option<String>,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
