//! Archiving, reviving, deleting and marking many features of a project at once.

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Accepted, ChangeRefusals, Fails, Out},
        author::author,
        body::Body,
        features::FeatureNamesBody,
        permitted::{InProject, Permitted, need},
    },
    changes::archive::{ArchiveFeatures, ArchiveFindings, DeleteFeatures, MarkFeatures, ReviveFeatures},
    domain::change_summary::ChangesBody,
    state::State,
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
        let ArchiveFindings { parents, has_dependencies } =
            author(&caller, state).archive_findings(&project, &names).await?;
        Ok(Out(ArchiveFindingsBody {
            parents_with_child_features: parents,
            has_deleted_dependencies: has_dependencies,
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
        let dry_run = dry_run.0.unwrap_or(false);
        Ok(Accepted(author(&caller, state).change_all(&project, &names, ArchiveFeatures, dry_run).await?))
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
        let dry_run = dry_run.0.unwrap_or(false);
        Ok(Accepted(author(&caller, state).change_all(&project, &features, MarkFeatures { stale }, dry_run).await?))
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
        let dry_run = dry_run.0.unwrap_or(false);
        Ok(Out(author(&caller, state).change_all(&project, &names, ReviveFeatures, dry_run).await?))
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
        let dry_run = dry_run.0.unwrap_or(false);
        Ok(Out(author(&caller, state).change_all(&project, &names, DeleteFeatures, dry_run).await?))
    }
}
