//! Reaching a feature to read what it is made of, or to change that.

use crate::{
    access::Caller,
    api::{
        features::{
            change::{admit_features, require_no_children},
            revival::Revival,
        },
        version::IfMatch,
    },
    domain::{
        event::NewEvent,
        event_kind::EventKind,
        feature::Feature,
        feature_document::{ArchiveTransition, FeatureDocument},
        permission::Permission,
        project::{ProjectScope, VisibleProject},
        tag::Tag,
        time::Timestamp,
        version::Version,
    },
    error::Error,
    state::State,
    store::{
        self,
        db::Tx,
        features::{HeldFeature, configurations::Configuration},
    },
};

/// A feature that the caller may read, archived or not.
#[derive(Debug)]
pub struct ReadFeature {
    /// The feature.
    pub found: HeldFeature,
    /// The project that owns it.
    pub project: VisibleProject,
    /// The state that was read: nothing that is read later is older.
    pub version: Version,
}

/// Finds a feature to read: 404 when the caller can see no project of this id, or it has no such feature.
pub async fn read_feature(caller: &Caller, state: &State, project: &str, name: &str) -> Result<ReadFeature, Error> {
    let (project, found) = look_up_feature(caller, state, project, name).await?;
    let version = store::events::version_of_feature(&state.db, name).await?;
    Ok(ReadFeature { found, project, version })
}

/// Finds a feature like [`read_feature`], without its version.
pub async fn look_up_feature(
    caller: &Caller,
    state: &State,
    project: &str,
    name: &str,
) -> Result<(VisibleProject, HeldFeature), Error> {
    let project = caller.visible_project(project).await?;
    match store::features::look_up(&state.db, &project, name).await? {
        Some(found) => Ok((project, found)),
        None => Err(missing_feature(caller, state, &project, name).await?),
    }
}

/// Holds a feature of a project in a transaction, archived or not: 404 when there is none of this name, which ends the
/// transaction.
pub async fn hold_in(
    tx: Tx,
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    name: &str,
) -> Result<(Tx, HeldFeature), Error> {
    if let Some(held) = store::features::hold(&tx, project, name).await? {
        return Ok((tx, held));
    }
    drop(tx);
    Err(missing_feature(caller, state, project, name).await?)
}

/// Message that a project does not use an environment.
pub fn unused_environment(project: &str, environment: &str) -> String {
    format!("The project \"{project}\" does not use the environment \"{environment}\".")
}

/// Error that a project has no such feature. It names the project that has it, if the caller may see that one.
pub async fn missing_feature(
    caller: &Caller,
    state: &State,
    project: &VisibleProject,
    name: &str,
) -> Result<Error, Error> {
    let missing = format!("There is no feature named \"{name}\" in project \"{}\"", project.id());
    let owner = store::features::find_owner(&state.db, name).await?;
    let visibility = caller.visibility().await?;
    Ok(Error::NotFound(match owner.filter(|owner| visibility.admits(owner)) {
        Some(owner) => format!("{missing}, but there is one in project \"{owner}\"."),
        None => format!("{missing}."),
    }))
}

/// Whether a change may take features into use. Such changes wait for each other, as room for features is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// The change takes no features into use.
    Change,
    /// The change makes or revives features.
    Making,
}

impl Begin {
    /// [`Begin::Making`] where something may be revived.
    pub const fn reviving(may_revive: bool) -> Self {
        if may_revive { Self::Making } else { Self::Change }
    }

    /// Starts the transaction of the change.
    pub async fn transaction(self, state: &State) -> Result<Tx, Error> {
        Ok(match self {
            Self::Change => state.db.begin().await?,
            Self::Making => store::features::begin_making(&state.db).await?,
        })
    }

    /// Starts the transaction of a change of the one feature with this name.
    async fn transaction_of(self, state: &State, name: &str) -> Result<Tx, Error> {
        match self {
            Self::Change => Ok(state.db.begin_change_of(name).await?),
            Self::Making => self.transaction(state).await,
        }
    }
}

/// A feature that a transaction holds, for a change.
#[derive(Debug)]
pub struct FeatureWrite<'a> {
    /// The transaction.
    pub tx: Tx,
    /// The feature.
    pub held: HeldFeature,
    /// The time of the change.
    pub now: Timestamp,
    /// Caller who changes it.
    pub caller: &'a Caller,
    /// Its tags for events; empty before [`FeatureWrite::tagged`].
    pub tags: Vec<Tag>,
    state: &'a State,
    project: &'a ProjectScope,
}

impl<'a> FeatureWrite<'a> {
    /// Starts a transaction that holds a feature of the project, archived or not: 404 when there is none of this name,
    /// 412 when it is not in the state that the change is meant for.
    pub async fn hold(
        caller: &'a Caller,
        state: &'a State,
        project: &'a ProjectScope,
        name: &str,
        begin: Begin,
        if_match: &IfMatch,
    ) -> Result<Self, Error> {
        Self::hold_beside(caller, state, project, [name, name], begin, if_match).await
    }

    /// Starts a transaction that locks a feature in use, with its tags: 400 when it is archived.
    pub async fn begin(
        caller: &'a Caller,
        state: &'a State,
        project: &'a ProjectScope,
        name: &str,
        if_match: &IfMatch,
    ) -> Result<Self, Error> {
        Self::begin_beside(caller, state, project, name, name, if_match).await
    }

