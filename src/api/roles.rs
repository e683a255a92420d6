//! Roles, and the permissions that they are made of.

pub mod choice;
pub mod uses;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Done, Fails, LookupRefusals, Out, ReadRefusals, RemoveUnusedRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        groups::{NameRefusals, RenameRefusals},
        me::profile::RoleBody,
        permitted::{Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    domain::{
        permission::{Permission, Scope},
        role::{CustomKind, RoleDocument, RoleGrant},
        version::Version,
    },
    error::Error,
    state::State,
    store::{self, roles::RoleContent},
    wire::Nullable,
};

mod permissions;

pub use self::permissions::{EnvironmentPermissionsBody, PermissionBody, PermissionsBody, PermissionsByTypeBody};

/// The operations on roles.
#[derive(Debug)]
pub struct RolesApi;

/// Properties of a role.
#[derive(Debug, Clone, Object)]
#[oai(rename = "RoleContent", rename_all = "camelCase")]
pub struct RoleContentBody {
    /// Unique name, 1 to 255 characters, not only blanks.
    #[oai(validator(min_length = 1, max_length = 255, pattern = r"\S"))]
    pub name: String,
    /// Purpose of the role, at most 1000 characters. `null` or absent: the empty text.
    #[oai(validator(max_length = 1000))]
    pub description: Option<Nullable<String>>,
    /// `root-custom` for a role in the whole instance, `custom` for one in projects. Absent: `custom`, or what the role
    /// is already. The type of a role cannot be changed.
    #[oai(rename = "type")]
    pub kind: Option<CustomKind>,
    /// Permissions of the role, at most 1000. Absent: none. In a role for the whole instance, permissions of projects
    /// and environments apply in all of them.
    #[oai(validator(max_items = 1000))]
    pub permissions: Option<Vec<RoleGrantBody>>,
}

/// One permission of a role, named by `name` or else by `id`.
#[derive(Debug, Clone, Object)]
#[oai(rename = "RoleGrant", rename_all = "camelCase")]
pub struct RoleGrantBody {
    /// Name of the permission, such as `UPDATE_FEATURE`. Absent: given by `id`.
    #[oai(validator(max_length = 100))]
    pub name: Option<String>,
    /// Id of the permission in the list of permissions. Absent: given by `name`.
    #[oai(validator(minimum(value = "1")))]
    pub id: Option<i64>,
    /// The only environment in which it applies, for permissions of environments. Absent, `null`, empty or `*`: all.
    #[oai(validator(max_length = 255))]
    pub environment: Option<Nullable<String>>,
}

/// A role with what it allows.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "RoleWithPermissions", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct RoleWithPermissionsBody {
    /// Id of the role.
    pub id: i64,
    /// Type of the role: `root` or `root-custom` for the whole instance, `project` or `custom` for a project.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// Name of the role.
    pub name: String,
    /// Purpose of the role.
    pub description: String,
    /// Permissions of the role. Those that Editor has in the project `default` only are left out.
    pub permissions: Vec<PermissionBody>,
}

impl From<RoleDocument> for RoleWithPermissionsBody {
    fn from(role: RoleDocument) -> Self {
        let permissions = role.permissions.into_iter();
        Self {
            id: role.id,
            kind: role.kind,
            name: role.name,
            description: role.description,
            permissions: permissions.map(|grant| PermissionBody::of(grant.permission, grant.environment)).collect(),
        }
    }
}

/// Every role.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Roles")]
pub struct RolesBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The roles, by id.
    pub roles: Vec<RoleBody>,
}

/// A role as it was saved.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SavedRole")]
pub struct SavedRoleBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The role, without its permissions.
    pub roles: RoleBody,
}

impl From<RoleDocument> for SavedRoleBody {
    fn from(RoleDocument { id, name, kind, description, .. }: RoleDocument) -> Self {
        Self { version: 1, roles: RoleBody { id, kind, name, description: Some(description), project: None } }
    }
}

#[OpenApi(tag = "Tag::Roles")]
impl RolesApi {
    /// List the permissions
    ///
    /// Every permission that a role can have: in the whole instance, in a project, or in an environment of a project.
    /// `ADMIN` is left out: only the built-in role Admin has it.
    #[oai(path = "/api/admin/permissions", method = "get", operation_id = "getPermissions")]
    async fn get_permissions(
        &self,
        #[expect(unused_variables, reason = "anybody who is known may read this")] caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<PermissionsBody>, Fails<ReadRefusals>> {
        Ok(Out(PermissionsBody::of(store::roles::environments(&state.db).await?)))
    }

