//! States of change requests.

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};

use crate::{
    api::{
        Tag,
        answer::{EditUnusedRefusals, Fails, Out},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        version::IfMatchHeader,
    },
    changes::change_requests::states::Wanted,
    domain::{change_request::state::State as RequestState, change_summary::ChangesBody, time::Timestamp},
    error::Error,
    state::State,
};

/// The operation on states.
#[derive(Debug)]
pub struct StatesApi;

/// State that a change request shall be in.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "UpdateChangeRequestState", rename_all = "camelCase")]
pub struct StateBody {
    /// The state: `In review`, `Approved`, `Scheduled`, `Applied`, `Cancelled` or `Rejected`.
    pub state: RequestState,
    /// Comment on the change request: 1 to 1000 characters, without the blanks around it. Absent or empty means none.
    #[oai(validator(max_length = 1000))]
    pub comment: Option<String>,
    /// When to apply the change request: in the future, within five years. Required with the state `Scheduled`, and
    /// ignored with all others.
    pub scheduled_at: Option<Timestamp>,
}

impl StateBody {
    fn wanted(&self) -> Result<Wanted, Error> {
        Ok(match self.state {
            RequestState::Draft => {
                return Err(Error::property("/body/state", "must not be \"Draft\": no change request goes back there"));
            }
            RequestState::InReview => Wanted::InReview,
            RequestState::Approved => Wanted::Approved,
            RequestState::Scheduled => match self.scheduled_at {
                Some(at) => Wanted::Scheduled(at),
                None => return Err(Error::property("/body/scheduledAt", "is required with the state \"Scheduled\"")),
            },
            RequestState::Applied => Wanted::Applied,
            RequestState::Cancelled => Wanted::Cancelled,
            RequestState::Rejected => Wanted::Rejected,
        })
    }
}

#[OpenApi(tag = "Tag::ChangeRequests")]
impl StatesApi {
    /// Update the state of a change request
    ///
    /// - `In review` sends a draft to review. Only its author can. The event of that has the changes and the title, of
    ///   which the events of a draft tell nothing.
    /// - `Approved` adds the caller's approval; with the last one that is needed the state changes. Needs
    ///   `APPROVE_CHANGE_REQUEST` in the environment. Only administrators can approve their own.
    /// - `Rejected` ends a change request that is in review or scheduled. Needs `APPROVE_CHANGE_REQUEST`; authors can
    ///   reject their own scheduled ones.
    /// - `Cancelled` ends a change request that is not scheduled. Its author and administrators can.
    /// - `Applied` makes the changes of an approved or scheduled one, all or none. Needs `APPLY_CHANGE_REQUEST`; the
    ///   permissions for the changes themselves are not needed, as the approvals stand for them.
    /// - `Scheduled` has them made at a set time, in place of an earlier one. Needs `APPLY_CHANGE_REQUEST`.
    ///
    /// An approval is bound to the changes: send `If-Match` with the `ETag` of the change request, and 412 answers when
    /// it has changed since it was read. 409 when the state does not allow it. With `dryRun`, the events are told, and
    /// nothing is changed.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/:id/state",
        method = "put",
        operation_id = "updateChangeRequestState"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn update_change_request_state(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<StateBody>,
    ) -> Result<Out<ChangesBody>, Fails<EditUnusedRefusals>> {
        caller.require_person()?;
        let project = caller.visible_project(&project_id).await?;
        let body = body.read()?;
        let wanted = body.wanted()?;
        let comment = body.comment.as_deref().filter(|comment| !comment.trim().is_empty());
        let dry_run = dry_run.0.unwrap_or(false);
        let changes = author(&caller, state).change_state(&project, *id, wanted, comment, &if_match, dry_run).await?;
        Ok(Out(changes))
    }
}
