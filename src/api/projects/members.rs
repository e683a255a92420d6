//! Single roles of people and groups in a project: the older calls, which some scripts still make.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{ActRefusals, ChangeRefusals, Done, Fails},
        body::Body,
        permitted::{InProject, Permitted, need},
        projects::access::{TakeRolesRefusals, give, hold, judge_roles, replace, unique},
    },
    domain::{
        project::ProjectScope,
        project_access::{Given, Holder, Membership},
    },
    error::Error,
    state::State,
    store::{self, db::Tx},
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
        give(&caller, state, &project, &[role_id.0], &to).await?;
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
        add(&caller, state, &project, Holder::User(user_id.0), role_id.0).await?;
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
        change(&caller, state, &project, Holder::User(user_id.0), role_id.0).await?;
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
        take(&caller, state, &project, Holder::User(user_id.0), role_id.0).await?;
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
        add(&caller, state, &project, Holder::Group(group_id.0), role_id.0).await?;
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
        change(&caller, state, &project, Holder::Group(group_id.0), role_id.0).await?;
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
        take(&caller, state, &project, Holder::Group(group_id.0), role_id.0).await?;
        Ok(Done)
    }
}

async fn add(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    holder: Holder,
    role_id: i64,
) -> Result<(), Error> {
    let now = state.clock.now();
    let (tx, old) = hold(state, project, holder).await?;
    let added = membership(&tx, holder, role_id).await?;
    if old.contains(&role_id) {
        return Ok(());
    }
    judge_roles(&tx, caller, project, &[role_id]).await?;
    let new = unique([old.as_slice(), &[role_id]].concat());
    replace(&tx, project, holder, &old, &new, now).await?;
    tx.commit(now, [added.added(project.id(), &caller.actor())]).await?;
    Ok(())
}

async fn change(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    holder: Holder,
    role_id: i64,
) -> Result<(), Error> {
    let now = state.clock.now();
    let (tx, old) = hold(state, project, holder).await?;
    let now_held = membership(&tx, holder, role_id).await?;
    let Some(first) = old.first() else {
        return Err(Error::NotFound(format!("Nobody like that holds a role in project \"{}\".", project.id())));
    };
    if old == [role_id] {
        return Ok(());
    }
    let held_before = membership(&tx, holder, *first).await?;
    if !old.contains(&role_id) {
        judge_roles(&tx, caller, project, &[role_id]).await?;
    }
    replace(&tx, project, holder, &old, &[role_id], now).await?;
    tx.commit(now, [now_held.replaced(&held_before, project.id(), &caller.actor())]).await?;
    Ok(())
}

async fn take(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    holder: Holder,
    role_id: i64,
) -> Result<(), Error> {
    let now = state.clock.now();
    let (tx, old) = hold(state, project, holder).await?;
    let ended = membership(&tx, holder, role_id).await?;
    if !old.contains(&role_id) {
        return Ok(());
    }
    let new: Vec<i64> = old.iter().filter(|held| **held != role_id).copied().collect();
    replace(&tx, project, holder, &old, &new, now).await?;
    tx.commit(now, [ended.ended(project.id(), &caller.actor())]).await?;
    Ok(())
}

/// A role and its holder as events name them: 404 when there is no such role for projects.
async fn membership(tx: &Tx, holder: Holder, role_id: i64) -> Result<Membership, Error> {
    let roles = store::roles::list_for_projects(tx).await?;
    let role = roles.into_iter().find(|role| role.id == role_id);
    let role = role.ok_or_else(|| no_role(role_id))?;
    let email = match holder {
        Holder::User(id) => store::groups::email_of(tx, id).await?,
        Holder::Group(_) => None,
    };
    Ok(Membership { holder, role_id, role_name: role.name, email })
}

fn no_role(id: i64) -> Error {
    Error::no_id("role for projects", id)
}
