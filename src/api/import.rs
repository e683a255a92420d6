//! Import and export of features between instances.

mod lists;

use std::sync::atomic::Ordering;

use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{ChangeRefusals, Fails, Out, WriteRefusals},
        author::author,
        body::LargeBody,
        caller::AuthenticatedCaller,
        permitted::{InProject, Permitted, need},
    },
    changes::features,
    domain::{
        change_summary::ChangeBody,
        event::NewEvent,
        ids::{EnvironmentName, ProjectId},
        import::{Findings, ImportData, ImportRequest},
        visibility::Visibility,
    },
    error::{Error, Finding},
    state::{State, reception::Queue},
    store::{self, export::Wanted},
};

/// The operations that take data sets in and give them out.
#[derive(Debug)]
pub struct ImportApi;

/// Features to export, and their environment. One of `features`, `project` and `tag` is required; a feature must match
/// all that are given.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ExportRequest", rename_all = "camelCase")]
pub struct ExportBody {
    /// Name of the environment whose strategies, variants and switches to export.
    #[oai(validator(max_length = 255))]
    environment: String,
    /// Names of features; archived ones are exported, too. An empty list means no filter by name.
    #[oai(validator(max_items = 100_000, max_length = 255))]
    features: Option<Vec<String>>,
    /// Id of the project whose active features to export.
    #[oai(validator(max_length = 255))]
    project: Option<String>,
    /// Value of a tag, of any type: features with it that are not archived are exported.
    #[oai(validator(max_length = 255))]
    tag: Option<String>,
    /// Ignored; older clients send it.
    download_file: Option<bool>,
}

/// Most events that the answer to an import lists: it may leave hundreds of thousands.
const LISTED_EVENTS: usize = 1000;

/// Result of an import, or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ImportOutcome", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ImportOutcomeBody {
    /// Whether this was a dry run: nothing has been changed.
    pub dry_run: bool,
    /// Findings of the validation. Errors and missing permissions are listed in a dry run only; otherwise the import is
    /// refused.
    pub findings: Findings,
    /// The first 1000 events that the import leaves in the log, in order; empty when it would be refused.
    #[oai(validator(max_items = 1000))]
    pub events: Vec<ChangeBody>,
    /// Total number of events.
    pub total_events: u64,
}

impl ImportOutcomeBody {
    fn new(dry_run: bool) -> Self {
        Self { dry_run, findings: Findings::default(), events: Vec::new(), total_events: 0 }
    }

    fn note(&mut self, event: &NewEvent) {
        self.total_events += 1;
        if self.events.len() < LISTED_EVENTS {
            self.events.push(event.into());
        }
    }
}

#[OpenApi(tag = "Tag::ImportExport")]
impl ImportApi {
    /// Validate feature import data
    ///
    /// Checks whether a data set can be imported into a project and environment. Nothing is stored. When there are no
    /// errors and no missing permissions, importing the same data set succeeds. The permissions are those that the
    /// single operations need for what the import would actually change, including `UPDATE_FEATURE`. Data that exceeds
    /// a limit is an error that names the feature. Answers 404 for a project that does not exist, is archived, or is
    /// hidden from the caller, and for an unknown environment.
    #[oai(path = "/api/admin/features-batch/validate", method = "post", operation_id = "validateImport")]
    async fn validate_import(
        &self,
        caller: AuthenticatedCaller,
        poem::web::Data(state): poem::web::Data<&State>,
        body: LargeBody<ImportRequest>,
    ) -> Result<Out<Findings>, Fails<ChangeRefusals>> {
        let (request, _permit) = body.read(Queue::of(caller.grants())).await?;
        caller.visible_project(&request.project).await?;
        require_environment(state, &request.environment).await?;
        let visibility = caller.visibility().await?;
        let known = store::import::known(&state.db, &request).await?;
        let author = author(&caller, state);
        let guarded = store::change_requests::configuration::guarded(&state.db, &request.project).await?;
        let (project, environment) = (ProjectId::new(&request.project), EnvironmentName::new(&request.environment));
        let needs_approval = author.needs_approval(&guarded, project, environment);
        Ok(Out(author.judge_import(&visibility, &request, &known, needs_approval)))
    }

