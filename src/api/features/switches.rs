//! Switching features on and off in environments, one by one or many at once.

use poem::web::Data;
use poem_openapi::{
    OpenApi,
    param::{Path, Query},
};

use crate::{
    access::{Caller, project_of_operator},
    api::{
        Tag,
        answer::{ChangeRefusals, Fails, Out, RemoveRefusals},
        body::Body,
        changes::{ChangesBody, settle},
        features::{
            access::{Begin, FeatureWrite, unused_environment},
            change::{FeatureNamesBody, hold_features},
        },
        permitted::{InEnvironment, Permitted, need},
        version::IfMatch,
    },
    clock,
    config::{Limits, admit_one_more},
    domain::{
        actor::Actor,
        event::NewEvent,
        event_kind::EventKind,
        feature_details::FeatureDetails,
        permission::Permission,
        project::ProjectScope,
        strategy::FeatureStrategy,
        strategy_id::StrategyId,
        switching::{Preparation, first_strategy, is_disabled, preparation},
        time::Timestamp,
    },
    error::Error,
    state::State,
    store::{
        self,
        db::{Db, Tx},
        features::{
            HeldFeature,
            switches::{Defaults, Placed, Switch},
        },
    },
    wire::Nullable,
};

/// The operations that switch features.
#[derive(Debug)]
pub struct SwitchesApi;

#[OpenApi(tag = "Tag::Features")]
impl SwitchesApi {
    /// Enable a feature in an environment
    ///
    /// A feature without an enabled strategy in the environment first gets the default strategy of the project, or a
    /// rollout to everybody when the project has none. If it had no strategy at all, this also needs
    /// `CREATE_FEATURE_STRATEGY`. An enabled feature stays as it is. Refused for archived features. The answer is the
    /// feature, as in `getFeature`.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/on",
        method = "post",
        operation_id = "toggleFeatureEnvironmentOn"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn toggle_feature_environment_on(
        &self,
        caller: Switcher,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "shouldActivateDisabledStrategies")] should_activate_disabled_strategies: Query<Option<bool>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Out<FeatureDetails>, Fails<RemoveRefusals>> {
        let switching = Switching {
            environment: &environment.0,
            on: true,
            activate: should_activate_disabled_strategies.0.unwrap_or(false),
        };
        Ok(Out(switching.switch_one(&caller, state, &project_id.0, &feature_name.0, &if_match).await?))
    }

    /// Disable a feature in an environment
    ///
    /// A disabled feature stays as it is. Refused for archived features, which are off anyway. The answer is the
    /// feature, as in `getFeature`.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/off",
        method = "post",
        operation_id = "toggleFeatureEnvironmentOff"
    )]
    async fn toggle_feature_environment_off(
        &self,
        caller: Switcher,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Out<FeatureDetails>, Fails<RemoveRefusals>> {
        let switching = Switching { environment: &environment.0, on: false, activate: false };
        Ok(Out(switching.switch_one(&caller, state, &project_id.0, &feature_name.0, &if_match).await?))
    }

    /// Enable features in an environment
    ///
    /// Enables all of them, or none when one of them cannot be enabled. 400 when one does not exist, 403 when one
    /// belongs to another project.
    #[oai(
        path = "/api/admin/projects/:projectId/bulk_features/environments/:environment/on",
        method = "post",
        operation_id = "bulkToggleFeaturesEnvironmentOn"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn bulk_toggle_features_environment_on(
        &self,
        caller: Switcher,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
        #[oai(name = "shouldActivateDisabledStrategies")] should_activate_disabled_strategies: Query<Option<bool>>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<FeatureNamesBody>,
    ) -> Result<Out<ChangesBody>, Fails<ChangeRefusals>> {
        let switching = Switching {
            environment: &environment.0,
            on: true,
            activate: should_activate_disabled_strategies.0.unwrap_or(false),
        };
        let dry_run = dry_run.0.unwrap_or(false);
        Ok(Out(switching.switch_many(&caller, state, &project_id.0, body, dry_run).await?))
    }

    /// Disable features in an environment
    ///
    /// Disables all of them, or none when one of them cannot be disabled. 400 when one does not exist, 403 when one
    /// belongs to another project.
    #[oai(
        path = "/api/admin/projects/:projectId/bulk_features/environments/:environment/off",
        method = "post",
        operation_id = "bulkToggleFeaturesEnvironmentOff"
    )]
    async fn bulk_toggle_features_environment_off(
        &self,
        caller: Switcher,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<FeatureNamesBody>,
    ) -> Result<Out<ChangesBody>, Fails<ChangeRefusals>> {
        let switching = Switching { environment: &environment.0, on: false, activate: false };
        let dry_run = dry_run.0.unwrap_or(false);
        Ok(Out(switching.switch_many(&caller, state, &project_id.0, body, dry_run).await?))
    }
}

