//! Uses of a role.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out},
        permitted::{Permitted, need},
    },
    error::Error,
    state::State,
    store,
};

/// The operation for the uses of a role.
#[derive(Debug)]
pub struct RoleUsesApi;

/// Number of users, groups and service accounts with a role in a project.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "RoleUse", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct RoleUseBody {
    /// Id of the project.
    pub project: String,
    /// Id of the role.
    pub role: i64,
    /// Users who hold it there.
    pub user_count: u64,
    /// Groups that hold it there.
    pub group_count: u64,
    /// Service accounts that hold it there.
    pub service_account_count: u64,
}

/// Uses of a role.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "RoleUses")]
pub struct RoleUsesBody {
    /// The projects that are not archived, by id.
    pub projects: Vec<RoleUseBody>,
}

#[OpenApi(tag = "Tag::Roles")]
impl RoleUsesApi {
    /// List the projects in which a role is assigned
    ///
    /// The projects, each with the number of users, groups and service accounts that have the role there.
    #[oai(path = "/api/admin/projects/roles/:roleId/access", method = "get", operation_id = "getProjectRoleUsage")]
    async fn get_project_role_usage(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "roleId")] role_id: Path<i64>,
    ) -> Result<Out<RoleUsesBody>, Fails<LookupRefusals>> {
        let role = store::roles::find(&state.db, role_id.0).await?.ok_or_else(|| Error::no_id("role", role_id.0))?;
        let uses = store::roles::uses(&state.db, role.id).await?;
        let body = |found: store::roles::RoleUse| RoleUseBody {
            project: found.project,
            role: role.id,
            user_count: found.users,
            group_count: found.groups,
            service_account_count: found.service_accounts,
        };
        Ok(Out(RoleUsesBody { projects: uses.into_iter().map(body).collect() }))
    }
}
