//! Completing a feature, and taking that back.

use flagstone_domain::{event_kind::EventKind, lifecycle::Completion};
use flagstone_error::Error;
use flagstone_store as store;

use crate::{
    Applied,
    feature::{FeatureChange, Lock, LockedFeature},
    guard::Reach,
};

/// Marks a feature as completed, or corrects the outcome of one that is.
#[derive(Debug)]
pub struct Complete(pub Completion);

impl FeatureChange for Complete {
    type Outcome = ();

    const LOCK: Lock = Lock::Any;

    fn reach(&self) -> Reach<'_> {
        Reach::Nothing
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        let (tx, now) = (&feature.transaction.tx, feature.transaction.now);
        if !store::features::lifecycle::complete(tx, feature.held.id, &self.0, now).await? {
            return Ok(Applied::nothing(()));
        }
        feature.load_tags().await?;
        Ok(Applied::with((), vec![feature.event(EventKind::FeatureCompleted).with_data(&self.0)]))
    }
}

/// Marks a feature as not completed.
#[derive(Debug)]
pub struct Uncomplete;

impl FeatureChange for Uncomplete {
    type Outcome = ();

    const LOCK: Lock = Lock::Any;

    fn reach(&self) -> Reach<'_> {
        Reach::Nothing
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        if !store::features::lifecycle::uncomplete(&feature.transaction.tx, feature.held.id).await? {
            return Ok(Applied::nothing(()));
        }
        feature.load_tags().await?;
        Ok(Applied::with((), vec![feature.event(EventKind::FeatureUncompleted)]))
    }
}
