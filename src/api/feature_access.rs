//! Reaching a feature to read what it is made of, or to change that.

use crate::{
    api::{caller::Caller, held::missing_feature, state::State, version::IfMatch},
    domain::{
        actor::Actor, event::NewEvent, event_kind::EventKind, project::ProjectScope, tag::Tag, time::Timestamp,
        version::Version,
    },
    error::Error,
    store::{self, configurations::Configuration, db::Tx, features::HeldFeature},
};

/// A feature that the caller may read, archived or not.
#[derive(Debug)]
pub struct ReadFeature {
    /// Internal id.
    pub id: i64,
    /// The project that owns it.
    pub project: ProjectScope,
    /// The state that was read: nothing that is read later is older.
    pub version: Version,
}

/// Finds a feature to read: 404 when the caller can see no project of this id, or it has no such feature.
pub async fn read_feature(caller: &Caller, state: &State, project: &str, name: &str) -> Result<ReadFeature, Error> {
    let project = caller.visible_project(project).await?;
    match store::configurations::find_feature(&state.db, &project, name).await? {
        Some(id) => {
            let version = store::events::version_of_feature(&state.db, name).await?;
            Ok(ReadFeature { id, project, version })
        }
        None => Err(missing_feature(caller, state, &project, name).await?),
    }
}

/// That the project of a feature does not use an environment.
pub fn unused_environment(project: &str, environment: &str) -> String {
    format!("The project \"{project}\" does not use the environment \"{environment}\".")
}

/// A feature in use that a transaction holds, with what its events tell about it.
#[derive(Debug)]
pub struct FeatureWrite {
    /// The transaction.
    pub tx: Tx,
    /// The feature.
    pub held: HeldFeature,
    /// The time of the change.
    pub now: Timestamp,
    actor: Actor,
    tags: Vec<Tag>,
}

impl FeatureWrite {
    /// Starts a transaction that holds a feature of the project: 404 when there is none of this name, 412 when it is
    /// not in the state that the change is meant for, 400 when it is archived.
    pub async fn begin(
        caller: &Caller,
        state: &State,
        project: &ProjectScope,
        name: &str,
        if_match: &IfMatch,
    ) -> Result<Self, Error> {
        Self::begin_beside(caller, state, project, name, name, if_match).await
    }

    /// The same, and holds the feature named `other` too, if there is one.
    pub async fn begin_beside(
        caller: &Caller,
        state: &State,
        project: &ProjectScope,
        name: &str,
        other: &str,
        if_match: &IfMatch,
    ) -> Result<Self, Error> {
        let tx = state.db.begin().await?;
        if name != other {
            store::parents::hold_both(&tx, name, other).await?;
        }
        let Some(held) = store::features::hold(&tx, project, name).await? else {
            drop(tx);
            return Err(missing_feature(caller, state, project, name).await?);
        };
        if_match.check_feature(&tx, name).await?;
        if held.document.is_archived() {
            let message = format!("The feature \"{name}\" is archived: revive it before you change how it behaves.");
            return Err(Error::invalid("/path/featureName", message));
        }
        let tags = store::tags::of_feature(&tx, held.id).await?;
        Ok(Self { tx, held, now: state.clock.now(), actor: caller.actor(), tags })
    }

    /// Name of the feature.
    pub fn name(&self) -> &str {
        &self.held.document.name
    }

    /// The feature's configuration in an environment: 404 when its project does not use it.
    pub async fn configuration(&self, environment: &str) -> Result<Configuration, Error> {
        let found = store::configurations::find(&self.tx, self.held.id, environment).await?;
        found.ok_or_else(|| Error::NotFound(unused_environment(&self.held.document.project, environment)))
    }

    /// An event about the feature.
    pub fn event(&self, kind: EventKind) -> NewEvent {
        NewEvent::new(kind, &self.actor).in_project(&self.held.document.project).of_feature(self.name(), &self.tags)
    }

    /// An event about the feature in an environment.
    pub fn event_in(&self, kind: EventKind, environment: &str) -> NewEvent {
        self.event(kind).in_environment(environment)
    }

    /// Switches the feature off in an environment where no strategy is left to decide for whom it is on. Gives the
    /// event, if it was on.
    pub async fn switch_off_without_strategies(&self, environment: &str) -> Result<Option<NewEvent>, Error> {
        let undecided = !store::strategies::has_enabled(&self.tx, self.held.id, environment).await?;
        if undecided && store::features::set_enabled(&self.tx, self.held.id, environment, false).await? {
            return Ok(Some(self.event_in(EventKind::FeatureEnvironmentDisabled, environment)));
        }
        Ok(None)
    }

    /// Keeps the change with its events.
    pub async fn commit(self, events: Vec<NewEvent>) -> Result<(), Error> {
        Ok(self.tx.commit(self.now, events).await?)
    }
}
