//! Changes of the properties of a feature, among them whether it is archived.

use flagstone_domain::{
    event::NewEvent,
    feature::Feature,
    feature_document::{ArchiveTransition, FeatureDocument},
    permission::Permission,
    tag::Tag,
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_store::{self as store, db::Tx};

use crate::{
    Applied, Begin,
    feature::{FeatureChange, Lock, LockedFeature},
    features::{admit_features, require_no_children},
    guard::{Passage, Reach},
    revival::Revival,
};

/// Updates properties of a feature; the outcome is the whole feature.
#[derive(Debug)]
pub struct UpdateFeature<F> {
    /// Whether the update may revive the feature.
    pub may_revive: bool,
    /// Id of the feature type to set, which must exist.
    pub kind: Option<String>,
    /// Returns the feature as it should be, from the feature as it is and the time.
    pub edit: F,
}

impl<F> FeatureChange for UpdateFeature<F>
where
    F: FnOnce(&FeatureDocument, Timestamp) -> Result<FeatureDocument, Error> + Send,
{
    type Outcome = Feature;

    const LOCK: Lock = Lock::Any;

    fn reach(&self) -> Reach<'_> {
        // An update that archives is guarded where that is admitted.
        Reach::Nothing
    }

    fn begin(&self) -> Begin {
        Begin::reviving(self.may_revive)
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<Feature>, Error> {
        if let Some(kind) = &self.kind {
            require_type(&feature.transaction.tx, kind).await?;
        }
        let after = (self.edit)(&feature.held.document, feature.transaction.now)?;
        feature.replace_and_find(&after).await
    }
}

/// Archives a feature. An archived one stays as it is.
#[derive(Debug)]
pub struct ArchiveFeature;

impl FeatureChange for ArchiveFeature {
    type Outcome = ();

    const LOCK: Lock = Lock::Any;

    fn reach(&self) -> Reach<'_> {
        // Guarded where archiving is admitted.
        Reach::Nothing
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        let archived_at = feature.held.document.archived_at.or(Some(feature.transaction.now));
        let after = FeatureDocument { archived_at, ..feature.held.document.clone() };
        feature.replace(&after).await
    }
}

/// Revives a feature. One in use stays as it is.
#[derive(Debug)]
pub struct ReviveFeature;

impl FeatureChange for ReviveFeature {
    type Outcome = ();

    const LOCK: Lock = Lock::Any;

    fn reach(&self) -> Reach<'_> {
        // What is revived is off everywhere.
        Reach::Nothing
    }

    fn begin(&self) -> Begin {
        Begin::Making
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        let after = FeatureDocument { archived_at: None, ..feature.held.document.clone() };
        feature.replace(&after).await
    }
}

impl LockedFeature<'_> {
    /// Updates the feature to `after`: nothing is written when that is nothing new. Archiving needs its own permission
    /// and that nothing depends on the feature; reviving needs room, and the features that it depended on.
    pub async fn replace(&mut self, after: &FeatureDocument) -> Result<Applied<()>, Error> {
        if self.held.document == *after {
            return Ok(Applied::nothing(()));
        }
        let revival = self.store(after).await?;
        self.load_tags().await?;
        Ok(Applied::with((), self.events(after, &revival, &self.tags)))
    }

    /// Does what [`LockedFeature::replace`] does, and returns the feature whole.
    pub async fn replace_and_find(&self, after: &FeatureDocument) -> Result<Applied<Feature>, Error> {
        let tx = &self.transaction.tx;
        let reader = self.transaction.author.caller.user_id();
        let mut revival = Revival::default();
        let feature = if self.held.document == *after {
            store::features::find(tx, self.held.id, reader).await?
        } else if self.held.document.archive_transition(after).is_some() {
            revival = self.store(after).await?;
            store::features::find(tx, self.held.id, reader).await?
        } else {
            store::features::save_and_find(tx, &self.held, after, reader, self.transaction.now).await?
        };
        let feature = feature.ok_or_else(|| Error::not_found("feature", &after.name))?;
        let tags = feature.tags.as_ref().and_then(|tags| tags.0.as_deref()).unwrap_or_default();
        let events = self.events(after, &revival, tags);
        Ok(Applied::with(feature, events))
    }

    /// Updates the feature to `after`, and returns the changes of its dependencies.
    async fn store(&self, after: &FeatureDocument) -> Result<Revival, Error> {
        let revival = self.admit(after).await?;
        store::features::save(&self.transaction.tx, &self.held, after, self.transaction.now).await?;
        revival.store(&self.transaction.tx).await?;
        Ok(revival)
    }

    /// The events of the feature's change to `after`.
    fn events(&self, after: &FeatureDocument, revival: &Revival, tags: &[Tag]) -> Vec<NewEvent> {
        let actor = self.transaction.author.caller.actor();
        let mut events = self.held.document.change_events(after, &actor, tags);
        events.extend(revival.events(&self.held, &actor, tags));
        events
    }

    /// Refuses a change that is not permitted or possible, and returns the changes of the dependencies of a feature that
    /// is revived.
    async fn admit(&self, after: &FeatureDocument) -> Result<Revival, Error> {
        let (tx, author) = (&self.transaction.tx, self.transaction.author);
        match self.held.document.archive_transition(after) {
            Some(ArchiveTransition::Archive) => {
                let is_allowed =
                    || author.caller.grants().allow(Permission::DeleteFeature, Some(self.project.as_id()), None);
                if author.passage == Passage::Direct && !is_allowed() {
                    return Err(Error::no_access(&[Permission::DeleteFeature]));
                }
                self.transaction.guard(self.project.id(), Reach::Project).await?;
                require_no_children(tx, std::slice::from_ref(&self.held), "archived").await?;
                Ok(Revival::default())
            }
            Some(ArchiveTransition::Revive) => {
                admit_features(author, &store::features::admission(tx, self.project).await?, 1)?;
                Revival::judge(tx, self.project.id(), std::slice::from_ref(&self.held)).await
            }
            None => Ok(Revival::default()),
        }
    }
}

/// Refuses a feature type that does not exist.
pub async fn require_type(tx: &Tx, kind: &str) -> Result<(), Error> {
    if store::features::is_known_type(tx, kind).await? {
        return Ok(());
    }
    Err(Error::property("/body/type", "must be the id of a feature type"))
}
