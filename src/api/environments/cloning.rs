//! Making an environment in the likeness of another.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{CreateRefusals, Created, Fails},
        author::author,
        body::Body,
        environments::EnvironmentBody,
        permitted::{Permitted, need},
    },
    changes::environments::CloneEnvironment,
    state::State,
    store::{self, environments::Counted},
};

/// The operation that clones environments.
#[derive(Debug)]
pub struct EnvironmentCloningApi;

/// The environment to create as a clone.
#[derive(Debug, Object)]
#[oai(rename = "CloneEnvironment", rename_all = "camelCase")]
pub struct CloneEnvironmentBody {
    /// Unique name, which cannot be changed later; 1 to 100 letters, digits, `~`, `_`, `.` or `-`. The words `project`,
    /// `sort-order`, `update` and `validate` are reserved, since they are parts of paths.
    #[oai(validator(pattern = "^[a-zA-Z0-9~_.-]+$", max_length = 100))]
    pub name: String,
    /// Type, such as `development` or `production`: 1 to 100 characters. Absent means that of the original.
    #[oai(rename = "type", validator(min_length = 1, max_length = 100))]
    pub kind: Option<String>,
    /// Ids of the projects that use the clone from the start, at most 1000; each must use the original. Absent means
    /// all that do.
    #[oai(validator(max_items = 1000, max_length = 255))]
    pub projects: Option<Vec<String>>,
    /// Whether to copy role permissions that are limited to the original. Absent means true.
    pub clone_permissions: Option<bool>,
}

#[OpenApi(tag = "Tag::Environments")]
impl EnvironmentCloningApi {
    /// Clone an environment
    ///
    /// Creates an environment in which the features of the given projects are configured as in the original: state,
    /// strategies with their segments, variants, the default strategies of the projects, and the approvals that changes
    /// need. It is last in the order, enabled if the original is, and not protected. API tokens are not cloned. Besides
    /// the events of the environment and its projects, each feature that is enabled in it leaves
    /// `feature-environment-enabled`.
    #[oai(path = "/api/admin/environments/:name/clone", method = "post", operation_id = "cloneEnvironment")]
    async fn clone_environment(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        /// Name of the original.
        name: Path<String>,
        body: Body<CloneEnvironmentBody>,
    ) -> Result<Created<EnvironmentBody>, Fails<CreateRefusals>> {
        let wanted = body.read()?;
        let clone = CloneEnvironment {
            name: wanted.name,
            kind: wanted.kind,
            projects: wanted.projects,
            with_permissions: wanted.clone_permissions.unwrap_or(true),
        };
        let clone = author(&caller, state).clone_environment(&name, clone).await?;
        let found = store::environments::find(&state.db, &clone.name, &caller.visibility().await?).await?;
        let none = Counted { environment: clone, projects: 0, api_tokens: 0, enabled_features: 0 };
        Ok(Created(found.unwrap_or(none).into()))
    }
}
