//! Environments.

pub mod cloning;
pub mod switching;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path, types::MaybeUndefined};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Created, Done, EditRefusals, Fails, LookupRefusals, Out, ReadRefusals, refusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    changes::environments::{NewEnvironment, UpdateEnvironment, taken},
    domain::{
        address::{self, Named},
        environment::Environment,
        version::Version,
    },
    error::Error,
    state::State,
    store::{self, environments::Counted},
    wire::Nullable,
};

/// The operations on environments.
#[derive(Debug)]
pub struct EnvironmentsApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (EnvironmentsApi, cloning::EnvironmentCloningApi, switching::EnvironmentSwitchesApi)
}

refusals! {
    /// Making an environment, whose name may be taken.
    MakeRefusals = 400, 401, 403, 409, 413, 415, 503;
    /// Deleting an environment, which projects may need.
    DeleteRefusals = 400, 401, 403, 404, 409, 412, 503;
}

/// An environment with usage counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "Environment", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentBody {
    /// Unique name.
    pub name: String,
    /// Type, such as `development`, `test`, `preproduction` or `production`; reports treat `production` apart.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether the environment is enabled.
    pub enabled: bool,
    /// Whether the environment came with the instance and cannot be deleted.
    pub protected: bool,
    /// Position in lists, lowest first.
    pub sort_order: i64,
    /// Approvals that change requests need in projects that begin to use the environment, 1 to 10; `null` where projects
    /// begin without change requests.
    #[oai(validator(minimum(value = "1"), maximum(value = "10")))]
    pub required_approvals: Nullable<i64>,
    /// Projects that use the environment, among those that the caller may see.
    pub project_count: i64,
    /// API tokens that are bound to the environment, among those of projects that the caller may see.
    pub api_token_count: i64,
    /// Features that are on in the environment and not archived, among those that the caller may see.
    pub enabled_toggle_count: i64,
}

impl From<Counted> for EnvironmentBody {
    fn from(counted: Counted) -> Self {
        let Environment { name, kind, enabled, protected, sort_order, required_approvals } = counted.environment;
        Self {
            name,
            kind,
            enabled,
            protected,
            sort_order,
            required_approvals,
            project_count: counted.projects,
            api_token_count: counted.api_tokens,
            enabled_toggle_count: counted.enabled_features,
        }
    }
}

/// All environments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "Environments")]
pub struct EnvironmentsBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The environments, by sort order, then name.
    pub environments: Vec<EnvironmentBody>,
}

/// An environment to create.
#[derive(Debug, Object)]
#[oai(rename = "CreateEnvironment", rename_all = "camelCase")]
pub struct CreateEnvironmentBody {
    /// Unique name, which cannot be changed later; 1 to 100 letters, digits, `~`, `_`, `.` or `-`. The words `project`,
    /// `sort-order`, `update` and `validate` are reserved, since they are parts of paths.
    #[oai(validator(pattern = "^[a-zA-Z0-9~_.-]+$", max_length = 100))]
    pub name: String,
    /// Type, such as `development`, `test`, `preproduction` or `production`: 1 to 100 characters.
    #[oai(rename = "type", validator(min_length = 1, max_length = 100))]
    pub kind: String,
    /// Position in lists, lowest first: 0 to 1000000. Absent puts it behind all others.
    #[oai(validator(minimum(value = "0"), maximum(value = "1000000")))]
    pub sort_order: Option<i64>,
    /// Whether the environment is enabled from the start. Absent means true.
    pub enabled: Option<bool>,
    /// Approvals that change requests need in projects that begin to use the environment, 1 to 10. Absent or `null`:
    /// projects begin without change requests.
    #[oai(validator(minimum(value = "1"), maximum(value = "10")))]
    pub required_approvals: Option<Nullable<i64>>,
}

/// A name to check for an environment.
#[derive(Debug, Object)]
#[oai(rename = "EnvironmentName")]
pub struct EnvironmentNameBody {
    /// The name: 1 to 100 letters, digits, `~`, `_`, `.` or `-`.
    #[oai(validator(pattern = "^[a-zA-Z0-9~_.-]+$", max_length = 100))]
    pub name: String,
}

/// Changes of an environment. What is absent stays as it is.
#[derive(Debug, Object)]
#[oai(rename = "UpdateEnvironment", rename_all = "camelCase")]
pub struct UpdateEnvironmentBody {
    /// Type, such as `development` or `production`: 1 to 100 characters. Absent keeps it.
    #[oai(rename = "type", validator(min_length = 1, max_length = 100))]
    pub kind: Option<String>,
    /// Position in lists, lowest first: 0 to 1000000. Absent keeps it.
    #[oai(validator(minimum(value = "0"), maximum(value = "1000000")))]
    pub sort_order: Option<i64>,
    /// Approvals that change requests need in projects that begin to use the environment, 1 to 10; `null` for projects
    /// that begin without change requests. Absent keeps it.
    #[oai(validator(minimum(value = "1"), maximum(value = "10")))]
    pub required_approvals: MaybeUndefined<Nullable<i64>>,
}

