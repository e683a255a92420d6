//! Rows of `banner`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A message above every page of a console.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "banner")]
pub struct Model {
    /// Id of the banner.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Text, in Markdown.
    #[sea_orm(column_type = "Text")]
    pub message: String,
    /// Whether it is shown.
    pub enabled: bool,
    /// Urgency of the message.
    pub variant: String,
    /// Whether it stays in sight.
    pub sticky: bool,
    /// Name of a symbol.
    pub icon: Option<String>,
    /// Address of its link.
    #[sea_orm(column_type = "Text", nullable)]
    pub link: Option<String>,
    /// Text of its link.
    pub link_text: Option<String>,
    /// Title of its dialog.
    pub dialog_title: Option<String>,
    /// Text of its dialog, in Markdown.
    #[sea_orm(column_type = "Text", nullable)]
    pub dialog: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