/// Caller who may switch features in an environment.
type Switcher = Permitted<need::UpdateFeatureEnvironment, InEnvironment>;

/// State to switch to, and the environment.
struct Switching<'a> {
    environment: &'a str,
    on: bool,
    activate: bool,
}

/// Changes that a batch of features needs before it is switched, feature by feature.
#[derive(Default)]
struct Steps {
    activating: Vec<i64>,
    adding: Vec<(i64, FeatureStrategy)>,
    switching: Vec<i64>,
}

impl Switching<'_> {
    async fn switch_one(
        &self,
        caller: &Switcher,
        state: &State,
        project_id: &str,
        name: &str,
        if_match: &IfMatch,
    ) -> Result<FeatureDetails, Error> {
        let project = caller.project(project_id, self.environment).await?;
        let write = FeatureWrite::hold(caller, state, &project, name, Begin::Change, if_match).await?;
        if write.held.document.is_archived() {
            return Err(archived("/path/featureName", name));
        }
        let held = std::slice::from_ref(&write.held);
        let events = self.switch(&Hand::of(caller, state), &project, &write.tx, held, write.now).await?;
        let details = store::features::find_details(&write.tx, write.held.id, caller.user_id(), write.now).await?;
        let details =
            details.ok_or_else(|| Error::internal(format!("the feature {name} has gone while it was held")))?;
        write.commit(events).await?;
        Ok(details.without_variants())
    }

    async fn switch_many(
        &self,
        caller: &Switcher,
        state: &State,
        project_id: &str,
        body: Body<FeatureNamesBody>,
        dry_run: bool,
    ) -> Result<ChangesBody, Error> {
        let project = caller.project(project_id, self.environment).await?;
        let names = body.read()?.features;
        let now = state.clock.now();
        let (tx, held) = hold_features(caller, state, &project, &names, Begin::Change).await?;
        for (index, name) in names.iter().enumerate() {
            if held.iter().any(|held| held.document.name == *name && held.document.is_archived()) {
                return Err(archived(&format!("/body/features/{index}"), name));
            }
        }
        let events = self.switch(&Hand::of(caller, state), &project, &tx, &held, now).await?;
        settle(tx, now, events, dry_run).await
    }

    /// Switches features in use and returns the events, feature by feature.
    async fn switch(
        &self,
        hand: &Hand<'_>,
        project: &ProjectScope,
        tx: &Tx,
        held: &[HeldFeature],
        now: Timestamp,
    ) -> Result<Vec<NewEvent>, Error> {
        let defaults = store::features::switches::defaults(tx, project, self.environment).await?;
        let Some(defaults) = defaults else { return Err(Error::not_found("environment", self.environment)) };
        let ids: Vec<i64> = held.iter().map(|held| held.id).collect();
        let switches = store::features::switches::switches_of(tx, &ids, self.environment).await?;
        let (mut events, mut steps) = (Vec::new(), Steps::default());
        for held in held {
            let name = &held.document.name;
            let unused = || Error::NotFound(unused_environment(project.id(), self.environment));
            let switch = switches.get(&held.id).ok_or_else(unused)?;
            let about = NewEvent::new(EventKind::FeatureEnvironmentEnabled, &hand.actor)
                .in_project(project.id())
                .of_feature(name, &switch.tags)
                .in_environment(self.environment);
            if self.on {
                let first = First { hand, project, defaults: &defaults };
                events.extend(self.prepare(held, switch, &first, &about, &mut steps)?);
            }
            if switch.is_enabled != self.on {
                let disabled = EventKind::FeatureEnvironmentDisabled;
                steps.switching.push(held.id);
                events.push(if self.on { about } else { NewEvent { kind: disabled, ..about } });
            }
        }
        self.take(tx, &steps, now).await?;
        Ok(events)
    }

    /// Prepares the changes of the strategies of a feature that is switched on, and their events.
    fn prepare(
        &self,
        held: &HeldFeature,
        switch: &Switch,
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

/// Actor of a switch, with the permissions and limits that hold for them.
struct Hand<'a> {
    actor: Actor,
    /// Caller whose permissions count; `None` for the operator on the machine, who has all.
    caller: Option<&'a Caller>,
    limits: &'a Limits,
}

