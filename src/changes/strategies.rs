//! Changes of the strategies of a feature in an environment.

use std::collections::HashMap;

use flagstone_config::{Limits, admit_one_more};
use flagstone_domain::{
    constraint::Constraint,
    event_kind::EventKind,
    ids::{EnvironmentName, FeatureName, ProjectId},
    strategy::{FeatureStrategy, Parameters, StrategyDefinition, StrategyRefusal},
    strategy_id,
    variant::StrategyVariant,
};
use flagstone_error::Error;
use flagstone_store::{self as store, db::Tx};
use flagstone_wire::{Nullable, Number};
use uuid::Uuid;

use crate::{
    Applied,
    feature::{FeatureChange, LockedFeature, unused_environment},
    guard::Reach,
    variants::unusable_variants,
};

/// Adds a strategy; the outcome is the strategy.
#[derive(Debug)]
pub struct AddStrategy<'a> {
    /// Environment of the strategy.
    pub environment: &'a str,
    /// The strategy. Missing parameters are filled in.
    pub strategy: StrategyDefinition,
    /// Whether it comes last, and not where it says.
    pub comes_last: bool,
}

impl FeatureChange for AddStrategy<'_> {
    type Outcome = FeatureStrategy;

    fn reach(&self) -> Reach<'_> {
        Reach::Environment(self.environment)
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<FeatureStrategy>, Error> {
        let Self { environment, mut strategy, comes_last } = self;
        let transaction = feature.transaction;
        let (tx, feature_id, project) = (&transaction.tx, feature.held.id, feature.project.id());
        if store::features::configurations::find(tx, feature_id, environment).await?.is_none() {
            let unused = unused_environment(ProjectId::new(project), EnvironmentName::new(environment));
            return Err(Error::invalid("/path/environment", unused));
        }
        let present = store::strategies::count(tx, feature_id, environment).await?;
        let limit = transaction.author.limits.strategies;
        admit_one_more("strategy of the feature in the environment", present, limit)?;
        let stickiness = store::strategies::default_stickiness(tx, project).await?;
        if comes_last {
            strategy.sort_order = i64::try_from(present).unwrap_or(i64::MAX);
        }
        let strategy = strategy.with_default_parameters(FeatureName::new(feature.name()), &stickiness);
        let new = settled(feature, None, strategy).await?;
        let id = store::strategies::add(tx, feature_id, environment, &new, transaction.now).await?;
        let event = feature.event_in(EventKind::FeatureStrategyAdd, environment).with_data(&new.shown(id, None));
        Ok(Applied::with(new.shown(id, Some(feature.name())), vec![event]))
    }
}

/// An edit of a strategy.
pub trait StrategyEdit: Send {
    /// Returns the strategy as it should be, from the stored one in both forms; `None` to leave it.
    fn edit(self, stored: &FeatureStrategy, before: &StrategyDefinition) -> Result<Option<StrategyDefinition>, Error>;
}

/// Properties that a strategy gets. `None` keeps what is stored, but clears constraints and variants.
#[derive(Debug, Clone, Default)]
pub struct Replacement {
    /// Name of the strategy type.
    pub name: Option<String>,
    /// Its title, or that it has none.
    pub title: Option<Option<String>>,
    /// Whether it is left out of evaluation.
    pub disabled: Option<bool>,
    /// Its position.
    pub sort_order: Option<i64>,
    /// Parameters of the type.
    pub parameters: Option<Parameters>,
    /// Conditions that must all hold.
    pub constraints: Option<Vec<Constraint>>,
    /// Variants of the strategy.
    pub variants: Option<Vec<StrategyVariant>>,
    /// Ids of the segments that apply.
    pub segments: Option<Vec<i64>>,
}

impl From<FeatureStrategy> for Replacement {
    fn from(strategy: FeatureStrategy) -> Self {
        Self {
            name: Some(strategy.name),
            title: strategy.title.map(Nullable::into_inner),
            disabled: strategy.disabled.map(|disabled| disabled.into_inner().unwrap_or_default()),
            sort_order: strategy.sort_order.and_then(Number::whole),
            parameters: strategy.parameters,
            constraints: strategy.constraints,
            variants: strategy.variants,
            segments: strategy.segments.map(|ids| ids.into_iter().filter_map(Number::whole).collect()),
        }
    }
}

