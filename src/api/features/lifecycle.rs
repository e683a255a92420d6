//! The stages that a feature goes through, and declaring it done with.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{Done, EditRefusals, Fails, LookupRefusals, Out, RemoveRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        features::reading::look_up_feature,
        permitted::{InProject, Permitted, need},
        version::IfMatchHeader,
    },
    changes::{
        feature::Target,
        lifecycle::{Complete, Uncomplete},
    },
    domain::{
        ids::{FeatureName, ProjectId},
        lifecycle::{Completion, CompletionStatus},
        search::SearchLifecycle,
    },
    state::State,
    store,
    wire::Nullable,
};

/// The operations on the life of a feature.
#[derive(Debug)]
pub struct LifecycleApi;

/// The outcome of a completed feature.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "FeatureCompletion", rename_all = "camelCase")]
pub struct CompletionBody {
    /// Whether the guarded code is kept or discarded.
    pub status: CompletionStatus,
    /// Name of the variant that is kept. Absent or `null` means none in particular.
    #[oai(validator(max_length = 100))]
    pub status_value: Option<Nullable<String>>,
}

#[OpenApi(tag = "Tag::Lifecycle")]
impl LifecycleApi {
    /// List the stages of a feature
    ///
    /// Every stage that the feature entered since it was created or last revived, the earliest first; also of an
    /// archived feature.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/lifecycle",
        method = "get",
        operation_id = "getFeatureLifecycle"
    )]
    async fn get_feature_lifecycle(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Out<Vec<SearchLifecycle>>, Fails<LookupRefusals>> {
        let (project, name) = (ProjectId::new(&project_id.0), FeatureName::new(&feature_name.0));
        let (_, found) = look_up_feature(&caller, state, project, name).await?;
        Ok(Out(store::features::lifecycle::list(&state.db, found.id).await?))
    }

    /// Mark a feature as completed
    ///
    /// Possible from any stage. A second call with another status or value corrects the outcome and keeps the time.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/lifecycle/complete",
        method = "post",
        operation_id = "complete"
    )]
    async fn complete(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<CompletionBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let body = body.read()?;
        let completion =
            Completion { status: body.status, status_value: body.status_value.and_then(Nullable::into_inner) };
        let target = Target::new(&project, &feature_name.0, &if_match);
        author(&caller, state).change(target, Complete(completion)).await?;
        Ok(Done)
    }

    /// Mark a feature as not completed
    ///
    /// The previous stage applies again. A feature that is not completed stays as it is.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/lifecycle/uncomplete",
        method = "post",
        operation_id = "uncomplete"
    )]
    async fn uncomplete(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project(&project_id.0).await?;
        author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), Uncomplete).await?;
        Ok(Done)
    }
}
