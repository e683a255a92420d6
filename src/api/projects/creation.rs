//! Making projects.

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use super::changes::{named, stickiness};
use crate::{
    api::{
        Tag,
        answer::{Created, Done, Fails, refusals},
        body::Body,
        permitted::{Permitted, need},
    },
    config::admit_one_more,
    domain::{
        feature_naming::FeatureNaming,
        project::{OWNER_ROLE, ProjectMode, document::ProjectDocument, id},
        time::Timestamp,
    },
    error::Error,
    state::State,
    store::{
        self,
        db::Tx,
        projects::{NewProject, write},
    },
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
}

/// A newly created project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectCreated", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ProjectCreatedBody {
    /// Id of the project.
    pub id: String,
    /// Name of the project.
    pub name: String,
    /// Purpose of the project; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Mode of the project: who may see it and submit change requests.
    pub mode: ProjectMode,
    /// Default stickiness of gradual rollouts and variants of the project.
    pub default_stickiness: String,
    /// Maximum number of features in the project; absent for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_limit: Option<i64>,
    /// Names of the environments that the project uses, sorted.
    pub environments: Vec<String>,
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
        let now = state.clock.now();
        let tx = store::limits::begin_making(&state.db).await?;
        admit_one_more("project", write::count(&tx).await?, state.config.limits.projects)?;
        let document = ProjectDocument {
            id: choose_id(&tx, &body).await?,
            name: named(body.name)?,
            description: body.description.and_then(Nullable::into_inner),
            mode: body.mode.unwrap_or(ProjectMode::Open),
            default_stickiness: match body.default_stickiness {
                Some(field) => stickiness(&tx, None, field).await?,
                None => "default".to_owned(),
            },
            feature_limit: None,
            feature_naming: FeatureNaming::default(),
            archived_at: None,
            link_templates: Vec::new(),
        };
        let environments = choose_environments(&tx, body.environments).await?;
        insert(&tx, &document, now).await?;
        for environment in &environments {
            store::environments::connect(&tx, &document.id, environment).await?;
        }
        if let Some(person) = caller.person() {
            store::access::people::grant_project_role(&tx, &document.id, person.id, OWNER_ROLE, now).await?;
        }
        tx.commit(now, [document.created(&environments, &caller.actor())]).await?;
        Ok(Created(ProjectCreatedBody {
            id: document.id,
            name: document.name,
            description: document.description,
            mode: document.mode,
            default_stickiness: document.default_stickiness,
            feature_limit: document.feature_limit,
            environments,
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

async fn insert(tx: &Tx, document: &ProjectDocument, now: Timestamp) -> Result<(), Error> {
    let new = NewProject {
        id: document.id.clone(),
        name: document.name.clone(),
        description: document.description.clone(),
        mode: document.mode.as_str().to_owned(),
        default_stickiness: document.default_stickiness.clone(),
        feature_limit: document.feature_limit,
    };
    let inserted = store::projects::insert(tx, &new, now).await;
    // Another request may have been quicker.
    inserted.map_err(|error| if error.is_duplicate() { taken(&document.id) } else { error.into() })
}

fn judge_id(id: &str) -> Result<(), Error> {
    id::judge(id).map_err(|fault| Error::property("/body/id", fault))
}

fn taken(id: &str) -> Error {
    Error::Conflict(format!("The project id \"{id}\" is taken."))
}

async fn choose_id(tx: &Tx, body: &NewProjectBody) -> Result<String, Error> {
    match body.id.as_deref() {
        None | Some("") => {
            let slug = id::slug(&body.name);
            Ok(id::free(&slug, &write::taken_ids(tx, &slug).await?))
        }
        Some(id) => {
            judge_id(id)?;
            if write::is_free(tx, id).await? { Ok(id.to_owned()) } else { Err(taken(id)) }
        }
    }
}

/// The environments of a new project, sorted.
async fn choose_environments(tx: &Tx, wanted: Option<AtMost<100, String>>) -> Result<Vec<String>, Error> {
    let known = write::known_environments(tx).await?;
    let mut environments: Vec<String> = match wanted {
        None => {
            let enabled: Vec<String> =
                known.into_iter().filter_map(|(name, enabled)| enabled.then_some(name)).collect();
            if enabled.is_empty() {
                let rule = "must be given: none is taken by default when none is switched on";
                return Err(Error::property("/body/environments", rule));
            }
            enabled
        }
        Some(AtMost(wanted)) => {
            let is_known = |name: &String| known.iter().any(|(known, _)| known == name);
            if let Some(index) = wanted.iter().position(|name| !is_known(name)) {
                let path = format!("/body/environments/{index}");
                return Err(Error::property(path, "must be the name of an environment that exists"));
            }
            wanted
        }
    };
    environments.sort_unstable();
    environments.dedup();
    Ok(environments)
}
