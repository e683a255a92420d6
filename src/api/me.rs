//! The caller: who they are, what they may do, and their own password.

pub mod dashboard;
pub mod notices;
pub mod notifications;
pub mod passkeys;
pub mod personal_tokens;
pub mod profile;
pub mod second_factor;
pub mod sessions;

use std::collections::BTreeMap;

use poem::{Request, web::Data};
use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Done, Fails, LookupRefusals, Out, ReadRefusals, refusals},
        author::author,
        body::Body,
        caller::{AuthenticatedCaller, EnrollingCaller},
        me::profile::RoleBody,
        parameter::NameParameter,
        sign_in::session_cookie,
        users::{UserBody, passwords::judge_password},
    },
    domain::{
        permission::{Grant, Permission},
        role::RootRole,
        secret,
        time::Timestamp,
        user,
    },
    error::Error,
    state::State,
    store::{self, notices::Feedback},
    wire::Nullable,
};

/// The operations on the caller.
#[derive(Debug)]
pub struct MeApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (
        MeApi,
        dashboard::DashboardApi,
        notices::NoticesApi,
        notifications::NotificationsApi,
        passkeys::OwnPasskeysApi,
        personal_tokens::PersonalTokensApi,
        profile::ProfileApi,
        second_factor::OwnSecondFactorApi,
        sessions::OwnSessionsApi,
    )
}

refusals! {
    /// Refusals when people change their own password.
    OwnPasswordRefusals = 400, 401, 403, 413, 415, 429, 503;
}

/// One permission that the caller has, and where.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "OwnPermission", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct OwnPermissionBody {
    /// The permission. `ADMIN` includes all others.
    pub permission: Permission,
    /// Id of the only project where it applies. Absent when it applies everywhere.
    pub project: Option<String>,
    /// The only environment where it applies. Absent when it applies in all of them.
    pub environment: Option<String>,
}

impl From<Grant> for OwnPermissionBody {
    fn from(grant: Grant) -> Self {
        Self { permission: grant.permission, project: grant.project, environment: grant.environment }
    }
}

/// An answer of the caller to a feedback question.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "OwnFeedback", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct OwnFeedbackBody {
    /// Subject of the question.
    pub feedback_id: String,
    /// Whether not to ask this question again.
    pub never_show: bool,
    /// When the caller answered; `null` when they did not.
    pub given: Nullable<Timestamp>,
}

impl From<Feedback> for OwnFeedbackBody {
    fn from(given: Feedback) -> Self {
        Self { feedback_id: given.id, never_show: given.never_show, given: given.given_at.into() }
    }
}

/// The caller and their permissions.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Me", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct MeBody {
    /// The caller.
    pub user: UserBody,
    /// Permissions of the caller through all of their roles, sorted by name.
    pub permissions: Vec<OwnPermissionBody>,
    /// Answers of the caller to feedback questions of a console, by question id.
    pub feedback: Vec<OwnFeedbackBody>,
    /// Notices of a console that the caller has seen, by name: all true.
    pub splash: BTreeMap<String, bool>,
    /// True in a session that can do nothing but enrol a second factor (`beginTotpEnrolment`,
    /// `beginPasskeyRegistration`). Absent in any other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub must_enrol: Option<bool>,
}

/// The roles of the caller.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "OwnRoles", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct OwnRolesBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The roles, by id.
    pub roles: Vec<RoleBody>,
}

/// The current password and the new one.
#[derive(Object)]
#[oai(rename = "OwnPasswordChange", rename_all = "camelCase")]
pub struct OwnPasswordChangeBody {
    /// The current password. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    pub old_password: String,
    /// The new password: 10 to 1000 characters with a lower-case letter, an upper-case letter, a digit and another
    /// character.
    #[oai(validator(max_length = 1000))]
    pub password: String,
}

opaque_debug!(OwnPasswordChangeBody);

