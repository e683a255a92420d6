//! Groups that a company's directory keeps through SCIM. What they give, the roles, is nothing that it says.

use std::collections::BTreeSet;

use flagstone_domain::{
    account_powers::{self, Origin, Way},
    actor::Actor,
    address::{self, Named},
    event::NewEvent,
    event_kind::EventKind,
    group::{GroupDocument, differences},
    scim::{KeptGroup, directory::DirectoryRef, group::GroupDraft},
    time::Timestamp,
    user::AccountKind,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    access::{
        administrators::{self, Administrators},
        people::Account,
    },
    db::Tx,
    groups::{
        Group, GroupContent,
        nesting::{self, Direction, GroupHead},
    },
};

use super::{administrators::NOBODY_ADMINISTERS, is_name, nested_groups};

/// A group that the transaction has locked, for the directory to which it belongs or may belong, and the administrators
/// that there were before.
#[derive(Debug)]
pub struct Held<'a> {
    /// The group.
    pub group: Group,
    directory: &'a DirectoryRef,
    administrators: Administrators,
}

/// Holds a group, unless it is one of another directory. First the administrators: all changes of what makes some wait
/// in this order.
pub async fn hold<'a>(
    tx: &Tx,
    directory: &'a DirectoryRef,
    id: i64,
    now: Timestamp,
) -> Result<Option<Held<'a>>, Error> {
    let administrators = administrators::hold(tx, now).await?;
    if store::groups::hold(tx, id).await?.is_none() {
        return Ok(None);
    }
    let group = store::groups::find(tx, id).await?;
    let own = group.filter(|group| group.document.scim_directory == directory.id());
    Ok(own.map(|group| Held { group, directory, administrators }))
}

/// A group as the directory sees it: its direct members. Programs in it, and people of other directories, are none of
/// its business.
pub fn draft_of(held: &Held<'_>) -> GroupDraft {
    let document = &held.group.document;
    GroupDraft {
        display_name: document.name.clone(),
        external_id: document.scim.as_ref().and_then(|kept| kept.external_id.clone()),
        members: direct_members(held).0,
        nested_groups: document.nested_groups.iter().copied().collect(),
    }
}

/// Ids of the direct members of a group: of those whom its directory knows, and of all others.
fn direct_members(held: &Held<'_>) -> (BTreeSet<i64>, BTreeSet<i64>) {
    let nested = &held.group.document.nested_users;
    let direct = held.group.members.iter().map(|(member, _)| member);
    let direct = direct.filter(|member| nested.binary_search(&member.id).is_err());
    let (known, others): (Vec<&Account>, Vec<&Account>) = direct.partition(|member| is_known(held.directory, member));
    let ids = |members: Vec<&Account>| members.into_iter().map(|member| member.id).collect();
    (ids(known), ids(others))
}

fn is_known(directory: &DirectoryRef, account: &Account) -> bool {
    account.kind == AccountKind::User && account.directory_id == directory.id()
}

/// Makes a group, and returns its id and its event.
pub async fn create(
    tx: &Tx,
    directory: &DirectoryRef,
    draft: GroupDraft,
    now: Timestamp,
) -> Result<(i64, NewEvent), Error> {
    judge(tx, directory, &draft, None).await?;
    let nested_groups: Vec<i64> = draft.nested_groups.into_iter().collect();
    if !nested_groups.is_empty() {
        administrators::hold(tx, now).await?;
        nested_groups::judge(tx, directory, None, &nested_groups).await?;
    }
    let content = GroupContent {
        name: draft.display_name,
        description: None,
        mappings_sso: Vec::new(),
        root_role: None,
        users: draft.members.into_iter().collect(),
        nested_groups,
        kept: Some(KeptGroup { external_id: draft.external_id }),
        origin: Some(Origin::Made),
        directory_id: directory.id(),
    };
    let actor = directory.actor();
    let id =
        store::groups::insert(tx, &content, &actor.name, now).await.map_err(|error| taken(error, &content.name))?;
    let group = store::groups::find(tx, id).await?.ok_or_else(|| Error::internal("the new group is missing"))?;
    nested_groups::judge_size("/body/members", &group.document.name, group.document.users.len())?;
    Ok((id, NewEvent::new(EventKind::GroupCreated, &actor).with_data(&group.document)))
}

/// Updates a group, which the transaction has locked, to what the directory says; from then on the directory keeps it.
/// Returns the events, those of groups in which it is nested last.
pub async fn update(tx: &Tx, held: &Held<'_>, draft: GroupDraft, now: Timestamp) -> Result<Vec<NewEvent>, Error> {
    let old = &held.group.document;
    judge(tx, held.directory, &draft, Some(held)).await?;
    let mut users = draft.members;
    users.extend(direct_members(held).1);
    let content = GroupContent {
        name: draft.display_name,
        users: users.into_iter().collect(),
        nested_groups: draft.nested_groups.into_iter().collect(),
        kept: Some(KeptGroup { external_id: draft.external_id }),
        ..GroupContent::of(old)
    };
    if content == GroupContent::of(old) {
        return Ok(Vec::new());
    }
    let content = GroupContent { origin: Some(old.origin.unwrap_or(Origin::Found)), ..content };
    require_power(tx, Way::Scim, old).await?;
    let (_, nested) = differences(&old.nested_groups, &content.nested_groups);
    if !nested.is_empty() {
        nested_groups::judge(tx, held.directory, Some(old.id), &nested).await?;
    }
    store::groups::save(tx, old, &content, now).await.map_err(|error| taken(error, &content.name))?;
    if old.scim.is_none() {
        store::scim::take_over_members(tx, old.id).await?;
    }
    let actor = held.directory.actor();
    let around = nesting::next_to(tx, &[old.id], Direction::Outward).await?;
    let reached = nested_groups::bring_in_line_judged(tx, &around, Way::Scim, now, &actor).await?;
    keep_an_administrator(tx, held.administrators).await?;
    let mut events = told(old, &saved(tx, old, content).await?, &actor);
    events.extend(reached);
    Ok(events)
}

