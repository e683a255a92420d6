//! Taking over the configuration of another feature.

use crate::{
    clock,
    domain::{
        strategy::FeatureStrategy, strategy_id::StrategyId, switching::regrouped, time::Timestamp,
        variant::FeatureVariant,
    },
    store::{
        StoreError,
        db::Tx,
        environments,
        features::{
            configuration::{strategies, variants},
            switches::{self, Placed},
            variants as feature_variants,
        },
    },
};

/// What was taken over.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Copied {
    /// Variants by environment.
    pub variants: Vec<(String, Vec<FeatureVariant>)>,
    /// Strategies as they are now, each with its environment, in order.
    pub strategies: Vec<(String, FeatureStrategy)>,
}

/// Gives a new feature the variants and strategies that another has in the environments that its project uses.
/// Strategies that are grouped get `group` for their group, if one is given.
pub async fn copy_configuration(
    tx: &Tx,
    source_id: i64,
    target: (i64, &str),
    group: Option<&str>,
    now: Timestamp,
) -> Result<Copied, StoreError> {
    let (target_id, project) = target;
    let mut found_variants = variants(tx, source_id).await?;
    let mut found_strategies = strategies(tx, &[source_id], None, None).await?;
    let mut copied = Copied::default();
    for environment in environments::of_project(tx, project).await? {
        if let Some(variants) = found_variants.remove(&environment) {
            feature_variants::set(tx, target_id, &environment, &variants).await?;
            copied.variants.push((environment.clone(), variants));
        }
        let of_source = found_strategies.remove(&(source_id, environment.clone())).unwrap_or_default();
        let new = of_source.into_iter().map(|strategy| {
            let strategy = FeatureStrategy { id: Some(StrategyId(clock::new_uuid())), ..regrouped(strategy, group) };
            (environment.clone(), strategy)
        });
        copied.strategies.extend(new);
    }
    let placed =
        copied.strategies.iter().map(|(environment, strategy)| Placed { feature_id: target_id, environment, strategy });
    switches::add_strategies(tx, &placed.collect::<Vec<_>>(), now).await?;
    Ok(copied)
}
