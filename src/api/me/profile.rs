//! The caller's own profile.

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals},
        caller::AuthenticatedCaller,
    },
    domain::feature::Feature,
    state::State,
    store::{self, roles::Role},
    wire::Nullable,
};

/// The operations on the caller's own profile.
#[derive(Debug)]
pub struct ProfileApi;

/// A set of permissions that can be assigned.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Role", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct RoleBody {
    /// Id of the role.
    pub id: i64,
    /// Type of the role: `root` or `root-custom` for the whole instance, `project` or `custom` for a project.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// Name of the role.
    pub name: String,
    /// Purpose of the role.
    pub description: Option<String>,
    /// Project that the role is bound to. Absent for root roles.
    pub project: Option<Nullable<String>>,
}

impl From<Role> for RoleBody {
    fn from(role: Role) -> Self {
        Self { id: role.id, kind: role.kind, name: role.name, description: Some(role.description), project: None }
    }
}

/// Role and projects of the caller.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Profile", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProfileBody {
    /// The caller's role in the whole instance.
    pub root_role: RoleBody,
    /// Ids of the projects that the caller is a member of, directly or through a group, sorted. Everybody is a member
    /// of `default`. Archived projects are left out. Empty for API tokens.
    pub projects: Vec<String>,
    /// Always empty. Deprecated since 0.1.0: use `getFeatures`.
    #[oai(deprecated)]
    pub features: Vec<Feature>,
}

#[OpenApi(tag = "Tag::Profile")]
impl ProfileApi {
    /// Get your own profile
    ///
    /// The root role of the caller and the projects that the caller is a member of. An admin API token has the role
    /// Admin and belongs to no project.
    #[oai(path = "/api/admin/user/profile", method = "get", operation_id = "getProfile")]
    async fn get_profile(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<ProfileBody>, Fails<ReadRefusals>> {
        let (role, projects) = match caller.holder() {
            Some(holder) => {
                let standing = holder.standing(&state.db).await?;
                (&standing.root_role, standing.projects.clone())
            }
            None => (store::roles::admin(&state.db).await?, Vec::new()),
        };
        Ok(Out(ProfileBody { root_role: role.clone().into(), projects, features: Vec::new() }))
    }
}
