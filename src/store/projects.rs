//! Projects.

pub mod access;
pub mod connections;
pub mod favorites;
pub mod list;
pub mod overview;
pub mod removal;
pub mod resources;
pub mod statistics;
pub mod transfer;
pub mod usage;
pub mod write;

use flagstone_domain::{feature_link::LinkTemplate, time::Timestamp};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    StoreError,
    db::{
        Tx,
        sql_text::{Placeholder, SqlText},
        value::list_column,
    },
    entity::project,
};

/// The place of a project's id in statements that are spelled once.
const PROJECT: Placeholder = Placeholder::new(1);

/// A project to be made, with the settings that it starts with.
#[derive(Debug, Clone)]
pub struct NewProject {
    /// Unique id.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Purpose of the project.
    pub description: Option<String>,
    /// `open`, `protected` or `private`.
    pub mode: String,
    /// Stickiness of new strategies and variants.
    pub default_stickiness: String,
    /// Most active features; `None` for no limit.
    pub feature_limit: Option<i64>,
}

impl NewProject {
    /// A project with the default settings.
    pub fn named(id: &str, name: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            description: None,
            mode: "open".to_owned(),
            default_stickiness: "default".to_owned(),
            feature_limit: None,
        }
    }
}

/// Whether a project exists and is not archived.
pub async fn is_active(db: &impl ConnectionTrait, id: &str) -> Result<bool, StoreError> {
    // Asked by most requests, and spelling this takes longer than answering it.
    static TEXT: SqlText = SqlText::new();
    let query = || {
        let named = project::Column::Id.into_expr().eq(PROJECT.expr());
        let in_use = named.and(project::Column::ArchivedAt.is_null());
        Query::select().expr(Expr::cust("1")).from(project::Entity).and_where(in_use).take()
    };
    Ok(db.query_one_raw(TEXT.statement(db.get_database_backend(), query, [PROJECT.is(id)])).await?.is_some())
}

/// Whether a project exists, archived or not.
pub async fn exists(db: &impl ConnectionTrait, id: &str) -> Result<bool, StoreError> {
    Ok(project::Entity::find_by_id(id).count(db).await? > 0)
}

/// Reads the column of the links that new features get.
pub(crate) fn read_link_templates(column: Option<&str>) -> Result<Vec<LinkTemplate>, DbErr> {
    list_column("project.link_templates", column)
}

/// Makes a project without environments.
pub async fn insert(tx: &Tx, new: &NewProject, now: Timestamp) -> Result<(), StoreError> {
    let row = project::ActiveModel {
        id: Set(new.id.clone()),
        name: Set(new.name.clone()),
        description: Set(new.description.clone()),
        mode: Set(new.mode.clone()),
        default_stickiness: Set(new.default_stickiness.clone()),
        feature_limit: Set(new.feature_limit),
        created_at: Set(now),
        updated_at: Set(now),
        ..Default::default()
    };
    project::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}
