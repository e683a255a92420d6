//! Reading the strategies of a feature in one environment.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, Select};
use uuid::Uuid;

use super::in_environment;
use crate::{
    domain::{strategy::FeatureStrategy, strategy_id::StrategyId},
    store::{
        StoreError,
        db::value::json_column,
        entity::{feature_strategy, strategy_segment},
    },
    wire::{Nullable, Number},
};

/// The strategies of a feature in an environment, in their order.
pub async fn list(
    db: &impl ConnectionTrait,
    feature_id: i64,
    feature: &str,
    environment: &str,
) -> Result<Vec<FeatureStrategy>, StoreError> {
    fetch(db, in_environment(feature_id, environment), feature_id, feature).await
}

/// One strategy of a feature in an environment.
pub async fn find(
    db: &impl ConnectionTrait,
    feature_id: i64,
    feature: &str,
    environment: &str,
    id: Uuid,
) -> Result<Option<FeatureStrategy>, StoreError> {
    let which = in_environment(feature_id, environment).filter(feature_strategy::Column::Id.eq(id.to_string()));
    Ok(fetch(db, which, feature_id, feature).await?.pop())
}

/// How many strategies a feature has in an environment.
pub async fn count(db: &impl ConnectionTrait, feature_id: i64, environment: &str) -> Result<u64, StoreError> {
    Ok(in_environment(feature_id, environment).count(db).await?)
}

async fn fetch(
    db: &impl ConnectionTrait,
    which: Select<feature_strategy::Entity>,
    feature_id: i64,
    feature: &str,
) -> Result<Vec<FeatureStrategy>, StoreError> {
    let rows = which
        .order_by_asc(feature_strategy::Column::SortOrder)
        .order_by_asc(feature_strategy::Column::CreatedAt)
        .order_by_asc(feature_strategy::Column::Id)
        .all(db)
        .await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let attached = strategy_segment::Entity::find()
        .filter(strategy_segment::Column::FeatureId.eq(feature_id))
        .order_by_asc(strategy_segment::Column::SegmentId)
        .all(db)
        .await?;
    let mut segments: HashMap<String, Vec<Number>> = HashMap::new();
    for row in attached {
        segments.entry(row.strategy_id).or_default().push(row.segment_id.into());
    }
    let strategies = rows.into_iter().map(|row| {
        let segments = segments.remove(&row.id).unwrap_or_default();
        shown(row, Some(feature), segments)
    });
    Ok(strategies.collect::<Result<_, _>>()?)
}

/// A row as answers show it, with the name of its feature where they tell that.
pub(in crate::store) fn shown(
    row: feature_strategy::Model,
    feature: Option<&str>,
    segments: Vec<Number>,
) -> Result<FeatureStrategy, DbErr> {
    let id = Uuid::parse_str(&row.id).map_err(|error| DbErr::Type(format!("feature_strategy.id: {error}")))?;
    Ok(FeatureStrategy {
        id: Some(StrategyId(id)),
        title: Some(Nullable(row.title)),
        disabled: Some(Nullable(Some(row.disabled))),
        feature_name: feature.map(str::to_owned),
        sort_order: Some(row.sort_order.into()),
        segments: Some(segments),
        constraints: Some(json_column("feature_strategy.constraints", &row.constraints)?),
        variants: Some(json_column("feature_strategy.variants", &row.variants)?),
        parameters: Some(json_column("feature_strategy.parameters", &row.parameters)?),
        name: row.name,
    })
}
