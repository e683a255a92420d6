//! Holders of roles in a project.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{ChangeRefusals, Done, Fails, LookupRefusals, Out, refusals},
        body::Body,
        me::profile::RoleBody,
        permitted::{InProject, Permitted, need},
    },
    domain::{
        project::ProjectScope,
        project_access::{Given, Holder, access_added, access_replaced, without},
        role::{OWNER, covers},
        time::Timestamp,
    },
    error::Error,
    state::State,
    store::{self, db::Tx, roles::Role},
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
        give(&caller, state, &project, &unique(body.roles), &given).await?;
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
        replace_all(&caller, state, &project, body.read()?).await?;
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
        set(&caller, state, &project, Holder::User(user_id.0), body.read()?).await?;
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
        remove(&caller, state, &project, Holder::User(user_id.0)).await?;
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
        set(&caller, state, &project, Holder::Group(group_id.0), body.read()?).await?;
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
        remove(&caller, state, &project, Holder::Group(group_id.0)).await?;
        Ok(Done)
    }
}

/// Sorted, each once.
pub fn unique(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Gives each of `roles` to all holders in `to`.
pub async fn give(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    roles: &[i64],
    to: &Given,
) -> Result<(), Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    store::projects::access::hold(&tx, project).await?;
    judge_roles(&tx, caller, project, roles).await?;
    require_holders(&tx, &to.user_ids, &to.group_ids).await?;
    let wanted: Vec<Given> = roles.iter().map(|role_id| Given { role_id: *role_id, ..to.clone() }).collect();
    let given = store::projects::access::add(&tx, project, &wanted, now).await?;
    tx.commit(now, access_added(project.id(), &given, &caller.actor())).await?;
    Ok(())
}

async fn replace_all(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    body: ReplacementBody,
) -> Result<(), Error> {
    let named: Vec<i64> = unique(body.roles.iter().map(|role| role.id).collect());
    let new = body.into_given();
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    store::projects::access::hold(&tx, project).await?;
    let old = store::projects::access::all(&tx, project).await?;
    let (given, taken) = (without(&new, &old), without(&old, &new));
    require_roles(&store::roles::list_for_projects(&tx).await?, &named)?;
    judge_roles(&tx, caller, project, &given.iter().map(|given| given.role_id).collect::<Vec<_>>()).await?;
    for Given { group_ids, user_ids, .. } in &given {
        require_holders(&tx, user_ids, group_ids).await?;
    }
    store::projects::access::take(&tx, project, &taken).await?;
    store::projects::access::add(&tx, project, &given, now).await?;
    if taken.iter().any(|taken| taken.role_id == OWNER) {
        require_owner(&tx, project).await?;
    }
    tx.commit(now, access_replaced(project.id(), &old, &new, &caller.actor())).await?;
    Ok(())
}

/// 400 for a user or group that does not exist.
async fn require_holders(tx: &Tx, users: &[i64], groups: &[i64]) -> Result<(), Error> {
    if let Some(stranger) = store::groups::find_stranger(tx, users).await? {
        return Err(unknown("users", "user", stranger));
    }
    for group in groups {
        if !store::groups::exists(tx, *group).await? {
            return Err(unknown("groups", "group", *group));
        }
    }
    Ok(())
}

/// 400 for a role that is none for projects.
fn require_roles(known: &[Role], roles: &[i64]) -> Result<(), Error> {
    match roles.iter().find(|id| known.iter().all(|role| role.id != **id)) {
        Some(other) => Err(unknown("roles", "role for projects", *other)),
        None => Ok(()),
    }
}

/// 409 for a project without an owner.
async fn require_owner(tx: &Tx, project: &ProjectScope) -> Result<(), Error> {
    if store::projects::access::owners(tx, project).await? > 0 {
        return Ok(());
    }
    let message = format!("The project \"{}\" must keep an owner; make somebody else Owner first.", project.id());
    Err(Error::InUse { name: "ProjectWithoutOwnerError", message })
}

async fn set(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    holder: Holder,
    body: ProjectRolesBody,
) -> Result<(), Error> {
    let new = unique(body.roles);
    let now = state.clock.now();
    let (tx, old) = hold(state, project, holder).await?;
    let added: Vec<i64> = new.iter().filter(|role| !old.contains(role)).copied().collect();
    judge_roles(&tx, caller, project, &added).await?;
    replace(&tx, project, holder, &old, &new, now).await?;
    let event = (old != new).then(|| holder.roles_set(project.id(), &old, &new, &caller.actor()));
    tx.commit(now, event).await?;
    Ok(())
}

async fn remove(caller: &Caller, state: &State, project: &ProjectScope, holder: Holder) -> Result<(), Error> {
    let now = state.clock.now();
    let (tx, old) = hold(state, project, holder).await?;
    replace(&tx, project, holder, &old, &[], now).await?;
    let event = (!old.is_empty()).then(|| holder.removed(project.id(), &old, &caller.actor()));
    tx.commit(now, event).await?;
    Ok(())
}

/// Starts a change of a holder's roles in a project: 404 when the holder does not exist.
pub async fn hold(state: &State, project: &ProjectScope, holder: Holder) -> Result<(Tx, Vec<i64>), Error> {
    let tx = state.db.begin().await?;
    store::projects::access::hold(&tx, project).await?;
    match holder {
        Holder::User(id) if store::groups::find_stranger(&tx, &[id]).await?.is_some() => {
            return Err(Error::no_id("user", id));
        }
        Holder::Group(id) if !store::groups::exists(&tx, id).await? => {
            return Err(Error::no_id("group", id));
        }
        _ => {}
    }
    let roles = store::projects::access::roles_of(&tx, project, holder).await?;
    Ok((tx, roles))
}

/// Puts new roles in the place of old ones: 409 when that takes the last owner from the project.
pub async fn replace(
    tx: &Tx,
    project: &ProjectScope,
    holder: Holder,
    old: &[i64],
    new: &[i64],
    now: Timestamp,
) -> Result<(), Error> {
    store::projects::access::set_roles(tx, project, holder, old, new, now).await?;
    if old.contains(&OWNER) && !new.contains(&OWNER) {
        require_owner(tx, project).await?;
    }
    Ok(())
}

/// Refuses roles that are none for projects, and those that allow what the caller may not do.
pub async fn judge_roles(tx: &Tx, caller: &Caller, project: &ProjectScope, roles: &[i64]) -> Result<(), Error> {
    let known = store::roles::list_for_projects(tx).await?;
    require_roles(&known, roles)?;
    if caller.is_admin() || roles.is_empty() {
        return Ok(());
    }
    if let Some(user_id) = caller.user_id()
        && store::projects::access::is_owner(tx, project, user_id).await?
    {
        return Ok(());
    }
    let permissions = store::roles::permissions_of(tx, roles).await?;
    for role in known.iter().filter(|role| roles.contains(&role.id)) {
        let allowed = permissions.get(&role.id).map(Vec::as_slice).unwrap_or_default();
        if !covers(caller.grants(), allowed, project.id()) {
            let message = format!("The role \"{}\" allows what you may not do yourself; ask an owner.", role.name);
            return Err(Error::forbidden(message));
        }
    }
    Ok(())
}

fn unknown(property: &str, kind: &str, id: i64) -> Error {
    Error::property(format!("/body/{property}"), format!("names the {kind} {id}, which does not exist"))
}
