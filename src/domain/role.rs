//! Roles: those that every instance has, and what others may hold.

use clap::ValueEnum;
use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

use crate::{
    ids::{EnvironmentName, ProjectId},
    permission::{Grants, Permission, Scope},
};

/// A root role that every instance has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize, ValueEnum)]
pub enum RootRole {
    /// Reads everything that is not private.
    Viewer,
    /// Works in every project that lets its members do so.
    Editor,
    /// All permissions.
    Admin,
}

impl RootRole {
    /// Id of the role, the same in every database.
    pub const fn id(self) -> i64 {
        match self {
            Self::Admin => 1,
            Self::Editor => 2,
            Self::Viewer => 3,
        }
    }
}

/// Id of the role that owns a project, the same in every database.
pub const OWNER: i64 = 4;

/// Name of the built-in role for projects that allows to look at them and nothing else.
pub const READER: &str = "Reader";
/// Id of that role in a new database; an older one may have given it to a custom role.
pub const NEW_READER: i64 = 6;

/// Kinds of roles that count in a project, built in or not.
pub const PROJECT_KINDS: [&str; 2] = ["project", "custom"];
/// Kinds of roles that count in the whole instance, built in or not.
pub const ROOT_KINDS: [&str; 2] = ["root", "root-custom"];

/// Type of a custom role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "CustomRoleType")]
pub enum CustomKind {
    /// Counts in the whole instance.
    #[oai(rename = "root-custom")]
    #[serde(rename = "root-custom")]
    Root,
    /// Counts in the projects where it is given.
    #[oai(rename = "custom")]
    #[serde(rename = "custom")]
    Project,
}

impl CustomKind {
    /// The name in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Root => "root-custom",
            Self::Project => "custom",
        }
    }

    /// Reads the stored name; `None` is a role that is built in.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Root, Self::Project].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// One permission of a role, in all environments or in one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RoleGrant {
    /// Permission that is granted.
    #[serde(rename = "name")]
    pub permission: Permission,
    /// The only environment it counts in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

/// A role with what it allows, as events and versions hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleDocument {
    /// Id of the role.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Scope in which the role counts.
    #[serde(rename = "type")]
    pub kind: String,
    /// Description of the role.
    pub description: String,
    /// Permissions that it grants, sorted.
    pub permissions: Vec<RoleGrant>,
}

/// Reason why a role cannot hold a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// Being an administrator comes with the built-in role only, so that it is plain who is one.
    Administrator,
    /// It counts in no project.
    InstanceOnly,
    /// It does not differ between environments.
    NoEnvironment,
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Administrator => "cannot be ADMIN, which the built-in role Admin alone holds",
            Self::InstanceOnly => "counts in the whole instance only and does nothing in a role for projects",
            Self::NoEnvironment => "counts in all environments alike and cannot be bound to one",
        })
    }
}

impl RoleGrant {
    /// Whether a role of this kind can hold the grant.
    pub fn judge(&self, kind: CustomKind) -> Result<(), Unfit> {
        match self.permission.scope() {
            _ if self.permission == Permission::Admin => Err(Unfit::Administrator),
            Scope::Instance if kind == CustomKind::Project => Err(Unfit::InstanceOnly),
            Scope::Instance | Scope::Project if self.environment.is_some() => Err(Unfit::NoEnvironment),
            _ => Ok(()),
        }
    }
}

/// Whether a user with the grants `held` may do all that `wanted` allows in a project.
pub fn covers(held: &Grants, wanted: &[RoleGrant], project: &str) -> bool {
    let project = Some(ProjectId::new(project));
    wanted.iter().all(|grant| {
        let environment = grant.environment.as_deref().map(EnvironmentName::new);
        held.allow(grant.permission, project, environment)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::Grant;

    fn grant(permission: Permission, environment: Option<&str>) -> RoleGrant {
        RoleGrant { permission, environment: environment.map(str::to_owned) }
    }

    #[test]
    fn a_role_holds_what_counts_where_it_does() {
        use CustomKind::{Project, Root};
        use Permission::{Admin, CreateFeature, CreateFeatureStrategy, CreateProject};
        let production = Some("production");
        for (kind, permission, environment, expected) in [
            (Root, Admin, None, Err(Unfit::Administrator)),
            (Project, Admin, None, Err(Unfit::Administrator)),
            (Root, CreateProject, None, Ok(())),
            (Project, CreateProject, None, Err(Unfit::InstanceOnly)),
            (Root, CreateProject, production, Err(Unfit::NoEnvironment)),
            (Project, CreateFeature, None, Ok(())),
            (Project, CreateFeature, production, Err(Unfit::NoEnvironment)),
            (Project, CreateFeatureStrategy, production, Ok(())),
            (Root, CreateFeatureStrategy, production, Ok(())),
        ] {
            assert_eq!(grant(permission, environment).judge(kind), expected, "{kind:?} {permission:?} {environment:?}");
        }
    }

    #[test]
    fn one_environment_does_not_cover_all() {
        let wanted = Permission::CreateFeatureStrategy;
        let held = Grants::new(vec![Grant {
            permission: wanted,
            project: Some("shop".to_owned()),
            environment: Some("development".to_owned()),
        }]);
        assert!(covers(&held, &[grant(wanted, Some("development"))], "shop"));
        assert!(!covers(&held, &[grant(wanted, Some("development"))], "other"));
        assert!(!covers(&held, &[grant(wanted, Some("production"))], "shop"));
        assert!(!covers(&held, &[grant(wanted, None)], "shop"));
        assert!(covers(&held, &[], "shop"));
    }
}
