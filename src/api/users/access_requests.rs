//! Requests for access of people whom a login provider vouches for and who have no account.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, CreateRefusals, Created, Done, Fails, Out, ReadRefusals},
        author::author,
        body::Body,
        permitted::{Permitted, need},
        roles::choice::RootRoleChoice,
        users::UserBody,
    },
    domain::{access_request::AccessRequest, sign_in::Provider, time::Timestamp, user},
    sign_in::access_requests,
    state::State,
    store,
};

/// The operations on requests for access.
#[derive(Debug)]
pub struct AccessRequestsApi;

/// Request of a person without an account to get one.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UserAccessRequest", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct UserAccessRequestBody {
    /// Id of the request.
    pub id: i64,
    /// Email of the person, which the login provider vouches for.
    pub email: String,
    /// Name of the person. Absent when the login provider gave none.
    pub name: Option<String>,
    /// URL of the profile image.
    pub image_url: String,
    /// Protocol of the login provider. `oidc` stands for the OAuth 2.0 of GitHub, too.
    pub provider: Provider,
    /// Id of the login provider. Absent for the providers of the two settings.
    pub provider_id: Option<String>,
    /// The login provider: the issuer of OpenID Connect, or the entity id of SAML.
    pub issuer: String,
    /// Subject of the person at the login provider.
    pub subject: String,
    /// When the person first signed in.
    pub requested_at: Timestamp,
    /// When the person last signed in.
    pub last_requested_at: Timestamp,
    /// When the request ends, unless the person signs in again: 30 days after the last time.
    pub ends_at: Timestamp,
}

/// Open requests for access.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UserAccessRequestList", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UserAccessRequestsBody {
    /// The requests, oldest first; at most 500.
    pub user_access_requests: Vec<UserAccessRequestBody>,
}

/// Approval of a request for access.
#[derive(Debug, Object)]
#[oai(rename = "UserAccessRequestApproval", rename_all = "camelCase")]
pub struct ApprovalBody {
    /// Role in the whole instance: its id, or its name such as `Viewer`.
    pub root_role: RootRoleChoice,
}

impl From<AccessRequest> for UserAccessRequestBody {
    fn from(request: AccessRequest) -> Self {
        Self {
            id: request.id,
            image_url: user::image_url(Some(&request.email), None, request.id),
            email: request.email,
            name: request.name,
            provider: request.provider.protocol,
            provider_id: request.provider.id,
            issuer: request.issuer,
            subject: request.subject,
            requested_at: request.requested_at,
            last_requested_at: request.last_requested_at,
            ends_at: request.ends_at,
        }
    }
}

#[OpenApi(tag = "Tag::Users")]
impl AccessRequestsApi {
    /// List the access requests of users
    ///
    /// People whom a login provider vouches for, who have no account, and who do not get one by signing in, request access
    /// where `requestAccess` of the policy (`setSignInPolicy`) or of the rules of the provider (`updateSignInProvider`) says
    /// so. A request ends 30 days after the last sign-in.
    #[oai(path = "/api/admin/user-access-requests", method = "get", operation_id = "getUserAccessRequests")]
    async fn get_user_access_requests(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<UserAccessRequestsBody>, Fails<ReadRefusals>> {
        let requests = store::sign_in::access_requests::list(&state.db, state.clock.now()).await?;
        Ok(Out(UserAccessRequestsBody { user_access_requests: requests.into_iter().map(Into::into).collect() }))
    }

    /// Approve an access request
    ///
    /// Creates the user with the email and the root role, and links the identity that requested access, so that the person
    /// can sign in. 409 when the email or the identity is that of a user by now, and while the login provider is disabled
    /// or deleted.
    #[oai(
        path = "/api/admin/user-access-requests/:requestId/approve",
        method = "post",
        operation_id = "approveUserAccessRequest"
    )]
    async fn approve_user_access_request(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "requestId")] request_id: Path<i64>,
        body: Body<ApprovalBody>,
    ) -> Result<Created<UserBody>, Fails<CreateRefusals>> {
        let body = body.read()?;
        access_requests::require_provider(state, request_id.0).await?;
        let account = author(&caller, state).approve_access_request(request_id.0, body.root_role.chosen()).await?;
        Ok(Created(UserBody::of(account)))
    }

    /// Reject an access request
    ///
    /// The person is told nothing. For 30 days the identity cannot request access again: signing in is refused, and
    /// `getSignIns` has the reason `access-rejected`.
    #[oai(
        path = "/api/admin/user-access-requests/:requestId",
        method = "delete",
        operation_id = "rejectUserAccessRequest"
    )]
    async fn reject_user_access_request(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "requestId")] request_id: Path<i64>,
    ) -> Result<Done, Fails<ActRefusals>> {
        author(&caller, state).reject_access_request(request_id.0).await?;
        Ok(Done)
    }
}
