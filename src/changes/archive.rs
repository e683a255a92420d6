//! Archiving, reviving, deleting and marking many features at once, and deleting one.

use flagstone_access::Caller;
use flagstone_domain::{
    event::NewEvent, event_kind::EventKind, feature_document::FeatureDocument, project::ProjectScope, tag::Tag,
};
use flagstone_error::Error;
use flagstone_store::{self as store, features::HeldFeature};

use crate::{
    Applied, Author, Begin,
    feature::{FeatureChange, Lock, LockedFeature},
    features::{BatchChange, LockedFeatures, admit_features, require_no_children},
    guard::Reach,
    revival::Revival,
};

/// Deletes an archived feature: 403 for one in use.
#[derive(Debug)]
pub struct DeleteFeature;

impl FeatureChange for DeleteFeature {
    type Outcome = ();

    const LOCK: Lock = Lock::Any;

    fn reach(&self) -> Reach<'_> {
        // What is archived reaches no program.
        Reach::Nothing
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        if !feature.held.document.is_archived() {
            let message = format!("The feature \"{}\" is in use: archive it before you delete it.", feature.name());
            return Err(Error::forbidden(message));
        }
        let transaction = feature.transaction;
        require_no_children(&transaction.tx, std::slice::from_ref(&feature.held), "deleted").await?;
        feature.load_tags().await?;
        let event = deleted(transaction.author.caller, &feature.held, &feature.tags);
        store::features::delete_all(&transaction.tx, std::slice::from_ref(&feature.held)).await?;
        Ok(Applied::with((), vec![event]))
    }
}

/// Archives features. Archived ones are left out.
#[derive(Debug)]
pub struct ArchiveFeatures;

impl BatchChange for ArchiveFeatures {
    fn reach(&self) -> Reach<'_> {
        Reach::Project
    }

    async fn apply(self, features: LockedFeatures<'_>) -> Result<Vec<NewEvent>, Error> {
        let features = features.only(|held| !held.document.is_archived());
        let (tx, now) = (&features.transaction.tx, features.transaction.now);
        require_no_children(tx, &features.held, "archived").await?;
        let archived = |document: &FeatureDocument| FeatureDocument { archived_at: Some(now), ..document.clone() };
        let events = changes(&features, archived, &Revival::default()).await?;
        store::features::archive_all(tx, &features.ids(), now).await?;
        Ok(events)
    }
}

/// Marks features as stale or active. Those that have the mark already are left out.
#[derive(Debug)]
pub struct MarkFeatures {
    /// Whether they are stale.
    pub stale: bool,
}

impl BatchChange for MarkFeatures {
    fn reach(&self) -> Reach<'_> {
        Reach::Nothing
    }

    async fn apply(self, features: LockedFeatures<'_>) -> Result<Vec<NewEvent>, Error> {
        let Self { stale } = self;
        let features = features.only(|held| held.document.stale != stale);
        let marked = |document: &FeatureDocument| FeatureDocument { stale, ..document.clone() };
        let mut events = changes(&features, marked, &Revival::default()).await?;
        // The mark says it all, as readers of the log expect of this call.
        events.retain(|event| event.kind != EventKind::FeatureMetadataUpdated);
        store::features::mark_stale_all(&features.transaction.tx, &features.ids(), stale).await?;
        Ok(events)
    }
}

/// Revives features. Those in use are left out.
#[derive(Debug)]
pub struct ReviveFeatures;

impl BatchChange for ReviveFeatures {
    const BEGIN: Begin = Begin::Making;

    fn reach(&self) -> Reach<'_> {
        // What is revived is off everywhere.
        Reach::Nothing
    }

    async fn apply(self, features: LockedFeatures<'_>) -> Result<Vec<NewEvent>, Error> {
        let features = features.only(|held| held.document.is_archived());
        let (tx, now) = (&features.transaction.tx, features.transaction.now);
        let admission = store::features::admission(tx, features.project).await?;
        admit_features(features.transaction.author, &admission, features.held.len())?;
        let revival = Revival::judge(tx, features.project.id(), &features.held).await?;
        let revived = |document: &FeatureDocument| FeatureDocument { archived_at: None, ..document.clone() };
        let events = changes(&features, revived, &revival).await?;
        store::features::revive_all(tx, &features.ids(), now).await?;
        revival.store(tx).await?;
        Ok(events)
    }
}

/// Deletes archived features. Those in use are left out.
#[derive(Debug)]
pub struct DeleteFeatures;

impl BatchChange for DeleteFeatures {
    fn reach(&self) -> Reach<'_> {
        // What is archived reaches no program.
        Reach::Nothing
    }

    async fn apply(self, features: LockedFeatures<'_>) -> Result<Vec<NewEvent>, Error> {
        let features = features.only(|held| held.document.is_archived());
        let tx = &features.transaction.tx;
        require_no_children(tx, &features.held, "deleted").await?;
        let tags = store::tags::of_features(tx, &features.ids()).await?;
        let none: Vec<Tag> = Vec::new();
        let caller = features.transaction.author.caller;
        let deleted = |held: &HeldFeature| deleted(caller, held, tags.get(&held.id).unwrap_or(&none));
        let events = features.held.iter().map(deleted).collect();
        store::features::delete_all(tx, &features.held).await?;
        Ok(events)
    }
}

/// Obstacles to archiving features.
#[derive(Debug)]
pub struct ArchiveFindings {
    /// Names of the features on which features depend that would stay.
    pub parents: Vec<String>,
    /// Whether any of the features depends on another.
    pub has_dependencies: bool,
}

impl Author<'_> {
    /// Finds the obstacles to archiving features, and stores nothing.
    pub async fn archive_findings(self, project: &ProjectScope, names: &[String]) -> Result<ArchiveFindings, Error> {
        let visibility = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Change).await?;
        let features = LockedFeatures::lock(&transaction, project, names, &visibility).await?;
        let (tx, ids) = (&transaction.tx, features.ids());
        let parents = store::features::dependencies::parents_of_others(tx, &ids).await?;
        let orphaning = features.held.iter().filter(|held| parents.contains(&held.id));
        Ok(ArchiveFindings {
            parents: orphaning.map(|held| held.document.name.clone()).collect(),
            has_dependencies: store::features::dependencies::any_parent_of(tx, &ids).await?,
        })
    }
}

/// Event of a feature's deletion, with its last state.
pub fn deleted(caller: &Caller, held: &HeldFeature, tags: &[Tag]) -> NewEvent {
    let document = &held.document;
    let event = NewEvent::new(EventKind::FeatureDeleted, &caller.actor()).in_project(&document.project);
    event.of_feature(&document.name, tags).with_pre_data(document)
}

/// The events of the features' changes by `after`.
async fn changes(
    features: &LockedFeatures<'_>,
    after: impl Fn(&FeatureDocument) -> FeatureDocument + Send,
    revival: &Revival,
) -> Result<Vec<NewEvent>, Error> {
    let tags = store::tags::of_features(&features.transaction.tx, &features.ids()).await?;
    let none: Vec<Tag> = Vec::new();
    let actor = features.transaction.author.caller.actor();
    let events = features.held.iter().flat_map(|held| {
        let tags = tags.get(&held.id).unwrap_or(&none);
        let changed = held.document.change_events(&after(&held.document), &actor, tags);
        changed.into_iter().chain(revival.events(held, &actor, tags))
    });
    Ok(events.collect())
}
