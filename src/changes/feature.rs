//! Changes of one feature, which the transaction locks.

use std::future::Future;

use flagstone_domain::{
    event::NewEvent,
    event_kind::EventKind,
    feature_details::FeatureDetails,
    ids::{EnvironmentName, ProjectId},
    project::{ProjectScope, VisibleProject},
    tag::Tag,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    features::{HeldFeature, configurations::Configuration},
};

use crate::{Applied, Author, Begin, Transaction, guard::Reach, if_match::IfMatch};

/// State in which a feature must be for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// In use: 400 when it is archived. The tags of its events are loaded with it.
    InUse,
    /// In use or archived.
    Any,
}

/// A change of one feature.
pub trait FeatureChange: Send {
    /// Outcome for the author, without the events.
    type Outcome: Send;

    /// State in which the feature must be.
    const LOCK: Lock = Lock::InUse;

    /// Part of the project whose programs the change may reach: the guard stands before it.
    fn reach(&self) -> Reach<'_>;

    /// Kind of the transaction that the change needs.
    fn begin(&self) -> Begin {
        Begin::Change
    }

    /// Name of another feature to lock with it, if there is one.
    fn other(&self) -> Option<&str> {
        None
    }

    /// Applies the change to a feature that the transaction has locked.
    fn apply(
        self,
        feature: &mut LockedFeature<'_>,
    ) -> impl Future<Output = Result<Applied<Self::Outcome>, Error>> + Send;
}

/// Feature that a change is for.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Project in which the author may make the change.
    pub project: &'a ProjectScope,
    /// Name of the feature.
    pub name: &'a str,
    /// Versions that the change is meant for.
    pub if_match: &'a IfMatch,
}

impl<'a> Target<'a> {
    /// A feature in the versions that the change is meant for.
    pub const fn new(project: &'a ProjectScope, name: &'a str, if_match: &'a IfMatch) -> Self {
        Self { project, name, if_match }
    }
}

impl Author<'_> {
    /// Makes a change of a feature in a transaction of its own: 404 when the project has none of this name, 412 when it
    /// is not in a version that the change is meant for.
    pub async fn change<C: FeatureChange>(self, target: Target<'_>, change: C) -> Result<C::Outcome, Error> {
        let transaction = self.begin_of_feature(change.begin(), target.name).await?;
        let applied = match LockedFeature::lock(&transaction, target, &change).await? {
            Some(mut feature) => Some(change.apply(&mut feature).await?),
            None => None,
        };
        let Some(applied) = applied else {
            drop(transaction);
            return Err(self.missing_feature(target.project, target.name).await?);
        };
        transaction.keep(applied).await
    }

    /// Error that a project has no such feature. It names the project that has it, if the caller may see that one.
    pub async fn missing_feature(self, project: &VisibleProject, name: &str) -> Result<Error, Error> {
        let missing = format!("There is no feature named \"{name}\" in project \"{}\"", project.id());
        let owner = store::features::find_owner(self.db, name).await?;
        let visibility = self.caller.visibility().await?;
        Ok(Error::NotFound(match owner.filter(|owner| visibility.admits(owner)) {
            Some(owner) => format!("{missing}, but there is one in project \"{owner}\"."),
            None => format!("{missing}."),
        }))
    }
}

/// A feature that a transaction has locked for a change.
#[derive(Debug)]
pub struct LockedFeature<'a> {
    /// The transaction.
    pub transaction: &'a Transaction<'a>,
    /// The project that owns the feature.
    pub project: &'a ProjectScope,
    /// The feature.
    pub held: HeldFeature,
    /// Its tags for events; empty before [`LockedFeature::load_tags`] where the change is of archived features, too.
    pub tags: Vec<Tag>,
}

impl<'a> LockedFeature<'a> {
    /// Locks a feature for a change that the guard lets pass; `None` when the project has none of this name.
    pub async fn lock<C: FeatureChange>(
        transaction: &'a Transaction<'a>,
        target: Target<'a>,
        change: &C,
    ) -> Result<Option<Self>, Error> {
        let Target { project, name, if_match } = target;
        if let Some(other) = change.other().filter(|other| *other != name) {
            store::features::parents::hold_both(&transaction.tx, name, other).await?;
        }
        let Some(held) = store::features::hold(&transaction.tx, project, name).await? else { return Ok(None) };
        if_match.check_feature(&transaction.tx, name).await?;
        let mut feature = Self { transaction, project, held, tags: Vec::new() };
        if C::LOCK == Lock::InUse {
            if feature.held.document.is_archived() {
                let message =
                    format!("The feature \"{name}\" is archived: revive it before you change how it behaves.");
                return Err(Error::invalid("/path/featureName", message));
            }
            feature.load_tags().await?;
        }
        transaction.guard(project.id(), change.reach()).await?;
        Ok(Some(feature))
    }

    /// Loads the feature's tags for its events.
    pub async fn load_tags(&mut self) -> Result<(), Error> {
        self.tags = store::tags::of_feature(&self.transaction.tx, self.held.id).await?;
        Ok(())
    }

    /// Name of the feature.
    pub fn name(&self) -> &str {
        &self.held.document.name
    }

    /// The feature's configuration in an environment: 404 when its project does not use it.
    pub async fn configuration(&self, environment: &str) -> Result<Configuration, Error> {
        let found = store::features::configurations::find(&self.transaction.tx, self.held.id, environment).await?;
        found.ok_or_else(|| {
            let (project, environment) = (&*self.held.document.project, EnvironmentName::new(environment));
            Error::NotFound(unused_environment(ProjectId::new(project), environment))
        })
    }

    /// An event about the feature.
    pub fn event(&self, kind: EventKind) -> NewEvent {
        NewEvent::new(kind, &self.transaction.author.caller.actor())
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
        let tx = &self.transaction.tx;
        let undecided = !store::strategies::has_enabled(tx, self.held.id, environment).await?;
        if undecided && store::features::set_enabled(tx, self.held.id, environment, false).await? {
            return Ok(Some(self.event_in(EventKind::FeatureEnvironmentDisabled, environment)));
        }
        Ok(None)
    }
}

/// A change whose outcome is the feature with its details.
#[derive(Debug)]
pub struct WithDetails<C>(pub C);

impl<C: FeatureChange> FeatureChange for WithDetails<C> {
    type Outcome = FeatureDetails;

    const LOCK: Lock = C::LOCK;

    fn reach(&self) -> Reach<'_> {
        self.0.reach()
    }

    fn begin(&self) -> Begin {
        self.0.begin()
    }

    fn other(&self) -> Option<&str> {
        self.0.other()
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<FeatureDetails>, Error> {
        let applied = self.0.apply(feature).await?;
        let Transaction { tx, now, author, .. } = feature.transaction;
        let details = store::features::find_details(tx, feature.held.id, author.caller.user_id(), *now).await?;
        let gone = || Error::internal(format!("the feature {} has gone while it was held", feature.name()));
        Ok(Applied { outcome: details.ok_or_else(gone)?, events: applied.events })
    }
}

/// Message that a project does not use an environment.
pub fn unused_environment(project: ProjectId<'_>, environment: EnvironmentName<'_>) -> String {
    format!("The project \"{project}\" does not use the environment \"{environment}\".")
}
