//! The stages that a feature goes through, and declaring it done with.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{Done, EditRefusals, Fails, LookupRefusals, Out, RemoveRefusals},
        body::Body,
        caller::Caller,
        held::{hold_feature, missing_feature},
        state::State,
        version::IfMatch,
    },
    domain::{
        event::NewEvent,
        event_kind::EventKind,
        lifecycle::{Completion, CompletionStatus},
        permission::Permission,
        search::SearchLifecycle,
    },
    store,
    wire::Nullable,
};

/// The operations on the life of a feature.
#[derive(Debug)]
pub struct LifecycleApi;

/// How a feature that is done with ended.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "FeatureCompletion", rename_all = "camelCase")]
pub struct CompletionBody {
    /// Whether what it guarded stays.
    pub status: CompletionStatus,
    /// Name of the variant that stays. Absent or `null` means none in particular.
    #[oai(validator(max_length = 100))]
    pub status_value: Option<Nullable<String>>,
}

#[OpenApi(tag = "Tag::Lifecycle")]
impl LifecycleApi {
    /// List the stages of a feature
    ///
    /// Every stage that the feature entered since it was made or last revived, the earliest first. Archived features
    /// are found, too.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/lifecycle",
        method = "get",
        operation_id = "getFeatureLifecycle"
    )]
    async fn get_feature_lifecycle(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Id of the project that owns the feature.
        #[oai(name = "projectId")]
        project_id: Path<String>,
        /// Name of the feature.
        #[oai(name = "featureName")]
        feature_name: Path<String>,
    ) -> Result<Out<Vec<SearchLifecycle>>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id.0).await?;
        match store::features::look_up(&state.db, &project, &feature_name.0).await? {
            Some(found) => Ok(Out(store::lifecycle::list(&state.db, found.id).await?)),
            None => Err(missing_feature(&caller, state, &project, &feature_name.0).await?.into()),
        }
    }

    /// Declare a feature done with
    ///
    /// From whatever stage. Doing it again with another status or value corrects how it ended, and keeps when. Needs
    /// `UPDATE_FEATURE`.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/lifecycle/complete",
        method = "post",
        operation_id = "complete"
    )]
    async fn complete(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Id of the project that owns the feature.
        #[oai(name = "projectId")]
        project_id: Path<String>,
        /// Name of the feature.
        #[oai(name = "featureName")]
        feature_name: Path<String>,
        /// The version that the change is meant for: the `ETag` of an earlier answer. Absent: any.
        #[oai(name = "If-Match")]
        if_match: IfMatch,
        body: Body<CompletionBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0, Permission::UpdateFeature).await?;
        let body = body.read()?;
        let completion =
            Completion { status: body.status, status_value: body.status_value.and_then(Nullable::into_inner) };
        let now = state.clock.now();
        let (tx, held) = hold_feature(&caller, state, &project, &feature_name.0).await?;
        if_match.check_feature(&tx, &feature_name.0).await?;
        if store::lifecycle::complete(&tx, held.id, &completion, now).await? {
            let tags = store::tags::of_feature(&tx, held.id).await?;
            let event = NewEvent::new(EventKind::FeatureCompleted, &caller.actor()).in_project(project.id());
            tx.commit(now, [event.of_feature(&held.document.name, &tags).with_data(&completion)]).await?;
        }
        Ok(Done)
    }

    /// Take back that a feature is done with
    ///
    /// The stage before shows again. A feature that is not done with stays as it is. Needs `UPDATE_FEATURE`.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/lifecycle/uncomplete",
        method = "post",
        operation_id = "uncomplete"
    )]
    async fn uncomplete(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Id of the project that owns the feature.
        #[oai(name = "projectId")]
        project_id: Path<String>,
        /// Name of the feature.
        #[oai(name = "featureName")]
        feature_name: Path<String>,
        /// The version that the change is meant for: the `ETag` of an earlier answer. Absent: any.
        #[oai(name = "If-Match")]
        if_match: IfMatch,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project(&project_id.0, Permission::UpdateFeature).await?;
        let now = state.clock.now();
        let (tx, held) = hold_feature(&caller, state, &project, &feature_name.0).await?;
        if_match.check_feature(&tx, &feature_name.0).await?;
        if store::lifecycle::uncomplete(&tx, held.id).await? {
            let tags = store::tags::of_feature(&tx, held.id).await?;
            let event = NewEvent::new(EventKind::FeatureUncompleted, &caller.actor()).in_project(project.id());
            tx.commit(now, [event.of_feature(&held.document.name, &tags)]).await?;
        }
        Ok(Done)
    }
}
