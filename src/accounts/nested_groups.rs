//! Groups that are nested in groups: the rules on them, and what a change of one does to those around it.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{
    account_powers::{self, GroupStanding, Way},
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    group::{GroupDocument, membership_changed},
    scim::{MOST_LEVELS, MOST_MEMBERS, directory::DirectoryRef},
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store, StoreError,
    db::Tx,
    groups::nesting::{self, Direction, GroupHead, Reached},
};

/// Most people who join or leave a group by one event each; more are one event of the group.
const MOST_SINGLE_EVENTS: usize = 100;

/// Refuses to nest these groups, sorted, in a group of a directory, which is `None` for a new one: each has to be
/// another one that the directory keeps, none may contain the group, and no chain may be longer than [`MOST_LEVELS`].
/// The transaction holds the administrators, so that nobody else nests groups meanwhile.
pub async fn judge(tx: &Tx, directory: &DirectoryRef, outer: Option<i64>, inner: &[i64]) -> Result<(), Error> {
    let mut heads = nesting::heads(tx, inner).await?;
    heads.retain(|head| head.directory_id == directory.id());
    let known: BTreeSet<i64> = heads.iter().map(|head| head.id).collect();
    if let Some(missing) = inner.iter().find(|id| !known.contains(id)) {
        return Err(Error::property("/body/members", format!("names the group {missing}, which does not exist")));
    }
    if let Some(own) = heads.iter().find(|head| !head.is_kept) {
        let rule = format!("names the group {}, which the directory does not manage: change that group first", own.id);
        return Err(Error::property("/body/members", rule));
    }
    let below = nesting::reachable(tx, inner, Direction::Inward).await?;
    if let Some(outer) = outer.filter(|outer| below.contains_key(outer)) {
        return Err(refused(format!("The group {outer} would be nested in itself.")));
    }
    let above = match outer {
        Some(outer) => nesting::reachable(tx, &[outer], Direction::Outward).await?,
        None => [(0, 0)].into(),
    };
    let steps = |distances: BTreeMap<i64, usize>| distances.into_values().max().unwrap_or_default();
    // The group itself, those above it, and those below it with the first of them.
    if steps(above) + 1 + steps(below) + 1 > MOST_LEVELS {
        return Err(refused(format!("Groups would be nested in more than {MOST_LEVELS} levels.")));
    }
    Ok(())
}

fn refused(message: String) -> Error {
    Error::InUse { name: "NestedGroupsError", message }
}

/// Brings the people of these groups, and of all in which they are nested, in line with the groups that are nested in
/// them, and returns the events. It refuses nothing: the change is an administrator's or a login provider's.
pub async fn bring_in_line(
    tx: &Tx,
    groups: &[i64],
    now: Timestamp,
    actor: &Actor,
) -> Result<Vec<NewEvent>, StoreError> {
    let mut events = Vec::new();
    for reached in nesting::bring_in_line(tx, groups, now).await? {
        events.extend(told(tx, &reached, actor).await?);
    }
    Ok(events)
}

/// Does the work of [`bring_in_line`], and judges each group whose people change like one whose members change directly,
/// by the way in.
pub async fn bring_in_line_judged(
    tx: &Tx,
    groups: &[i64],
    way: Way,
    now: Timestamp,
    actor: &Actor,
) -> Result<Vec<NewEvent>, Error> {
    let mut events = Vec::new();
    for reached in nesting::bring_in_line(tx, groups, now).await? {
        judge_reached(tx, way, &reached).await?;
        events.extend(told(tx, &reached, actor).await?);
    }
    Ok(events)
}

async fn judge_reached(tx: &Tx, way: Way, reached: &Reached) -> Result<(), Error> {
    let name = &reached.group.name;
    account_powers::judge_group(way, standing(tx, &reached.group).await?).map_err(|denial| {
        let rule = denial.sentence_on_group();
        Error::forbidden(format!("The change reaches the group \"{name}\", in which the group is nested. {rule}"))
    })?;
    if reached.joined.is_empty() {
        return Ok(());
    }
    let property = if way == Way::Scim { "/body/members" } else { "/body/users" };
    judge_size(property, name, reached.people)
}

/// Refuses a group with so many people, those in nested groups included, which a property of the body asks for.
pub fn judge_size(property: &str, name: &str, people: usize) -> Result<(), Error> {
    if people > MOST_MEMBERS {
        let rule =
            format!("gives the group \"{name}\" more than {MOST_MEMBERS} people, those in nested groups included");
        return Err(Error::property(property, rule));
    }
    Ok(())
}

/// Returns the standing of a group, as far as the rule on changes of groups asks for it.
pub async fn standing(tx: &Tx, group: &GroupHead) -> Result<GroupStanding, StoreError> {
    Ok(GroupStanding {
        origin: group.origin,
        holds_role: group.has_root_role || store::groups::holds_project_role(tx, group.id).await?,
        is_kept: group.is_kept && store::scim::is_on(tx).await?,
    })
}

/// Events of the people who joined or left a group: one for each, or one of the group where they are many.
async fn told(tx: &Tx, reached: &Reached, actor: &Actor) -> Result<Vec<NewEvent>, StoreError> {
    let Reached { group, joined, left, .. } = reached;
    if joined.len() + left.len() <= MOST_SINGLE_EVENTS {
        return Ok(memberships_changed(group.id, &group.name, joined, left, actor));
    }
    let new = store::groups::find(tx, group.id).await?.map(|group| group.document);
    let gone = || StoreError::external("a group has gone while its members changed".to_owned());
    let new = new.ok_or_else(gone)?;
    let before = |ids: &[i64]| {
        let ids: BTreeSet<i64> =
            ids.iter().filter(|id| joined.binary_search(id).is_err()).chain(left).copied().collect();
        ids.into_iter().collect()
    };
    let old = GroupDocument { users: before(&new.users), nested_users: before(&new.nested_users), ..new.clone() };
    Ok(vec![NewEvent::new(EventKind::GroupUpdated, actor).with_data(&new).with_pre_data(&old)])
}

/// One event for each person who joined or left a group.
pub(super) fn memberships_changed(id: i64, name: &str, joined: &[i64], left: &[i64], actor: &Actor) -> Vec<NewEvent> {
    let told = |has_joined: bool, user: &i64| membership_changed(has_joined, id, Some(name), *user, actor);
    joined.iter().map(|user| told(true, user)).chain(left.iter().map(|user| told(false, user))).collect()
}
