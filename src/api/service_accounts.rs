//! Service accounts: programs with an account, a role and tokens of their own, kept by administrators.

mod tokens;

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use self::tokens::ServiceAccountTokensApi;
use crate::{
    api::{
        Tag,
        answer::{ActRefusals, ChangeRefusals, Created, Done, Fails, LookupRefusals, Out, ReadRefusals},
        author::author,
        body::Body,
        groups::NameRefusals,
        me::{OwnPermissionBody, personal_tokens::PersonalTokenBody, profile::RoleBody},
        parameter::NameParameter,
        permitted::{Permitted, need},
        roles::choice::RootRoleChoice,
        users::directory::PermissionOverviewBody,
    },
    domain::{
        ids::{EnvironmentName, ProjectId},
        time::Timestamp,
        token::PersonalToken,
        user,
    },
    error::Error,
    state::State,
    store::{
        self,
        access::{Person, people::Account},
    },
};

/// The operations on service accounts.
#[derive(Debug)]
pub struct ServiceAccountsApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (ServiceAccountsApi, ServiceAccountTokensApi)
}

/// A program that has an account of its own.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ServiceAccount", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccountBody {
    /// Always `Service Account`.
    pub account_type: String,
    /// Id of the service account, which no user has.
    pub id: i64,
    /// Display name. Absent when it was taken over without one from another server.
    pub name: Option<String>,
    /// Name under which it appears in the log. Absent when it was taken over without one from another server.
    pub username: Option<String>,
    /// Address of the profile image.
    pub image_url: String,
    /// Id of the role in the whole instance.
    pub root_role: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// Its tokens, oldest first, including expired ones.
    pub tokens: Vec<PersonalTokenBody>,
}

impl ServiceAccountBody {
    fn of(account: Account, tokens: Vec<PersonalToken>) -> Self {
        Self {
            account_type: account.kind.as_str().to_owned(),
            id: account.id,
            image_url: user::image_url(None, account.username.as_deref(), account.id),
            name: account.name,
            username: account.username,
            root_role: account.root_role_id,
            created_at: account.created_at,
            tokens: tokens.into_iter().map(PersonalTokenBody::from).collect(),
        }
    }
}

/// Every service account.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ServiceAccounts", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccountsBody {
    /// The service accounts, by id.
    pub service_accounts: Vec<ServiceAccountBody>,
    /// The roles that one can have in the whole instance, by id.
    pub root_roles: Vec<RoleBody>,
}

/// A service account to create.
#[derive(Debug, Object)]
#[oai(rename = "CreateServiceAccount", rename_all = "camelCase")]
pub struct NewServiceAccountBody {
    /// Display name, 1 to 255 characters, not only blanks.
    #[oai(validator(min_length = 1, max_length = 255, pattern = r"\S"))]
    pub name: String,
    /// Name under which it appears in the log, 1 to 255 characters, not only blanks. Unique among users and service
    /// accounts, and cannot be changed.
    #[oai(validator(min_length = 1, max_length = 255, pattern = r"\S"))]
    pub username: String,
    /// Role in the whole instance: its id, or its name such as `Viewer`.
    pub root_role: RootRoleChoice,
}

/// Changes of a service account. What is absent stays as it is.
#[derive(Debug, Object)]
#[oai(rename = "ServiceAccountChange", rename_all = "camelCase")]
pub struct ServiceAccountChangeBody {
    /// Display name, 1 to 255 characters, not only blanks.
    #[oai(validator(min_length = 1, max_length = 255, pattern = r"\S"))]
    pub name: Option<String>,
    /// Role in the whole instance: its id, or its name such as `Viewer`.
    pub root_role: Option<RootRoleChoice>,
}

/// Permissions and roles of a service account.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ServiceAccountPermissions", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccountPermissionsBody {
    /// Every permission, and whether the service account has it.
    pub matrix: PermissionOverviewBody,
    /// The service account.
    pub service_account: ServiceAccountBody,
    /// Its role in the whole instance.
    pub root_role: RoleBody,
    /// Its roles in the given project, directly or through groups, by id.
    pub project_roles: Vec<RoleBody>,
    /// Permissions through all of its roles, sorted by name.
    pub permissions: Vec<OwnPermissionBody>,
}

