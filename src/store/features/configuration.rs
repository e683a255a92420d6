//! One feature with all of its configuration: what the lists leave out.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};

use crate::{
    domain::{feature::Feature, strategy::FeatureStrategy, variant::FeatureVariant},
    store::{
        StoreError,
        entity::{feature, feature_environment, feature_strategy, strategy_segment},
        features::read::fetch,
        value::json_column,
    },
    wire::{Nullable, Number},
};

/// A feature with the strategies and variants of each environment. `reader` is the person whose favourites count.
pub async fn find(
    db: &impl ConnectionTrait,
    feature_id: i64,
    reader: Option<i64>,
) -> Result<Option<Feature>, StoreError> {
    let which = Condition::all().add(feature::Column::Id.eq(feature_id));
    let Some((_, mut feature)) = fetch(db, &which, reader).await?.pop() else { return Ok(None) };
    let mut strategies = strategies(db, feature_id, &feature.name).await?;
    let mut variants = variants(db, feature_id).await?;
    for environment in feature.environments.iter_mut().flatten() {
        environment.strategies = Some(strategies.remove(&environment.name).unwrap_or_default());
        environment.variants = Some(variants.remove(&environment.name).unwrap_or_default());
    }
    Ok(Some(feature))
}

type ByEnvironment<T> = HashMap<String, Vec<T>>;

async fn strategies(
    db: &impl ConnectionTrait,
    feature_id: i64,
    name: &str,
) -> Result<ByEnvironment<FeatureStrategy>, StoreError> {
    let rows = feature_strategy::Entity::find()
        .filter(feature_strategy::Column::FeatureId.eq(feature_id))
        .order_by_asc(feature_strategy::Column::SortOrder)
        .order_by_asc(feature_strategy::Column::CreatedAt)
        .order_by_asc(feature_strategy::Column::Id)
        .all(db)
        .await?;
    if rows.is_empty() {
        return Ok(ByEnvironment::new());
    }
    let mut segments: HashMap<String, Vec<Number>> = HashMap::new();
    let attached = strategy_segment::Entity::find()
        .filter(strategy_segment::Column::FeatureId.eq(feature_id))
        .order_by_asc(strategy_segment::Column::SegmentId)
        .all(db)
        .await?;
    for row in attached {
        segments.entry(row.strategy_id).or_default().push(row.segment_id.into());
    }
    let mut by_environment = ByEnvironment::new();
    for row in rows {
        let segments = segments.remove(&row.id).unwrap_or_default();
        by_environment.entry(row.environment.clone()).or_default().push(strategy(row, name, segments)?);
    }
    Ok(by_environment)
}

fn strategy(row: feature_strategy::Model, feature: &str, segments: Vec<Number>) -> Result<FeatureStrategy, DbErr> {
    let id = uuid::Uuid::parse_str(&row.id).map_err(|error| DbErr::Type(format!("feature_strategy.id: {error}")))?;
    Ok(FeatureStrategy {
        id: Some(id),
        title: Some(Nullable(row.title)),
        disabled: Some(Nullable(Some(row.disabled))),
        feature_name: Some(feature.to_owned()),
        sort_order: Some(row.sort_order.into()),
        segments: Some(segments),
        constraints: Some(json_column("feature_strategy.constraints", &row.constraints)?),
        variants: Some(json_column("feature_strategy.variants", &row.variants)?),
        parameters: Some(json_column("feature_strategy.parameters", &row.parameters)?),
        name: row.name,
    })
}

async fn variants(db: &impl ConnectionTrait, feature_id: i64) -> Result<ByEnvironment<FeatureVariant>, StoreError> {
    let rows = feature_environment::Entity::find()
        .filter(feature_environment::Column::FeatureId.eq(feature_id))
        .filter(feature_environment::Column::VariantCount.gt(0))
        .all(db)
        .await?;
    let variants = rows.into_iter().map(|row| {
        let variants = json_column("feature_environment.variants", &row.variants)?;
        Ok((row.environment, variants))
    });
    Ok(variants.collect::<Result<_, DbErr>>()?)
}
