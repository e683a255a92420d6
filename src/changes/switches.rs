//! Switching features on and off in an environment.

use flagstone_clock as clock;
use flagstone_config::admit_one_more;
use flagstone_domain::{
    event::NewEvent,
    event_kind::EventKind,
    ids::{EnvironmentName, FeatureName},
    permission::Permission,
    project::ProjectScope,
    strategy::FeatureStrategy,
    strategy_id::StrategyId,
    switching::{Preparation, first_strategy, is_disabled, preparation},
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    db::Tx,
    features::{
        HeldFeature,
        switches::{Defaults, Placed, Switch as StoredSwitch},
    },
};
use flagstone_wire::Nullable;

use crate::{
    Applied, Author, Transaction,
    feature::{FeatureChange, Lock, LockedFeature, unused_environment},
    features::{BatchChange, LockedFeatures},
    guard::{Passage, Reach},
};

/// Switches one feature or many in an environment. One without an enabled strategy that is switched on first gets one.
#[derive(Debug, Clone, Copy)]
pub struct Switch<'a> {
    /// The environment.
    pub environment: &'a str,
    /// Whether to switch on.
    pub on: bool,
    /// Whether disabled strategies are enabled where there are no others.
    pub activate: bool,
    /// Place of the name of the feature in the input, for refusals; `None` where nothing else is named.
    pub named_at: Option<&'static str>,
}

impl Switch<'_> {
    const fn reach(&self) -> Reach<'_> {
        if self.on { Reach::Environment(self.environment) } else { Reach::SwitchOff(self.environment) }
    }
}

impl FeatureChange for Switch<'_> {
    /// Whether anything changed.
    type Outcome = bool;

    const LOCK: Lock = Lock::Any;

    fn reach(&self) -> Reach<'_> {
        self.reach()
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<bool>, Error> {
        if feature.held.document.is_archived() {
            return Err(archived(self.named_at, feature.name()));
        }
        let held = std::slice::from_ref(&feature.held);
        let events = self.switch(feature.transaction, feature.project, held).await?;
        Ok(Applied::with(!events.is_empty(), events))
    }
}

impl BatchChange for Switch<'_> {
    fn reach(&self) -> Reach<'_> {
        self.reach()
    }

    async fn apply(self, features: LockedFeatures<'_>) -> Result<Vec<NewEvent>, Error> {
        let LockedFeatures { transaction, project, names, held } = features;
        for (index, name) in names.iter().enumerate() {
            if held.iter().any(|held| held.document.name == *name && held.document.is_archived()) {
                return Err(archived(Some(&format!("/body/features/{index}")), name));
            }
        }
        self.switch(transaction, project, &held).await
    }
}

/// Changes that a batch of features needs before it is switched, feature by feature.
#[derive(Default)]
struct Steps {
    activating: Vec<i64>,
    adding: Vec<(i64, FeatureStrategy)>,
    switching: Vec<i64>,
}