#[OpenApi(tag = "Tag::ServiceAccounts")]
impl ServiceAccountsApi {
    /// List the service accounts
    ///
    /// Service accounts with their tokens, without the secrets, and the roles that they can have.
    #[oai(path = "/api/admin/service-account", method = "get", operation_id = "getServiceAccounts")]
    async fn get_service_accounts(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<ServiceAccountsBody>, Fails<ReadRefusals>> {
        let accounts = store::service_accounts::list(&state.db).await?;
        let root_roles = store::users::root_roles(&state.db).await?;
        Ok(Out(ServiceAccountsBody {
            service_accounts: accounts
                .into_iter()
                .map(|(account, tokens)| ServiceAccountBody::of(account, tokens))
                .collect(),
            root_roles: root_roles.into_iter().map(RoleBody::from).collect(),
        }))
    }

    /// Create a service account
    ///
    /// A service account cannot sign in: programs use its tokens. It can be a member of groups and have roles in
    /// projects, as users can. A user name that is taken is 409.
    #[oai(path = "/api/admin/service-account", method = "post", operation_id = "createServiceAccount")]
    async fn create_service_account(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<NewServiceAccountBody>,
    ) -> Result<Created<ServiceAccountBody>, Fails<NameRefusals>> {
        let NewServiceAccountBody { name, username, root_role } = body.read()?;
        let account = author(&caller, state).create_service_account(name, username, root_role.chosen()).await?;
        Ok(Created(ServiceAccountBody::of(account, Vec::new())))
    }

    /// Update a service account
    ///
    /// Changes name and root role; what is absent stays. Its tokens keep working, with the permissions of the new role.
    /// A request that changes nothing leaves no event.
    #[oai(path = "/api/admin/service-account/:id", method = "put", operation_id = "updateServiceAccount")]
    async fn update_service_account(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<i64>,
        body: Body<ServiceAccountChangeBody>,
    ) -> Result<Out<ServiceAccountBody>, Fails<ChangeRefusals>> {
        let ServiceAccountChangeBody { name, root_role } = body.read()?;
        let root_role = root_role.as_ref().map(RootRoleChoice::chosen);
        let (account, tokens) = author(&caller, state).update_service_account(id.0, name, root_role).await?;
        Ok(Out(ServiceAccountBody::of(account, tokens)))
    }

    /// Delete a service account
    ///
    /// Its tokens stop working with the next request, and its roles and memberships end. Its events stay in the log;
    /// its user name can be used again.
    #[oai(path = "/api/admin/service-account/:id", method = "delete", operation_id = "deleteServiceAccount")]
    async fn delete_service_account(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<i64>,
    ) -> Result<Done, Fails<ActRefusals>> {
        author(&caller, state).delete_service_account(id.0).await?;
        Ok(Done)
    }

    /// Get the permissions of a service account
    ///
    /// Every permission, and whether the service account has it through any role or group, in the given project and
    /// environment.
    #[oai(
        path = "/api/admin/service-account/:id/permissions",
        method = "get",
        operation_id = "getServiceAccountPermissions"
    )]
    async fn get_service_account_permissions(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<i64>,
        /// Id of a project. Absent: only permissions that apply in every project.
        project: Query<Option<NameParameter>>,
        /// Environment of the project. Absent: only permissions that apply in every environment.
        environment: Query<Option<NameParameter>>,
    ) -> Result<Out<ServiceAccountPermissionsBody>, Fails<LookupRefusals>> {
        let account = found(store::service_accounts::find(&state.db, id.0).await?, id.0)?;
        let (project, environment) = (project.0.map(|text| text.0), environment.0.map(|text| text.0));
        let project_roles = match &project {
            Some(project) => store::users::project_roles(&state.db, account.id, project).await?,
            None => Vec::new(),
        };
        let root_role = store::roles::find(&state.db, account.root_role_id).await?;
        let root_role = root_role.ok_or_else(|| Error::internal("the role of a service account is missing"))?;
        let person = Person { id: account.id, name: String::new(), root_role_id: account.root_role_id };
        let grants = store::access::grants_of(&state.db, &person).await?;
        let tokens = store::tokens::personal::list(&state.db, account.id).await?;
        let project = project.as_deref().map(ProjectId::new);
        let environment = environment.as_deref().map(EnvironmentName::new);
        let overview = PermissionOverviewBody::find(state, account.id, &grants, project, environment).await?;
        Ok(Out(ServiceAccountPermissionsBody {
            matrix: overview,
            service_account: ServiceAccountBody::of(account, tokens),
            root_role: root_role.into(),
            project_roles: project_roles.into_iter().map(RoleBody::from).collect(),
            permissions: grants.sorted().into_iter().map(OwnPermissionBody::from).collect(),
        }))
    }
}

/// 404 for none.
fn found(account: Option<Account>, id: i64) -> Result<Account, Error> {
    account.ok_or_else(|| Error::no_id("service account", id))
}
