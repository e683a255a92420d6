//! Features that change their project.

use std::collections::BTreeSet;

use flagstone_domain::{
    constraint::Constraint,
    in_use::Subject,
    strategy::Parameters,
    variant::{FeatureVariant, StrategyVariant},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, sea_query::Expr,
};

use crate::{
    StoreError, context_fields,
    db::{Tx, value::json_column},
    entity::{feature, feature_environment, feature_strategy, segment, strategy_segment},
};

/// Whether a feature depends on another, or another on it.
pub async fn has_dependencies(db: &impl ConnectionTrait, feature_id: i64) -> Result<bool, StoreError> {
    let row = feature::Entity::find_by_id(feature_id).one(db).await?;
    Ok(row.is_some_and(|row| row.dependency_kind.is_some()))
}

/// Names of the segments that strategies of a feature use and that belong to a project.
pub async fn bound_segments(db: &impl ConnectionTrait, feature_id: i64) -> Result<Vec<String>, StoreError> {
    let used = strategy_segment::Entity::find()
        .select_only()
        .column(strategy_segment::Column::SegmentId)
        .filter(strategy_segment::Column::FeatureId.eq(feature_id))
        .into_query();
    let names = segment::Entity::find()
        .select_only()
        .column(segment::Column::Name)
        .filter(segment::Column::Project.is_not_null())
        .filter(segment::Column::Id.in_subquery(used))
        .order_by_asc(segment::Column::Name)
        .into_tuple()
        .all(db)
        .await?;
    Ok(names)
}

/// Names of the context fields that a feature uses in any environment and that belong to its project, sorted.
pub async fn bound_fields(
    db: &impl ConnectionTrait,
    feature_id: i64,
    project: &str,
) -> Result<Vec<String>, StoreError> {
    let mut names: Vec<String> = context_fields::names_of(db, project).await?.into_iter().collect();
    if names.is_empty() {
        return Ok(names);
    }
    let (mut unused, mut values) = (names.iter().cloned().collect::<BTreeSet<_>>(), BTreeSet::new());
    let strategies =
        feature_strategy::Entity::find().filter(feature_strategy::Column::FeatureId.eq(feature_id)).all(db).await?;
    for row in strategies {
        let constraints: Vec<Constraint> = json_column("feature_strategy.constraints", &row.constraints)?;
        let parameters: Parameters = json_column("feature_strategy.parameters", &row.parameters)?;
        let variants: Vec<StrategyVariant> = json_column("feature_strategy.variants", &row.variants)?;
        unused.retain(|name| {
            let field = Subject::ContextField { name, project: Some(project) };
            !field.is_in_constraints(&constraints, &mut values) && !field.is_in_rollout(&parameters, &variants)
        });
    }
    let configurations = feature_environment::Entity::find()
        .filter(feature_environment::Column::FeatureId.eq(feature_id))
        .all(db)
        .await?;
    for row in configurations {
        let variants: Vec<FeatureVariant> = json_column("feature_environment.variants", &row.variants)?;
        unused.retain(|name| {
            !Subject::ContextField { name, project: Some(project) }.is_in_variants(&variants, &mut values)
        });
    }
    names.retain(|name| !unused.contains(name));
    names.sort_unstable();
    Ok(names)
}

/// Gives a feature to another project, which uses the same environments.
pub async fn reassign(tx: &Tx, feature_id: i64, project: &str) -> Result<(), StoreError> {
    feature::Entity::update_many()
        .col_expr(feature::Column::Project, Expr::value(project))
        .filter(feature::Column::Id.eq(feature_id))
        .exec(tx)
        .await?;
    Ok(())
}
