//! Holders of roles in a project.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{ChangeRefusals, Done, Fails, LookupRefusals, Out, refusals},
        author::author,
        body::Body,
        me::profile::RoleBody,
        permitted::{InProject, Permitted, need},
    },
    changes::project_access::{self, unique},
    domain::project_access::{Given, Holder},
    state::State,
    store,
};

mod body;

pub use self::body::{
    AdditionBody, ProjectAccessBody, ProjectGroupBody, ProjectGroupMemberBody, ProjectRolesBody, ProjectUserBody,
    ReplacementBody, RoleHoldersBody,
};

/// The operations on who holds which roles in a project.
#[derive(Debug)]
pub struct ProjectAccessApi;

refusals! {
    /// Refusals of setting roles, which may leave a project without an owner.
    SetRolesRefusals = 400, 401, 403, 404, 409, 413, 415, 503;
    /// Refusals of taking roles away, which may leave a project without an owner.
    TakeRolesRefusals = 400, 401, 403, 404, 409, 503;
}

#[OpenApi(tag = "Tag::ProjectAccess")]
impl ProjectAccessApi {
    /// List who has access to a project
    ///
    /// Users and groups with roles in the project, and the roles that can be assigned.
    #[oai(path = "/api/admin/projects/:projectId/access", method = "get", operation_id = "getProjectAccess")]
    async fn get_project_access(
        &self,
        caller: Permitted<need::ReadProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<ProjectAccessBody>, Fails<LookupRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let users = store::projects::access::users(&state.db, &project).await?;
        let groups = store::projects::access::groups(&state.db, &project).await?;
        let roles = store::roles::list_for_projects(&state.db).await?;
        let users = users.into_iter().map(|(person, held)| ProjectUserBody::of(person.into(), held)).collect();
        let groups = groups.into_iter().map(|(group, held)| ProjectGroupBody::of(group, held)).collect();
        Ok(Out(ProjectAccessBody { users, groups, roles: roles.into_iter().map(RoleBody::from).collect() }))
    }

    /// Give users and groups roles in a project
    ///
    /// Gives each of the roles to each of the groups and users, in addition to those that they have. Administrators and
    /// owners can give any role; others only roles whose permissions they have themselves: 403 otherwise. Roles that
    /// everybody has already leave no event.
    #[oai(path = "/api/admin/projects/:projectId/access", method = "post", operation_id = "addAccessToProject")]
    async fn add_access(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        body: Body<AdditionBody>,
    ) -> Result<Done, Fails<ChangeRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let body = body.read()?;
        let given = Given { role_id: 0, group_ids: unique(body.groups), user_ids: unique(body.users) };
        project_access::give(author(&caller, state), &project, &unique(body.roles), &given).await?;
        Ok(Done)
    }

    /// Replace the access to a project
    ///
    /// Afterwards, exactly these users and groups have exactly these roles in the project. The caller can give the same
    /// roles as in `addAccessToProject`; roles that stay need no right to give them. Removing the last owner of a
    /// project is 409. Setting the current access leaves no event.
    #[oai(path = "/api/admin/projects/:projectId/access", method = "put", operation_id = "setProjectAccess")]
    async fn set_project_access(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        body: Body<ReplacementBody>,
    ) -> Result<Done, Fails<SetRolesRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let body = body.read()?;
        let named = unique(body.roles.iter().map(|role| role.id).collect());
        project_access::replace_all(author(&caller, state), &project, &named, &body.into_given()).await?;
        Ok(Done)
    }

    /// Update the roles of a user in a project
    ///
    /// Replaces the roles of the user in the project. The caller can give the same roles as in `addAccessToProject`.
    /// Removing the last owner of a project is 409. Setting the current roles leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/users/:userId/roles",
        method = "put",
        operation_id = "setRolesForUser"
    )]
    async fn set_roles_of_user(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "userId")] user_id: Path<i64>,
        body: Body<ProjectRolesBody>,
    ) -> Result<Done, Fails<SetRolesRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let roles = body.read()?.roles;
        project_access::set(author(&caller, state), &project, Holder::User(user_id.0), roles).await?;
        Ok(Done)
    }

    /// Remove a user from a project
    ///
    /// Removing the last owner of a project is 409. A user without roles stays as they are, without an event. What the
    /// user has through groups stays.
    #[oai(
        path = "/api/admin/projects/:projectId/users/:userId/roles",
        method = "delete",
        operation_id = "removeUserAccess"
    )]
    async fn remove_user(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "userId")] user_id: Path<i64>,
    ) -> Result<Done, Fails<TakeRolesRefusals>> {
        let project = caller.project(&project_id.0).await?;
        project_access::remove(author(&caller, state), &project, Holder::User(user_id.0)).await?;
        Ok(Done)
    }

    /// Update the roles of a group in a project
    ///
    /// Like `setRolesForUser`, for every member of a group.
    #[oai(
        path = "/api/admin/projects/:projectId/groups/:groupId/roles",
        method = "put",
        operation_id = "setRolesForGroup"
    )]
    async fn set_roles_of_group(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "groupId")] group_id: Path<i64>,
        body: Body<ProjectRolesBody>,
    ) -> Result<Done, Fails<SetRolesRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let roles = body.read()?.roles;
        project_access::set(author(&caller, state), &project, Holder::Group(group_id.0), roles).await?;
        Ok(Done)
    }

    /// Remove a group from a project
    ///
    /// Like `removeUserAccess`, for a group.
    #[oai(
        path = "/api/admin/projects/:projectId/groups/:groupId/roles",
        method = "delete",
        operation_id = "removeGroupAccess"
    )]
    async fn remove_group(
        &self,
        caller: Permitted<need::WriteProjectAccess, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "groupId")] group_id: Path<i64>,
    ) -> Result<Done, Fails<TakeRolesRefusals>> {
        let project = caller.project(&project_id.0).await?;
        project_access::remove(author(&caller, state), &project, Holder::Group(group_id.0)).await?;
        Ok(Done)
    }
}
