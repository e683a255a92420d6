//! Groups that a company's directory keeps through SCIM. What they give, the roles, is nothing that it says.

use std::collections::BTreeSet;

use super::{administrators::NOBODY_ADMINISTERS, is_name};
use crate::{
    domain::{
        account_powers::{self, GroupStanding, Origin, Way},
        address::{self, Named},
        event::NewEvent,
        event_kind::EventKind,
        group::{GroupDocument, membership_changed},
        scim::{self, KeptGroup, group::GroupDraft},
        time::Timestamp,
        user::AccountKind,
    },
    error::Error,
    store::{
        self,
        access::administrators::{self, Administrators},
        db::Tx,
        groups::{Group, GroupContent},
    },
};

/// A group that the transaction has locked, and the administrators that there were before.
#[derive(Debug)]
pub struct Held {
    /// The group.
    pub group: Group,
    administrators: Administrators,
}

/// Holds a group. First the administrators: all changes of what makes some wait in this order.
pub async fn hold(tx: &Tx, id: i64, now: Timestamp) -> Result<Option<Held>, Error> {
    let administrators = administrators::hold(tx, now).await?;
    if store::groups::hold(tx, id).await?.is_none() {
        return Ok(None);
    }
    let group = store::groups::find(tx, id).await?;
    Ok(group.map(|group| Held { group, administrators }))
}

/// A group as the directory sees it: its people. Programs in it are none of its business.
pub fn draft_of(group: &Group) -> GroupDraft {
    GroupDraft {
        display_name: group.document.name.clone(),
        external_id: group.document.scim.as_ref().and_then(|kept| kept.external_id.clone()),
        members: members(group, AccountKind::User),
    }
}

fn members(group: &Group, kind: AccountKind) -> BTreeSet<i64> {
    group.members.iter().filter(|(member, _)| member.kind == kind).map(|(member, _)| member.id).collect()
}

/// Makes a group, and returns its id and its event.
pub async fn create(tx: &Tx, draft: GroupDraft, now: Timestamp) -> Result<(i64, NewEvent), Error> {
    judge(tx, &draft, None, &BTreeSet::new()).await?;
    let content = GroupContent {
        name: draft.display_name,
        description: None,
        mappings_sso: Vec::new(),
        root_role: None,
        users: draft.members.into_iter().collect(),
        kept: Some(KeptGroup { external_id: draft.external_id }),
        origin: Some(Origin::Made),
    };
    let actor = scim::actor();
    let id =
        store::groups::insert(tx, &content, &actor.name, now).await.map_err(|error| taken(error, &content.name))?;
    let group = store::groups::find(tx, id).await?.ok_or_else(|| Error::internal("the new group is missing"))?;
    Ok((id, NewEvent::new(EventKind::GroupCreated, &actor).with_data(&group.document)))
}

/// Updates a group, which the transaction has locked, to what the directory says; from then on the directory keeps it.
/// Where members alone change, each has an event of its own: otherwise a large group would be written twice for each of
/// them.
pub async fn update(tx: &Tx, held: &Held, draft: GroupDraft, now: Timestamp) -> Result<Vec<NewEvent>, Error> {
    let before = &held.group;
    let old = &before.document;
    judge(tx, &draft, Some(old), &members(before, AccountKind::User)).await?;
    let mut users = draft.members;
    users.extend(members(before, AccountKind::ServiceAccount));
    let (users, kept): (Vec<i64>, _) =
        (users.into_iter().collect(), Some(KeptGroup { external_id: draft.external_id.clone() }));
    if old.scim == kept && old.name == draft.display_name && old.users == users {
        return Ok(Vec::new());
    }
    require_power(tx, Way::Scim, old).await?;
    let origin = Some(old.origin.unwrap_or(Origin::Found));
    let new = GroupDocument { name: draft.display_name, users, scim: kept, origin, ..old.clone() };
    let saved = store::groups::save(tx, old, &GroupContent::of(&new), now).await;
    saved.map_err(|error| taken(error, &new.name))?;
    if old.scim.is_none() {
        store::scim::take_over_members(tx, old.id).await?;
    }
    keep_an_administrator(tx, held.administrators).await?;
    let actor = scim::actor();
    if (GroupDocument { users: old.users.clone(), ..new.clone() }) != *old {
        let event = NewEvent::new(EventKind::GroupUpdated, &actor);
        return Ok(vec![event.with_data(&new).with_pre_data(old)]);
    }
    let told = |has_joined: bool, id: &i64| membership_changed(has_joined, old.id, Some(&old.name), *id, &actor);
    let (was, is): (BTreeSet<i64>, BTreeSet<i64>) =
        (old.users.iter().copied().collect(), new.users.iter().copied().collect());
    let joined = is.difference(&was).map(|id| told(true, id));
    Ok(joined.chain(was.difference(&is).map(|id| told(false, id))).collect())
}