#[OpenApi(tag = "Tag::Profile")]
impl MeApi {
    /// Get the current user
    ///
    /// The caller and all permissions of the caller, through roles in the instance and in projects and through groups.
    /// The answer is never cached. An admin API token is user -42 and has `ADMIN`.
    #[oai(path = "/api/admin/user", method = "get", operation_id = "getMe")]
    async fn get_me(
        &self,
        caller: EnrollingCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<MeBody>, Fails<ReadRefusals>> {
        let (user, feedback, splash) = match caller.person() {
            Some(person) => {
                let account = store::access::people::find_anybody(&state.db, person.id).await?;
                let user = UserBody::of(account.ok_or(Error::Unauthenticated)?);
                let feedback = store::notices::feedback(&state.db, person.id).await?;
                (user, feedback, store::notices::splashes(&state.db, person.id).await?)
            }
            None => (token_user(&caller), Vec::new(), Vec::new()),
        };
        Ok(Out(MeBody {
            user,
            permissions: caller.grants().sorted().into_iter().map(OwnPermissionBody::from).collect(),
            feedback: feedback.into_iter().map(OwnFeedbackBody::from).collect(),
            splash: splash.into_iter().map(|name| (name, true)).collect(),
            must_enrol: caller.must_enrol().then_some(true),
        }))
    }

    /// Change your own password
    ///
    /// Needs the current password; a wrong one is 401. Ends every other session of the caller and all personal tokens.
    /// A user has 10 attempts, and regains one every 6 seconds. API tokens have no password: 403.
    #[oai(path = "/api/admin/user/change-password", method = "post", operation_id = "changeMyPassword")]
    async fn change_my_password(
        &self,
        request: &Request,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<OwnPasswordChangeBody>,
    ) -> Result<Done, Fails<OwnPasswordRefusals>> {
        let id = caller.require_person()?.id;
        let body = body.read()?;
        judge_password(&body.password)?;
        state.attempts.password_change.count(&id)?;
        let account = store::access::people::find_anybody(&state.db, id).await?.ok_or(Error::Unauthenticated)?;
        let stored = account.password_hash;
        if !state.passwords.matches(body.old_password, stored.clone()).await? {
            return Err(Error::PasswordMismatch.into());
        }
        let hash = state.passwords.hash(body.password).await?;
        let session = session_cookie::secret_of(request)?.map(secret::digest);
        author(&caller, state).change_own_password(id, stored.as_deref(), &hash, session.as_deref()).await?;
        Ok(Done)
    }

    /// List your own roles
    ///
    /// The roles of the caller in a project, directly or through groups; without a project the role in the whole
    /// instance. A project that does not exist, or that the caller may not see, is 404.
    #[oai(path = "/api/admin/user/roles", method = "get", operation_id = "getUserRoles")]
    async fn get_user_roles(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// Id of the project. Absent: the whole instance.
        #[oai(name = "projectId")]
        project_id: Query<Option<NameParameter>>,
    ) -> Result<Out<OwnRolesBody>, Fails<LookupRefusals>> {
        let roles = if let Some(NameParameter(id)) = project_id.0 {
            let project = caller.visible_project(&id).await?;
            match caller.user_id() {
                Some(user_id) => store::users::project_roles(&state.db, user_id, project.id()).await?,
                None => Vec::new(),
            }
        } else {
            let id = caller.person().map_or(RootRole::Admin.id(), |person| person.root_role_id);
            store::roles::find(&state.db, id).await?.into_iter().collect()
        };
        Ok(Out(OwnRolesBody { version: 1, roles: roles.into_iter().map(RoleBody::from).collect() }))
    }
}

fn token_user(caller: &Caller) -> UserBody {
    let actor = caller.actor();
    UserBody {
        is_api: true,
        account_type: None,
        id: actor.user_id,
        name: None,
        image_url: user::image_url(None, Some(&actor.name), actor.user_id),
        username: Some(actor.name),
        email: None,
        seen_at: None,
        login_attempts: None,
        root_role: Some(RootRole::Admin.id()),
        created_at: None,
        scim_id: None,
        scim_linked: None,
        scim_directory: None,
        active: None,
        second_factor: None,
    }
}
