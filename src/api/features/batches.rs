//! Archiving, reviving, deleting and marking many features of a project at once.

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Accepted, ChangeRefusals, Fails, Out},
        body::Body,
        changes::{ChangesBody, settle},
        features::{
            access::Begin,
            archive::deleted,
            change::{FeatureNamesBody, admit_features, hold_features, require_no_children},
            revival::Revival,
        },
        permitted::{InProject, Permitted, need},
    },
    domain::{event::NewEvent, event_kind::EventKind, feature_document::FeatureDocument, tag::Tag as FeatureTag},
    error::Error,
    state::State,
    store::{self, db::Tx, features::HeldFeature},
};

/// The operations on many features of a project.
#[derive(Debug)]
pub struct FeatureBatchesApi;

/// Features to mark as stale or active.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "StaleFeatures")]
pub struct StaleFeaturesBody {
    /// Names of features of the project; duplicates are ignored.
    #[oai(validator(max_items = 1000, max_length = 100))]
    pub features: Vec<String>,
    /// Whether to mark them as stale; false removes the mark.
    pub stale: bool,
}

/// Obstacles to archiving features.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ArchiveFindings", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ArchiveFindingsBody {
    /// Names of features that cannot be archived, because other features that would stay depend on them.
    pub parents_with_child_features: Vec<String>,
    /// Whether any of them depends on another feature: archiving deletes these dependencies, and reviving restores them.
    pub has_deleted_dependencies: bool,
}

