//! Holders of roles in a project, in answers and requests.

use poem_openapi::Object;
use serde::Serialize;

use crate::{
    api::{me::profile::RoleBody, users::person::PersonBody},
    domain::{
        project_access::{Given, in_order},
        time::Timestamp,
    },
    store::{groups::Group, projects::access::Held},
    wire::Nullable,
};

/// Access to a project: its users, groups and roles.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ProjectAccess")]
pub struct ProjectAccessBody {
    /// People who hold roles themselves, by id.
    pub users: Vec<ProjectUserBody>,
    /// Groups that give roles to their members, by name.
    pub groups: Vec<ProjectGroupBody>,
    /// The roles that there are for projects, by id.
    pub roles: Vec<RoleBody>,
}

/// A user who holds roles in a project.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ProjectUser", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ProjectUserBody {
    /// The person.
    #[oai(flatten)]
    #[serde(flatten)]
    pub person: PersonBody,
    /// When the user was given the first of the roles.
    pub added_at: Timestamp,
    /// Id of the first of the roles.
    pub role_id: i64,
    /// Ids of the roles, sorted.
    pub roles: Vec<i64>,
}

/// A group that holds roles in a project.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ProjectGroup", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProjectGroupBody {
    /// Id of the group.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Purpose of the group; `null` for none.
    pub description: Nullable<String>,
    /// When the group was created.
    pub created_at: Timestamp,
    /// The members, by id.
    pub users: Vec<ProjectGroupMemberBody>,
    /// When the group was given the first of the roles.
    pub added_at: Timestamp,
    /// Id of the first of the roles.
    pub role_id: i64,
    /// Ids of the roles, sorted.
    pub roles: Vec<i64>,
}

/// A member of a group that holds roles in a project.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ProjectGroupMember", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProjectGroupMemberBody {
    /// When the person joined the group.
    pub joined_at: Timestamp,
    /// The person.
    pub user: PersonBody,
}

/// Roles to assign to groups and users, each role to each of them.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ProjectAccessAddition")]
pub struct AdditionBody {
    /// Ids of roles for projects, 1 to 50.
    #[oai(validator(min_items = 1, max_items = 50, minimum(value = "1")))]
    pub roles: Vec<i64>,
    /// Ids of groups, at most 500.
    #[oai(validator(max_items = 500, minimum(value = "1")))]
    pub groups: Vec<i64>,
    /// Ids of users, at most 500.
    #[oai(validator(max_items = 500, minimum(value = "1")))]
    pub users: Vec<i64>,
}

/// All roles in a project, and who has them.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ProjectAccessReplacement")]
pub struct ReplacementBody {
    /// The roles, at most 50. A role that is left out is taken from everybody.
    #[oai(validator(max_items = 50))]
    pub roles: Vec<RoleHoldersBody>,
}

/// A role in a project, and who has it.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ProjectRoleHolders")]
pub struct RoleHoldersBody {
    /// Id of a role for projects.
    #[oai(validator(minimum(value = "1")))]
    pub id: i64,
    /// Ids of the users, at most 500. Absent: none.
    #[oai(validator(max_items = 500, minimum(value = "1")))]
    pub users: Option<Vec<i64>>,
    /// Ids of the groups, at most 500. Absent: none.
    #[oai(validator(max_items = 500, minimum(value = "1")))]
    pub groups: Option<Vec<i64>>,
}

impl ReplacementBody {
    /// Converts the body into its stored form.
    pub fn into_given(self) -> Vec<Given> {
        in_order(self.roles.into_iter().map(|role| Given {
            role_id: role.id,
            group_ids: role.groups.unwrap_or_default(),
            user_ids: role.users.unwrap_or_default(),
        }))
    }
}

/// All roles of a user or group in a project.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ProjectRoles")]
pub struct ProjectRolesBody {
    /// Ids of roles for projects, at most 50. An empty list removes all roles.
    #[oai(validator(max_items = 50, minimum(value = "1")))]
    pub roles: Vec<i64>,
}

impl ProjectUserBody {
    /// Body of a person with the roles held.
    pub fn of(person: PersonBody, held: Held) -> Self {
        Self {
            person,
            added_at: held.since,
            role_id: held.roles.first().copied().unwrap_or_default(),
            roles: held.roles,
        }
    }
}

impl ProjectGroupBody {
    /// Body of a group with the roles held.
    pub fn of(group: Group, held: Held) -> Self {
        let member =
            |(person, joined_at): (_, Timestamp)| ProjectGroupMemberBody { joined_at, user: PersonBody::from(person) };
        Self {
            id: group.document.id,
            name: group.document.name,
            description: group.document.description.into(),
            created_at: group.document.created_at,
            users: group.members.into_iter().map(member).collect(),
            added_at: held.since,
            role_id: held.roles.first().copied().unwrap_or_default(),
            roles: held.roles,
        }
    }
}
