//! Group membership that follows a login provider's groups.

use flagstone_accounts::nested_groups;
use flagstone_domain::{
    actor::Actor,
    event::NewEvent,
    group::membership_changed,
    group_sync::{self, MappedGroup},
    sign_in::ProviderKey,
    time::Timestamp,
};
use flagstone_providers::groups::Groups;
use flagstone_store::{
    self as store, StoreError,
    db::Tx,
    groups::nesting::{self, Direction},
};

/// Reason in the log when a user is admitted but keeps a group: the membership would have been the last
/// administrator's.
pub const LAST_ADMINISTRATOR: &str = "last-administrator-stays";

/// Outcome of synchronising groups.
#[derive(Debug, Default)]
pub struct Synced {
    /// Events of the changes.
    pub events: Vec<NewEvent>,
    /// Reason for the log, if memberships stayed as they were although the provider said otherwise.
    pub left: Option<&'static str>,
}

/// Synchronises a user's groups with those of the provider, except for memberships that another provider gave. It refuses
/// no user: groups that cannot be determined change nothing, and a membership by which the last administrator
/// administers stays.
pub async fn bring_in_line(
    tx: &Tx,
    user_id: i64,
    provider: &ProviderKey,
    told: &Groups,
    now: Timestamp,
) -> Result<Synced, StoreError> {
    let names = match told {
        Groups::Absent => &[][..],
        Groups::Names(names) => names,
        Groups::Unusable(problem) => return Ok(Synced { left: Some(problem.code()), ..Synced::default() }),
    };
    let groups = store::sign_in::memberships::mapped_groups(tx, Some(user_id), provider).await?;
    let changes = group_sync::sync(names, &groups);
    let mut synced = Synced::default();
    if changes.joins.is_empty() && changes.leaves.is_empty() && changes.claims.is_empty() {
        return Ok(synced);
    }
    // Before any group is touched: all changes of what makes administrators wait in this order.
    let administrators = store::access::administrators::hold(tx, now).await?;
    store::sign_in::memberships::claim(tx, &changes.claims, user_id, provider).await?;
    for id in changes.joins {
        if store::sign_in::memberships::join(tx, id, user_id, provider, now).await? {
            synced.events.push(event(true, &groups, id, user_id));
            synced.events.extend(around(tx, id, now).await?);
        }
    }
    for id in changes.leaves {
        let Some(joined_at) = store::sign_in::memberships::leave(tx, id, user_id, now).await? else { continue };
        let reached = around(tx, id, now).await?;
        if store::access::administrators::are_gone(tx, administrators).await? {
            store::sign_in::memberships::join(tx, id, user_id, provider, joined_at).await?;
            around(tx, id, joined_at).await?;
            synced.left = Some(LAST_ADMINISTRATOR);
        } else {
            synced.events.push(event(false, &groups, id, user_id));
            synced.events.extend(reached);
        }
    }
    Ok(synced)
}

/// Brings the groups in which a group is nested in line with its members, and returns the events. A directory nested
/// them and does not keep them at the moment: otherwise it alone says who is in them.
async fn around(tx: &Tx, id: i64, now: Timestamp) -> Result<Vec<NewEvent>, StoreError> {
    let groups = nesting::next_to(tx, &[id], Direction::Outward).await?;
    nested_groups::bring_in_line(tx, &groups, now, &Actor::system()).await
}

fn event(has_joined: bool, groups: &[MappedGroup], id: i64, user_id: i64) -> NewEvent {
    let name = groups.iter().find(|group| group.id == id).map(|group| group.name.as_str());
    membership_changed(has_joined, id, name, user_id, &Actor::system())
}
