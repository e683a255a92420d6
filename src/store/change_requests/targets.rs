//! Targets of changes as they are now.

use std::collections::{BTreeSet, HashMap};

use flagstone_domain::{
    change_request::{
        Target,
        action::Action,
        conflict::{Current, FeatureNow},
    },
    strategy_id::StrategyId,
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use crate::{
    StoreError,
    db::{listed, value::json_column},
    entity::{feature, feature_environment, feature_strategy, segment, strategy_segment},
    segments,
    strategies::{Attached, in_order},
};

/// Reads the targets of changes in an environment, in five statements at most.
pub async fn current<'a>(
    db: &impl ConnectionTrait,
    environment: &str,
    changes: impl IntoIterator<Item = (&'a Target, &'a Action)> + Send,
) -> Result<Current, StoreError> {
    let (mut features, mut strategies, mut segments) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let mut has_variants = false;
    for (target, action) in changes {
        features.extend(target.feature());
        strategies.extend(action.strategies().into_iter().map(|id| id.to_string()));
        segments.extend(action.segment());
        has_variants |= matches!(action, Action::PatchVariant(_));
    }
    let mut current = Current::default();
    if !features.is_empty() {
        read_features(db, &features, &mut current).await?;
    }
    if !strategies.is_empty() {
        read_strategies(db, environment, &strategies, &mut current).await?;
    }
    if has_variants {
        read_variants(db, environment, &features, &mut current).await?;
    }
    if !segments.is_empty() {
        let among = listed::numbers(db.get_database_backend(), &segments);
        let rows = segment::Entity::find().filter(segment::Column::Id.in_subquery(among)).all(db).await?;
        for row in rows {
            current.segments.insert(row.id, segments::segment(row)?);
        }
    }
    Ok(current)
}

async fn read_features(
    db: &impl ConnectionTrait,
    names: &BTreeSet<&str>,
    current: &mut Current,
) -> Result<(), StoreError> {
    let among = listed::texts(db.get_database_backend(), names.iter().copied());
    let rows = feature::Entity::find().filter(feature::Column::Name.in_subquery(among)).all(db).await?;
    let now = |row: feature::Model| {
        (row.name, FeatureNow { id: row.id, project: row.project, is_archived: row.archived_at.is_some() })
    };
    current.features = rows.into_iter().map(now).collect();
    Ok(())
}

async fn read_strategies(
    db: &impl ConnectionTrait,
    environment: &str,
    ids: &BTreeSet<String>,
    current: &mut Current,
) -> Result<(), StoreError> {
    let among = || listed::texts(db.get_database_backend(), ids.iter().map(String::as_str));
    let rows = feature_strategy::Entity::find()
        .filter(feature_strategy::Column::Id.in_subquery(among()))
        .filter(feature_strategy::Column::Environment.eq(environment))
        .all(db)
        .await?;
    let attached = strategy_segment::Entity::find()
        .filter(strategy_segment::Column::StrategyId.in_subquery(among()))
        .all(db)
        .await?;
    let attached = attached.into_iter().map(Attached::from).collect();
    let names: HashMap<i64, String> = current.features.iter().map(|(name, now)| (now.id, name.clone())).collect();
    for ((feature_id, _), strategy) in in_order(rows, attached, None)? {
        // That of a feature which no change names is none of theirs.
        if let (Some(StrategyId(id)), Some(name)) = (strategy.id, names.get(&feature_id)) {
            current.strategies.insert(id, (name.clone(), strategy));
        }
    }
    Ok(())
}

async fn read_variants(
    db: &impl ConnectionTrait,
    environment: &str,
    names: &BTreeSet<&str>,
    current: &mut Current,
) -> Result<(), StoreError> {
    let among = listed::texts(db.get_database_backend(), names.iter().copied());
    let rows = feature_environment::Entity::find()
        .filter(feature_environment::Column::FeatureName.in_subquery(among))
        .filter(feature_environment::Column::Environment.eq(environment))
        .all(db)
        .await?;
    for row in rows {
        let variants = json_column("feature_environment.variants", &row.variants)?;
        current.variants.insert(row.feature_name, variants);
    }
    Ok(())
}
