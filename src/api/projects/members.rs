//! Single roles of people and groups in a project: the older calls, which some scripts still make.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, ChangeRefusals, Done, Fails},
        author::author,
        body::Body,
        permitted::{InProject, Permitted, need},
        projects::access::TakeRolesRefusals,
    },
    changes::project_access::{self, no_role, unique},
    domain::project_access::{Given, Holder},
    state::State,
    store,
};

/// The older operations on roles in a project.
#[derive(Debug)]
pub struct ProjectMembersApi;

/// Groups and users to give a role.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ProjectRoleAddition")]
pub struct RoleAdditionBody {
    /// Groups, at most 500.
    #[oai(validator(max_items = 500))]
    pub groups: Vec<ReferenceBody>,
    /// Users, at most 500.
    #[oai(validator(max_items = 500))]
    pub users: Vec<ReferenceBody>,
}

/// Names a group or a user.
#[derive(Debug, Clone, Object)]
#[oai(rename = "HolderReference")]
pub struct ReferenceBody {
    /// Id of the group or user.
    #[oai(validator(minimum(value = "1")))]
    pub id: i64,
}

#[OpenApi(tag = "Tag::ProjectAccess")]
impl ProjectMembersApi {
    /// Give users and groups a role in a project
    ///
    /// Like `addAccessToProject` with one role. Deprecated since 0.1.0: use `addAccessToProject`.
    #[oai(
        path = "/api/admin/projects/:projectId/role/:roleId/access",
        method = "post",
        operation_id = "addRoleAccessToProject",
        deprecated
    )]
    async fn add_role_access(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "roleId")] role_id: Path<i64>,
        body: Body<RoleAdditionBody>,
    ) -> Result<Done, Fails<ChangeRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let body = body.read()?;
        let roles = store::roles::list_for_projects(&state.db).await?;
        if roles.iter().all(|role| role.id != role_id.0) {
            return Err(no_role(role_id.0).into());
        }
        let ids = |list: Vec<ReferenceBody>| unique(list.into_iter().map(|reference| reference.id).collect());
        let to = Given { role_id: role_id.0, group_ids: ids(body.groups), user_ids: ids(body.users) };
        project_access::give(author(&caller, state), &project, &[role_id.0], &to).await?;
        Ok(Done)
    }

    /// Give a user a role in a project
    ///
    /// Adds to the roles that the user has. The caller can give the same roles as in `addAccessToProject`. A role that
    /// the user has already leaves no event. Deprecated since 0.1.0: use `setRolesForUser`.
    #[oai(
        path = "/api/admin/projects/:projectId/users/:userId/roles/:roleId",
        method = "post",
        operation_id = "addRoleToUser",
        deprecated
    )]
    async fn add_role_to_user(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "userId")] user_id: Path<i64>,
        #[oai(name = "roleId")] role_id: Path<i64>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let project = caller.project(&project_id.0).await?;
        project_access::add(author(&caller, state), &project, Holder::User(user_id.0), role_id.0).await?;
        Ok(Done)
    }

    /// Update the role of a user in a project
    ///
    /// Replaces the roles of the user in the project by this one: 404 when the user has none yet. Removing the last
    /// owner of a project is 409. The caller can give the same roles as in `addAccessToProject`. Deprecated since
    /// 0.1.0: use `setRolesForUser`.
    #[oai(
        path = "/api/admin/projects/:projectId/users/:userId/roles/:roleId",
        method = "put",
        operation_id = "changeRoleForUser",
        deprecated
    )]
    async fn change_role_of_user(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "userId")] user_id: Path<i64>,
        #[oai(name = "roleId")] role_id: Path<i64>,
    ) -> Result<Done, Fails<TakeRolesRefusals>> {
        let project = caller.project(&project_id.0).await?;
        project_access::change(author(&caller, state), &project, Holder::User(user_id.0), role_id.0).await?;
        Ok(Done)
    }

    /// Remove a role from a user in a project
    ///
    /// Removing the last owner of a project is 409. A role that the user does not have leaves no event.
    /// Deprecated since 0.1.0: use `setRolesForUser`.
    #[oai(
        path = "/api/admin/projects/:projectId/users/:userId/roles/:roleId",
        method = "delete",
        operation_id = "removeRoleForUser",
        deprecated
    )]
    async fn remove_role_of_user(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "userId")] user_id: Path<i64>,
        #[oai(name = "roleId")] role_id: Path<i64>,
    ) -> Result<Done, Fails<TakeRolesRefusals>> {
        let project = caller.project(&project_id.0).await?;
        project_access::take(author(&caller, state), &project, Holder::User(user_id.0), role_id.0).await?;
        Ok(Done)
    }

    /// Give a group a role in a project
    ///
    /// Like `addRoleToUser`, for every member of a group. Deprecated since 0.1.0: use `setRolesForGroup`.
    #[oai(
        path = "/api/admin/projects/:projectId/groups/:groupId/roles/:roleId",
        method = "post",
        operation_id = "addRoleToGroup",
        deprecated
    )]
    async fn add_role_to_group(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "groupId")] group_id: Path<i64>,
        #[oai(name = "roleId")] role_id: Path<i64>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let project = caller.project(&project_id.0).await?;
        project_access::add(author(&caller, state), &project, Holder::Group(group_id.0), role_id.0).await?;
        Ok(Done)
    }

    /// Update the role of a group in a project
    ///
    /// Like `changeRoleForUser`, for a group. Deprecated since 0.1.0: use `setRolesForGroup`.
    #[oai(
        path = "/api/admin/projects/:projectId/groups/:groupId/roles/:roleId",
        method = "put",
        operation_id = "changeRoleForGroup",
        deprecated
    )]
    async fn change_role_of_group(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "groupId")] group_id: Path<i64>,
        #[oai(name = "roleId")] role_id: Path<i64>,
    ) -> Result<Done, Fails<TakeRolesRefusals>> {
        let project = caller.project(&project_id.0).await?;
        project_access::change(author(&caller, state), &project, Holder::Group(group_id.0), role_id.0).await?;
        Ok(Done)
    }

    /// Remove a role from a group in a project
    ///
    /// Like `removeRoleForUser`, for a group. Deprecated since 0.1.0: use `setRolesForGroup`.
    #[oai(
        path = "/api/admin/projects/:projectId/groups/:groupId/roles/:roleId",
        method = "delete",
        operation_id = "removeRoleFromGroup",
        deprecated
    )]
    async fn remove_role_of_group(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "groupId")] group_id: Path<i64>,
        #[oai(name = "roleId")] role_id: Path<i64>,
    ) -> Result<Done, Fails<TakeRolesRefusals>> {
        let project = caller.project(&project_id.0).await?;
        project_access::take(author(&caller, state), &project, Holder::Group(group_id.0), role_id.0).await?;
        Ok(Done)
    }
}
