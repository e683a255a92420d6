//! One feature with all of its configuration: what the lists leave out.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};

use crate::{
    domain::{
        feature::{Feature, FeatureEnvironment},
        strategy::FeatureStrategy,
        variant::FeatureVariant,
    },
    store::{
        StoreError,
        entity::{environment, feature, feature_environment, feature_strategy, strategy_segment},
        features::{HeldFeature, read::fetch},
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
    let mut strategies = strategies(db, &[feature_id], None, Some(&feature.name)).await?;
    let mut variants = variants(db, feature_id).await?;
    for environment in feature.environments.iter_mut().flatten() {
        let place = (feature_id, environment.name.clone());
        environment.strategies = Some(strategies.remove(&place).unwrap_or_default());
        environment.variants = Some(variants.remove(&environment.name).unwrap_or_default());
    }
    Ok(Some(feature))
}

/// One feature in one environment with its strategies and variants, or `None` when the feature is not used there.
pub async fn find_in_environment(
    db: &impl ConnectionTrait,
    held: &HeldFeature,
    environment: &str,
) -> Result<Option<FeatureEnvironment>, StoreError> {
    if environment.contains('\0') {
        return Ok(None);
    }
    let key = (held.id, environment.to_owned());
    let Some(row) = feature_environment::Entity::find_by_id(key).one(db).await? else { return Ok(None) };
    let kind = environment::Entity::find_by_id(environment).one(db).await?;
    let mut strategies = strategies(db, &[held.id], Some(environment), Some(&held.document.name)).await?;
    let strategies = strategies.remove(&(held.id, environment.to_owned())).unwrap_or_default();
    Ok(Some(FeatureEnvironment {
        name: row.feature_name.clone(),
        feature_name: Some(row.feature_name),
        environment: Some(row.environment),
        kind: kind.as_ref().map(|kind| kind.r#type.clone()),
        enabled: row.enabled,
        sort_order: kind.map(|kind| kind.sort_order.into()),
        variant_count: Some(row.variant_count.into()),
        strategies: Some(strategies),
        variants: Some(json_column("feature_environment.variants", &row.variants)?),
        last_seen_at: Some(Nullable(row.last_seen_at)),
        has_strategies: Some(row.has_strategies),
        has_enabled_strategies: Some(row.has_enabled_strategies),
    }))
}

type ByEnvironment<T> = HashMap<String, Vec<T>>;

/// Strategies by feature and environment, in their order.
pub(in crate::store) type Strategies = HashMap<(i64, String), Vec<FeatureStrategy>>;

/// The strategies of features, in one environment or in all. `name` is what they say of their feature, if anything.
pub(in crate::store) async fn strategies(
    db: &impl ConnectionTrait,
    feature_ids: &[i64],
    environment: Option<&str>,
    name: Option<&str>,
) -> Result<Strategies, StoreError> {
    let mut query = feature_strategy::Entity::find()
        .filter(feature_strategy::Column::FeatureId.is_in(feature_ids.iter().copied()))
        .order_by_asc(feature_strategy::Column::SortOrder)
        .order_by_asc(feature_strategy::Column::CreatedAt)
        .order_by_asc(feature_strategy::Column::Id);
    if let Some(environment) = environment {
        query = query.filter(feature_strategy::Column::Environment.eq(environment));
    }
    let rows = query.all(db).await?;
    if rows.is_empty() {
        return Ok(Strategies::new());
    }
    let mut segments: HashMap<String, Vec<Number>> = HashMap::new();
    let attached = strategy_segment::Entity::find()
        .filter(strategy_segment::Column::FeatureId.is_in(feature_ids.iter().copied()))
        .order_by_asc(strategy_segment::Column::SegmentId)
        .all(db)
        .await?;
    for row in attached {
        segments.entry(row.strategy_id).or_default().push(row.segment_id.into());
    }
    let mut found = Strategies::new();
    for row in rows {
        let segments = segments.remove(&row.id).unwrap_or_default();
        let place = (row.feature_id, row.environment.clone());
        found.entry(place).or_default().push(strategy(row, name, segments)?);
    }
    Ok(found)
}

fn strategy(
    row: feature_strategy::Model,
    feature: Option<&str>,
    segments: Vec<Number>,
) -> Result<FeatureStrategy, DbErr> {
    let id = uuid::Uuid::parse_str(&row.id).map_err(|error| DbErr::Type(format!("feature_strategy.id: {error}")))?;
    Ok(FeatureStrategy {
        id: Some(id),
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

pub(super) async fn variants(
    db: &impl ConnectionTrait,
    feature_id: i64,
) -> Result<ByEnvironment<FeatureVariant>, StoreError> {
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
