//! Reading the strategies of a feature in one environment.

use std::collections::HashMap;

use flagstone_domain::{
    ids::{EnvironmentName, FeatureName},
    strategy::FeatureStrategy,
    strategy_id::StrategyId,
};
use flagstone_wire::{Nullable, Number};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, Select};
use uuid::Uuid;

use super::in_environment;
use crate::{
    StoreError,
    db::{listed, packed, value::json_column},
    entity::{feature_strategy, strategy_segment},
};

/// The strategies of a feature in an environment, in their order.
pub async fn list(
    db: &impl ConnectionTrait,
    feature_id: i64,
    feature: FeatureName<'_>,
    environment: EnvironmentName<'_>,
) -> Result<Vec<FeatureStrategy>, StoreError> {
    fetch(db, in_environment(feature_id, environment.as_str()), feature_id, feature).await
}

/// One strategy of a feature in an environment.
pub async fn find(
    db: &impl ConnectionTrait,
    feature_id: i64,
    feature: FeatureName<'_>,
    environment: EnvironmentName<'_>,
    id: Uuid,
) -> Result<Option<FeatureStrategy>, StoreError> {
    let all = in_environment(feature_id, environment.as_str());
    let which = all.filter(feature_strategy::Column::Id.eq(id.to_string()));
    Ok(fetch(db, which, feature_id, feature).await?.pop())
}

/// The strategies of features in an environment, those of each feature in their order, without its name.
pub(crate) async fn of_features(
    db: &impl ConnectionTrait,
    feature_ids: &[i64],
    environment: &str,
) -> Result<Vec<Placed>, StoreError> {
    let among = || listed::numbers(db.get_database_backend(), feature_ids);
    let rows = feature_strategy::Entity::find()
        .filter(feature_strategy::Column::FeatureId.in_subquery(among()))
        .filter(feature_strategy::Column::Environment.eq(environment))
        .all(db)
        .await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let attached = strategy_segment::Entity::find()
        .filter(strategy_segment::Column::FeatureId.in_subquery(among()))
        .all(db)
        .await?;
    let attached = attached.into_iter().map(Attached::from).collect();
    Ok(in_order(rows, attached, None)?)
}

/// Number of strategies of a feature in an environment.
pub async fn count(db: &impl ConnectionTrait, feature_id: i64, environment: &str) -> Result<u64, StoreError> {
    Ok(in_environment(feature_id, environment).count(db).await?)
}

async fn fetch(
    db: &impl ConnectionTrait,
    which: Select<feature_strategy::Entity>,
    feature_id: i64,
    feature: FeatureName<'_>,
) -> Result<Vec<FeatureStrategy>, StoreError> {
    let rows = which.all(db).await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let attached =
        strategy_segment::Entity::find().filter(strategy_segment::Column::FeatureId.eq(feature_id)).all(db).await?;
    let attached = attached.into_iter().map(Attached::from).collect();
    let strategies = in_order(rows, attached, Some(feature.as_str()))?;
    Ok(strategies.into_iter().map(|(_, strategy)| strategy).collect())
}

/// A strategy, after the ids of the feature and the environment that it belongs to.
pub(crate) type Placed = ((i64, String), FeatureStrategy);

packed::row! {
    /// A segment that a strategy applies.
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) struct Attached {
        pub(crate) strategy_id: String = strategy_segment::Column::StrategyId,
        pub(crate) segment_id: i64 = strategy_segment::Column::SegmentId,
    }
}

impl From<strategy_segment::Model> for Attached {
    fn from(row: strategy_segment::Model) -> Self {
        Self { strategy_id: row.strategy_id, segment_id: row.segment_id }
    }
}

/// Rows in any order as strategies in theirs, each with its segments by their ids. `feature` is what the strategies say
/// of their feature, if anything.
pub(crate) fn in_order(
    mut rows: Vec<feature_strategy::Model>,
    mut attached: Vec<Attached>,
    feature: Option<&str>,
) -> Result<Vec<Placed>, DbErr> {
    rows.sort_by(|a, b| place(a.sort_order, a.created_at, &a.id).cmp(&place(b.sort_order, b.created_at, &b.id)));
    attached.sort();
    let mut segments: HashMap<String, Vec<Number>> = HashMap::new();
    for Attached { strategy_id, segment_id } in attached {
        segments.entry(strategy_id).or_default().push(segment_id.into());
    }
    let strategies = rows.into_iter().map(|row| {
        let segments = segments.remove(&row.id).unwrap_or_default();
        Ok(((row.feature_id, row.environment.clone()), shown(row, feature, segments)?))
    });
    strategies.collect()
}

/// Sort key of the strategies of a feature in an environment.
pub(crate) const fn place<T: Copy>(sort_order: i64, created_at: T, id: &str) -> (i64, T, &str) {
    (sort_order, created_at, id)
}

/// A row as answers show it, with the name of its feature where they have it.
fn shown(row: feature_strategy::Model, feature: Option<&str>, segments: Vec<Number>) -> Result<FeatureStrategy, DbErr> {
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
