//! The search for change requests over all projects.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use super::{
    body::{PersonBody, ScheduleBody, schedule_in},
    lists::powers,
};
use crate::{
    api::{
        Tag,
        answer::{Fails, Paged, Stretch},
        caller::AuthenticatedCaller,
        features::search::SearchRefusals,
        parameter::{LimitParameter, OffsetParameter, OneUserParameter, OpenParameter, SwitchParameter},
    },
    domain::{
        change_request::{shown_title, state::State as RequestState},
        filter::Page,
        time::Timestamp,
    },
    state::State,
    store::change_requests::search::{self, ChangeRequestFilter, Found},
};

/// The search for change requests.
#[derive(Debug)]
pub struct ChangeRequestSearchApi;

/// A change request that a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "FoundChangeRequest", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct FoundBody {
    /// Id of the change request.
    pub id: i64,
    /// Title: `Change request #` and the id unless a user gave it one.
    pub title: String,
    /// Id of its project.
    pub project: String,
    /// Name of its environment.
    pub environment: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// Author.
    pub created_by: PersonBody,
    /// Names of the features that it changes.
    pub features: Vec<String>,
    /// Names of the segments that it changes and that exist.
    pub segments: Vec<String>,
    /// State: `Draft`, `In review`, `Approved`, `Scheduled`, `Applied`, `Cancelled` or `Rejected`.
    pub state: RequestState,
    /// Schedule, while the state is `Scheduled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ScheduleBody>,
}

impl From<Found> for FoundBody {
    fn from(found: Found) -> Self {
        Self {
            id: found.id,
            title: shown_title(found.title.as_deref(), found.id),
            project: found.project,
            environment: found.environment,
            created_at: found.created_at,
            created_by: (&found.created_by).into(),
            features: found.features.into_iter().collect(),
            segments: found.segments.into_iter().collect(),
            state: found.state,
            schedule: schedule_in(found.state, found.schedule.as_ref()),
        }
    }
}

/// A page of the change requests that a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "FoundChangeRequests", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FoundPageBody {
    /// The change requests of the page, newest first.
    pub change_requests: Vec<FoundBody>,
    /// Number of matching change requests on all pages.
    #[oai(validator(minimum(value = "0")))]
    pub total: i64,
}

#[OpenApi(tag = "Tag::Search")]
impl ChangeRequestSearchApi {
    /// Search change requests
    ///
    /// Finds change requests in all projects that the caller may see, without the drafts of others, newest first. Filters
    /// are combined with AND.
    #[oai(path = "/api/admin/search/change-requests", method = "get", operation_id = "searchChangeRequests")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn search_change_requests(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// `IS:` and the id of a user: only change requests of this author.
        #[oai(name = "createdBy")]
        created_by: Query<Option<OneUserParameter>>,
        /// `IS:` and the id of a user: only change requests that this user is asked to approve.
        #[oai(name = "requestedApproverId")]
        requested_approver_id: Query<Option<OneUserParameter>>,
        /// `IS:open` for those that are drafts, in review, approved or scheduled, `IS:closed` for all others.
        #[oai(name = "state")]
        state_filter: Query<Option<OpenParameter>>,
        /// `true`: only change requests that wait for the caller, as `countActionableChangeRequests` counts them; 403
        /// for an API token. Any other value means false, the default.
        actionable: Query<Option<SwitchParameter>>,
        /// Number of change requests to skip. Anything but a whole number means 0.
        offset: Query<Option<OffsetParameter>>,
        /// Number of change requests on the page, at most 1000: more means 1000, and anything but a positive whole number
        /// means 50.
        limit: Query<Option<LimitParameter>>,
    ) -> Result<Paged<FoundPageBody>, Fails<SearchRefusals>> {
        let is_actionable = actionable.0.is_some_and(|parameter| parameter.0);
        let filter = ChangeRequestFilter {
            created_by: created_by.0.map(|parameter| parameter.0),
            requested_approver: requested_approver_id.0.map(|parameter| parameter.0),
            is_open: state_filter.0.map(|parameter| parameter.0),
            actionable: is_actionable.then(|| powers(&caller)).transpose()?,
        };
        let page = Page::new(offset.0.and_then(|parameter| parameter.0), limit.0.and_then(|parameter| parameter.0));
        let visibility = caller.visibility().await?;
        let found = search::search(&state.db.heavy(), &filter, &visibility, caller.user_id(), page).await?;
        let stretch = Stretch::of(page, found.total);
        let change_requests = found.found.into_iter().map(Into::into).collect();
        Ok(Paged(FoundPageBody { change_requests, total: i64::try_from(found.total).unwrap_or(i64::MAX) }, stretch))
    }
}
