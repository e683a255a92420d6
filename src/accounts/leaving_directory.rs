//! Deletion of the users and groups that a company's directory keeps, for an instance that leaves its directory.

use flagstone_domain::{
    account_powers::{self, GroupStanding, Power, Standing, Way},
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_store::{self as store, db::Tx};
use serde_json::json;

use super::{AccountError, kept_groups};

/// Maximum number of users that are deleted at once.
const MOST_USERS: u64 = 5000;
/// Maximum number of groups that are deleted at once. Fewer, since the event of each holds its members.
const MOST_GROUPS: u64 = 500;

/// Deletes users whom a directory keeps, but for the one with the id `except`: those with the lowest ids. Returns the
/// events: one for each of them and one for all, or none if there are no such users.
pub async fn delete_users(
    tx: &Tx,
    except: Option<i64>,
    now: Timestamp,
    actor: &Actor,
) -> Result<Vec<NewEvent>, AccountError> {
    // Also where there is nobody to delete: the answer depends on the switch alone.
    let standing = Standing { is_kept: store::scim::is_on(tx).await?, ..Standing::default() };
    account_powers::judge(Way::Administrator, Power::Delete, standing)?;
    let accounts = store::scim::hold_kept_users(tx, except, MOST_USERS).await?;
    let mut events = super::delete_users(tx, &accounts, Way::Administrator, now, actor).await?;
    events.extend(all_deleted("scim-users-deleted", accounts.len(), actor));
    Ok(events)
}

/// Deletes groups that a directory keeps: those with the lowest ids. Returns the events: one for each of them, those of
/// groups that stay and in which they were nested, and one for all, or none if there are no such groups.
pub async fn delete_groups(tx: &Tx, now: Timestamp, actor: &Actor) -> Result<Vec<NewEvent>, Error> {
    // One judgement for all: each of them is the directory's.
    let standing = GroupStanding { is_kept: store::scim::is_on(tx).await?, ..GroupStanding::default() };
    account_powers::judge_group(Way::GroupAdministrator, standing)
        .map_err(|denial| Error::forbidden(denial.sentence_on_group()))?;
    let groups = store::scim::hold_kept_groups(tx, MOST_GROUPS).await?;
    let mut events = kept_groups::delete_all(tx, &groups, Way::GroupAdministrator, now, actor).await?;
    events.extend(all_deleted("scim-groups-deleted", groups.len(), actor));
    Ok(events)
}

/// Returns the event that so many were deleted together, unless there were none.
fn all_deleted(label: &'static str, count: usize, actor: &Actor) -> Option<NewEvent> {
    let event =
        || NewEvent::new(EventKind::SettingUpdated, actor).labelled(label).with_data(&json!({ "count": count }));
    (count > 0).then(event)
}
