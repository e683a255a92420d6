//! Strategies that use something shared, and how many features and projects they stand in.

use std::collections::HashMap;

use flagstone_domain::{ids::ProjectId, strategy_use::StrategyUse, visibility::Visibility};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseBackend, DbErr, QueryResult,
    sea_query::{Expr, ExprTrait, Func, Order, Query, SelectStatement},
};
use uuid::Uuid;

use crate::{
    StoreError,
    entity::{feature, feature_strategy, strategy_segment},
    visibility::not_hidden,
};

/// Numbers of uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UseCount {
    /// Projects with such a strategy.
    pub projects: i64,
    /// Features with such a strategy, archived ones included.
    pub features: i64,
}

/// Feature and environment of a strategy, whatever the visibility.
pub async fn find(db: &impl ConnectionTrait, id: Uuid) -> Result<Option<StrategyUse>, StoreError> {
    let mut query = visible_strategies(&Visibility::everything());
    query.and_where(feature_strategy::Column::Id.eq(id.to_string()));
    Ok(fetch(db, query).await?.pop())
}

/// The visible strategies that apply a segment, by feature, environment and id.
pub async fn of_segment(
    db: &impl ConnectionTrait,
    segment_id: i64,
    visibility: &Visibility,
) -> Result<Vec<StrategyUse>, StoreError> {
    let mut query = visible_strategies(visibility);
    query
        .from(strategy_segment::Entity)
        .and_where(
            strategy_segment::Column::StrategyId
                .into_expr()
                .equals((feature_strategy::Entity, feature_strategy::Column::Id)),
        )
        .and_where(strategy_segment::Column::SegmentId.eq(segment_id));
    fetch(db, query).await
}

/// The visible strategies with a constraint on a context field, in all projects or in one, by feature, environment and
/// id.
pub async fn of_context_field(
    db: &impl ConnectionTrait,
    name: &str,
    project: Option<ProjectId<'_>>,
    visibility: &Visibility,
) -> Result<Vec<StrategyUse>, StoreError> {
    let mut query = visible_strategies(visibility);
    with_constraints(db.get_database_backend(), &mut query);
    if let Some(project) = project {
        query.and_where(feature::Column::Project.eq(project.as_str()));
    }
    query.and_where(constrained_field().eq(name)).distinct();
    fetch(db, query).await
}

/// Numbers of the visible uses of segments, by id. One that is not used is left out.
pub async fn of_segments(
    db: &impl ConnectionTrait,
    visibility: &Visibility,
) -> Result<HashMap<i64, UseCount>, StoreError> {
    let query = Query::select()
        .expr_as(strategy_segment::Column::SegmentId.into_expr(), "subject")
        .exprs(counts())
        .from(strategy_segment::Entity)
        .from(feature::Entity)
        .and_where(strategy_segment::Column::FeatureId.into_expr().equals((feature::Entity, feature::Column::Id)))
        .cond_where(visible(visibility))
        .add_group_by([strategy_segment::Column::SegmentId.into_expr()])
        .to_owned();
    let rows = db.query_all(&query).await?;
    Ok(rows.iter().map(count).collect::<Result<_, DbErr>>()?)
}

/// Numbers of features of each project that name a context field in constraints of strategies, by name of the field.
#[derive(Debug, Default)]
pub struct FieldUses(HashMap<String, HashMap<String, i64>>);

impl FieldUses {
    /// Uses of a field: in the project that it belongs to, or in all without one.
    pub fn count(&self, field: &str, owner: Option<&str>) -> UseCount {
        let mut count = UseCount::default();
        let by_project = self.0.get(field).into_iter().flatten();
        for (_, features) in by_project.filter(|(project, _)| owner.is_none_or(|owner| *project == owner)) {
            count.projects += 1;
            count.features += features;
        }
        count
    }
}

