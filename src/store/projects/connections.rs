//! The environments of the instance as one project uses them.

use std::collections::HashMap;

use flagstone_domain::{
    ids::{EnvironmentName, ProjectId},
    strategy::DefaultStrategy,
    token::ALL,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    StoreError,
    db::{Tx, value::to_json_column},
    entity::{api_token, api_token_project, environment, feature, feature_environment, project_environment},
    projects::overview,
};

/// An environment of the instance, from the view of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// Name of the environment.
    pub name: String,
    /// Type of the environment.
    pub kind: String,
    /// Whether it is there for ever.
    pub protected: bool,
    /// Position in lists.
    pub sort_order: i64,
    /// Whether the project uses it.
    pub used: bool,
    /// Default strategy of the project's features there.
    pub default_strategy: Option<DefaultStrategy>,
    /// API tokens that reach the project there.
    pub tokens: i64,
    /// Features in use of the project that are switched on there.
    pub enabled_features: i64,
}

#[derive(Debug, FromQueryResult)]
struct Counted {
    environment: Option<String>,
    total: i64,
}

/// Every environment of the instance, by sort order, then name.
pub async fn list(db: &impl ConnectionTrait, project: &str) -> Result<Vec<Connection>, StoreError> {
    let mut rows = environment::Entity::find().all(db).await?;
    rows.sort_by(|left, right| (left.sort_order, &left.name).cmp(&(right.sort_order, &right.name)));
    let used = overview::environments(db, project).await?;
    let mut used: HashMap<String, Option<DefaultStrategy>> =
        used.into_iter().map(|used| (used.name, used.default_strategy)).collect();
    let tokens = tokens(db, project).await?;
    let enabled = enabled_features(db, project).await?;
    let connections = rows.into_iter().map(|row| {
        let default_strategy = used.remove(&row.name);
        Connection {
            used: default_strategy.is_some(),
            default_strategy: default_strategy.flatten(),
            tokens: tokens.get(&row.name).copied().unwrap_or_default(),
            enabled_features: enabled.get(&row.name).copied().unwrap_or_default(),
            name: row.name,
            kind: row.r#type,
            protected: row.protected,
            sort_order: row.sort_order,
        }
    });
    Ok(connections.collect())
}

async fn tokens(db: &impl ConnectionTrait, project: &str) -> Result<HashMap<String, i64>, StoreError> {
    let reaching = api_token_project::Entity::find()
        .select_only()
        .column(api_token_project::Column::TokenId)
        .filter(api_token_project::Column::Project.is_in([project, ALL]))
        .into_query();
    let query = Query::select()
        .column(api_token::Column::Environment)
        .expr_as(api_token::Column::Id.count(), "total")
        .from(api_token::Entity)
        .and_where(api_token::Column::Id.in_subquery(reaching))
        .add_group_by([Expr::col(api_token::Column::Environment)])
        .to_owned();
    counted(db, &query).await
}

async fn enabled_features(db: &impl ConnectionTrait, project: &str) -> Result<HashMap<String, i64>, StoreError> {
    let on = Condition::all()
        .add(Expr::col((feature_environment::Entity, feature_environment::Column::Enabled)).eq(true))
        .add(Expr::col((feature::Entity, feature::Column::Project)).eq(project))
        .add(Expr::col((feature::Entity, feature::Column::ArchivedAt)).is_null());
    let query = Query::select()
        .column((feature_environment::Entity, feature_environment::Column::Environment))
        .expr_as(Expr::col((feature::Entity, feature::Column::Id)).count(), "total")
        .from(feature::Entity)
        .inner_join(
            feature_environment::Entity,
            Expr::col((feature_environment::Entity, feature_environment::Column::FeatureId))
                .equals((feature::Entity, feature::Column::Id)),
        )
        .cond_where(on)
        .add_group_by([Expr::col((feature_environment::Entity, feature_environment::Column::Environment))])
        .to_owned();
    counted(db, &query).await
}

async fn counted(
    db: &impl ConnectionTrait,
    query: &sea_orm::sea_query::SelectStatement,
) -> Result<HashMap<String, i64>, StoreError> {
    let rows = db.query_all(query).await?;
    let rows: Result<Vec<_>, _> = rows.iter().map(|row| Counted::from_query_result(row, "")).collect();
    Ok(rows?.into_iter().filter_map(|row| Some((row.environment?, row.total))).collect())
}

/// Ends a project's use of an environment: what its features had there is gone.
pub async fn disconnect(tx: &Tx, project: ProjectId<'_>, environment: EnvironmentName<'_>) -> Result<(), StoreError> {
    let features = feature::Entity::find()
        .select_only()
        .column(feature::Column::Id)
        .filter(feature::Column::Project.eq(project.as_str()))
        .into_query();
    feature_environment::Entity::delete_many()
        .filter(feature_environment::Column::Environment.eq(environment.as_str()))
        .filter(feature_environment::Column::FeatureId.in_subquery(features))
        .exec(tx)
        .await?;
    let key = (project.as_str().to_owned(), environment.as_str().to_owned());
    project_environment::Entity::delete_by_id(key).exec(tx).await?;
    Ok(())
}

/// Sets what features of a project start with in an environment that it uses.
pub async fn set_default_strategy(
    tx: &Tx,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    strategy: &DefaultStrategy,
) -> Result<(), StoreError> {
    project_environment::Entity::update_many()
        .col_expr(project_environment::Column::DefaultStrategy, Expr::value(to_json_column(strategy)))
        .filter(project_environment::Column::Project.eq(project.as_str()))
        .filter(project_environment::Column::Environment.eq(environment.as_str()))
        .exec(tx)
        .await?;
    Ok(())
}
