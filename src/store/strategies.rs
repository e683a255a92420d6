//! Strategies of features in environments.

mod read;
mod surroundings;
pub mod types;
pub mod uses;

pub(crate) use self::read::{Attached, in_order, of_features, place};
pub use self::{
    read::{count, find, list},
    surroundings::{default_stickiness, surroundings},
};

use flagstone_clock as clock;
use flagstone_domain::{strategy::StrategyDefinition, time::Timestamp};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter,
    sea_query::{CaseStatement, Expr, ExprTrait, Query},
};
use uuid::Uuid;

use crate::{
    StoreError,
    db::{Tx, value::to_json_column},
    entity::{feature_environment, feature_strategy, strategy_segment},
};

/// Adds a strategy and returns its id. The feature must be configured in the environment.
pub async fn add(
    tx: &Tx,
    feature_id: i64,
    environment: &str,
    new: &StrategyDefinition,
    now: Timestamp,
) -> Result<Uuid, StoreError> {
    let id = clock::new_uuid();
    feature_strategy::Entity::insert(row(id, (feature_id, environment), new, now)).exec_without_returning(tx).await?;
    attach(tx, feature_id, id, &new.segments).await?;
    refresh(tx, &[feature_id], environment).await?;
    Ok(id)
}

/// A strategy as its row, of a feature in an environment.
pub(super) fn row(
    id: Uuid,
    (feature_id, environment): (i64, &str),
    definition: &StrategyDefinition,
    now: Timestamp,
) -> feature_strategy::ActiveModel {
    feature_strategy::ActiveModel {
        id: Set(id.to_string()),
        feature_id: Set(feature_id),
        environment: Set(environment.to_owned()),
        created_at: Set(now),
        ..columns(definition)
    }
}

/// Columns of a strategy's definition, without its place.
fn columns(definition: &StrategyDefinition) -> feature_strategy::ActiveModel {
    feature_strategy::ActiveModel {
        name: Set(definition.name.clone()),
        title: Set(definition.title.clone()),
        disabled: Set(definition.disabled),
        sort_order: Set(definition.sort_order),
        parameters: Set(to_json_column(&definition.parameters)),
        constraints: Set(to_json_column(&definition.constraints)),
        variants: Set(to_json_column(&definition.variants)),
        ..Default::default()
    }
}

/// The rows of the segments that a strategy uses.
pub(super) fn segment_rows(
    id: Uuid,
    feature_id: i64,
    segments: &[i64],
) -> impl Iterator<Item = strategy_segment::ActiveModel> {
    segments.iter().map(move |segment_id| strategy_segment::ActiveModel {
        strategy_id: Set(id.to_string()),
        segment_id: Set(*segment_id),
        feature_id: Set(feature_id),
    })
}

async fn attach(tx: &Tx, feature_id: i64, id: Uuid, segments: &[i64]) -> Result<(), StoreError> {
    if !segments.is_empty() {
        let rows = segment_rows(id, feature_id, segments);
        strategy_segment::Entity::insert_many(rows).on_conflict_do_nothing().exec_without_returning(tx).await?;
    }
    Ok(())
}

/// Updates a strategy of a feature in an environment to `after`.
pub async fn replace(
    tx: &Tx,
    feature_id: i64,
    environment: &str,
    id: Uuid,
    after: &StrategyDefinition,
) -> Result<(), StoreError> {
    feature_strategy::Entity::update_many()
        .set(columns(after))
        .filter(feature_strategy::Column::Id.eq(id.to_string()))
        .exec(tx)
        .await?;
    strategy_segment::Entity::delete_many()
        .filter(strategy_segment::Column::StrategyId.eq(id.to_string()))
        .exec(tx)
        .await?;
    attach(tx, feature_id, id, &after.segments).await?;
    refresh(tx, &[feature_id], environment).await
}

/// Removes one strategy of a feature in an environment.
pub async fn remove(tx: &Tx, feature_id: i64, environment: &str, id: Uuid) -> Result<(), StoreError> {
    feature_strategy::Entity::delete_by_id(id.to_string()).exec(tx).await?;
    refresh(tx, &[feature_id], environment).await
}

/// Whether any strategy of a feature in an environment is not disabled.
pub async fn has_enabled(tx: &Tx, feature_id: i64, environment: &str) -> Result<bool, StoreError> {
    let enabled = in_environment(feature_id, environment).filter(feature_strategy::Column::Disabled.eq(false));
    Ok(enabled.count(tx).await? > 0)
}

/// Gives strategies of a feature in an environment their positions.
pub async fn set_positions(
    tx: &Tx,
    feature_id: i64,
    environment: &str,
    positions: &[(Uuid, i64)],
) -> Result<(), StoreError> {
    if positions.is_empty() {
        return Ok(());
    }
    let position = positions.iter().fold(CaseStatement::new(), |cases, (id, position)| {
        cases.case(feature_strategy::Column::Id.eq(id.to_string()), Expr::value(*position))
    });
    feature_strategy::Entity::update_many()
        .col_expr(feature_strategy::Column::SortOrder, position.into())
        .filter(feature_strategy::Column::FeatureId.eq(feature_id))
        .filter(feature_strategy::Column::Environment.eq(environment))
        .filter(feature_strategy::Column::Id.is_in(positions.iter().map(|(id, _)| id.to_string())))
        .exec(tx)
        .await?;
    Ok(())
}

/// Removes every strategy of a feature in an environment.
pub async fn remove_all(tx: &Tx, feature_id: i64, environment: &str) -> Result<(), StoreError> {
    feature_strategy::Entity::delete_many()
        .filter(feature_strategy::Column::FeatureId.eq(feature_id))
        .filter(feature_strategy::Column::Environment.eq(environment))
        .exec(tx)
        .await?;
    refresh(tx, &[feature_id], environment).await
}

/// Derives once more whether features have strategies, and enabled ones, in an environment.
pub(super) async fn refresh(tx: &Tx, feature_ids: &[i64], environment: &str) -> Result<(), StoreError> {
    use feature_environment::{Column, Entity};
    let mut any = Query::select()
        .expr(Expr::cust("1"))
        .from(feature_strategy::Entity)
        .and_where(feature_strategy::Column::FeatureId.into_expr().equals((Entity, Column::FeatureId)))
        .and_where(feature_strategy::Column::Environment.eq(environment))
        .to_owned();
    let all = Expr::exists(any.clone());
    let enabled = Expr::exists(any.and_where(feature_strategy::Column::Disabled.eq(false)).to_owned());
    Entity::update_many()
        .col_expr(Column::HasStrategies, all)
        .col_expr(Column::HasEnabledStrategies, enabled)
        .filter(Column::FeatureId.is_in(feature_ids.iter().copied()))
        .filter(Column::Environment.eq(environment))
        .exec(tx)
        .await?;
    Ok(())
}

fn in_environment(feature_id: i64, environment: &str) -> sea_orm::Select<feature_strategy::Entity> {
    feature_strategy::Entity::find().filter(
        feature_strategy::Column::FeatureId.eq(feature_id).and(feature_strategy::Column::Environment.eq(environment)),
    )
}
