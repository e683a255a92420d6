//! Links by which a person hands an account or a group over to the company's directory, or takes it back.

use super::{AccountError, UserData, nested_groups, standing};
use crate::{
    domain::{
        account_powers::{self, Origin, Power, Way},
        actor::Actor,
        event::NewEvent,
        event_kind::EventKind,
        group::GroupDocument,
        time::Timestamp,
    },
    error::Error,
    store::{
        self,
        access::people::Account,
        db::Tx,
        groups::{
            GroupContent,
            nesting::{self, Direction},
        },
    },
};

/// Links an account, which the transaction holds, to the directory, or takes it back from there. Who ended it until
/// then is of no account any more: from now on the directory decides, or else people do. Returns the account as it is
/// now, and the event of the change, or `None` if nothing changed.
pub async fn put_user(
    tx: &Tx,
    before: &Account,
    is_linked: bool,
    now: Timestamp,
    actor: &Actor,
) -> Result<(Account, Option<NewEvent>), AccountError> {
    account_powers::judge(Way::Administrator, Power::Link, standing(tx, before, Way::Administrator).await?)?;
    let after = if is_linked {
        Account { origin: Some(Origin::Linked), ended_by_directory: before.deactivated_at.is_some(), ..before.clone() }
    } else {
        Account { origin: None, kept: None, ended_by_directory: false, ..before.clone() }
    };
    let (old, new) = (UserData::of(before), UserData::of(&after));
    if old == new {
        return Ok((after, None));
    }
    store::users::save(tx, &after, now).await?;
    let event = NewEvent::new(EventKind::UserUpdated, actor).with_data(&new).with_pre_data(&old);
    Ok((Account { changed_at: Some(now), ..after }, Some(event)))
}

/// Links a group, which the transaction holds after the administrators, to the directory, or takes it back from there. A
/// group that is taken back keeps its people, now as its own, and is no longer nested in others. Returns the events, none
/// if nothing changed.
pub async fn put_group(
    tx: &Tx,
    old: &GroupDocument,
    is_linked: bool,
    now: Timestamp,
    actor: &Actor,
) -> Result<Vec<NewEvent>, Error> {
    let (origin, kept) = if is_linked { (Some(Origin::Linked), old.scim.clone()) } else { (None, None) };
    let scim_linked = is_linked.then_some(true);
    let mut new = GroupDocument { origin, scim_linked, scim: kept, ..old.clone() };
    if new == *old {
        return Ok(Vec::new());
    }
    let mut around = Vec::new();
    if !is_linked {
        new = GroupDocument { nested_users: Vec::new(), nested_groups: Vec::new(), ..new };
        around = nesting::next_to(tx, &[old.id], Direction::Outward).await?;
        nesting::take_out(tx, old.id).await?;
    }
    store::groups::save(tx, old, &GroupContent::of(&new), now).await?;
    let mut events = vec![NewEvent::new(EventKind::GroupUpdated, actor).with_data(&new).with_pre_data(old)];
    events.extend(nested_groups::bring_in_line(tx, &around, None, now, actor).await?);
    Ok(events)
}