impl<'a> Hand<'a> {
    fn of(caller: &'a Caller, state: &'a State) -> Self {
        Self { actor: caller.actor(), caller: Some(caller), limits: &state.config.limits }
    }
}

/// Switches a feature for the operator on the machine, who may switch all. Gives whether anything changed.
pub async fn switch_for_operator(
    db: &Db,
    name: &str,
    environment: &str,
    on: bool,
    limits: &Limits,
    actor: Actor,
    now: Timestamp,
) -> Result<bool, Error> {
    let missing = || Error::not_found("feature", name);
    let owner = store::features::find_owner(db, name).await?.ok_or_else(missing)?;
    let project = project_of_operator(&owner);
    let tx = db.begin_change_of(name).await?;
    let held = store::features::hold(&tx, &project, name).await?.ok_or_else(missing)?;
    if held.document.is_archived() {
        return Err(Error::Conflict(format!("The feature \"{name}\" is archived: revive it before you switch it.")));
    }
    let hand = Hand { actor, caller: None, limits };
    let switching = Switching { environment, on, activate: false };
    let events = switching.switch(&hand, &project, &tx, &[held], now).await?;
    let is_changed = !events.is_empty();
    tx.commit(now, events).await?;
    Ok(is_changed)
}

/// Source of the first strategy of a feature without an enabled one.
struct First<'a> {
    hand: &'a Hand<'a>,
    project: &'a ProjectScope,
    defaults: &'a Defaults,
}

impl First<'_> {
    fn strategy(&self, held: &HeldFeature, switch: &Switch, environment: &str) -> Result<FeatureStrategy, Error> {
        let present = switch.strategies.len();
        if present == 0
            && let Some(caller) = self.hand.caller
        {
            caller.require_in(self.project, Permission::CreateFeatureStrategy, environment)?;
        }
        let limit = self.hand.limits.strategies;
        admit_one_more("strategy", u64::try_from(present).unwrap_or(u64::MAX), limit)?;
        let position = i64::try_from(present).unwrap_or(i64::MAX);
        let strategy =
            first_strategy(self.defaults.strategy.as_ref(), &held.document.name, &self.defaults.stickiness, position);
        Ok(FeatureStrategy { id: Some(StrategyId(clock::new_uuid())), ..strategy })
    }
}

fn archived(path: &str, name: &str) -> Error {
    Error::invalid(path, format!("The {path} names \"{name}\", which is archived: revive it before you switch it."))
}

/// The default strategy of a project is no row that keeps its segments in place.
fn lost_segment(environment: &str) -> Error {
    Error::forbidden(format!(
        "The default strategy of the project for \"{environment}\" uses a segment that does not exist any more; \
         change it first."
    ))
}
