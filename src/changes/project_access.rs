//! Changes of who holds which roles in a project.

use flagstone_access::Caller;
use flagstone_domain::{
    project::ProjectScope,
    project_access::{Given, Holder, Membership, access_added, access_replaced, without},
    role::{OWNER, covers},
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_store::{self as store, db::Tx, roles::Role};

use crate::{Author, Begin};

/// Sorted, each once.
pub fn unique(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Gives each of `roles` to all holders in `to`.
pub async fn give(author: Author<'_>, project: &ProjectScope, roles: &[i64], to: &Given) -> Result<(), Error> {
    let transaction = author.begin(Begin::Change).await?;
    let (tx, now) = (&transaction.tx, transaction.now);
    store::projects::access::hold(tx, project).await?;
    judge_roles(tx, author.caller, project, roles).await?;
    require_holders(tx, &to.user_ids, &to.group_ids).await?;
    let wanted: Vec<Given> = roles.iter().map(|role_id| Given { role_id: *role_id, ..to.clone() }).collect();
    let given = store::projects::access::add(tx, project, &wanted, now).await?;
    transaction.commit(access_added(project.id(), &given, &author.caller.actor())).await
}

/// Replaces all holders of roles in a project; `named` are the roles of the new ones.
pub async fn replace_all(
    author: Author<'_>,
    project: &ProjectScope,
    named: &[i64],
    new: &[Given],
) -> Result<(), Error> {
    let transaction = author.begin(Begin::Change).await?;
    let (tx, now) = (&transaction.tx, transaction.now);
    store::projects::access::hold(tx, project).await?;
    let old = store::projects::access::all(tx, project).await?;
    let (given, taken) = (without(new, &old), without(&old, new));
    require_roles(&store::roles::list_for_projects(tx).await?, named)?;
    judge_roles(tx, author.caller, project, &given.iter().map(|given| given.role_id).collect::<Vec<_>>()).await?;
    for Given { group_ids, user_ids, .. } in &given {
        require_holders(tx, user_ids, group_ids).await?;
    }
    store::projects::access::take(tx, project, &taken).await?;
    store::projects::access::add(tx, project, &given, now).await?;
    if taken.iter().any(|taken| taken.role_id == OWNER) {
        require_owner(tx, project).await?;
    }
    transaction.commit(access_replaced(project.id(), &old, new, &author.caller.actor())).await
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

/// Sets the roles of a holder in a project.
pub async fn set(author: Author<'_>, project: &ProjectScope, holder: Holder, roles: Vec<i64>) -> Result<(), Error> {
    let new = unique(roles);
    let transaction = author.begin(Begin::Change).await?;
    let (tx, now) = (&transaction.tx, transaction.now);
    let old = hold(tx, project, holder).await?;
    let added: Vec<i64> = new.iter().filter(|role| !old.contains(role)).copied().collect();
    judge_roles(tx, author.caller, project, &added).await?;
    replace(tx, project, holder, &old, &new, now).await?;
    let event = (old != new).then(|| holder.roles_set(project.id(), &old, &new, &author.caller.actor()));
    transaction.commit(event).await
}

/// Takes all roles in a project from a holder.
pub async fn remove(author: Author<'_>, project: &ProjectScope, holder: Holder) -> Result<(), Error> {
    let transaction = author.begin(Begin::Change).await?;
    let (tx, now) = (&transaction.tx, transaction.now);
    let old = hold(tx, project, holder).await?;
    replace(tx, project, holder, &old, &[], now).await?;
    let event = (!old.is_empty()).then(|| holder.removed(project.id(), &old, &author.caller.actor()));
    transaction.commit(event).await
}

/// Locks the roles of a holder in a project, and returns them: 404 when the holder does not exist.
async fn hold(tx: &Tx, project: &ProjectScope, holder: Holder) -> Result<Vec<i64>, Error> {
    store::projects::access::hold(tx, project).await?;
    match holder {
        Holder::User(id) if store::groups::find_stranger(tx, &[id]).await?.is_some() => {
            return Err(Error::no_id("user", id));
        }
        Holder::Group(id) if !store::groups::exists(tx, id).await? => {
            return Err(Error::no_id("group", id));
        }
        _ => {}
    }
    Ok(store::projects::access::roles_of(tx, project, holder).await?)
}

/// Puts new roles in the place of old ones: 409 when that takes the last owner from the project.
async fn replace(
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
async fn judge_roles(tx: &Tx, caller: &Caller, project: &ProjectScope, roles: &[i64]) -> Result<(), Error> {
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

/// Adds a role to those of a holder in a project.
pub async fn add(author: Author<'_>, project: &ProjectScope, holder: Holder, role_id: i64) -> Result<(), Error> {
    let transaction = author.begin(Begin::Change).await?;
    let (tx, now) = (&transaction.tx, transaction.now);
    let old = hold(tx, project, holder).await?;
    let added = membership(tx, holder, role_id).await?;
    if old.contains(&role_id) {
        return Ok(());
    }
    judge_roles(tx, author.caller, project, &[role_id]).await?;
    let new = unique([old.as_slice(), &[role_id]].concat());
    replace(tx, project, holder, &old, &new, now).await?;
    transaction.commit([added.added(project.id(), &author.caller.actor())]).await
}

/// Replaces the roles of a holder in a project by one: 404 when the holder has none.
pub async fn change(author: Author<'_>, project: &ProjectScope, holder: Holder, role_id: i64) -> Result<(), Error> {
    let transaction = author.begin(Begin::Change).await?;
    let (tx, now) = (&transaction.tx, transaction.now);
    let old = hold(tx, project, holder).await?;
    let now_held = membership(tx, holder, role_id).await?;
    let Some(first) = old.first() else {
        return Err(Error::NotFound(format!("Nobody like that holds a role in project \"{}\".", project.id())));
    };
    if old == [role_id] {
        return Ok(());
    }
    let held_before = membership(tx, holder, *first).await?;
    if !old.contains(&role_id) {
        judge_roles(tx, author.caller, project, &[role_id]).await?;
    }
    replace(tx, project, holder, &old, &[role_id], now).await?;
    transaction.commit([now_held.replaced(&held_before, project.id(), &author.caller.actor())]).await
}

/// Takes a role in a project from a holder.
pub async fn take(author: Author<'_>, project: &ProjectScope, holder: Holder, role_id: i64) -> Result<(), Error> {
    let transaction = author.begin(Begin::Change).await?;
    let (tx, now) = (&transaction.tx, transaction.now);
    let old = hold(tx, project, holder).await?;
    let ended = membership(tx, holder, role_id).await?;
    if !old.contains(&role_id) {
        return Ok(());
    }
    let new: Vec<i64> = old.iter().filter(|held| **held != role_id).copied().collect();
    replace(tx, project, holder, &old, &new, now).await?;
    transaction.commit([ended.ended(project.id(), &author.caller.actor())]).await
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

/// Error that there is no such role for projects.
pub fn no_role(id: i64) -> Error {
    Error::no_id("role for projects", id)
}
