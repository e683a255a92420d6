//! Taking over what another feature has.

use flagstone_clock as clock;
use flagstone_domain::{
    feature::Dependency,
    strategy::FeatureStrategy,
    strategy_id::StrategyId,
    switching::{grouped_as_in, regrouped},
    time::Timestamp,
    variant::FeatureVariant,
};

use crate::{
    StoreError,
    db::Tx,
    environments,
    features::{
        configuration::{strategies, variants},
        dependencies,
        parents::{self, ParentLink},
        switches::{self, Placed},
        variants as feature_variants,
    },
};

/// Configuration that was copied.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Copied {
    /// Dependencies, by the name of the parent.
    pub dependencies: Vec<Dependency>,
    /// Variants by environment.
    pub variants: Vec<(String, Vec<FeatureVariant>)>,
    /// Strategies as they are now, each with its environment, in order.
    pub strategies: Vec<(String, FeatureStrategy)>,
}

/// Naming of groups of strategies in a copy.
#[derive(Debug, Clone, Copy)]
pub enum Grouping<'a> {
    /// Under the name of the copy: other people are drawn.
    Own(&'a str),
    /// Under the name of this original: the same people are drawn.
    AsIn(&'a str),
}

/// Gives a new feature what another one of its project has: its dependencies, and its variants and strategies in the
/// environments that the project uses.
pub async fn copy_belongings(
    tx: &Tx,
    source_id: i64,
    target: (i64, &str),
    grouping: Grouping<'_>,
    now: Timestamp,
) -> Result<Copied, StoreError> {
    let (target_id, project) = target;
    let mut copied = Copied { dependencies: copy_dependencies(tx, source_id, target_id).await?, ..Copied::default() };
    let mut found_variants = variants(tx, source_id).await?;
    let mut found_strategies = strategies(tx, &[source_id], None, None).await?;
    for environment in environments::of_project(tx, project).await? {
        if let Some(variants) = found_variants.remove(&environment) {
            feature_variants::set(tx, target_id, &environment, &variants).await?;
            copied.variants.push((environment.clone(), variants));
        }
        let of_source = found_strategies.remove(&(source_id, environment.clone())).unwrap_or_default();
        let new = of_source.into_iter().map(|strategy| {
            let strategy = match grouping {
                Grouping::Own(name) => regrouped(strategy, name),
                Grouping::AsIn(original) => grouped_as_in(strategy, original),
            };
            (environment.clone(), FeatureStrategy { id: Some(StrategyId(clock::new_uuid())), ..strategy })
        });
        copied.strategies.extend(new);
    }
    let placed =
        copied.strategies.iter().map(|(environment, strategy)| Placed { feature_id: target_id, environment, strategy });
    switches::add_strategies(tx, &placed.collect::<Vec<_>>(), now).await?;
    Ok(copied)
}

/// The source is in use, and so is what it depends on: what may be a parent of it may be one of its copy.
async fn copy_dependencies(tx: &Tx, source_id: i64, target_id: i64) -> Result<Vec<Dependency>, StoreError> {
    let links = parents::of_children(tx, &[source_id]).await?;
    let links: Vec<_> = links.into_iter().map(|link| ParentLink { child_id: target_id, ..link }).collect();
    dependencies::add_all(tx, &links).await?;
    Ok(links.into_iter().map(|link| link.dependency).collect())
}
