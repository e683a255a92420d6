//! Links by which a person hands an account or a group over to the company's directory, or takes it back.

use flagstone_domain::{
    account_powers::{self, Origin, Power, Way},
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    group::GroupDocument,
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    access::people::Account,
    db::Tx,
    groups::{
        GroupContent,
        nesting::{self, Direction},
    },
};

use super::{AccountError, UserData, administrators::keep_an_administrator, nested_groups, standing};

/// Change of whom an account or a group belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// It is handed over to the directory with this id, or without one to the default directory.
    To(Option<i64>),
    /// It is taken back.
    Back,
}

impl Link {
    /// Id of the directory that it belongs to then; `None` for the default one, and for none.
    pub const fn directory_id(self) -> Option<i64> {
        match self {
            Self::To(id) => id,
            Self::Back => None,
        }
    }
}

/// Links an account, which the transaction holds, to a directory, or takes it back. Whether a directory
/// or an administrator deactivated it before does not matter any more: from now on the directory decides, or else
/// administrators do. The user leaves the groups of the former directory, which cannot remove them any longer; while
/// SCIM is on, administrators cannot either. Returns the updated account and the events, none if nothing changed.
pub async fn put_user(
    tx: &Tx,
    before: &Account,
    link: Link,
    now: Timestamp,
    actor: &Actor,
) -> Result<(Account, Vec<NewEvent>), AccountError> {
    account_powers::judge(Way::Administrator, Power::Link, standing(tx, before, Way::Administrator).await?)?;
    let directory_id = link.directory_id();
    let after = match link {
        Link::To(_) => Account {
            origin: Some(Origin::Linked),
            directory_id,
            ended_by_directory: before.deactivated_at.is_some(),
            ..before.clone()
        },
        Link::Back => Account { origin: None, directory_id, kept: None, ended_by_directory: false, ..before.clone() },
    };
    let (old, new) = (UserData::of(before), UserData::of(&after));
    if old == new {
        return Ok((after, Vec::new()));
    }
    store::users::save(tx, &after, now).await?;
    let mut events = vec![NewEvent::new(EventKind::UserUpdated, actor).with_data(&new).with_pre_data(&old)];
    if before.directory_id != after.directory_id {
        let administrators = store::access::administrators::hold(tx, now).await?;
        let mut groups = nesting::around_user(tx, after.id).await?;
        if store::scim::is_on(tx).await? {
            groups.extend(nesting::unmark_direct(tx, after.id, before.directory_id, now).await?);
        }
        events.extend(nested_groups::bring_in_line(tx, &groups, now, actor).await?);
        keep_an_administrator(tx, administrators).await?;
    }
    Ok((Account { changed_at: Some(now), ..after }, events))
}

/// Links a group, which the transaction holds after the administrators, to a directory, or takes it back. A group that
/// is taken back, or handed over to another directory, keeps its people, now as its own, and is no longer nested in
/// others. Returns the events, none if nothing changed.
pub async fn put_group(
    tx: &Tx,
    old: &GroupDocument,
    link: Link,
    now: Timestamp,
    actor: &Actor,
) -> Result<Vec<NewEvent>, Error> {
    let (origin, kept) = match link {
        Link::To(_) => (Some(Origin::Linked), old.scim.clone()),
        Link::Back => (None, None),
    };
    let (scim_linked, scim_directory) = (origin.map(|_| true), link.directory_id());
    let mut new = GroupDocument { origin, scim_linked, scim_directory, scim: kept, ..old.clone() };
    if new == *old {
        return Ok(Vec::new());
    }
    let mut around = Vec::new();
    if link == Link::Back || scim_directory != old.scim_directory {
        new = GroupDocument { nested_users: Vec::new(), nested_groups: Vec::new(), ..new };
        around = nesting::next_to(tx, &[old.id], Direction::Outward).await?;
        nesting::take_out(tx, old.id).await?;
    }
    store::groups::save(tx, old, &GroupContent::of(&new), now).await?;
    let mut events = vec![NewEvent::new(EventKind::GroupUpdated, actor).with_data(&new).with_pre_data(old)];
    events.extend(nested_groups::bring_in_line(tx, &around, now, actor).await?);
    Ok(events)
}
