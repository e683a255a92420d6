//! Lists of the change requests of a project, and how many there are.

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use super::{body::ChangeRequestBody, listed::ListedChangeRequestBody, reading};
use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out},
        caller::AuthenticatedCaller,
        parameter::{NamesParameter, StrategyIdsParameter},
    },
    domain::{change_request::shown_title, ids::FeatureName, permission::Permission},
    error::Error,
    state::State,
    store::change_requests::{
        self, project_list,
        scheduled::{self, ScheduledFilter},
        search::{self, Powers},
    },
};

/// The operations on lists of change requests.
#[derive(Debug)]
pub struct ChangeRequestListsApi;

/// Numbers of change requests of a project. Drafts are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ChangeRequestCounts", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct CountsBody {
    /// Number of all of them.
    #[oai(validator(minimum(value = "0")))]
    pub total: i64,
    /// Applied ones.
    #[oai(validator(minimum(value = "0")))]
    pub applied: i64,
    /// Approved ones, which can be applied.
    #[oai(validator(minimum(value = "0")))]
    pub approved: i64,
    /// Rejected ones.
    #[oai(validator(minimum(value = "0")))]
    pub rejected: i64,
    /// Change requests that wait for approvals.
    #[oai(validator(minimum(value = "0")))]
    pub review_required: i64,
    /// Scheduled ones.
    #[oai(validator(minimum(value = "0")))]
    pub scheduled: i64,
}

/// Number of change requests that wait for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ActionableChangeRequests")]
pub struct ActionableBody {
    /// The number.
    #[oai(validator(minimum(value = "0")))]
    pub total: i64,
}

/// A scheduled change request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ScheduledChangeRequest")]
pub struct ScheduledBody {
    /// Id of the change request.
    pub id: i64,
    /// Name of its environment.
    pub environment: String,
    /// Its title.
    pub title: String,
}

/// Powers of the caller, who is a person: 403 for an API token.
pub(super) fn powers(caller: &Caller) -> Result<Powers<'_>, Error> {
    Ok(Powers {
        user_id: caller.require_person()?.id,
        approves_own: caller.is_admin(),
        approves: caller.grants().places(Permission::ApproveChangeRequest),
        applies: caller.grants().places(Permission::ApplyChangeRequest),
    })
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[OpenApi(tag = "Tag::ChangeRequests")]
impl ChangeRequestListsApi {
    /// List the change requests of a project
    ///
    /// Lists all change requests, newest first, without the drafts of others. The changes of features are left out, as
    /// are conflicts, payloads and the digest of the changes: `getChangeRequest` has them.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests",
        method = "get",
        operation_id = "getProjectChangeRequests"
    )]
    async fn get_project_change_requests(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<Vec<ListedChangeRequestBody>>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let snapshot = state.db.snapshot().await?;
        let requests = project_list::of_project(&snapshot, project.id(), caller.user_id()).await?;
        Ok(Out(requests.into_iter().map(Into::into).collect()))
    }

    /// Count the change requests of a project
    ///
    /// Counts them in each state, and all of them. Drafts, which are their authors' alone, are not counted.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/count",
        method = "get",
        operation_id = "countProjectChangeRequests"
    )]
    async fn count_project_change_requests(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<CountsBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let counts = search::counts(&state.db, project.id()).await?;
        Ok(Out(CountsBody {
            total: number(counts.total),
            applied: number(counts.applied),
            approved: number(counts.approved),
            rejected: number(counts.rejected),
            review_required: number(counts.review_required),
            scheduled: number(counts.scheduled),
        }))
    }

    /// Count the change requests that wait for the caller
    ///
    /// Counts those that wait for an approval that the caller may give, for being applied, or for another schedule
    /// where one failed or was suspended.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/actionable",
        method = "get",
        operation_id = "countActionableChangeRequests"
    )]
    async fn count_actionable_change_requests(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<ActionableBody>, Fails<LookupRefusals>> {
        let powers = powers(&caller)?;
        let project = caller.visible_project(&project_id).await?;
        Ok(Out(ActionableBody { total: number(search::count_actionable(&state.db, project.id(), &powers).await?) }))
    }

    /// List the caller's pending change requests
    ///
    /// Lists the drafts of the caller, and the caller's change requests that are in review or approved: one in each
    /// environment at most. Further changes join them.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/pending",
        method = "get",
        operation_id = "getPendingChangeRequests"
    )]
    async fn get_pending_change_requests(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<Vec<ChangeRequestBody>>, Fails<LookupRefusals>> {
        let user_id = caller.require_person()?.id;
        let project = caller.visible_project(&project_id).await?;
        let snapshot = state.db.snapshot().await?;
        let requests = change_requests::pending_of(&snapshot, project.id(), user_id).await?;
        Ok(Out(reading::bodies(&snapshot, &project, &requests).await?))
    }

    /// List the open change requests of a feature
    ///
    /// Lists the open change requests of all authors that change the feature, without the drafts of others. Empty for
    /// an unknown feature.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/pending/:featureName",
        method = "get",
        operation_id = "getPendingChangeRequestsForFeature"
    )]
    async fn get_pending_change_requests_for_feature(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Out<Vec<ChangeRequestBody>>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let snapshot = state.db.snapshot().await?;
        let feature = FeatureName::new(&feature_name);
        let requests = change_requests::of_feature(&snapshot, project.as_id(), feature, caller.user_id()).await?;
        Ok(Out(reading::bodies(&snapshot, &project, &requests).await?))
    }

    /// List scheduled change requests
    ///
    /// Lists the scheduled change requests that change any of the named features, strategies or variants; without
    /// names, all of them.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/scheduled",
        method = "get",
        operation_id = "getScheduledChangeRequests"
    )]
    async fn get_scheduled_change_requests(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        /// Names of features.
        feature: Query<Option<NamesParameter>>,
        /// Ids of strategies.
        #[oai(name = "strategyId")]
        strategy_id: Query<Option<StrategyIdsParameter>>,
        /// Names of features whose variants are changed.
        #[oai(name = "variantForFlag")]
        variant_for_flag: Query<Option<NamesParameter>>,
    ) -> Result<Out<Vec<ScheduledBody>>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let filter = ScheduledFilter {
            features: feature.0.map(|names| names.0).unwrap_or_default(),
            strategies: strategy_id.0.map(|ids| ids.0).unwrap_or_default(),
            variants_of: variant_for_flag.0.map(|names| names.0).unwrap_or_default(),
        };
        let found = scheduled::list(&state.db, project.id(), &filter).await.map_err(Error::from)?;
        let body = found.into_iter().map(|found| ScheduledBody {
            id: found.id,
            environment: found.environment,
            title: shown_title(found.title.as_deref(), found.id),
        });
        Ok(Out(body.collect()))
    }
}