#[OpenApi(tag = "Tag::Features")]
impl FeatureBatchesApi {
    /// Validate archiving features
    ///
    /// Nothing is stored. 400 for a name that does not exist, 403 when a feature belongs to another project.
    #[oai(
        path = "/api/admin/projects/:projectId/archive/validate",
        method = "post",
        operation_id = "validateArchiveFeatures"
    )]
    async fn validate_archive_features(
        &self,
        caller: Permitted<need::DeleteFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        body: Body<FeatureNamesBody>,
    ) -> Result<Out<ArchiveFindingsBody>, Fails<ChangeRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let names = body.read()?.features;
        let (tx, held) = hold_features(&caller, state, &project, &names, Begin::Change).await?;
        let ids: Vec<i64> = held.iter().map(|held| held.id).collect();
        let parents = store::features::dependencies::parents_of_others(&tx, &ids).await?;
        let orphaning = held.iter().filter(|held| parents.contains(&held.id)).map(|held| held.document.name.clone());
        Ok(Out(ArchiveFindingsBody {
            parents_with_child_features: orphaning.collect(),
            has_deleted_dependencies: store::features::dependencies::any_parent_of(&tx, &ids).await?,
        }))
    }

    /// Archive features
    ///
    /// Archives all of them or none. Archived features are left out; 400 for a name that does not exist, 403 when a
    /// feature belongs to another project, or when features that stay depend on it.
    #[oai(path = "/api/admin/projects/:projectId/archive", method = "post", operation_id = "archiveFeatures")]
    async fn archive_features(
        &self,
        caller: Permitted<need::DeleteFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<FeatureNamesBody>,
    ) -> Result<Accepted<ChangesBody>, Fails<ChangeRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let names = body.read()?.features;
        let (tx, held) = hold_features(&caller, state, &project, &names, Begin::Change).await?;
        let held: Vec<_> = held.into_iter().filter(|held| !held.document.is_archived()).collect();
        require_no_children(&tx, &held, "archived").await?;
        let now = state.clock.now();
        let archived = |document: &FeatureDocument| FeatureDocument { archived_at: Some(now), ..document.clone() };
        let events = changes(&caller, &tx, &held, archived, &Revival::default()).await?;
        store::features::archive_all(&tx, &ids(&held), now).await?;
        Ok(Accepted(settle(tx, now, events, dry_run.0.unwrap_or(false)).await?))
    }

    /// Mark features as stale or active
    ///
    /// Marks all of them or none. Features that already have the mark are left out; 400 for a name that does not exist,
    /// 403 when a feature belongs to another project.
    #[oai(path = "/api/admin/projects/:projectId/stale", method = "post", operation_id = "staleFeatures")]
    async fn stale_features(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<StaleFeaturesBody>,
    ) -> Result<Accepted<ChangesBody>, Fails<ChangeRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let StaleFeaturesBody { features, stale } = body.read()?;
        let (tx, held) = hold_features(&caller, state, &project, &features, Begin::Change).await?;
        let held: Vec<_> = held.into_iter().filter(|held| held.document.stale != stale).collect();
        let marked = |document: &FeatureDocument| FeatureDocument { stale, ..document.clone() };
        let mut events = changes(&caller, &tx, &held, marked, &Revival::default()).await?;
        // The mark says it all, as readers of the log expect of this call.
        events.retain(|event| event.kind != EventKind::FeatureMetadataUpdated);
        store::features::mark_stale_all(&tx, &ids(&held), stale).await?;
        Ok(Accepted(settle(tx, state.clock.now(), events, dry_run.0.unwrap_or(false)).await?))
    }

    /// Revive features
    ///
    /// Revives all of them or none. Each is disabled in every environment, with its lifecycle started over. Features
    /// that are not archived are left out; 400 for a name that does not exist, 403 when a feature belongs to another
    /// project.
    /// Dependencies that they had when they were archived hold again; one that cannot hold, since the parent is deleted,
    /// in another project or a child itself, leaves `feature-dependency-removed`. Refused with 403 when a parent stays
    /// archived, and when they would exceed the limit of the project (403) or of the instance (400).
    #[oai(path = "/api/admin/projects/:projectId/revive", method = "post", operation_id = "reviveFeatures")]
    async fn revive_features(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<FeatureNamesBody>,
    ) -> Result<Out<ChangesBody>, Fails<ChangeRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let names = body.read()?.features;
        let (tx, held) = hold_features(&caller, state, &project, &names, Begin::Making).await?;
        let held: Vec<_> = held.into_iter().filter(|held| held.document.is_archived()).collect();
        admit_features(state, &store::features::admission(&tx, &project).await?, held.len())?;
        let revival = Revival::judge(&tx, project.id(), &held).await?;
        let now = state.clock.now();
        let revived = |document: &FeatureDocument| FeatureDocument { archived_at: None, ..document.clone() };
        let events = changes(&caller, &tx, &held, revived, &revival).await?;
        store::features::revive_all(&tx, &ids(&held), now).await?;
        revival.store(&tx).await?;
        Ok(Out(settle(tx, now, events, dry_run.0.unwrap_or(false)).await?))
    }

    /// Delete archived features
    ///
    /// Deletes all of them permanently, or none. Features that are not archived are left out; 400 for a name that does
    /// not exist, 403 when a feature belongs to another project, or when features that stay depend on it.
    #[oai(path = "/api/admin/projects/:projectId/delete", method = "post", operation_id = "deleteFeatures")]
    async fn delete_features(
        &self,
        caller: Permitted<need::DeleteFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<FeatureNamesBody>,
    ) -> Result<Out<ChangesBody>, Fails<ChangeRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let names = body.read()?.features;
        let (tx, held) = hold_features(&caller, state, &project, &names, Begin::Change).await?;
        let held: Vec<_> = held.into_iter().filter(|held| held.document.is_archived()).collect();
        require_no_children(&tx, &held, "deleted").await?;
        let tags = store::tags::of_features(&tx, &ids(&held)).await?;
        let none: Vec<FeatureTag> = Vec::new();
        let events = held.iter().map(|held| deleted(&caller, held, tags.get(&held.id).unwrap_or(&none))).collect();
        store::features::delete_all(&tx, &held).await?;
        Ok(Out(settle(tx, state.clock.now(), events, dry_run.0.unwrap_or(false)).await?))
    }
}

fn ids(held: &[HeldFeature]) -> Vec<i64> {
    held.iter().map(|held| held.id).collect()
}

/// The events of the features' changes by `after`.
async fn changes(
    caller: &Caller,
    tx: &Tx,
    held: &[HeldFeature],
    after: impl Fn(&FeatureDocument) -> FeatureDocument,
    revival: &Revival,
) -> Result<Vec<NewEvent>, Error> {
    let tags = store::tags::of_features(tx, &ids(held)).await?;
    let none: Vec<FeatureTag> = Vec::new();
    let actor = caller.actor();
    let events = held.iter().flat_map(|held| {
        let tags = tags.get(&held.id).unwrap_or(&none);
        let changed = held.document.change_events(&after(&held.document), &actor, tags);
        changed.into_iter().chain(revival.events(held, &actor, tags))
    });
    Ok(events.collect())
}
