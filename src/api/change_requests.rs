//! Change requests: changes that others approve before they are applied.

pub mod actions;
pub mod body;
pub mod configuration;
pub mod discussion;
pub mod impact;
pub mod listed;
pub mod lists;
pub mod names;
pub mod payloads;
pub mod proof;
mod reading;
pub mod recorded;
pub mod reviewers;
pub mod search;
pub mod shown;
pub mod states;

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use self::{
    actions::{SentChange, SentChanges},
    body::ChangeRequestBody,
};
use crate::{
    api::{
        Tag,
        answer::{ChangeRefusals, Done, EditUnusedRefusals, Fails, LookupRefusals, Out, RemoveUnusedRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        version::{IfMatchHeader, Versioned},
    },
    domain::ids::EnvironmentName,
    state::State,
};

/// The operations on single change requests and what they hold.
#[derive(Debug)]
pub struct ChangeRequestsApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (
        ChangeRequestsApi,
        configuration::ConfigurationApi,
        discussion::DiscussionApi,
        impact::ImpactApi,
        lists::ChangeRequestListsApi,
        proof::ProofApi,
        reviewers::ReviewersApi,
        search::ChangeRequestSearchApi,
        states::StatesApi,
    )
}

#[OpenApi(tag = "Tag::ChangeRequests")]
impl ChangeRequestsApi {
    /// Request changes
    ///
    /// The changes join the caller's pending change request in the environment, or a new draft, which nobody else sees.
    /// A change request that is in review or approved goes back to review, and its approvals are dropped. Needs no
    /// permission but to see the project; in a project whose mode is not `open`, callers must be members. All changes
    /// are recorded, or none; a single one can be sent without the list. A change request has at most 1000 changes, and
    /// a user at most 100 open change requests in a project. 403 where the environment needs no change requests.
    #[oai(
        path = "/api/admin/projects/:projectId/environments/:environment/change-requests",
        method = "post",
        operation_id = "changeRequest"
    )]
    async fn change_request(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
        body: Body<SentChanges>,
    ) -> Result<Versioned<ChangeRequestBody>, Fails<ChangeRefusals>> {
        caller.require_person()?;
        let project = caller.visible_project(&project_id).await?;
        let requested = body.read()?.requested()?;
        let request =
            author(&caller, state).request_changes(&project, EnvironmentName::new(&environment), requested).await?;
        let version = request.version();
        Ok(Versioned(reading::body_after(state, &project, request).await?, version))
    }

    /// Get a change request
    ///
    /// Returns a change request with its changes, the conflicts that keep them from being applied, approvals,
    /// rejections and comments. A draft is seen by its author alone. The `ETag` differs after every change of its changes
    /// or its state: an approval that sends it as `If-Match` answers 412 where the change request is no longer as it
    /// was read.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/:id",
        method = "get",
        operation_id = "getChangeRequest"
    )]
    async fn get_change_request(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        id: Path<i64>,
    ) -> Result<Versioned<ChangeRequestBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let snapshot = state.db.snapshot().await?;
        let request = reading::visible(&caller, &snapshot, &project, *id).await?;
        let version = request.version();
        Ok(Versioned(reading::body(&snapshot, &project, request).await?, version))
    }

    /// Delete a draft
    ///
    /// Deletes a change request that was never sent to review, with its changes. Only its author can.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/:id",
        method = "delete",
        operation_id = "deleteChangeRequest"
    )]
    async fn delete_change_request(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveUnusedRefusals>> {
        caller.require_person()?;
        let project = caller.visible_project(&project_id).await?;
        author(&caller, state).discard_draft(&project, *id, &if_match).await?;
        Ok(Done)
    }

    /// Edit a change
    ///
    /// Replaces a change of a change request by another one of the same feature or segment. Only its author can. A change
    /// request that is in review or approved goes back to review, and its approvals are dropped. The same change leaves
    /// no event.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/:id/changes/:changeId",
        method = "put",
        operation_id = "editChange"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn edit_change(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        id: Path<i64>,
        #[oai(name = "changeId")] change_id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<SentChange>,
    ) -> Result<Out<ChangeRequestBody>, Fails<EditUnusedRefusals>> {
        caller.require_person()?;
        let project = caller.visible_project(&project_id).await?;
        let requested = body.read()?.requested("/body")?;
        let request = author(&caller, state).edit_change(&project, *id, *change_id, requested, &if_match).await?;
        Ok(Out(reading::body_after(state, &project, request).await?))
    }

    /// Discard a change
    ///
    /// Takes a change out of a change request. Only its author can. The last change cannot be discarded: delete the draft,
    /// or cancel the change request. A change request that is in review or approved goes back to review, and its
    /// approvals are dropped.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/:id/changes/:changeId",
        method = "delete",
        operation_id = "discardChange"
    )]
    async fn discard_change(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        id: Path<i64>,
        #[oai(name = "changeId")] change_id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveUnusedRefusals>> {
        caller.require_person()?;
        let project = caller.visible_project(&project_id).await?;
        author(&caller, state).discard_change(&project, *id, *change_id, &if_match).await?;
        Ok(Done)
    }
}
