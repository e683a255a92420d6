//! Dependencies of revived features.

use std::collections::HashMap;

use flagstone_domain::{
    actor::Actor,
    dependency::{Resumption, Suspended, resume},
    event::NewEvent,
    event_kind::EventKind,
    feature::Dependency,
    feature_document::FeatureDocument,
    tag::Tag,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    db::Tx,
    features::{HeldFeature, parents::ParentLink},
};
use serde_json::json;

/// The dependencies of features that are revived together, in one project.
#[derive(Debug, Default)]
pub struct Revival(Resumption);

impl Revival {
    /// Judges the dependencies of features that the transaction holds: 403 while a parent is archived that is not
    /// revived with them.
    pub async fn judge(tx: &Tx, project: &str, held: &[HeldFeature]) -> Result<Self, Error> {
        let revived: HashMap<i64, String> = held.iter().map(|held| (held.id, held.document.name.clone())).collect();
        let ids: Vec<i64> = held.iter().map(|held| held.id).collect();
        let suspended = store::features::suspended::hold(tx, &ids).await?;
        let outcome = resume(project, &revived, suspended).map_err(|waiting| {
            let names: Vec<String> = waiting.iter().map(|name| format!("\"{name}\"")).collect();
            let names = names.join(", ");
            Error::forbidden(format!(
                "Features that are to be revived depend on {names}, archived meanwhile: revive what they depend on first, \
                 or all of them together."
            ))
        })?;
        Ok(Self(outcome))
    }

    /// Adds the dependencies that hold again, once the features are revived.
    pub async fn store(&self, tx: &Tx) -> Result<(), Error> {
        let links = self.0.resumed.iter().filter_map(|one| {
            let parent_id = one.parent.as_ref()?.id;
            Some(ParentLink { child_id: one.child_id, parent_id, dependency: one.dependency.clone() })
        });
        store::features::dependencies::add_all(tx, &links.collect::<Vec<_>>()).await?;
        Ok(())
    }

    /// The events of a feature's dependencies: those that hold again, and those that are gone.
    pub fn events(&self, held: &HeldFeature, actor: &Actor, tags: &[Tag]) -> Vec<NewEvent> {
        let FeatureDocument { name, project, .. } = &held.document;
        let event = |kind| NewEvent::new(kind, actor).in_project(project).of_feature(name, tags);
        let own = |all: &[Suspended]| -> Vec<Dependency> {
            all.iter().filter(|one| one.child_id == held.id).map(|one| one.dependency.clone()).collect()
        };
        let resumed = own(&self.0.resumed).into_iter().map(|dependency| {
            let variants = dependency.variants.filter(|variants| !variants.is_empty());
            event(EventKind::FeatureDependencyAdded).with_data(&Dependency { variants, ..dependency })
        });
        let lost = own(&self.0.lost).into_iter().map(|dependency| {
            event(EventKind::FeatureDependencyRemoved).with_data(&json!({ "feature": dependency.feature }))
        });
        resumed.chain(lost).collect()
    }
}