    /// Starts a transaction like [`FeatureWrite::begin`], which also locks the feature named `other`, if there is one.
    pub async fn begin_beside(
        caller: &'a Caller,
        state: &'a State,
        project: &'a ProjectScope,
        name: &str,
        other: &str,
        if_match: &IfMatch,
    ) -> Result<Self, Error> {
        let write = Self::hold_beside(caller, state, project, [name, other], Begin::Change, if_match).await?;
        if write.held.document.is_archived() {
            let message = format!("The feature \"{name}\" is archived: revive it before you change how it behaves.");
            return Err(Error::invalid("/path/featureName", message));
        }
        write.tagged().await
    }

    async fn hold_beside(
        caller: &'a Caller,
        state: &'a State,
        project: &'a ProjectScope,
        [name, other]: [&str; 2],
        begin: Begin,
        if_match: &IfMatch,
    ) -> Result<Self, Error> {
        let tx = begin.transaction_of(state, name).await?;
        if name != other {
            store::features::parents::hold_both(&tx, name, other).await?;
        }
        let (tx, held) = hold_in(tx, caller, state, project, name).await?;
        if_match.check_feature(&tx, name).await?;
        Ok(Self { tx, held, now: state.clock.now(), caller, tags: Vec::new(), state, project })
    }

    /// Returns the write with the feature's tags.
    pub async fn tagged(mut self) -> Result<Self, Error> {
        self.tags = store::tags::of_feature(&self.tx, self.held.id).await?;
        Ok(self)
    }

    /// Updates the feature to `after`, and keeps that: nothing is written when that is nothing new. Archiving needs
    /// its own permission and that nothing depends on the feature; reviving needs room, and the features that it
    /// depended on.
    pub async fn keep(self, after: &FeatureDocument) -> Result<(), Error> {
        if self.held.document == *after {
            return Ok(());
        }
        let revival = self.change(after).await?;
        let write = self.tagged().await?;
        let events = write.events(after, &revival, &write.tags);
        write.commit(events).await
    }

    /// Updates the feature to `after`, and returns what became of its dependencies.
    async fn change(&self, after: &FeatureDocument) -> Result<Revival, Error> {
        let revival = self.admit(after).await?;
        store::features::save(&self.tx, &self.held, after, self.now).await?;
        revival.store(&self.tx).await?;
        Ok(revival)
    }

    /// The events of the feature's change to `after`.
    fn events(&self, after: &FeatureDocument, revival: &Revival, tags: &[Tag]) -> Vec<NewEvent> {
        let actor = self.caller.actor();
        let mut events = self.held.document.change_events(after, &actor, tags);
        events.extend(revival.events(&self.held, &actor, tags));
        events
    }

    /// Does what [`FeatureWrite::keep`] does, and returns the feature whole.
    pub async fn keep_and_find(self, after: &FeatureDocument) -> Result<Feature, Error> {
        let reader = self.caller.user_id();
        let mut revival = Revival::default();
        let feature = if self.held.document == *after {
            store::features::find(&self.tx, self.held.id, reader).await?
        } else if self.held.document.archive_transition(after).is_some() {
            revival = self.change(after).await?;
            store::features::find(&self.tx, self.held.id, reader).await?
        } else {
            store::features::save_and_find(&self.tx, &self.held, after, reader, self.now).await?
        };
        let feature = feature.ok_or_else(|| Error::not_found("feature", &after.name))?;
        let tags = feature.tags.as_ref().and_then(|tags| tags.0.as_deref()).unwrap_or_default();
        let events = self.events(after, &revival, tags);
        self.commit(events).await?;
        Ok(feature)
    }

    /// Refuses what [`FeatureWrite::keep`] refuses, and returns what becomes of the dependencies of a feature that is
    /// revived.
    async fn admit(&self, after: &FeatureDocument) -> Result<Revival, Error> {
        match self.held.document.archive_transition(after) {
            Some(ArchiveTransition::Archive) => {
                if !self.caller.grants().allow(Permission::DeleteFeature, Some(self.project.id()), None) {
                    return Err(Error::no_access(&[Permission::DeleteFeature]));
                }
                require_no_children(&self.tx, std::slice::from_ref(&self.held), "archived").await?;
                Ok(Revival::default())
            }
            Some(ArchiveTransition::Revive) => {
                admit_features(self.state, &store::features::admission(&self.tx, self.project).await?, 1)?;
                Revival::judge(&self.tx, self.project.id(), std::slice::from_ref(&self.held)).await
            }
            None => Ok(Revival::default()),
        }
    }

    /// Name of the feature.
    pub fn name(&self) -> &str {
        &self.held.document.name
    }

    /// The feature's configuration in an environment: 404 when its project does not use it.
    pub async fn configuration(&self, environment: &str) -> Result<Configuration, Error> {
        let found = store::features::configurations::find(&self.tx, self.held.id, environment).await?;
        found.ok_or_else(|| Error::NotFound(unused_environment(&self.held.document.project, environment)))
    }

    /// An event about the feature.
    pub fn event(&self, kind: EventKind) -> NewEvent {
        NewEvent::new(kind, &self.caller.actor())
            .in_project(&self.held.document.project)
            .of_feature(self.name(), &self.tags)
    }

    /// An event about the feature in an environment.
    pub fn event_in(&self, kind: EventKind, environment: &str) -> NewEvent {
        self.event(kind).in_environment(environment)
    }

    /// Switches the feature off in an environment where no strategy is left to decide for whom it is on. Returns the
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
