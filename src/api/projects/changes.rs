//! Making and changing projects.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path, types::MaybeUndefined};
use serde::Serialize;

use super::hold_in_use;
use crate::{
    api::{
        Tag,
        answer::{Created, Done, EditRefusals, Fails, refusals},
        body::Body,
        caller::Caller,
        permitted::{InProject, Permitted, need},
        version::IfMatch,
    },
    config::admit_one_more,
    domain::{
        feature_link::{LinkTemplate, MOST_LINKS},
        feature_naming::FeatureNaming,
        project::{DEFAULT_PROJECT, OWNER_ROLE, ProjectMode, document::ProjectDocument, id},
        time::Timestamp,
    },
    error::Error,
    state::State,
    store::{
        self,
        context_fields::Which,
        db::Tx,
        projects::{NewProject, write},
    },
    wire::{AtMost, Nullable},
};

refusals! {
    /// Making something that lives in nothing and whose name may be taken.
    NewProjectRefusals = 400, 401, 403, 409, 413, 415, 503;
}

/// Changes of projects.
#[derive(Debug)]
pub struct ProjectChangesApi;

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

/// Name and description of a project.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ProjectChange", rename_all = "camelCase")]
pub struct ProjectChangeBody {
    /// Display name; at least one character is not blank.
    #[oai(validator(min_length = 1, max_length = 200))]
    name: String,
    /// Purpose of the project; `null` for none. Absent: stays as it is.
    #[oai(validator(max_length = 10000))]
    description: MaybeUndefined<Nullable<String>>,
    /// Default stickiness of gradual rollouts and variants: `default`, `random`, or one that allows stickiness. Absent:
    /// stays as it is.
    #[oai(validator(min_length = 1, max_length = 100))]
    default_stickiness: Option<String>,
    /// Visibility of the project. Absent: stays as it is.
    mode: Option<ProjectMode>,
}

/// Naming rules for features of a project. Empty texts count as `null`.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "FeatureNamingChange")]
pub struct FeatureNamingChangeBody {
    /// JavaScript regular expression for the whole name, without delimiters and flags, and without lookaround and
    /// backreferences, which cannot be matched in linear time. Absent or `null`: no rule.
    #[oai(validator(max_length = 1000))]
    pattern: Option<Nullable<String>>,
    /// A name that matches the pattern. Absent or `null`: none. Needs a pattern.
    #[oai(validator(max_length = 100))]
    example: Option<Nullable<String>>,
    /// Hint for users who create a feature. Absent or `null`: none. Needs a pattern.
    #[oai(validator(max_length = 1000))]
    description: Option<Nullable<String>>,
}

/// A link that each new feature of a project gets.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ProjectLinkTemplateContent", rename_all = "camelCase")]
pub struct LinkTemplateBody {
    /// Title of the links. Absent, empty or `null`: none.
    #[oai(validator(max_length = 255))]
    title: Option<Nullable<String>>,
    /// Address of the links, as of `createFeatureLink`. `{{project}}` becomes the id of the project, `{{feature}}` the
    /// name of the feature; with 100 characters for each it has at most 2000.
    #[oai(validator(min_length = 1, max_length = 2000))]
    url_template: String,
}

/// Settings of a project.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ProjectSettingsChange", rename_all = "camelCase")]
pub struct ProjectSettingsBody {
    /// Visibility of the project. Absent: stays as it is.
    mode: Option<ProjectMode>,
    /// Default stickiness of gradual rollouts and variants: `default`, `random`, or one that allows stickiness. Absent:
    /// stays as it is.
    #[oai(validator(min_length = 1, max_length = 100))]
    default_stickiness: Option<String>,
    /// Maximum number of features that are not archived; `null` for no limit. Existing features stay when it is
    /// lowered. Absent: stays as it is.
    #[oai(validator(minimum(value = "0"), maximum(value = "1000000")))]
    feature_limit: MaybeUndefined<Nullable<i64>>,
    /// Replaces the naming rules for new features; existing features keep their names. Absent: stays as it is.
    feature_naming: Option<FeatureNamingChangeBody>,
    /// Replaces the links that each new feature gets, at most 10; existing features keep theirs. Absent: stays as it
    /// is.
    link_templates: Option<AtMost<MOST_LINKS, LinkTemplateBody>>,
}

#[OpenApi(tag = "Tag::Projects")]
impl ProjectChangesApi {
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