    /// Import features
    ///
    /// Imports a data set into a project and environment: all of it, or nothing. Features that exist in the project are
    /// overwritten, with their tags, and with their strategies and variants in the environment; other environments stay
    /// as they are. Features that are archived here are left out; those that are archived in the data set come into
    /// use, and are disabled in the environment. Everything that validation reports as an error is refused with 400. An
    /// import never enables a feature for more users than before: strategies whose segment was created without its
    /// constraints are disabled, and a feature that loses its strategies is disabled unless the data set has it
    /// enabled. The permissions are those of the single operations for what it actually changes: `CREATE_FEATURE`,
    /// `UPDATE_FEATURE_DEPENDENCY`, `CREATE_FEATURE_STRATEGY`, `DELETE_FEATURE_STRATEGY`, `UPDATE_FEATURE_ENVIRONMENT`,
    /// `UPDATE_FEATURE_ENVIRONMENT_VARIANTS`, `CREATE_TAG_TYPE` and `CREATE_CONTEXT_FIELD`. An admin API token may
    /// import, too. Where changes in the environment need approval, the import creates the features, with their tags, and
    /// makes one change request of everything else, which is sent to review. The permissions for what it requests are
    /// not needed then, and 403 answers while the caller has a pending change request there, and for dependencies where
    /// changes of every environment are requested in another one. With `dryRun` nothing is stored: the answer has the
    /// findings of validation and, if there are no errors and no missing permissions, the events that an import would
    /// leave.
    #[oai(path = "/api/admin/features-batch/import", method = "post", operation_id = "importFeatures")]
    async fn import_features(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        poem::web::Data(state): poem::web::Data<&State>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: LargeBody<ImportRequest>,
    ) -> Result<Out<ImportOutcomeBody>, Fails<ChangeRefusals>> {
        let dry_run = dry_run.0.unwrap_or(false);
        caller.require_somewhere()?;
        let (request, _permit) = body.read(Queue::of(caller.grants())).await?;
        caller.project(&request.project).await?;
        require_environment(state, &request.environment).await?;
        let mut outcome = ImportOutcomeBody::new(dry_run);
        let imported = author(&caller, state).import(request, dry_run, |event| outcome.note(event)).await?;
        if imported.is_stored {
            state.history_rewritten.store(true, Ordering::SeqCst);
        }
        outcome.findings = imported.findings;
        Ok(Out(outcome))
    }

    /// Export features
    ///
    /// Exports features and everything that they need in another instance, in the format of `importFeatures`. 400 for
    /// an environment, a project or a feature that does not exist, or that the caller may not see.
    #[oai(path = "/api/admin/features-batch/export", method = "post", operation_id = "exportFeatures")]
    async fn export_features(
        &self,
        caller: AuthenticatedCaller,
        poem::web::Data(state): poem::web::Data<&State>,
        body: LargeBody<ExportBody>,
    ) -> Result<Out<ImportData>, Fails<WriteRefusals>> {
        let (body, permit) = body.read(Queue::of(caller.grants())).await?;
        drop(permit);
        let wanted = body.wanted()?;
        let visibility = caller.visibility().await?;
        require_known(&caller, state, &body, &visibility).await?;
        let data = store::export::export(&state.db.heavy(), &wanted, &body.environment, &visibility).await?;
        author(&caller, state).record_export(&data).await?;
        Ok(Out(data))
    }
}

impl ExportBody {
    fn wanted(&self) -> Result<Wanted, Error> {
        if self.features.is_none() && self.project.is_none() && self.tag.is_none() {
            let rule = "is required, unless one of its alternatives is given";
            let alternatives =
                ["features", "project", "tag"].map(|name| Finding::property(format!("/body/{name}"), rule));
            return Err(Error::Validation(alternatives.to_vec()));
        }
        Ok(Wanted {
            features: self.features.clone().unwrap_or_default(),
            project: self.project.clone(),
            tag: self.tag.clone(),
        })
    }
}

/// 400 for what an export names and does not exist, or is hidden from the caller.
async fn require_known(caller: &Caller, state: &State, body: &ExportBody, sees: &Visibility) -> Result<(), Error> {
    let environment = &body.environment;
    let known = require_environment(state, environment).await;
    known.map_err(|error| error.named_in("/body/environment", "environment", environment))?;
    if let Some(project) = &body.project {
        let known = caller.visible_project(project).await;
        known.map_err(|error| error.named_in("/body/project", "project", project))?;
    }
    if let Some(names) = &body.features {
        let known = store::export::known_names(&state.db, names, sees).await?;
        features::require_known(names, known.iter().map(String::as_str))?;
    }
    Ok(())
}

async fn require_environment(state: &State, name: &str) -> Result<(), Error> {
    if store::environments::exists(&state.db, name).await? {
        Ok(())
    } else {
        Err(Error::not_found("environment", name))
    }
}
