//! Permissions as answers show them.

use poem_openapi::Object;
use serde::Serialize;

use super::{Permission, Scope};

/// A permission that a role can have.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "RolePermission", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct PermissionBody {
    /// Number in this list. It can differ in another version of the server: store the name.
    pub id: i64,
    /// Name of the permission.
    pub name: Permission,
    /// The name that people read.
    pub display_name: String,
    /// Scope that it can be bound to.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: Scope,
    /// The environment in which it applies. Absent when it applies in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

impl PermissionBody {
    /// A permission, in all environments or in one.
    pub fn of(permission: Permission, environment: Option<String>) -> Self {
        Self {
            id: permission.id(),
            name: permission,
            display_name: permission.title().to_owned(),
            kind: permission.scope(),
            environment,
        }
    }
}

/// The permissions that a role can have.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Permissions")]
pub struct PermissionsBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The permissions, by their scope.
    pub permissions: PermissionsByTypeBody,
}

/// Permissions by their scope.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PermissionsByType")]
pub struct PermissionsByTypeBody {
    /// Permissions of the whole instance.
    pub root: Vec<PermissionBody>,
    /// Permissions of a project.
    pub project: Vec<PermissionBody>,
    /// Permissions of an environment of a project, for each environment.
    pub environments: Vec<EnvironmentPermissionsBody>,
}

/// Permissions in one environment.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "EnvironmentPermissions")]
pub struct EnvironmentPermissionsBody {
    /// Name of the environment.
    pub name: String,
    /// The permissions that can be bound to it.
    pub permissions: Vec<PermissionBody>,
}

impl PermissionsBody {
    /// All permissions, where there are these environments.
    pub fn of(environments: Vec<String>) -> Self {
        let bound_to = |scope, environment: Option<&String>| {
            Permission::ALL
                .iter()
                .filter(|permission| permission.scope() == scope && **permission != Permission::Admin)
                .map(|permission| PermissionBody::of(*permission, environment.cloned()))
                .collect::<Vec<_>>()
        };
        let environments = environments.into_iter().map(|name| {
            let permissions = bound_to(Scope::Environment, Some(&name));
            EnvironmentPermissionsBody { name, permissions }
        });
        let environments = environments.collect();
        let (root, project) = (bound_to(Scope::Instance, None), bound_to(Scope::Project, None));
        Self { version: 1, permissions: PermissionsByTypeBody { root, project, environments } }
    }
}
