//! Deleting an environment, with everything that hangs on it.

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    domain::time::Timestamp,
    store::{
        StoreError,
        db::Tx,
        entity::{api_token, api_token_project, environment, project_environment, role_permission},
    },
};

/// Ids of the projects that use an environment, sorted.
pub async fn users(db: &impl ConnectionTrait, name: &str) -> Result<Vec<String>, StoreError> {
    let ids = project_environment::Entity::find()
        .select_only()
        .column(project_environment::Column::Project)
        .filter(project_environment::Column::Environment.eq(name))
        .order_by_asc(project_environment::Column::Project)
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids)
}

/// Ids of the projects that use this environment and no other, sorted.
pub async fn sole_users(db: &impl ConnectionTrait, name: &str) -> Result<Vec<String>, StoreError> {
    let others = Query::select()
        .column(project_environment::Column::Project)
        .from(project_environment::Entity)
        .and_where(Expr::col(project_environment::Column::Environment).ne(name))
        .to_owned();
    let ids = project_environment::Entity::find()
        .select_only()
        .column(project_environment::Column::Project)
        .filter(project_environment::Column::Environment.eq(name))
        .filter(project_environment::Column::Project.not_in_subquery(others))
        .order_by_asc(project_environment::Column::Project)
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids)
}

/// An API token that is gone, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedToken {
    /// Its name.
    pub name: String,
    /// What it served for.
    pub kind: String,
    /// Ids of its projects, sorted; `*` for all.
    pub projects: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it would have expired.
    pub expires_at: Option<Timestamp>,
}

/// Deletes an environment: the configuration of every feature in it, the API tokens that are bound to it, and the grants
/// that count in it alone, so that none of these comes alive again when the name is given once more.
pub async fn remove(tx: &Tx, name: &str) -> Result<Vec<RemovedToken>, StoreError> {
    let tokens = tokens_of(tx, name).await?;
    api_token::Entity::delete_many().filter(api_token::Column::Environment.eq(name)).exec(tx).await?;
    role_permission::Entity::delete_many().filter(role_permission::Column::Environment.eq(name)).exec(tx).await?;
    environment::Entity::delete_by_id(name).exec(tx).await?;
    Ok(tokens)
}

async fn tokens_of(tx: &Tx, name: &str) -> Result<Vec<RemovedToken>, StoreError> {
    let of_environment = Query::select()
        .column(api_token::Column::Id)
        .from(api_token::Entity)
        .and_where(Expr::col(api_token::Column::Environment).eq(name))
        .to_owned();
    let rows = api_token::Entity::find()
        .filter(api_token::Column::Environment.eq(name))
        .order_by_asc(api_token::Column::Id)
        .all(tx)
        .await?;
    let links = api_token_project::Entity::find()
        .filter(api_token_project::Column::TokenId.in_subquery(of_environment))
        .order_by_asc(api_token_project::Column::Project)
        .all(tx)
        .await?;
    let tokens = rows.into_iter().map(|row| RemovedToken {
        projects: links.iter().filter(|link| link.token_id == row.id).map(|link| link.project.clone()).collect(),
        name: row.token_name,
        kind: row.r#type,
        created_at: row.created_at,
        expires_at: row.expires_at,
    });
    Ok(tokens.collect())
}
