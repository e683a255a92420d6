//! Holders of roles in a project, and the events about them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};

use crate::{actor::Actor, event::NewEvent, event_kind::EventKind};

/// Holder of roles in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// The user with this id.
    User(i64),
    /// The group with this id.
    Group(i64),
}

impl Holder {
    /// Returns the event that a holder has these roles now instead of others.
    pub fn roles_set(self, project: &str, old: &[i64], new: &[i64], actor: &Actor) -> NewEvent {
        let kind = match self {
            Self::User(_) => EventKind::ProjectAccessUserRolesUpdated,
            Self::Group(_) => EventKind::ProjectAccessGroupRolesUpdated,
        };
        NewEvent::new(kind, actor)
            .in_project(project)
            .with_data(&self.with_roles(new))
            .with_pre_data(&self.with_roles(old))
    }

    /// Returns the event that a holder has lost all roles in a project.
    pub fn removed(self, project: &str, old: &[i64], actor: &Actor) -> NewEvent {
        let kind = match self {
            Self::User(_) => EventKind::ProjectAccessUserRolesDeleted,
            Self::Group(_) => EventKind::ProjectAccessGroupRolesDeleted,
        };
        NewEvent::new(kind, actor).in_project(project).with_pre_data(&self.with_roles(old))
    }

    fn with_roles(self, roles: &[i64]) -> Value {
        match self {
            Self::User(id) => json!({ "roles": roles, "userId": id }),
            Self::Group(id) => json!({ "roles": roles, "groupId": id }),
        }
    }
}

/// A role that was given in a project, and its holders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Given {
    /// Id of the role.
    pub role_id: i64,
    /// Ids of groups that did not hold it before.
    pub group_ids: Vec<i64>,
    /// Ids of users who did not hold it before.
    pub user_ids: Vec<i64>,
}

/// Returns the event of roles given in addition, or `None` when all holders had them before.
pub fn access_added(project: &str, given: &[Given], actor: &Actor) -> Option<NewEvent> {
    let given: Vec<&Given> =
        given.iter().filter(|given| !given.group_ids.is_empty() || !given.user_ids.is_empty()).collect();
    if given.is_empty() {
        return None;
    }
    let event = NewEvent::new(EventKind::ProjectAccessAdded, actor).in_project(project);
    Some(event.with_data(&json!({ "roles": given })))
}

/// All that is given in a project, in one form: each role once, by id, with sorted ids of holders. Roles without a
/// holder are left out.
pub fn in_order(given: impl IntoIterator<Item = Given>) -> Vec<Given> {
    let mut by_role: BTreeMap<i64, (BTreeSet<i64>, BTreeSet<i64>)> = BTreeMap::new();
    for Given { role_id, group_ids, user_ids } in given {
        let (groups, users) = by_role.entry(role_id).or_default();
        groups.extend(group_ids);
        users.extend(user_ids);
    }
    let held = by_role.into_iter().filter(|(_, (groups, users))| !groups.is_empty() || !users.is_empty());
    held.map(|(role_id, (groups, users))| Given {
        role_id,
        group_ids: groups.into_iter().collect(),
        user_ids: users.into_iter().collect(),
    })
    .collect()
}

/// Returns what of `some` is not in `others`, role by role; both in order.
pub fn without(some: &[Given], others: &[Given]) -> Vec<Given> {
    let rest = |given: &Given| {
        let other = others.iter().find(|other| other.role_id == given.role_id);
        let left = |ids: &[i64], known: fn(&Given) -> &[i64]| -> Vec<i64> {
            ids.iter().filter(|id| other.is_none_or(|other| !known(other).contains(id))).copied().collect()
        };
        Given {
            role_id: given.role_id,
            group_ids: left(&given.group_ids, |given| &given.group_ids),
            user_ids: left(&given.user_ids, |given| &given.user_ids),
        }
    };
    in_order(some.iter().map(rest))
}

/// Returns the event that all roles in a project were replaced, or `None` when they are the same.
pub fn access_replaced(project: &str, old: &[Given], new: &[Given], actor: &Actor) -> Option<NewEvent> {
    (old != new).then(|| {
        NewEvent::new(EventKind::ProjectAccessUpdated, actor)
            .in_project(project)
            .with_data(&json!({ "roles": new }))
            .with_pre_data(&json!({ "roles": old }))
    })
}

/// One role of one holder, as the events of the calls for single roles hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// Holder of the role.
    pub holder: Holder,
    /// Id of the role.
    pub role_id: i64,
    /// Name of the role.
    pub role_name: String,
    /// The user's email, if there is one.
    pub email: Option<String>,
}

impl Membership {
    /// Returns the event that the membership began.
    pub fn added(&self, project: &str, actor: &Actor) -> NewEvent {
        let kind = self.kind(EventKind::ProjectUserAdded, EventKind::ProjectGroupAdded);
        NewEvent::new(kind, actor).in_project(project).with_data(&self.data())
    }

    /// Returns the event that the membership ended.
    pub fn ended(&self, project: &str, actor: &Actor) -> NewEvent {
        let kind = self.kind(EventKind::ProjectUserRemoved, EventKind::ProjectGroupRemoved);
        NewEvent::new(kind, actor).in_project(project).with_pre_data(&self.data())
    }

    /// Returns the event that the membership took the place of another.
    pub fn replaced(&self, old: &Self, project: &str, actor: &Actor) -> NewEvent {
        let kind = self.kind(EventKind::ProjectUserRoleChanged, EventKind::ProjectGroupRoleChanged);
        NewEvent::new(kind, actor).in_project(project).with_data(&self.data()).with_pre_data(&old.data())
    }

    const fn kind(&self, of_user: EventKind, of_group: EventKind) -> EventKind {
        match self.holder {
            Holder::User(_) => of_user,
            Holder::Group(_) => of_group,
        }
    }

    fn data(&self) -> Value {
        match self.holder {
            Holder::User(id) => {
                json!({ "roleId": self.role_id, "userId": id, "roleName": self.role_name, "email": self.email })
            }
            Holder::Group(id) => json!({ "roleId": self.role_id, "groupId": id, "roleName": self.role_name }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(role_id: i64, group_ids: &[i64], user_ids: &[i64]) -> Given {
        Given { role_id, group_ids: group_ids.to_vec(), user_ids: user_ids.to_vec() }
    }

    #[test]
    fn what_is_given_has_one_form() {
        let all = [given(5, &[], &[2, 1, 2]), given(4, &[7], &[]), given(6, &[], &[]), given(5, &[9], &[3])];
        assert_eq!(in_order(all), [given(4, &[7], &[]), given(5, &[9], &[1, 2, 3])]);
        assert!(in_order([]).is_empty());
    }

    #[test]
    fn what_is_left_is_told_role_by_role() {
        let old = [given(4, &[7], &[1]), given(5, &[], &[1, 2])];
        for (new, rest) in [
            (vec![], old.to_vec()),
            (old.to_vec(), vec![]),
            (vec![given(5, &[], &[1])], vec![given(4, &[7], &[1]), given(5, &[], &[2])]),
            (vec![given(4, &[8], &[1])], vec![given(4, &[7], &[]), given(5, &[], &[1, 2])]),
        ] {
            assert_eq!(without(&old, &new), rest, "{new:?}");
        }
        assert!(access_replaced("shop", &old, &old, &Actor::system()).is_none());
    }
}
