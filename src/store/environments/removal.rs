//! Deleting an environment, with everything that hangs on it.

use flagstone_domain::token::ApiToken;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    StoreError,
    db::Tx,
    entity::{api_token, environment, project_environment, role_permission},
    tokens::api::{self, Which},
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

/// Deletes an environment: the configuration of every feature in it, the API tokens that are bound to it, and the
/// grants that count in it alone, so that none of these comes alive again when the name is given once more.
pub async fn remove(tx: &Tx, name: &str) -> Result<Vec<ApiToken>, StoreError> {
    let tokens = api::list(tx, Which::InEnvironment(name)).await?;
    api_token::Entity::delete_many().filter(api_token::Column::Environment.eq(name)).exec(tx).await?;
    role_permission::Entity::delete_many().filter(role_permission::Column::Environment.eq(name)).exec(tx).await?;
    environment::Entity::delete_by_id(name).exec(tx).await?;
    Ok(tokens)
}