impl Switch<'_> {
    /// Switches features in use and returns the events, feature by feature.
    async fn switch(
        &self,
        transaction: &Transaction<'_>,
        project: &ProjectScope,
        held: &[HeldFeature],
    ) -> Result<Vec<NewEvent>, Error> {
        let Transaction { tx, now, author, .. } = transaction;
        let actor = author.caller.actor();
        let defaults = store::features::switches::defaults(tx, project, self.environment).await?;
        let Some(defaults) = defaults else { return Err(Error::not_found("environment", self.environment)) };
        let ids: Vec<i64> = held.iter().map(|held| held.id).collect();
        let switches = store::features::switches::switches_of(tx, &ids, self.environment).await?;
        let (mut events, mut steps) = (Vec::new(), Steps::default());
        for held in held {
            let name = &held.document.name;
            let environment = EnvironmentName::new(self.environment);
            let unused = || Error::NotFound(unused_environment(project.as_id(), environment));
            let switch = switches.get(&held.id).ok_or_else(unused)?;
            let about = NewEvent::new(EventKind::FeatureEnvironmentEnabled, &actor)
                .in_project(project.id())
                .of_feature(name, &switch.tags)
                .in_environment(self.environment);
            if self.on {
                let first = First { author: *author, project, defaults: &defaults };
                events.extend(self.prepare(held, switch, &first, &about, &mut steps)?);
            }
            if switch.is_enabled != self.on {
                let disabled = EventKind::FeatureEnvironmentDisabled;
                steps.switching.push(held.id);
                events.push(if self.on { about } else { NewEvent { kind: disabled, ..about } });
            }
        }
        self.take(tx, &steps, *now).await?;
        Ok(events)
    }

    /// Prepares the changes of the strategies of a feature that is switched on, and their events.
    fn prepare(
        &self,
        held: &HeldFeature,
        switch: &StoredSwitch,
        first: &First<'_>,
        about: &NewEvent,
        steps: &mut Steps,
    ) -> Result<Vec<NewEvent>, Error> {
        match preparation(switch.is_enabled, &switch.strategies, self.activate) {
            Preparation::None => Ok(Vec::new()),
            Preparation::Activate => {
                steps.activating.push(held.id);
                let disabled = switch.strategies.iter().filter(|strategy| is_disabled(strategy));
                let updated = disabled.map(|before| {
                    let after = FeatureStrategy { disabled: Some(Nullable(Some(false))), ..before.clone() };
                    let event = NewEvent { kind: EventKind::FeatureStrategyUpdate, ..about.clone() };
                    event.with_data(&after).with_pre_data(before)
                });
                Ok(updated.collect())
            }
            Preparation::Add => {
                let strategy = first.strategy(held, switch, self.environment)?;
                let event = NewEvent { kind: EventKind::FeatureStrategyAdd, ..about.clone() }.with_data(&strategy);
                steps.adding.push((held.id, strategy));
                Ok(vec![event])
            }
        }
    }

    async fn take(&self, tx: &Tx, steps: &Steps, now: Timestamp) -> Result<(), Error> {
        store::features::switches::activate_strategies(tx, &steps.activating, self.environment).await?;
        let placed = steps.adding.iter().map(|(feature_id, strategy)| Placed {
            feature_id: *feature_id,
            environment: self.environment,
            strategy,
        });
        let added = store::features::switches::add_strategies(tx, &placed.collect::<Vec<_>>(), now).await;
        added.map_err(|error| if error.is_dangling() { lost_segment(self.environment) } else { error.into() })?;
        Ok(store::features::switches::set_enabled_all(tx, &steps.switching, self.environment, self.on).await?)
    }
}

/// Source of the first strategy of a feature without an enabled one.
struct First<'a> {
    author: Author<'a>,
    project: &'a ProjectScope,
    defaults: &'a Defaults,
}

impl First<'_> {
    fn strategy(&self, held: &HeldFeature, switch: &StoredSwitch, environment: &str) -> Result<FeatureStrategy, Error> {
        let present = switch.strategies.len();
        if present == 0 && self.author.passage == Passage::Direct {
            self.author.caller.require_in(self.project, Permission::CreateFeatureStrategy, environment)?;
        }
        let limit = self.author.limits.strategies;
        admit_one_more("strategy", u64::try_from(present).unwrap_or(u64::MAX), limit)?;
        let position = i64::try_from(present).unwrap_or(i64::MAX);
        let feature = FeatureName::new(&held.document.name);
        let strategy = first_strategy(self.defaults.strategy.as_ref(), feature, &self.defaults.stickiness, position);
        Ok(FeatureStrategy { id: Some(StrategyId(clock::new_uuid())), ..strategy })
    }
}

/// Refusal to switch an archived feature, which stands at `path` of the input if that has several parts.
fn archived(path: Option<&str>, name: &str) -> Error {
    match path {
        Some(path) => {
            let message = format!("The {path} names \"{name}\", which is archived: revive it before you switch it.");
            Error::invalid(path, message)
        }
        None => Error::Conflict(format!("The feature \"{name}\" is archived: revive it before you switch it.")),
    }
}

/// The default strategy of a project is no row that keeps its segments in place.
fn lost_segment(environment: &str) -> Error {
    Error::forbidden(format!(
        "The default strategy of the project for \"{environment}\" uses a segment that does not exist any more; \
         change it first."
    ))
}