    /// Update a project
    ///
    /// A request that changes nothing leaves no event.
    #[oai(path = "/api/admin/projects/:projectId", method = "put", operation_id = "updateProject")]
    async fn update_project(
        &self,
        caller: Permitted<need::UpdateProject, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<ProjectChangeBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let project = caller.project(&project_id).await?;
        let body = body.read()?;
        let tx = state.db.begin().await?;
        let held = hold_in_use(&tx, project.id()).await?;
        if_match.check(held.version)?;
        let before = held.document;
        let mut after = ProjectDocument { name: named(body.name)?, ..before.clone() };
        match body.description {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => after.description = None,
            MaybeUndefined::Value(description) => after.description = description.into_inner(),
        }
        if let Some(field) = body.default_stickiness.filter(|field| *field != after.default_stickiness) {
            after.default_stickiness = stickiness(&tx, Some(&after.id), field).await?;
        }
        if let Some(mode) = body.mode {
            after.mode = mode;
        }
        change(&caller, state, tx, &before, &after).await?;
        Ok(Done)
    }

    /// Update the settings of a project
    ///
    /// What is absent stays as it is; a request that changes nothing leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/settings",
        method = "put",
        operation_id = "updateProjectEnterpriseSettings"
    )]
    async fn update_project_settings(
        &self,
        caller: Permitted<need::WriteProjectSettings, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<ProjectSettingsBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let project = caller.project(&project_id).await?;
        let body = body.read()?;
        let tx = state.db.begin().await?;
        let held = hold_in_use(&tx, project.id()).await?;
        if_match.check(held.version)?;
        let before = held.document;
        let mut after = before.clone();
        if let Some(mode) = body.mode {
            after.mode = mode;
        }
        if let Some(field) = body.default_stickiness.filter(|field| *field != after.default_stickiness) {
            after.default_stickiness = stickiness(&tx, Some(&after.id), field).await?;
        }
        match body.feature_limit {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => after.feature_limit = None,
            MaybeUndefined::Value(limit) => after.feature_limit = limit.into_inner(),
        }
        if let Some(naming) = body.feature_naming {
            after.feature_naming = naming.rule()?;
        }
        if let Some(AtMost(templates)) = body.link_templates {
            after.link_templates = link_templates(templates)?;
        }
        change(&caller, state, tx, &before, &after).await?;
        Ok(Done)
    }
}

impl FeatureNamingChangeBody {
    fn rule(self) -> Result<FeatureNaming, Error> {
        let text = |text: Option<Nullable<String>>| text.and_then(Nullable::into_inner);
        let [pattern, example, description] = [self.pattern, self.example, self.description].map(text);
        let naming = FeatureNaming { pattern, example, description }.tidied();
        naming.judge().map_err(|fault| Error::property(format!("/body/featureNaming/{}", fault.member()), fault))?;
        Ok(naming)
    }
}

fn link_templates(given: Vec<LinkTemplateBody>) -> Result<Vec<LinkTemplate>, Error> {
    let templates = given.into_iter().enumerate().map(|(index, given)| {
        let title = given.title.and_then(Nullable::into_inner).filter(|title| !title.is_empty());
        let template = LinkTemplate { title: title.into(), url_template: given.url_template };
        let property = || format!("/body/linkTemplates/{index}/urlTemplate");
        template.judge().map_err(|fault| Error::property(property(), fault))?;
        Ok(template)
    });
    templates.collect()
}

/// Saves what a project has become, with its event, if anything is other than before.
pub(super) async fn change(
    caller: &Caller,
    state: &State,
    tx: Tx,
    before: &ProjectDocument,
    after: &ProjectDocument,
) -> Result<(), Error> {
    if after.id == DEFAULT_PROJECT && after.is_private() {
        return Err(Error::property("/body/mode", "cannot be private for the project that everybody works in"));
    }
    let Some(event) = before.updated(after, &caller.actor()) else { return Ok(()) };
    let now = state.clock.now();
    store::projects::write::save(&tx, after, now).await?;
    Ok(tx.commit(now, [event]).await?)
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

fn named(name: String) -> Result<String, Error> {
    if name.trim().is_empty() {
        return Err(Error::property("/body/name", "must hold more than blanks"));
    }
    Ok(name)
}

/// The field, if rollouts of a project can stick to it, or those of one that is yet to be made.
async fn stickiness(tx: &Tx, project: Option<&str>, field: String) -> Result<String, Error> {
    let usable = Which::usable_in(project);
    if matches!(&*field, "default" | "random") || store::context_fields::allows_stickiness(tx, usable, &field).await? {
        return Ok(field);
    }
    let rule = format!(
        "must be default, random, or a context field that allows stickiness; \
         \"{field}\" is none"
    );
    Err(Error::property("/body/defaultStickiness", rule))
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