/// Numbers of the visible uses of context fields in constraints of strategies.
pub async fn of_context_fields(db: &impl ConnectionTrait, visibility: &Visibility) -> Result<FieldUses, StoreError> {
    let mut query = strategies(visibility);
    with_constraints(db.get_database_backend(), &mut query);
    let project = || feature::Column::Project.into_expr();
    query
        .expr_as(constrained_field(), "subject")
        .expr_as(project(), "project")
        .expr_as(feature::Column::Id.into_expr().count_distinct(), "features")
        .add_group_by([constrained_field(), project()]);
    let mut uses = FieldUses::default();
    for row in db.query_all(&query).await? {
        let (field, project) = (row.try_get("", "subject")?, row.try_get("", "project")?);
        uses.0.entry(field).or_default().insert(project, row.try_get("", "features")?);
    }
    Ok(uses)
}

fn visible_strategies(visibility: &Visibility) -> SelectStatement {
    strategies(visibility)
        .expr_as(feature_strategy::Column::Id.into_expr(), "id")
        .expr_as(feature::Column::Name.into_expr(), "feature_name")
        .expr_as(feature::Column::Project.into_expr(), "project_id")
        .expr_as(feature_strategy::Column::Environment.into_expr(), "environment")
        .expr_as(feature_strategy::Column::Name.into_expr(), "strategy_name")
        .order_by("feature_name", Order::Asc)
        .order_by("environment", Order::Asc)
        .order_by("id", Order::Asc)
        .to_owned()
}

/// Strategies with their features. Written without a join, so that what is unfolded next to them may name both.
fn strategies(visibility: &Visibility) -> SelectStatement {
    Query::select()
        .from(feature_strategy::Entity)
        .from(feature::Entity)
        .and_where(feature_strategy::Column::FeatureId.into_expr().equals((feature::Entity, feature::Column::Id)))
        .cond_where(visible(visibility))
        .to_owned()
}

fn visible(visibility: &Visibility) -> Condition {
    not_hidden(feature::Column::Project.into_expr(), visibility)
}

/// Unfolds the constraints of each strategy: one row for each. Both databases call the element `value`.
fn with_constraints(backend: DatabaseBackend, query: &mut SelectStatement) {
    let list = feature_strategy::Column::Constraints.into_expr();
    let elements = if backend == DatabaseBackend::Postgres {
        Func::cust("json_array_elements").arg(list.cast_as("json"))
    } else {
        Func::cust("json_each").arg(list)
    };
    query.from_function(elements, CONSTRAINT).and_where(feature_strategy::Column::Constraints.ne("[]"));
}

/// Alias of an unfolded constraint in a query.
const CONSTRAINT: &str = "unfolded";

/// The context field that an unfolded constraint names.
fn constrained_field() -> Expr {
    Expr::cust(format!("{CONSTRAINT}.value ->> 'contextName'"))
}

fn counts() -> [sea_orm::sea_query::SelectExpr; 2] {
    let counted = |column: feature::Column, name: &'static str| sea_orm::sea_query::SelectExpr {
        expr: column.into_expr().count_distinct(),
        alias: Some(name.into()),
        window: None,
    };
    [counted(feature::Column::Project, "projects"), counted(feature::Column::Id, "features")]
}

fn count(row: &QueryResult) -> Result<(i64, UseCount), DbErr> {
    let uses = UseCount { projects: row.try_get("", "projects")?, features: row.try_get("", "features")? };
    Ok((row.try_get("", "subject")?, uses))
}

async fn fetch(db: &impl ConnectionTrait, query: SelectStatement) -> Result<Vec<StrategyUse>, StoreError> {
    let rows = db.query_all(&query).await?;
    let uses = rows.iter().map(|row| {
        let text = |column: &str| row.try_get::<String>("", column);
        Ok(StrategyUse {
            id: text("id")?,
            feature_name: text("feature_name")?,
            project_id: text("project_id")?,
            environment: text("environment")?,
            strategy_name: text("strategy_name")?,
        })
    });
    Ok(uses.collect::<Result<_, DbErr>>()?)
}