    /// List the roles
    #[oai(path = "/api/admin/roles", method = "get", operation_id = "getRoles")]
    async fn get_roles(
        &self,
        _caller: Permitted<need::ReadRole>,
        Data(state): Data<&State>,
    ) -> Result<Out<RolesBody>, Fails<ReadRefusals>> {
        let roles = store::roles::list(&state.db).await?;
        Ok(Out(RolesBody { version: 1, roles: roles.into_iter().map(RoleBody::from).collect() }))
    }

    /// Create a role
    ///
    /// A name that another role has is 409. A permission or an environment that does not exist is 400, and so is a
    /// permission without effect in a role of this type. The answer leaves the permissions out: `getRoleById` has them.
    #[oai(path = "/api/admin/roles", method = "post", operation_id = "createRole")]
    async fn create_role(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<RoleContentBody>,
    ) -> Result<Out<SavedRoleBody>, Fails<NameRefusals>> {
        let (kind, content) = content(body.read()?)?;
        let kind = kind.unwrap_or(CustomKind::Project);
        Ok(Out(author(&caller, state).create_role(kind, content).await?.into()))
    }

    /// Validate a role
    ///
    /// 200 when the role can be created, and otherwise the error of creating it.
    #[oai(path = "/api/admin/roles/validate", method = "post", operation_id = "validateRole")]
    async fn validate_role(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<RoleContentBody>,
    ) -> Result<Done, Fails<NameRefusals>> {
        let (kind, content) = content(body.read()?)?;
        author(&caller, state).validate_role(kind.unwrap_or(CustomKind::Project), content).await?;
        Ok(Done)
    }

    /// Get a role
    #[oai(path = "/api/admin/roles/:roleId", method = "get", operation_id = "getRoleById")]
    async fn get_role(
        &self,
        _caller: Permitted<need::ReadRole>,
        Data(state): Data<&State>,
        #[oai(name = "roleId")] role_id: Path<i64>,
    ) -> Result<Versioned<RoleWithPermissionsBody>, Fails<LookupRefusals>> {
        let role =
            store::roles::find_document(&state.db, role_id.0).await?.ok_or_else(|| Error::no_id("role", role_id.0))?;
        let version = Version::of(&role);
        Ok(Versioned(role.into(), version))
    }

    /// Update a role
    ///
    /// Replaces the stored values, for everybody who has the role: what is absent is reset. Built-in roles cannot be
    /// changed: 403. A request that changes nothing leaves no event. The answer leaves the permissions out.
    #[oai(path = "/api/admin/roles/:roleId", method = "put", operation_id = "updateRole")]
    async fn update_role(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "roleId")] role_id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<RoleContentBody>,
    ) -> Result<Out<SavedRoleBody>, Fails<RenameRefusals>> {
        let (kind, content) = content(body.read()?)?;
        let role = author(&caller, state).update_role(role_id.0, &if_match, kind, content).await?;
        Ok(Out(role.into()))
    }

    /// Delete a role
    ///
    /// Built-in roles cannot be deleted: 403. 400 `RoleInUseError` while anybody has the role, or a group gives it to its
    /// members. 409 `RoleInUseError` while login providers give it to users whom they create; the message names these.
    #[oai(path = "/api/admin/roles/:roleId", method = "delete", operation_id = "deleteRole")]
    async fn delete_role(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "roleId")] role_id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveUnusedRefusals>> {
        author(&caller, state).delete_role(role_id.0, &if_match, &state.vault).await?;
        Ok(Done)
    }
}

/// The type and the content that a body describes.
fn content(body: RoleContentBody) -> Result<(Option<CustomKind>, RoleContent), Error> {
    let grants = body.permissions.into_iter().flatten().enumerate();
    let permissions = grants.map(|(index, grant)| read_grant(grant, index)).collect::<Result<_, _>>()?;
    let description = body.description.and_then(Nullable::into_inner).unwrap_or_default();
    Ok((body.kind, RoleContent { name: body.name, description, permissions }))
}

fn read_grant(body: RoleGrantBody, index: usize) -> Result<RoleGrant, Error> {
    let (member, permission) = match (&body.name, body.id) {
        (Some(name), _) => ("name", Permission::parse(name)),
        (None, Some(id)) => ("id", Permission::ALL.iter().copied().find(|permission| permission.id() == id)),
        (None, None) => ("name", None),
    };
    let Some(permission) = permission else {
        let path = format!("/body/permissions/{index}/{member}");
        return Err(Error::property(path, "must name a permission that exists"));
    };
    let environment = body.environment.and_then(Nullable::into_inner).filter(|name| !name.is_empty() && name != "*");
    Ok(RoleGrant { permission, environment })
}
