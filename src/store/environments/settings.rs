//! The settings of environments: reading them, and changing them.

use flagstone_domain::{environment::Environment, visibility::Visibility};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType, Query, SelectStatement},
};

use crate::{
    StoreError,
    db::Tx,
    entity::{api_token, api_token_project, environment, feature, feature_environment, project_environment},
    visibility::not_hidden,
};

impl From<environment::Model> for Environment {
    fn from(row: environment::Model) -> Self {
        Self {
            name: row.name,
            kind: row.r#type,
            enabled: row.enabled,
            protected: row.protected,
            sort_order: row.sort_order,
            required_approvals: row.required_approvals.into(),
        }
    }
}

impl From<&Environment> for environment::ActiveModel {
    fn from(environment: &Environment) -> Self {
        Self {
            name: Set(environment.name.clone()),
            r#type: Set(environment.kind.clone()),
            enabled: Set(environment.enabled),
            protected: Set(environment.protected),
            sort_order: Set(environment.sort_order),
            required_approvals: Set(environment.required_approvals.0),
        }
    }
}

/// An environment with usage counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Its settings.
    pub environment: Environment,
    /// Projects that use it.
    pub projects: i64,
    /// API tokens that are bound to it.
    pub api_tokens: i64,
    /// Features in use that are on in it.
    pub enabled_features: i64,
}

/// All environments, by sort order, then name. Counts only what may appear.
pub async fn list(db: &impl ConnectionTrait, visibility: &Visibility) -> Result<Vec<Counted>, StoreError> {
    counted(db, None, visibility).await
}

/// The environment with this name.
pub async fn find(
    db: &impl ConnectionTrait,
    name: &str,
    visibility: &Visibility,
) -> Result<Option<Counted>, StoreError> {
    Ok(counted(db, Some(name), visibility).await?.pop())
}

#[derive(FromQueryResult)]
struct CountedRow {
    name: String,
    kind: String,
    enabled: bool,
    protected: bool,
    sort_order: i64,
    required_approvals: Option<i64>,
    projects: i64,
    api_tokens: i64,
    enabled_features: i64,
}

async fn counted(
    db: &impl ConnectionTrait,
    name: Option<&str>,
    visibility: &Visibility,
) -> Result<Vec<Counted>, StoreError> {
    use environment::Column;
    let column = |column: Column| Expr::col((environment::Entity, column));
    let mut query = Query::select()
        .expr_as(column(Column::Name), "name")
        .expr_as(column(Column::Type), "kind")
        .expr_as(column(Column::Enabled), "enabled")
        .expr_as(column(Column::Protected), "protected")
        .expr_as(column(Column::SortOrder), "sort_order")
        .expr_as(column(Column::RequiredApprovals), "required_approvals")
        .expr_as(subquery(projects(visibility)), "projects")
        .expr_as(subquery(api_tokens(visibility)), "api_tokens")
        .expr_as(subquery(enabled_features(visibility)), "enabled_features")
        .from(environment::Entity)
        .order_by((environment::Entity, Column::SortOrder), sea_orm::Order::Asc)
        .order_by((environment::Entity, Column::Name), sea_orm::Order::Asc)
        .to_owned();
    if let Some(name) = name {
        query.and_where(column(Column::Name).eq(name));
    }
    let rows = db.query_all(&query).await?;
    let read = |row| {
        let row = CountedRow::from_query_result(row, "")?;
        let (name, kind, enabled) = (row.name, row.kind, row.enabled);
        Ok::<_, sea_orm::DbErr>(Counted {
            environment: Environment {
                name,
                kind,
                enabled,
                protected: row.protected,
                sort_order: row.sort_order,
                required_approvals: row.required_approvals.into(),
            },
            projects: row.projects,
            api_tokens: row.api_tokens,
            enabled_features: row.enabled_features,
        })
    };
    let rows: Result<Vec<_>, _> = rows.iter().map(read).collect();
    Ok(rows?)
}

fn subquery(query: SelectStatement) -> Expr {
    Expr::SubQuery(None, Box::new(query.into()))
}

fn outer_name() -> Expr {
    Expr::col((environment::Entity, environment::Column::Name))
}