#[OpenApi(tag = "Tag::Environments")]
impl EnvironmentsApi {
    /// List the environments
    ///
    /// Every environment of the instance, with usage counts. Needs no permission; what the caller may not see is not
    /// counted.
    #[oai(path = "/api/admin/environments", method = "get", operation_id = "getAllEnvironments")]
    async fn get_all_environments(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<EnvironmentsBody>, Fails<ReadRefusals>> {
        let found = store::environments::list(&state.db, &caller.visibility().await?).await?;
        Ok(Out(EnvironmentsBody { version: 1, environments: found.into_iter().map(Into::into).collect() }))
    }

    /// Get an environment
    ///
    /// Needs no permission; what the caller may not see is not counted. The `ETag` covers the settings only, not the
    /// counts.
    #[oai(path = "/api/admin/environments/:name", method = "get", operation_id = "getEnvironment")]
    async fn get_environment(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        name: Path<String>,
    ) -> Result<Versioned<EnvironmentBody>, Fails<LookupRefusals>> {
        let found = store::environments::find(&state.db, &name, &caller.visibility().await?).await?;
        let found = found.ok_or_else(|| Error::not_found("environment", &name))?;
        let version = Version::of(&found.environment);
        Ok(Versioned(found.into(), version))
    }

    /// Create an environment
    ///
    /// Projects do not use the environment until it is added to them.
    #[oai(path = "/api/admin/environments", method = "post", operation_id = "createEnvironment")]
    async fn create_environment(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<CreateEnvironmentBody>,
    ) -> Result<Created<EnvironmentBody>, Fails<MakeRefusals>> {
        let wanted = body.read()?;
        let new = NewEnvironment {
            name: wanted.name,
            kind: wanted.kind,
            enabled: wanted.enabled.unwrap_or(true),
            sort_order: wanted.sort_order,
            required_approvals: wanted.required_approvals.and_then(Nullable::into_inner),
        };
        let new = author(&caller, state).create_environment(new).await?;
        Ok(Created(Counted { environment: new, projects: 0, api_tokens: 0, enabled_features: 0 }.into()))
    }

    /// Validate an environment name
    ///
    /// Checks whether an environment can be created with the name: 409 when it is taken.
    #[oai(path = "/api/admin/environments/validate", method = "post", operation_id = "validateEnvironmentName")]
    async fn validate_environment_name(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<EnvironmentNameBody>,
    ) -> Result<Done, Fails<MakeRefusals>> {
        let EnvironmentNameBody { name } = body.read()?;
        address::judge(Named::Environment, &name).map_err(|fault| Error::property("/body/name", fault))?;
        if store::environments::exists(&state.db, &name).await? {
            return Err(taken(&name).into());
        }
        Ok(Done)
    }

    /// Update an environment
    ///
    /// Changes the type, the position and the approvals that projects begin with; the name cannot be changed. The type of
    /// a protected environment cannot be changed. Projects that use the environment keep their approvals. A request that
    /// changes nothing leaves no event.
    #[oai(path = "/api/admin/environments/update/:name", method = "put", operation_id = "updateEnvironment")]
    async fn update_environment(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<UpdateEnvironmentBody>,
    ) -> Result<Out<EnvironmentBody>, Fails<EditRefusals>> {
        let wanted = body.read()?;
        let required_approvals = match wanted.required_approvals {
            MaybeUndefined::Undefined => None,
            MaybeUndefined::Null => Some(Nullable(None)),
            MaybeUndefined::Value(required) => Some(required),
        };
        let update = UpdateEnvironment { kind: wanted.kind, sort_order: wanted.sort_order, required_approvals };
        author(&caller, state).update_environment(&name, update, &if_match).await?;
        let found = store::environments::find(&state.db, &name, &caller.visibility().await?).await?;
        Ok(Out(found.ok_or_else(|| Error::not_found("environment", &name))?.into()))
    }

    /// Delete an environment
    ///
    /// Deletes the configuration of every feature in it, its API tokens, and role permissions limited to it; reported
    /// usage stays. Refused for protected environments, in a freeze, and while it is the only environment of a project: add
    /// another environment to that project first.
    #[oai(path = "/api/admin/environments/:name", method = "delete", operation_id = "removeEnvironment")]
    async fn remove_environment(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<DeleteRefusals>> {
        author(&caller, state).delete_environment(&name, &if_match).await?;
        Ok(Done)
    }
}
