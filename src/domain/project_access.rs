//! Who holds which roles in a project, and what events say of it.

use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::{actor::Actor, event::NewEvent, event_kind::EventKind};

/// Somebody who can hold roles in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// The user with this id.
    User(i64),
    /// The group with this id.
    Group(i64),
}

impl Holder {
    /// The event that tells of the roles that somebody holds now instead of others.
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

    /// The event that tells that somebody has lost all roles in a project.
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

/// A role that was given in a project, and to whom.
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

/// The event that tells of roles given in addition; `None` when everybody held them before.
pub fn access_added(project: &str, given: &[Given], actor: &Actor) -> Option<NewEvent> {
    let given: Vec<&Given> =
        given.iter().filter(|given| !given.group_ids.is_empty() || !given.user_ids.is_empty()).collect();
    if given.is_empty() {
        return None;
    }
    let event = NewEvent::new(EventKind::ProjectAccessAdded, actor).in_project(project);
    Some(event.with_data(&json!({ "roles": given })))
}

/// One role of one holder, as the events of the calls for single roles hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// Who holds it.
    pub holder: Holder,
    /// Id of the role.
    pub role_id: i64,
    /// Name of the role.
    pub role_name: String,
    /// The user's email, if there is one.
    pub email: Option<String>,
}

impl Membership {
    /// The event that tells that it began.
    pub fn added(&self, project: &str, actor: &Actor) -> NewEvent {
        let kind = self.kind(EventKind::ProjectUserAdded, EventKind::ProjectGroupAdded);
        NewEvent::new(kind, actor).in_project(project).with_data(&self.data())
    }

    /// The event that tells that it ended.
    pub fn ended(&self, project: &str, actor: &Actor) -> NewEvent {
        let kind = self.kind(EventKind::ProjectUserRemoved, EventKind::ProjectGroupRemoved);
        NewEvent::new(kind, actor).in_project(project).with_pre_data(&self.data())
    }

    /// The event that tells that it took the place of another.
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
