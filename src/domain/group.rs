//! Groups of people.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::json;

use crate::{
    account_powers::Origin, actor::Actor, event::NewEvent, event_kind::EventKind, scim::KeptGroup, time::Timestamp,
};

/// A group as events and versions hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupDocument {
    /// Id of the group.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Description of the group.
    pub description: Option<String>,
    /// Names of groups of the login provider that are mapped to this one.
    #[serde(rename = "mappingsSSO")]
    pub mappings_sso: Vec<String>,
    /// Id of a root role that every member has in addition to their own.
    pub root_role: Option<i64>,
    /// Author of the group.
    pub created_by: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Ids of the people in it, directly or through nested groups, sorted.
    pub users: Vec<i64>,
    /// Ids of those of them who are in it through nested groups alone, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nested_users: Vec<i64>,
    /// Ids of the groups that are nested in it directly, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nested_groups: Vec<i64>,
    /// Properties that a directory gave it, if one keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scim: Option<KeptGroup>,
    /// True for one that a person linked to the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scim_linked: Option<bool>,
    /// Id of the directory that it belongs to, unless it is the default one or none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scim_directory: Option<i64>,
    /// Way in which it came to a directory.
    #[serde(skip)]
    pub origin: Option<Origin>,
}

impl GroupDocument {
    /// Ids of the direct members, sorted.
    pub fn direct_users(&self) -> Vec<i64> {
        self.users.iter().filter(|id| self.nested_users.binary_search(id).is_err()).copied().collect()
    }
}

/// Ids that are in the first list alone, and in the second alone, both sorted.
pub fn differences(old: &[i64], new: &[i64]) -> (Vec<i64>, Vec<i64>) {
    let (old, new): (BTreeSet<i64>, BTreeSet<i64>) = (old.iter().copied().collect(), new.iter().copied().collect());
    (old.difference(&new).copied().collect(), new.difference(&old).copied().collect())
}

/// Returns the event that a user joined or left a group.
pub fn membership_changed(
    has_joined: bool,
    group_id: i64,
    name: Option<&str>,
    user_id: i64,
    actor: &Actor,
) -> NewEvent {
    let data = json!({ "groupId": group_id, "groupName": name, "userId": user_id });
    if has_joined {
        NewEvent::new(EventKind::GroupUserAdded, actor).with_data(&data)
    } else {
        NewEvent::new(EventKind::GroupUserRemoved, actor).with_pre_data(&data)
    }
}