fn projects(visibility: &Visibility) -> SelectStatement {
    let project = Expr::col((project_environment::Entity, project_environment::Column::Project));
    Query::select()
        .expr(project.clone().count())
        .from(project_environment::Entity)
        .and_where(Expr::col((project_environment::Entity, project_environment::Column::Environment)).eq(outer_name()))
        .cond_where(not_hidden(project, visibility))
        .to_owned()
}

/// A token that serves hidden projects alone does not appear.
fn api_tokens(visibility: &Visibility) -> SelectStatement {
    let id = Expr::col((api_token::Entity, api_token::Column::Id));
    let mut query = Query::select()
        .expr(id.clone().count())
        .from(api_token::Entity)
        .and_where(Expr::col((api_token::Entity, api_token::Column::Environment)).eq(outer_name()))
        .to_owned();
    if !visibility.hidden_projects.is_empty() {
        let seen = Query::select()
            .column(api_token_project::Column::TokenId)
            .from(api_token_project::Entity)
            .cond_where(not_hidden(api_token_project::Column::Project.into_expr(), visibility))
            .to_owned();
        query.and_where(id.in_subquery(seen));
    }
    query
}

fn enabled_features(visibility: &Visibility) -> SelectStatement {
    let of = |column: feature_environment::Column| Expr::col((feature_environment::Entity, column));
    let mut query = Query::select()
        .expr(of(feature_environment::Column::FeatureId).count())
        .from(feature_environment::Entity)
        .and_where(of(feature_environment::Column::Environment).eq(outer_name()))
        .and_where(of(feature_environment::Column::Enabled).eq(true))
        .and_where(of(feature_environment::Column::Live).eq(true))
        .to_owned();
    if !visibility.hidden_projects.is_empty() {
        let seen = Query::select()
            .column(feature::Column::Id)
            .from(feature::Entity)
            .cond_where(not_hidden(feature::Column::Project.into_expr(), visibility))
            .to_owned();
        query.and_where(of(feature_environment::Column::FeatureId).in_subquery(seen));
    }
    query
}

/// The environment with this name, held until the transaction ends.
pub async fn hold(tx: &Tx, name: &str) -> Result<Option<Environment>, StoreError> {
    let row = environment::Entity::find_by_id(name).lock(LockType::Update).one(tx).await?;
    Ok(row.map(Environment::from))
}

/// Returns the named environments that exist, locked until the transaction ends, by name.
pub async fn hold_all(tx: &Tx, names: &[&str]) -> Result<Vec<Environment>, StoreError> {
    let rows = environment::Entity::find()
        .filter(environment::Column::Name.is_in(names.iter().copied()))
        .order_by_asc(environment::Column::Name)
        .lock(LockType::Update)
        .all(tx)
        .await?;
    Ok(rows.into_iter().map(Environment::from).collect())
}

/// The names of all environments, sorted.
pub async fn names(db: &impl ConnectionTrait) -> Result<Vec<String>, StoreError> {
    let names = environment::Entity::find()
        .select_only()
        .column(environment::Column::Name)
        .order_by_asc(environment::Column::Name)
        .into_tuple()
        .all(db)
        .await?;
    Ok(names)
}

/// Number of environments.
pub async fn count(db: &impl ConnectionTrait) -> Result<u64, StoreError> {
    Ok(environment::Entity::find().count(db).await?)
}

/// The position behind all others.
pub async fn next_sort_order(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    let last: Option<Option<i64>> = environment::Entity::find()
        .select_only()
        .column_as(environment::Column::SortOrder.max(), "last")
        .into_tuple()
        .one(db)
        .await?;
    Ok(last.flatten().unwrap_or_default().saturating_add(1))
}

/// Makes an environment that no project uses yet; returns whether the name was free.
pub async fn add(tx: &Tx, new: &Environment) -> Result<bool, StoreError> {
    let row = environment::ActiveModel::from(new);
    let inserted = environment::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(matches!(inserted, sea_orm::TryInsertResult::Inserted(rows) if rows > 0))
}

/// Stores the settings of an environment that exists.
pub async fn save(tx: &Tx, environment: &Environment) -> Result<(), StoreError> {
    environment::Entity::update(environment::ActiveModel::from(environment)).exec(tx).await?;
    Ok(())
}
