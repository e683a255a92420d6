//! Making projects.

use std::collections::BTreeMap;

use flagstone_config::admit_one_more;
use flagstone_domain::{
    change_request::{self, configuration::of_new_project},
    feature_naming::FeatureNaming,
    ids::{EnvironmentName, ProjectId},
    project::{OWNER_ROLE, ProjectMode, document::ProjectDocument, id},
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    change_requests::configuration,
    db::Tx,
    projects::{NewProject, write},
};

use crate::{
    Author, Begin, Transaction,
    projects::{named, stickiness},
};

/// A project to create.
#[derive(Debug)]
pub struct CreateProject {
    /// Id of the project; `None` or empty for one from the name.
    pub id: Option<String>,
    /// Display name.
    pub name: String,
    /// Purpose of the project.
    pub description: Option<String>,
    /// Visibility of the project.
    pub mode: ProjectMode,
    /// Default stickiness of gradual rollouts and variants.
    pub default_stickiness: Option<String>,
    /// Names of the environments that the project uses; `None` for all that are enabled.
    pub environments: Option<Vec<String>>,
    /// Environments in which changes need approval from the start, besides the default ones.
    pub change_requests: Vec<AskedApprovals>,
}

/// Environment in which changes of a new project are to need approval.
#[derive(Debug)]
pub struct AskedApprovals {
    /// Name of the environment, which the project need not use.
    pub environment: String,
    /// Approvals that change requests need; `None` for as many as usual.
    pub required: Option<i64>,
}

/// A project that was created.
#[derive(Debug)]
pub struct CreatedProject {
    /// Its properties.
    pub document: ProjectDocument,
    /// Names of the environments that it uses, sorted.
    pub environments: Vec<String>,
    /// Approvals that changes need, by environment, where they need any.
    pub approvals: BTreeMap<String, i64>,
}

impl Author<'_> {
    /// Creates a project, which a person then owns.
    pub async fn create_project(self, wanted: CreateProject) -> Result<CreatedProject, Error> {
        let transaction = self.begin(Begin::MakingLimited).await?;
        let (tx, now) = (&transaction.tx, transaction.now);
        admit_one_more("project", write::count(tx).await?, self.limits.projects)?;
        let document = ProjectDocument {
            id: choose_id(tx, &wanted).await?,
            name: named(wanted.name)?,
            description: wanted.description,
            mode: wanted.mode,
            default_stickiness: match wanted.default_stickiness {
                Some(field) => stickiness(tx, None, field).await?,
                None => "default".to_owned(),
            },
            feature_limit: None,
            feature_naming: FeatureNaming::default(),
            archived_at: None,
            link_templates: Vec::new(),
        };
        let known = write::known_environments(tx).await?;
        let asked = asked_approvals(&known, wanted.change_requests)?;
        let environments = choose_environments(known, wanted.environments)?;
        insert(tx, &document, now).await?;
        let project = ProjectId::new(&document.id);
        for environment in &environments {
            store::environments::connect(tx, project, EnvironmentName::new(environment)).await?;
        }
        let approvals = start_approvals(&transaction, project, &environments, asked).await?;
        if let Some(person) = self.caller.person() {
            store::access::people::grant_project_role(tx, &document.id, person.id, OWNER_ROLE, now).await?;
        }
        let actor = self.caller.actor();
        let configured = approvals.iter().filter_map(|(environment, required)| {
            let environment = EnvironmentName::new(environment);
            change_request::event::configured(project, environment, None, Some(*required), &actor)
        });
        transaction.commit(std::iter::once(document.created(&environments, &actor)).chain(configured)).await?;
        Ok(CreatedProject { document, environments, approvals })
    }
}

/// The approvals that were asked for, by environment, within what new projects take.
fn asked_approvals(known: &[(String, bool)], asked: Vec<AskedApprovals>) -> Result<BTreeMap<String, i64>, Error> {
    let mut approvals = BTreeMap::new();
    for (index, one) in asked.into_iter().enumerate() {
        let path = format!("/body/changeRequestEnvironments/{index}/name");
        if !known.iter().any(|(known, _)| *known == one.environment) {
            return Err(Error::property(path, "must be the name of an environment that exists"));
        }
        if approvals.insert(one.environment, of_new_project(one.required)).is_some() {
            return Err(Error::property(path, "names an environment that an earlier item names"));
        }
    }
    Ok(approvals)
}

/// Lets changes of a new project need the approvals that were asked for, and the default ones of the other environments
/// that it uses. Returns them by environment.
async fn start_approvals(
    transaction: &Transaction<'_>,
    project: ProjectId<'_>,
    environments: &[String],
    asked: BTreeMap<String, i64>,
) -> Result<BTreeMap<String, i64>, Error> {
    let mut approvals = configuration::defaults(&transaction.tx).await?;
    approvals.retain(|environment, _| environments.contains(environment));
    approvals.extend(asked);
    for (environment, required) in &approvals {
        let environment = EnvironmentName::new(environment);
        configuration::start(&transaction.tx, project, environment, *required, transaction.now).await?;
    }
    Ok(approvals)
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

/// Refuses an id that projects cannot have.
pub fn judge_id(id: &str) -> Result<(), Error> {
    id::judge(id).map_err(|fault| Error::property("/body/id", fault))
}

/// Error that the id of a project is taken.
pub fn taken(id: &str) -> Error {
    Error::Conflict(format!("The project id \"{id}\" is taken."))
}

async fn choose_id(tx: &Tx, wanted: &CreateProject) -> Result<String, Error> {
    match wanted.id.as_deref() {
        None | Some("") => {
            let slug = id::slug(&wanted.name);
            Ok(id::free(&slug, &write::taken_ids(tx, &slug).await?))
        }
        Some(id) => {
            judge_id(id)?;
            if write::is_free(tx, id).await? { Ok(id.to_owned()) } else { Err(taken(id)) }
        }
    }
}

/// The environments of a new project, sorted.
fn choose_environments(known: Vec<(String, bool)>, wanted: Option<Vec<String>>) -> Result<Vec<String>, Error> {
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
        Some(wanted) => {
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
