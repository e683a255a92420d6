//! Making projects.

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Created, Done, Fails, refusals},
        author::author,
        body::Body,
        permitted::{Permitted, need},
    },
    changes::project_creation::{AskedApprovals, CreateProject, CreatedProject, judge_id, taken},
    domain::project::ProjectMode,
    state::State,
    store::projects::write,
    wire::{AtMost, Nullable},
};

refusals! {
    /// Making something that lives in nothing and whose name may be taken.
    NewProjectRefusals = 400, 401, 403, 409, 413, 415, 503;
}

/// Creation of projects.
#[derive(Debug)]
pub struct ProjectCreationApi;

/// A project to create.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "CreateProject", rename_all = "camelCase")]
pub struct NewProjectBody {
    /// Id of the project, which cannot be changed later: letters, digits and the characters `_ ~ . -`. Absent or empty:
    /// derived from the name, with a number appended when that is taken.
    #[oai(validator(max_length = 100, pattern = "^[A-Za-z0-9_~.-]*$"))]
    id: Option<String>,
    /// Display name; at least one character is not blank.
    #[oai(validator(min_length = 1, max_length = 200))]
    name: String,
    /// Purpose of the project. Absent or `null`: none.
    #[oai(validator(max_length = 10000))]
    description: Option<Nullable<String>>,
    /// Visibility of the project. Absent: `open`.
    mode: Option<ProjectMode>,
    /// Default stickiness of gradual rollouts and variants: `default`, `random`, or one that allows stickiness. Absent:
    /// `default`.
    #[oai(validator(min_length = 1, max_length = 100))]
    default_stickiness: Option<String>,
    /// Names of the environments that the project uses, at most 100. Empty: none. Absent: all enabled environments.
    #[oai(validator(max_length = 100))]
    environments: Option<AtMost<100, String>>,
    /// Environments in which changes need approval from the start, at most 100, also ones that the project does not use
    /// yet. Absent: those where this is the default.
    change_request_environments: Option<AtMost<100, NewProjectApprovalsBody>>,
}

/// An environment in which changes of a new project are to need approval.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "RequestedApprovals", rename_all = "camelCase")]
pub struct NewProjectApprovalsBody {
    /// Name of the environment.
    #[oai(validator(min_length = 1, max_length = 100))]
    name: String,
    /// Approvals that change requests need: less than 1 counts as 1, and more than 10 as 10. Absent: 1.
    required_approvals: Option<i64>,
}

/// An environment in which changes of a project need approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "EnvironmentApprovals", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProjectApprovalsBody {
    /// Name of the environment.
    pub name: String,
    /// Approvals that change requests need.
    #[oai(validator(minimum(value = "1"), maximum(value = "10")))]
    pub required_approvals: i64,
}

/// A newly created project.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectCreated", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ProjectCreatedBody {
    /// Id of the project.
    pub id: String,
    /// Name of the project.
    pub name: String,
    /// Purpose of the project; absent when there is none.
    pub description: Option<String>,
    /// Mode of the project: who may see it and submit change requests.
    pub mode: ProjectMode,
    /// Default stickiness of gradual rollouts and variants of the project.
    pub default_stickiness: String,
    /// Maximum number of features in the project; absent for no limit.
    pub feature_limit: Option<i64>,
    /// Names of the environments that the project uses, sorted.
    pub environments: Vec<String>,
    /// Environments in which changes need approval, by name; absent when there are none.
    pub change_request_environments: Option<Vec<ProjectApprovalsBody>>,
}

impl From<NewProjectApprovalsBody> for AskedApprovals {
    fn from(body: NewProjectApprovalsBody) -> Self {
        Self { environment: body.name, required: body.required_approvals }
    }
}

/// An id to be judged.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ProjectId")]
pub struct ProjectIdBody {
    /// The id.
    #[oai(validator(max_length = 1000))]
    id: String,
}

#[OpenApi(tag = "Tag::Projects")]
impl ProjectCreationApi {
    /// Create a project
    ///
    /// A user who creates a project becomes its owner. The id of a deleted private project cannot be used again, since
    /// that would expose its history.
    #[oai(path = "/api/admin/projects", method = "post", operation_id = "createProject")]
    async fn create_project(
        &self,
        caller: Permitted<need::CreateProject>,
        Data(state): Data<&State>,
        body: Body<NewProjectBody>,
    ) -> Result<Created<ProjectCreatedBody>, Fails<NewProjectRefusals>> {
        let body = body.read()?;
        let asked = body.change_request_environments.into_iter().flat_map(|list| list.0);
        let new = CreateProject {
            id: body.id,
            name: body.name,
            description: body.description.and_then(Nullable::into_inner),
            mode: body.mode.unwrap_or(ProjectMode::Open),
            default_stickiness: body.default_stickiness,
            environments: body.environments.map(|list| list.0),
            change_requests: asked.map(AskedApprovals::from).collect(),
        };
        let CreatedProject { document, environments, approvals } = author(&caller, state).create_project(new).await?;
        Ok(Created(ProjectCreatedBody {
            id: document.id,
            name: document.name,
            description: document.description,
            mode: document.mode,
            default_stickiness: document.default_stickiness,
            feature_limit: document.feature_limit,
            environments,
            change_request_environments: (!approvals.is_empty()).then(|| {
                let shown = |(name, required_approvals)| ProjectApprovalsBody { name, required_approvals };
                approvals.into_iter().map(shown).collect()
            }),
        }))
    }

    /// Validate a project id
    ///
    /// Checks whether a project can be created with this id: 400 when the id is invalid, 409 when it is taken.
    #[oai(path = "/api/admin/projects/validate", method = "post", operation_id = "validateProject")]
    async fn validate_project(
        &self,
        _caller: Permitted<need::CreateProject>,
        Data(state): Data<&State>,
        body: Body<ProjectIdBody>,
    ) -> Result<Done, Fails<NewProjectRefusals>> {
        let body = body.read()?;
        judge_id(&body.id)?;
        if write::is_free(&state.db, &body.id).await? { Ok(Done) } else { Err(taken(&body.id).into()) }
    }
}
