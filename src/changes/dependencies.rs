//! Changes of the dependencies of a feature.

use flagstone_domain::{
    dependency::{DependencyRefusal, judge},
    event_kind::EventKind,
    feature::Dependency,
    ids::FeatureName,
    visibility::Visibility,
};
use flagstone_error::Error;
use flagstone_store as store;
use serde_json::json;

use crate::{
    Applied,
    feature::{FeatureChange, LockedFeature},
    guard::Reach,
};

/// Adds a dependency, or updates the one on the same parent.
#[derive(Debug)]
pub struct AddDependency<'a> {
    /// Name of the parent.
    pub parent: String,
    /// Whether the parent must be enabled, or disabled.
    pub enabled: bool,
    /// Variants of which the parent must resolve to one; empty for any.
    pub variants: Vec<String>,
    /// Visibility of the parent.
    pub visibility: &'a Visibility,
}

impl FeatureChange for AddDependency<'_> {
    type Outcome = ();

    fn reach(&self) -> Reach<'_> {
        Reach::Project
    }

    fn other(&self) -> Option<&str> {
        Some(&self.parent)
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        let Self { parent, enabled, variants, visibility } = self;
        let (tx, child_id) = (&feature.transaction.tx, feature.held.id);
        let has_children = store::features::dependencies::has_children(tx, child_id).await?;
        let candidate = store::features::parents::candidate(tx, &parent).await?;
        let candidate = candidate.filter(|candidate| visibility.admits(&candidate.project));
        let (child, project) = (FeatureName::new(feature.name()), feature.project.as_id());
        let judged = judge(child, has_children, project, FeatureName::new(&parent), candidate.as_ref());
        let parent_id = judged.map_err(|refusal| match refusal {
            DependencyRefusal::NoParent(parent) => Error::property(
                "/body/feature",
                format_args!("names the feature \"{parent}\", which does not exist or is archived"),
            ),
            other => Error::forbidden(other.to_string()),
        })?;
        let before = store::features::parents::find(tx, child_id, parent_id).await?;
        if before.is_some_and(|before| before == (enabled, variants.clone())) {
            return Ok(Applied::nothing(()));
        }
        store::features::dependencies::add(tx, child_id, parent_id, enabled, &variants).await?;
        let variants = Some(variants).filter(|variants| !variants.is_empty());
        let data = Dependency { feature: parent, enabled: Some(enabled), variants };
        Ok(Applied::with((), vec![feature.event(EventKind::FeatureDependencyAdded).with_data(&data)]))
    }
}

/// Deletes the dependency on a parent, if there is one.
#[derive(Debug)]
pub struct DeleteDependency<'a> {
    /// Name of the parent.
    pub parent: &'a str,
}

impl FeatureChange for DeleteDependency<'_> {
    type Outcome = ();

    fn reach(&self) -> Reach<'_> {
        Reach::Project
    }

    fn other(&self) -> Option<&str> {
        Some(self.parent)
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        let tx = &feature.transaction.tx;
        let Some(candidate) = store::features::parents::candidate(tx, self.parent).await? else {
            return Ok(Applied::nothing(()));
        };
        if store::features::parents::find(tx, feature.held.id, candidate.id).await?.is_none() {
            return Ok(Applied::nothing(()));
        }
        store::features::dependencies::remove(tx, feature.held.id, candidate.id).await?;
        let event = feature.event(EventKind::FeatureDependencyRemoved).with_data(&json!({ "feature": self.parent }));
        Ok(Applied::with((), vec![event]))
    }
}

/// Deletes all dependencies of a feature.
#[derive(Debug)]
pub struct DeleteDependencies;

impl FeatureChange for DeleteDependencies {
    type Outcome = ();

    fn reach(&self) -> Reach<'_> {
        Reach::Project
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        if !store::features::dependencies::remove_all(&feature.transaction.tx, feature.held.id).await? {
            return Ok(Applied::nothing(()));
        }
        Ok(Applied::with((), vec![feature.event(EventKind::FeatureDependenciesRemoved)]))
    }
}
