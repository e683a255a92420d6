//! Features that are out of use: listing, reviving and deleting them.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails, Out, QueryRefusals, ReadRefusals},
        author::author,
        caller::AuthenticatedCaller,
        features::FeaturesBody,
        permitted::{InProject, Permitted, need},
    },
    changes::{archive::DeleteFeature, feature::Target, if_match::IfMatch, properties::ReviveFeature},
    state::State,
    store,
    wire::RawJsonOf,
};

/// The operations on archived features.
#[derive(Debug)]
pub struct FeatureArchiveApi;

#[OpenApi(tag = "Tag::Features")]
impl FeatureArchiveApi {
    /// List the archived features
    ///
    /// Archived features of all projects that the caller may see, the most recently archived first, without their
    /// configuration.
    #[oai(path = "/api/admin/archive/features", method = "get", operation_id = "getArchivedFeatures")]
    async fn get_archived_features(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<FeaturesBody>, Fails<ReadRefusals>> {
        let visibility = caller.visibility().await?;
        let features = store::features::list_archived(&state.db.heavy(), &visibility).await?;
        Ok(Out(FeaturesBody { version: 2, features: RawJsonOf::of(&features) }))
    }

    /// List the archived features of a project
    ///
    /// The most recently archived first, without their configuration. A project that does not exist, or that the caller
    /// may not see, has none.
    #[oai(
        path = "/api/admin/archive/features/:projectId",
        method = "get",
        operation_id = "getArchivedFeaturesByProjectId"
    )]
    async fn get_archived_features_by_project_id(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId", validator(max_length = 255))] project_id: Path<String>,
    ) -> Result<Out<FeaturesBody>, Fails<QueryRefusals>> {
        let features = if caller.visibility().await?.admits(&project_id.0) {
            store::features::list_archived_of(&state.db.heavy(), &project_id.0).await?
        } else {
            Vec::new()
        };
        Ok(Out(FeaturesBody { version: 2, features: RawJsonOf::of(&features) }))
    }

    /// Revive a feature
    ///
    /// The feature is active again: disabled in every environment, with its lifecycle started over. A feature that is
    /// not archived stays as it is. Dependencies that it had when it was archived hold again; one that cannot hold, since
    /// the parent is deleted, in another project or a child itself, leaves `feature-dependency-removed`. Refused with 403
    /// while a parent is archived, and when the project (403) or the instance (400) has reached its limit of features.
    #[oai(path = "/api/admin/archive/revive/:featureName", method = "post", operation_id = "reviveFeature")]
    async fn revive_feature(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let project = caller.project_of_feature(&feature_name.0).await?;
        let any = IfMatch::default();
        author(&caller, state).change(Target::new(&project, &feature_name.0, &any), ReviveFeature).await?;
        Ok(Done)
    }

    /// Delete an archived feature
    ///
    /// Deletes the feature permanently, with its configuration and reported usage; its events stay in the log. Refused
    /// with 403 for a feature that is not archived.
    #[oai(path = "/api/admin/archive/:featureName", method = "delete", operation_id = "deleteFeature")]
    async fn delete_feature(
        &self,
        caller: Permitted<need::DeleteFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let project = caller.project_of_feature(&feature_name.0).await?;
        let any = IfMatch::default();
        author(&caller, state).change(Target::new(&project, &feature_name.0, &any), DeleteFeature).await?;
        Ok(Done)
    }
}
