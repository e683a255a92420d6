//! Users seen together: finding them, what they may do, and those who are gone.

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out, QueryRefusals, ReadRefusals, WriteRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        me::profile::RoleBody,
        parameter::{NameParameter, TextParameter, UserIdParameter},
        permitted::{Permitted, need},
        users::{UserBody, find_user, person::UserEntryBody},
    },
    changes::users::inactive_since,
    domain::{
        access_overview::{Reach, Standing, overview},
        change_summary::ChangesBody,
        ids::{EnvironmentName, ProjectId},
        permission::{Grants, Permission},
        time::Timestamp,
        user,
    },
    error::Error,
    state::State,
    store::{
        self,
        access::{Person, people::Account},
        users::{GroupOverview, InactiveUser},
    },
    wire::AtMost,
};

/// Fewest characters that are looked for.
const SHORTEST_SEARCH: usize = 2;

/// The operations on users seen together.
#[derive(Debug)]
pub struct UserDirectoryApi;

/// A group that can be given roles.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "GroupOverview", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct GroupOverviewBody {
    /// Id of the group.
    pub id: i64,
    /// Name of the group.
    pub name: String,
    /// Purpose of the group. Absent when there is none.
    pub description: Option<String>,
    /// Id of the root role that all members have. Absent when the group gives none.
    pub root_role: Option<i64>,
    /// Number of people in it.
    pub user_count: usize,
    /// Ids of the members, in ascending order.
    pub user_ids: Vec<i64>,
}

impl From<GroupOverview> for GroupOverviewBody {
    fn from(group: GroupOverview) -> Self {
        Self {
            id: group.id,
            name: group.name,
            description: group.description,
            root_role: group.root_role_id,
            user_count: group.members.len(),
            user_ids: group.members,
        }
    }
}

/// Users and groups that can be given roles.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UsersAndGroups", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UsersAndGroupsBody {
    /// The users, by id, including service accounts.
    pub users: Vec<UserEntryBody>,
    /// The groups, by name.
    pub groups: Vec<GroupOverviewBody>,
}

/// Numbers of administrators, by the way they sign in.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AdministratorCount", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct AdministratorCountBody {
    /// Users with the root role Admin who can sign in with a password.
    pub password: usize,
    /// Users with the root role Admin who have no password.
    pub no_password: usize,
    /// Service accounts with the root role Admin. API tokens are not counted.
    pub service: usize,
}

/// One permission, and whether the subject has it.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PermissionStanding", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PermissionStandingBody {
    /// The permission.
    pub name: Permission,
    /// Display name of the permission.
    pub display_name: String,
    /// Scope: `root` for the whole instance, `project` for a project, `environment` for one environment of it.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether the user has it.
    pub has_permission: bool,
}

/// A group that the subject is in.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PermissionGroup", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct PermissionGroupBody {
    /// Id of the group.
    pub id: i64,
    /// Name of the group.
    pub name: String,
    /// Id of the root role that all members have. Absent when the group gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_role: Option<i64>,
}

/// Every permission, and whether the subject has it.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PermissionOverview", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PermissionOverviewBody {
    /// Permissions that apply in the whole instance.
    pub root: Vec<PermissionStandingBody>,
    /// Permissions that apply in the given project.
    pub project: Vec<PermissionStandingBody>,
    /// Permissions that apply in the given environment.
    pub environment: Vec<PermissionStandingBody>,
    /// The groups that the subject is in, by name.
    pub groups: Vec<PermissionGroupBody>,
}

impl PermissionOverviewBody {
    /// Returns the overview of an account, in a project and an environment if they are given.
    pub async fn find(
        state: &State,
        account_id: i64,
        grants: &Grants,
        project: Option<ProjectId<'_>>,
        environment: Option<EnvironmentName<'_>>,
    ) -> Result<Self, Error> {
        let groups = store::users::groups_of(&state.db, account_id).await?;
        let group = |(id, name, root_role)| PermissionGroupBody { id, name, root_role };
        Ok(Self::of(grants, project, environment, groups.into_iter().map(group).collect()))
    }