impl StrategyEdit for Replacement {
    fn edit(self, _: &FeatureStrategy, before: &StrategyDefinition) -> Result<Option<StrategyDefinition>, Error> {
        Ok(Some(StrategyDefinition {
            name: self.name.unwrap_or_else(|| before.name.clone()),
            title: self.title.unwrap_or_else(|| before.title.clone()),
            disabled: self.disabled.unwrap_or(before.disabled),
            sort_order: self.sort_order.unwrap_or(before.sort_order),
            parameters: self.parameters.unwrap_or_else(|| before.parameters.clone()),
            constraints: self.constraints.unwrap_or_default(),
            variants: self.variants.unwrap_or_default(),
            segments: self.segments.unwrap_or_else(|| before.segments.clone()),
        }))
    }
}

/// Updates a strategy; the outcome is the strategy. The feature is switched off in the environment when no strategy is
/// left to decide for whom it is on.
#[derive(Debug)]
pub struct UpdateStrategy<'a, E, B> {
    /// Environment of the strategy.
    pub environment: &'a str,
    /// Id of the strategy.
    pub id: &'a str,
    /// The edit.
    pub edit: E,
    /// Turns a refusal of the edited strategy into one of the input that led to it.
    pub blame: B,
}

impl<E: StrategyEdit, B: Fn(Error) -> Error + Send> FeatureChange for UpdateStrategy<'_, E, B> {
    type Outcome = FeatureStrategy;

    fn reach(&self) -> Reach<'_> {
        Reach::Environment(self.environment)
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<FeatureStrategy>, Error> {
        let Self { environment, id, edit, blame } = self;
        let place = EnvironmentName::new(environment);
        let missing = || unknown_strategy(id, place);
        let (id, stored) = stored(feature, place, id).await?.ok_or_else(missing)?;
        let before = StrategyDefinition::from(stored.clone());
        let Some(after) = edit.edit(&stored, &before)? else {
            return Ok(Applied::nothing(before.shown(id, Some(feature.name()))));
        };
        let after = settled(feature, Some(&before), after).await.map_err(blame)?;
        let shown = after.shown(id, Some(feature.name()));
        if before == after {
            return Ok(Applied::nothing(shown));
        }
        store::strategies::replace(&feature.transaction.tx, feature.held.id, environment, id, &after).await?;
        let mut events: Vec<_> = feature.switch_off_without_strategies(environment).await?.into_iter().collect();
        let changed = feature.event_in(EventKind::FeatureStrategyUpdate, environment);
        events.push(changed.with_data(&after.shown(id, None)).with_pre_data(&before.shown(id, None)));
        Ok(Applied::with(shown, events))
    }
}

/// Sets positions of strategies; strategies that are not listed keep theirs.
#[derive(Debug)]
pub struct OrderStrategies<'a> {
    /// Environment of the strategies.
    pub environment: &'a str,
    /// Ids of strategies, with their positions.
    pub positions: Vec<(String, i64)>,
}

impl FeatureChange for OrderStrategies<'_> {
    type Outcome = ();

    fn reach(&self) -> Reach<'_> {
        Reach::Environment(self.environment)
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        let Self { environment, positions } = self;
        let (tx, feature_id) = (&feature.transaction.tx, feature.held.id);
        feature.configuration(environment).await?;
        let (name, place) = (FeatureName::new(feature.name()), EnvironmentName::new(environment));
        let before = store::strategies::list(tx, feature_id, name, place).await?;
        let changed = positions_that_differ(&before, &positions)?;
        if changed.is_empty() {
            return Ok(Applied::nothing(()));
        }
        store::strategies::set_positions(tx, feature_id, environment, &changed).await?;
        let after = store::strategies::list(tx, feature_id, name, place).await?;
        let event = feature.event_in(EventKind::StrategyOrderChanged, environment);
        let event = event.with_data(&ids_in_order(&after)).with_pre_data(&ids_in_order(&before));
        Ok(Applied::with((), vec![event]))
    }
}

/// Deletes a strategy. The feature is switched off in the environment when no strategy is left to decide for whom it is
/// on.
#[derive(Debug)]
pub struct DeleteStrategy<'a> {
    /// Environment of the strategy.
    pub environment: &'a str,
    /// Id of the strategy.
    pub id: &'a str,
}