/// The document of a group after it was saved with this content.
async fn saved(tx: &Tx, old: &GroupDocument, content: GroupContent) -> Result<GroupDocument, Error> {
    if old.nested_groups.is_empty() && content.nested_groups.is_empty() {
        let GroupContent { name, users, kept, origin, .. } = content;
        return Ok(GroupDocument { name, users, scim: kept, origin, ..old.clone() });
    }
    let group = store::groups::find(tx, old.id).await?;
    let new = group.ok_or_else(|| Error::internal("the group has gone while it was held"))?.document;
    if new.users.len() > old.users.len() {
        nested_groups::judge_size("/body/members", &new.name, new.users.len())?;
    }
    Ok(new)
}

/// Events of a change of a group. Where people alone change, each has an event of their own: otherwise a large group
/// would be written twice for each of them.
fn told(old: &GroupDocument, new: &GroupDocument, actor: &Actor) -> Vec<NewEvent> {
    if (GroupDocument { users: old.users.clone(), ..new.clone() }) != *old {
        return vec![NewEvent::new(EventKind::GroupUpdated, actor).with_data(new).with_pre_data(old)];
    }
    let (left, joined) = differences(&old.users, &new.users);
    nested_groups::memberships_changed(old.id, &old.name, &joined, &left, actor)
}

/// Deletes a group, which the transaction holds. Returns the events, those of groups in which it was nested last.
pub async fn delete(tx: &Tx, held: &Held<'_>, now: Timestamp) -> Result<Vec<NewEvent>, Error> {
    let old = &held.group.document;
    require_power(tx, Way::Scim, old).await?;
    let events = delete_all(tx, std::slice::from_ref(old), Way::Scim, now, &held.directory.actor()).await?;
    keep_an_administrator(tx, held.administrators).await?;
    Ok(events)
}

/// Deletes groups, which the transaction holds after the administrators. Returns the events: one for each of them, then
/// those of the groups in which they were nested.
pub async fn delete_all(
    tx: &Tx,
    groups: &[GroupDocument],
    way: Way,
    now: Timestamp,
    actor: &Actor,
) -> Result<Vec<NewEvent>, Error> {
    let ids: Vec<i64> = groups.iter().map(|group| group.id).collect();
    let around = nesting::next_to(tx, &ids, Direction::Outward).await?;
    store::groups::delete(tx, &ids).await?;
    let left: Vec<i64> = around.into_iter().filter(|id| !ids.contains(id)).collect();
    let deleted = groups.iter().map(|group| NewEvent::new(EventKind::GroupDeleted, actor).with_pre_data(group));
    let mut events: Vec<NewEvent> = deleted.collect();
    events.extend(nested_groups::bring_in_line_judged(tx, &left, way, now, actor).await?);
    Ok(events)
}

/// Refuses a change by hand of what a directory keeps, as long as it does; without `content` the group is to be
/// deleted.
pub async fn refuse_by_hand(tx: &Tx, old: &GroupDocument, content: Option<&GroupContent>) -> Result<(), Error> {
    let is_theirs = content.is_none_or(|content| content.name != old.name || content.users != old.users);
    if is_theirs { require_power(tx, Way::GroupAdministrator, old).await } else { Ok(()) }
}

/// Refuses who may not change the name or the members of a group, or delete it.
async fn require_power(tx: &Tx, way: Way, group: &GroupDocument) -> Result<(), Error> {
    let standing = nested_groups::standing(tx, &GroupHead::of(group)).await?;
    account_powers::judge_group(way, standing).map_err(|denial| Error::forbidden(denial.sentence_on_group()))
}

async fn keep_an_administrator(tx: &Tx, before: Administrators) -> Result<(), Error> {
    if administrators::are_gone(tx, before).await? {
        return Err(Error::InUse { name: "LastAdministratorError", message: NOBODY_ADMINISTERS.to_owned() });
    }
    Ok(())
}

async fn judge(tx: &Tx, directory: &DirectoryRef, draft: &GroupDraft, held: Option<&Held<'_>>) -> Result<(), Error> {
    let old = held.map(|held| &held.group.document);
    let known = held.map(|held| direct_members(held).0).unwrap_or_default();
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
    let new: Vec<i64> = draft.members.difference(&known).copied().collect();
    let people = store::users::list(tx, &new).await?.into_iter().filter(|person| is_known(directory, person));
    let people: BTreeSet<i64> = people.map(|person| person.id).collect();
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