    fn of(
        grants: &Grants,
        project: Option<ProjectId<'_>>,
        environment: Option<EnvironmentName<'_>>,
        groups: Vec<PermissionGroupBody>,
    ) -> Self {
        let standings = |reach| {
            let all = overview(grants, reach, project, environment);
            all.into_iter().map(|standing| standing_body(standing, reach)).collect()
        };
        Self {
            root: standings(Reach::Root),
            project: standings(Reach::Project),
            environment: standings(Reach::Environment),
            groups,
        }
    }
}

/// Permissions and roles of a user.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UserPermissions", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UserPermissionsBody {
    /// Every permission, and whether the user has it.
    pub overview: PermissionOverviewBody,
    /// The permissions, under the name that Unleash's console reads.
    pub matrix: PermissionOverviewBody,
    /// The user.
    pub user: UserBody,
    /// The user's role in the whole instance.
    pub root_role: RoleBody,
    /// The user's roles in the given project, directly or through groups, by id.
    pub project_roles: Vec<RoleBody>,
}

/// An inactive user.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "InactiveUser", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct InactiveUserBody {
    /// Id of the user.
    pub id: i64,
    /// Display name. Absent when there is none.
    pub name: Option<String>,
    /// Name to sign in with. Absent for those who sign in by email only.
    pub username: Option<String>,
    /// Email. Absent when there is none.
    pub email: Option<String>,
    /// When the user was last active. Absent when never.
    pub seen_at: Option<Timestamp>,
    /// When a personal token of the user was last used. Absent when never.
    pub pat_seen_at: Option<Timestamp>,
    /// When the user was created.
    pub created_at: Timestamp,
}

impl From<InactiveUser> for InactiveUserBody {
    fn from(inactive: InactiveUser) -> Self {
        let account = inactive.account;
        Self {
            id: account.id,
            name: account.name,
            username: account.username,
            email: account.email,
            seen_at: account.seen_at,
            pat_seen_at: inactive.token_seen_at,
            created_at: account.created_at,
        }
    }
}

/// The inactive users.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "InactiveUsers", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct InactiveUsersBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The users, by id.
    pub inactive_users: Vec<InactiveUserBody>,
}

/// Users to delete.
#[derive(Debug, Object)]
#[oai(rename = "UserIds", rename_all = "camelCase")]
pub struct UserIdsBody {
    /// Ids of the users. At most 1000.
    pub ids: AtMost<1000, i64>,
}

#[OpenApi(tag = "Tag::Users")]
impl UserDirectoryApi {
    /// Search users
    ///
    /// Users whose name, user name or email contains a text, case-insensitive. Needs no permission.
    #[oai(path = "/api/admin/user-admin/search", method = "get", operation_id = "searchUsers")]
    async fn search_users(
        &self,
        _caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// The text. Absent, or shorter than two characters: no users.
        q: Query<Option<TextParameter>>,
    ) -> Result<Out<Vec<UserEntryBody>>, Fails<QueryRefusals>> {
        let text = q.0.map(|text| text.0).unwrap_or_default();
        if text.chars().count() < SHORTEST_SEARCH {
            return Ok(Out(Vec::new()));
        }
        let accounts = store::access::people::list_accounts(&state.db).await?;
        let matches = |account: &Account| {
            let names = [account.name.as_deref(), account.username.as_deref(), account.email.as_deref()];
            user::matches(&names, &text)
        };
        Ok(Out(accounts.into_iter().filter(matches).map(UserEntryBody::from).collect()))
    }

