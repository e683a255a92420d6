//! Users who may approve change requests, and those who are asked to.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use super::reading;
use crate::{
    api::{
        Tag,
        answer::{Done, EditUnusedRefusals, Fails, LookupRefusals, Out},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        version::IfMatchHeader,
    },
    changes::default_strategies::unused,
    domain::{change_request::Person, ids::EnvironmentName, user::image_url},
    state::State,
    store::{
        self,
        change_requests::{discussion, reviewers},
    },
    wire::AtMost,
};

/// The operations on reviewers.
#[derive(Debug)]
pub struct ReviewersApi;

/// User who may approve change requests.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "Reviewer", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ReviewerBody {
    /// Id of the user.
    pub id: i64,
    /// Email; empty where there is none.
    pub email: String,
    /// Display name. Absent when there is none.
    pub name: Option<String>,
    /// Name to sign in with. Absent for those who sign in by email only.
    pub username: Option<String>,
    /// Address of the profile image.
    pub image_url: String,
}

impl From<Person> for ReviewerBody {
    fn from(person: Person) -> Self {
        Self {
            id: person.id,
            image_url: image_url(person.email.as_deref(), person.username.as_deref(), person.id),
            email: person.email.unwrap_or_default(),
            name: person.name,
            username: person.username,
        }
    }
}

/// Users who may approve change requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ReviewerList")]
pub struct ReviewersBody {
    /// The users, by id.
    pub reviewers: Vec<ReviewerBody>,
}

/// Users to ask for their approval.
#[derive(Debug, Clone, PartialEq, Object)]
#[oai(rename = "AskReviewers")]
pub struct AskReviewersBody {
    /// Ids of users who may approve change requests in the environment, at most 100; duplicates are ignored.
    #[oai(validator(minimum(value = "1"), maximum(value = "9007199254740991")))]
    pub reviewers: AtMost<100, i64>,
}

fn body_of(people: Vec<Person>) -> ReviewersBody {
    ReviewersBody { reviewers: people.into_iter().map(Into::into).collect() }
}

#[OpenApi(tag = "Tag::ChangeRequests")]
impl ReviewersApi {
    /// List the users who may approve change requests
    ///
    /// Lists the users who have `APPROVE_CHANGE_REQUEST` in the environment, administrators among them. Needs no
    /// permission but to see the project.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/available-reviewers/:environment",
        method = "get",
        operation_id = "getAvailableReviewers"
    )]
    async fn get_available_reviewers(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
    ) -> Result<Out<ReviewersBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        if !store::environments::of_project(&state.db, project.id()).await?.contains(&environment) {
            return Err(unused(project.as_id(), EnvironmentName::new(&environment)).into());
        }
        Ok(Out(body_of(reviewers::list(&state.db, &project, &environment).await?)))
    }

    /// List the users who are asked to approve a change request
    ///
    /// Lists the users whom the author has asked. Being asked is no right and no duty: everybody who may approve change
    /// requests can approve this one.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/:id/approvers",
        method = "get",
        operation_id = "getRequestedApprovers"
    )]
    async fn get_requested_approvers(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        id: Path<i64>,
    ) -> Result<Out<ReviewersBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let snapshot = state.db.snapshot().await?;
        let request = reading::visible(&caller, &snapshot, &project, *id).await?;
        Ok(Out(body_of(discussion::approvers(&snapshot, request.id).await?)))
    }

    /// Ask users to approve a change request
    ///
    /// Asks these users and no others. Only the author of the change request can, while it is open. The same users leave
    /// no event.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/:id/approvers",
        method = "put",
        operation_id = "updateRequestedApprovers"
    )]
    async fn update_requested_approvers(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<AskReviewersBody>,
    ) -> Result<Done, Fails<EditUnusedRefusals>> {
        caller.require_person()?;
        let project = caller.visible_project(&project_id).await?;
        let reviewers = body.read()?.reviewers.0;
        author(&caller, state).ask_reviewers(&project, *id, &reviewers, &if_match).await?;
        Ok(Done)
    }
}
