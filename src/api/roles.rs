//! Roles, and the permissions that they are made of.

pub mod choice;
pub mod uses;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Done, Fails, LookupRefusals, Out, ReadRefusals, RemoveRefusals},
        body::Body,
        groups::{NameRefusals, RenameRefusals, keep_an_administrator},
        me::profile::RoleBody,
        permitted::{Permitted, need},
        version::Versioned,
    },
    changes::if_match::IfMatch,
    domain::{
        address::{self, Named},
        event::NewEvent,
        event_kind::EventKind,
        permission::{Permission, Scope},
        role::{CustomKind, RoleDocument, RoleGrant},
        settings::{OidcSettings, ProviderSettings, SamlSettings},
        version::Version,
    },
    error::Error,
    state::State,
    store::{self, db::Tx, roles::RoleContent},
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
        #[expect(unused_variables, reason = "anybody who is known may read this")] caller: Caller,
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
        let body = body.read()?;
        let kind = body.kind.unwrap_or(CustomKind::Project);
        let tx = state.db.begin().await?;
        let content = content(&tx, body, kind, None).await?;
        let id = store::roles::insert(&tx, kind, &content).await.map_err(|error| taken(error, &content))?;
        let role = read(&tx, id).await?;
        let event = NewEvent::new(EventKind::RoleCreated, &caller.actor()).with_data(&role);
        tx.commit(state.clock.now(), [event]).await?;
        Ok(Out(role.into()))
    }

    /// Validate a role
    ///
    /// 200 when the role can be created, and otherwise the error of creating it.
    #[oai(path = "/api/admin/roles/validate", method = "post", operation_id = "validateRole")]
    async fn validate_role(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<RoleContentBody>,
    ) -> Result<Done, Fails<NameRefusals>> {
        let body = body.read()?;
        let kind = body.kind.unwrap_or(CustomKind::Project);
        let tx = state.db.begin().await?;
        content(&tx, body, kind, None).await?;
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
        let role = store::roles::find_document(&state.db, role_id.0).await?.ok_or_else(|| missing(role_id.0))?;
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
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<RoleContentBody>,
    ) -> Result<Out<SavedRoleBody>, Fails<RenameRefusals>> {
        let body = body.read()?;
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        let administrators = store::access::administrators::hold(&tx, now).await?;
        let (old, kind) = hold_custom(&tx, role_id.0).await?;
        if_match.check(Version::of(&old))?;
        if body.kind.is_some_and(|wanted| wanted != kind) {
            let rule = format!("must be {}: the type cannot be changed", kind.as_str());
            return Err(Error::property("/body/type", rule).into());
        }
        let content = content(&tx, body, kind, Some(&old)).await?;
        store::roles::save(&tx, old.id, &content).await.map_err(|error| taken(error, &content))?;
        keep_an_administrator(&tx, administrators).await?;
        let role = read(&tx, old.id).await?;
        let event = (role != old)
            .then(|| NewEvent::new(EventKind::RoleUpdated, &caller.actor()).with_data(&role).with_pre_data(&old));
        tx.commit(now, event).await?;
        Ok(Out(role.into()))
    }

    /// Delete a role
    ///
    /// Built-in roles cannot be deleted: 403. 400 `RoleInUseError` while anybody has the role, a group gives it to its
    /// members, or a login provider gives it to new users.
    #[oai(path = "/api/admin/roles/:roleId", method = "delete", operation_id = "deleteRole")]
    async fn delete_role(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "roleId")] role_id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let tx = state.db.begin().await?;
        let (old, _) = hold_custom(&tx, role_id.0).await?;
        if_match.check(Version::of(&old))?;
        if store::roles::is_held(&tx, old.id).await? || is_default(&tx, state, old.id).await? {
            let message = format!("The role \"{}\" is in use; take it from everybody first.", old.name);
            return Err(Error::Rule { name: "RoleInUseError", message }.into());
        }
        store::roles::delete(&tx, old.id).await?;
        let event = NewEvent::new(EventKind::RoleDeleted, &caller.actor()).with_pre_data(&old);
        tx.commit(state.clock.now(), [event]).await?;
        Ok(Done)
    }
}

async fn hold_custom(tx: &Tx, id: i64) -> Result<(RoleDocument, CustomKind), Error> {
    let role = store::roles::hold(tx, id).await?.ok_or_else(|| missing(id))?;
    match CustomKind::parse(&role.kind) {
        Some(kind) => Ok((role, kind)),
        None => Err(Error::forbidden(format!("The role \"{}\" is built in and stays as it is.", role.name))),
    }
}

/// Whether a login provider gives the role to people who sign in for the first time.
async fn is_default(tx: &Tx, state: &State, id: i64) -> Result<bool, Error> {
    let oidc: OidcSettings = store::settings::get(tx, &state.vault).await?;
    let saml: SamlSettings = store::settings::get(tx, &state.vault).await?;
    let given = [oidc.default_root_role_id(), saml.default_root_role_id()];
    Ok(given.into_iter().flatten().any(|given| given.whole() == Some(id)))
}

/// The content that a body describes; what the schema cannot say is checked here.
async fn content(
    tx: &Tx,
    body: RoleContentBody,
    kind: CustomKind,
    old: Option<&RoleDocument>,
) -> Result<RoleContent, Error> {
    if old.is_none_or(|old| old.name != body.name) {
        address::judge(Named::Role, &body.name).map_err(|fault| Error::property("/body/name", fault))?;
    }
    let environments = store::roles::environments(tx).await?;
    let mut permissions = Vec::new();
    for (index, grant) in body.permissions.into_iter().flatten().enumerate() {
        let grant = read_grant(grant, index)?;
        let path = format!("/body/permissions/{index}");
        if let Err(unfit) = grant.judge(kind) {
            return Err(Error::property(path, unfit));
        }
        if let Some(environment) = grant.environment.as_ref().filter(|name| !environments.contains(name)) {
            let path = format!("{path}/environment");
            return Err(Error::property(
                path,
                format!("names the environment \"{environment}\", which does not exist"),
            ));
        }
        permissions.push(grant);
    }
    permissions.sort();
    permissions.dedup();
    let description = body.description.and_then(Nullable::into_inner).unwrap_or_default();
    let content = RoleContent { name: body.name, description, permissions };
    match store::roles::find_named(tx, &content.name).await? {
        Some(other) if old.is_none_or(|old| old.id != other) => Err(name_taken(&content)),
        _ => Ok(content),
    }
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

fn name_taken(content: &RoleContent) -> Error {
    Error::Conflict(format!("There is a role named \"{}\" already.", content.name))
}

fn taken(error: store::StoreError, content: &RoleContent) -> Error {
    if error.is_duplicate() { name_taken(content) } else { error.into() }
}

async fn read(tx: &Tx, id: i64) -> Result<RoleDocument, Error> {
    let role = store::roles::find_document(tx, id).await?;
    role.ok_or_else(|| Error::internal(format!("role {id} has gone while it was held")))
}

fn missing(id: i64) -> Error {
    Error::no_id("role", id)
}