    /// List the users and groups
    ///
    /// Everybody who can be given a role in a project: users, service accounts and groups. Needs no permission.
    #[oai(path = "/api/admin/user-admin/access", method = "get", operation_id = "getBaseUsersAndGroups")]
    async fn get_base_users_and_groups(
        &self,
        _caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<UsersAndGroupsBody>, Fails<ReadRefusals>> {
        let users = store::access::people::list_with_programs(&state.db).await?;
        let groups = store::users::groups(&state.db).await?;
        Ok(Out(UsersAndGroupsBody {
            users: users.into_iter().map(UserEntryBody::from).collect(),
            groups: groups.into_iter().map(GroupOverviewBody::from).collect(),
        }))
    }

    /// Count the administrators
    ///
    /// The number of users with the root role Admin, by the way they sign in.
    #[oai(path = "/api/admin/user-admin/admin-count", method = "get", operation_id = "getAdminCount")]
    async fn get_admin_count(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<AdministratorCountBody>, Fails<ReadRefusals>> {
        let count = store::users::count_administrators(&state.db).await?;
        let store::users::AdministratorCount { password, no_password, service } = count;
        Ok(Out(AdministratorCountBody { password, no_password, service }))
    }

    /// Get the permissions of a user
    ///
    /// Every permission, and whether the user has it through any role or group, in the given project and environment.
    #[oai(path = "/api/admin/user-admin/:id/permissions", method = "get", operation_id = "getUserPermissions")]
    async fn get_user_permissions(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
        /// Id of a project. Absent: only permissions that apply in every project.
        project: Query<Option<NameParameter>>,
        /// Environment of the project. Absent: only permissions that apply in every environment.
        environment: Query<Option<NameParameter>>,
    ) -> Result<Out<UserPermissionsBody>, Fails<LookupRefusals>> {
        let account = find_user(state, &id.0).await?;
        let (project, environment) = (project.0.map(|text| text.0), environment.0.map(|text| text.0));
        let project_roles = match &project {
            Some(project) => store::users::project_roles(&state.db, account.id, project).await?,
            None => Vec::new(),
        };
        let root_role = store::roles::find(&state.db, account.root_role_id).await?;
        let root_role = root_role.ok_or_else(|| Error::internal("the role of a user is missing"))?;
        let person = Person { id: account.id, name: String::new(), root_role_id: account.root_role_id };
        let grants = store::access::grants_of(&state.db, &person).await?;
        let project = project.as_deref().map(ProjectId::new);
        let environment = environment.as_deref().map(EnvironmentName::new);
        let overview = PermissionOverviewBody::find(state, account.id, &grants, project, environment).await?;
        Ok(Out(UserPermissionsBody {
            matrix: overview.clone(),
            overview,
            user: UserBody::of(account),
            root_role: root_role.into(),
            project_roles: project_roles.into_iter().map(RoleBody::from).collect(),
        }))
    }

    /// List the inactive users
    ///
    /// Users who have not been active for 180 days, neither themselves nor through a personal token.
    #[oai(path = "/api/admin/user-admin/inactive", method = "get", operation_id = "getInactiveUsers")]
    async fn get_inactive_users(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<InactiveUsersBody>, Fails<ReadRefusals>> {
        let inactive = store::users::inactive(&state.db, inactive_since(state.clock.now())).await?;
        let inactive_users = inactive.into_iter().map(InactiveUserBody::from).collect();
        Ok(Out(InactiveUsersBody { version: 1, inactive_users }))
    }

    /// Delete inactive users
    ///
    /// Deletes those of the given users who are inactive, as listed by `getInactiveUsers`; others, and the caller, are
    /// not deleted. All or none are deleted: the last administrator who can sign in with a password cannot be deleted,
    /// nor, while SCIM is on, users managed by a directory.
    #[oai(path = "/api/admin/user-admin/inactive/delete", method = "post", operation_id = "deleteInactiveUsers")]
    async fn delete_inactive_users(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<UserIdsBody>,
    ) -> Result<Out<ChangesBody>, Fails<WriteRefusals>> {
        let ids = body.read()?.ids.0;
        Ok(Out(author(&caller, state).delete_inactive_users(ids, dry_run.0.unwrap_or(false)).await?))
    }
}

fn standing_body(standing: Standing, reach: Reach) -> PermissionStandingBody {
    PermissionStandingBody {
        name: standing.permission,
        display_name: standing.permission.title().to_owned(),
        kind: reach.as_str().to_owned(),
        has_permission: standing.held,
    }
}