/// Deletes a group, which the transaction holds.
pub async fn delete(tx: &Tx, held: &Held) -> Result<NewEvent, Error> {
    let old = &held.group.document;
    require_power(tx, Way::Scim, old).await?;
    store::groups::delete(tx, &[old.id]).await?;
    keep_an_administrator(tx, held.administrators).await?;
    Ok(NewEvent::new(EventKind::GroupDeleted, &scim::actor()).with_pre_data(old))
}

/// Refuses a change by hand of what a directory keeps, as long as it does; without `content` the group is to be
/// deleted.
pub async fn refuse_by_hand(tx: &Tx, old: &GroupDocument, content: Option<&GroupContent>) -> Result<(), Error> {
    let is_theirs = content.is_none_or(|content| content.name != old.name || content.users != old.users);
    if is_theirs { require_power(tx, Way::GroupAdministrator, old).await } else { Ok(()) }
}

/// Refuses who may not change the name or the members of a group, or delete it.
async fn require_power(tx: &Tx, way: Way, group: &GroupDocument) -> Result<(), Error> {
    let standing = GroupStanding {
        origin: group.origin,
        holds_role: group.root_role.is_some() || store::groups::holds_project_role(tx, group.id).await?,
        is_kept: group.scim.is_some() && store::scim::is_on(tx).await?,
    };
    account_powers::judge_group(way, standing).map_err(|denial| Error::forbidden(denial.sentence_on_group()))
}

async fn keep_an_administrator(tx: &Tx, before: Administrators) -> Result<(), Error> {
    if administrators::are_gone(tx, before).await? {
        return Err(Error::InUse { name: "LastAdministratorError", message: NOBODY_ADMINISTERS.to_owned() });
    }
    Ok(())
}

async fn judge(tx: &Tx, draft: &GroupDraft, old: Option<&GroupDocument>, known: &BTreeSet<i64>) -> Result<(), Error> {
    let rule = "has 1 to 255 characters, not only blanks, and none of them a control character";
    if !is_name(&draft.display_name) {
        return Err(Error::property("/body/displayName", rule));
    }
    if old.is_none_or(|old| old.name != draft.display_name) {
        let fits = address::judge(Named::Group, &draft.display_name);
        fits.map_err(|fault| Error::property("/body/displayName", fault))?;
    }
    if draft.external_id.as_ref().is_some_and(|id| !is_name(id)) {
        return Err(Error::property("/body/externalId", rule));
    }
    let new: Vec<i64> = draft.members.difference(known).copied().collect();
    let people: BTreeSet<i64> = store::users::list(tx, &new).await?.into_iter().map(|person| person.id).collect();
    if let Some(stranger) = new.iter().find(|id| !people.contains(id)) {
        return Err(Error::property("/body/members", format!("names the user {stranger}, who does not exist")));
    }
    match store::groups::find_named(tx, &draft.display_name).await? {
        Some(other) if old.is_none_or(|old| old.id != other) => Err(name_taken(&draft.display_name)),
        _ => Ok(()),
    }
}

fn name_taken(name: &str) -> Error {
    Error::Conflict(format!("There is a group named \"{name}\" already."))
}

fn taken(error: store::StoreError, name: &str) -> Error {
    if error.is_duplicate() { name_taken(name) } else { error.into() }
}