impl FeatureChange for DeleteStrategy<'_> {
    type Outcome = ();

    fn reach(&self) -> Reach<'_> {
        Reach::Environment(self.environment)
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        let Self { environment, id } = self;
        let place = EnvironmentName::new(environment);
        let missing = || unknown_strategy(id, place);
        let (id, before) = stored(feature, place, id).await?.ok_or_else(missing)?;
        store::strategies::remove(&feature.transaction.tx, feature.held.id, environment, id).await?;
        let mut events: Vec<_> = feature.switch_off_without_strategies(environment).await?.into_iter().collect();
        let removed = feature.event_in(EventKind::FeatureStrategyRemove, environment);
        events.push(removed.with_pre_data(&StrategyDefinition::from(before).shown(id, None)));
        Ok(Applied::with((), events))
    }
}

/// Error that a feature has no such strategy.
pub fn unknown_strategy(id: &str, environment: EnvironmentName<'_>) -> Error {
    Error::NotFound(format!("The feature has no strategy with the id \"{id}\" in the environment \"{environment}\"."))
}

/// A strategy of the feature that is about to be changed.
async fn stored(
    feature: &LockedFeature<'_>,
    environment: EnvironmentName<'_>,
    strategy: &str,
) -> Result<Option<(Uuid, FeatureStrategy)>, Error> {
    let Some(id) = strategy_id::parse(strategy) else { return Ok(None) };
    let (tx, name) = (&feature.transaction.tx, FeatureName::new(feature.name()));
    let found = store::strategies::find(tx, feature.held.id, name, environment, id).await?;
    Ok(found.map(|found| (id, found)))
}

/// The strategy of a feature in the form that is stored, if it keeps to the rules: see [`admitted`].
async fn settled(
    feature: &LockedFeature<'_>,
    before: Option<&StrategyDefinition>,
    after: StrategyDefinition,
) -> Result<StrategyDefinition, Error> {
    let (transaction, project) = (feature.transaction, feature.project.as_id());
    let (limits, feature) = (transaction.author.limits, FeatureName::new(feature.name()));
    admitted(&transaction.tx, limits, project, Some(feature), "/body", before, after).await
}

/// A strategy of a project in the form that is stored, if it keeps to the rules: 400 naming the property. It is one of a
/// feature, or of those that are to come; `place` points to where it stands.
pub async fn admitted(
    tx: &Tx,
    limits: &Limits,
    project: ProjectId<'_>,
    feature: Option<FeatureName<'_>>,
    place: &str,
    before: Option<&StrategyDefinition>,
    after: StrategyDefinition,
) -> Result<StrategyDefinition, Error> {
    let names: Vec<String> = after.variants.iter().map(|variant| variant.name.clone()).collect();
    let unusable = |fault| unusable_variants(&format!("{place}/variants"), &names, &fault);
    let after = after.settled(before, feature).map_err(unusable)?;
    after.check_size(before, &limits.of_strategies()).map_err(|refusal| refused(refusal, place))?;
    let around = store::strategies::surroundings(tx, &after, project.as_str()).await?;
    after.judge(before, &around, project.as_str()).map_err(|refusal| refused(refusal, place))?;
    Ok(after)
}

fn refused(refusal: StrategyRefusal, place: &str) -> Error {
    match refusal {
        StrategyRefusal::TooMany(message) => Error::ExceedsLimit(message),
        StrategyRefusal::Invalid { pointer, reason } => Error::property(format!("{place}{pointer}"), reason),
    }
}

/// Returns the positions that differ from the stored ones: 400 for an id that is unknown or named twice.
fn positions_that_differ(before: &[FeatureStrategy], positions: &[(String, i64)]) -> Result<Vec<(Uuid, i64)>, Error> {
    let mut stored: HashMap<Uuid, Option<i64>> = before
        .iter()
        .filter_map(|strategy| Some((strategy.id?.0, strategy.sort_order.and_then(Number::whole))))
        .collect();
    let mut changed = Vec::new();
    for (index, (id, position)) in positions.iter().enumerate() {
        let named = strategy_id::parse(id);
        let Some((id, held)) = named.and_then(|id| stored.remove_entry(&id)) else {
            let path = format!("/body/{index}/id");
            let rule = "must be the id of a strategy of the feature in the environment, each named once";
            return Err(Error::property(path, rule));
        };
        if held != Some(*position) {
            changed.push((id, *position));
        }
    }
    Ok(changed)
}

fn ids_in_order(strategies: &[FeatureStrategy]) -> serde_json::Value {
    let ids: Vec<_> = strategies.iter().map(|strategy| strategy.id).collect();
    serde_json::json!({ "strategyIds": ids })
}
