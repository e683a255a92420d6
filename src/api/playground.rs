//! The playground: results of an evaluation, with their reasons.

mod outcome;
mod writing;

use std::collections::BTreeMap;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use self::outcome::{AdvancedResultBody, ResultBody};
use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{CreateRefusals as PreviewRefusals, Fails, WriteRefusals, Written},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        http::{StreamWriter, written},
        subject,
    },
    changes::change_requests::{preview::Preview, standing::missing_request},
    domain::{
        evaluation::{Choices, ConfiguredFeature, KnownSegment, Subject},
        time::Timestamp,
        visibility::Visibility,
    },
    error::Error,
    state::State,
    store::{
        self,
        playground::{Loaded, Selection},
    },
    wire::{Projects, SdkContext},
};

/// Most combinations of the values of a context.
const MOST_CONTEXTS: usize = 100;
/// Most evaluations of one feature that a request may ask for, over all environments and contexts.
const MOST_EVALUATIONS: u64 = 20_000;
/// Most bytes of the contexts of all evaluations of a request together. The answer repeats each.
const MOST_CONTEXT_BYTES: usize = 16 << 20;
/// Most bytes of an answer without its fixed parts, about.
const MOST_ANSWER_BYTES: usize = 64 << 20;

/// The operations of the playground.
#[derive(Debug)]
pub struct PlaygroundApi;

/// A context and an environment to evaluate features for.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PlaygroundRequest", skip_serializing_if_is_none)]
pub struct PlaygroundRequestBody {
    /// Environment in which the features are evaluated: at most 100 characters.
    #[oai(validator(max_length = 100))]
    pub environment: String,
    /// Ids of the projects whose features are evaluated, at most 1000, or `*` for all. Absent means all. Projects that
    /// the caller may not see are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects: Option<Projects>,
    /// The context.
    pub context: SdkContext,
}

/// Contexts and environments to evaluate; each value of the context may be a list, separated by commas. Blanks beside a
/// comma are not part of a value.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AdvancedPlaygroundRequest", skip_serializing_if_is_none)]
pub struct AdvancedPlaygroundRequestBody {
    /// Environments in which the features are evaluated: 1 to 15.
    #[oai(validator(min_items = 1, max_items = 15, max_length = 100))]
    pub environments: Vec<String>,
    /// Ids of the projects whose features are evaluated, at most 1000, or `*` for all. Absent means all. Projects that
    /// the caller may not see are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects: Option<Projects>,
    /// The context. The features are evaluated for each combination of the listed values, at most 100.
    pub context: SdkContext,
}

/// Contexts to evaluate the changes of a change request for; each value of the context may be a list, separated by commas.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ChangeRequestPlaygroundRequest")]
pub struct ChangeRequestPlaygroundBody {
    /// The context. The features are evaluated for each combination of the listed values, at most 100.
    pub context: SdkContext,
}

/// Results, with the request.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PlaygroundResponse")]
pub struct PlaygroundResponseBody {
    /// The request.
    pub input: PlaygroundRequestBody,
    /// The features whose project uses the environment, by name.
    pub features: Vec<ResultBody>,
}

/// Results, with the request.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AdvancedPlaygroundResponse")]
pub struct AdvancedPlaygroundResponseBody {
    /// The request.
    pub input: AdvancedPlaygroundRequestBody,
    /// The features whose project uses any of the environments, by name.
    pub features: Vec<AdvancedFeatureBody>,
}

/// One feature in all environments and contexts.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AdvancedPlaygroundFeature", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct AdvancedFeatureBody {
    /// Name of the feature.
    pub name: String,
    /// Id of its project.
    pub project_id: String,
    /// Results by environment: one entry for each context.
    pub environments: BTreeMap<String, Vec<AdvancedResultBody>>,
}

#[OpenApi(tag = "Tag::Playground")]
impl PlaygroundApi {
    /// Evaluate features for a context
    ///
    /// Evaluates features for a context in an environment, with the result of each strategy, constraint and segment.
    /// The engine is that of the official SDKs. Needs no permission; features of projects that the caller may not see
    /// are left out. Changes nothing and is not counted as usage.
    #[oai(path = "/api/admin/playground", method = "post", operation_id = "getPlayground")]
    async fn get_playground(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<PlaygroundRequestBody>,
    ) -> Result<Written<PlaygroundResponseBody>, Fails<WriteRefusals>> {
        let input = body.read()?;
        let wanted = Wanted {
            environments: vec![input.environment.clone()],
            at: "/body/environment",
            projects: input.projects.clone(),
            contexts: Contexts { context: subject::of_context(&input.context)?, has_lists: false },
        };
        let (run, permit) = load(state, &caller, wanted).await?;
        let write = move |writer: &mut StreamWriter| writing::write_once(writer, &input, &run);
        Ok(Written::new(written(&state.playground.evaluating, permit, write).await?))
    }

    /// Evaluate features for many contexts and environments
    ///
    /// Like `getPlayground`, for each combination of the listed context values, in each of the environments. A request
    /// can have at most 20000 evaluations: features times environments times combinations. The context of each is part
    /// of the answer: all contexts together can have 16 MiB, and the answer about 64 MiB. Needs no permission; features
    /// of projects that the caller may not see are left out. Changes nothing and is not counted as usage.
    #[oai(path = "/api/admin/playground/advanced", method = "post", operation_id = "getAdvancedPlayground")]
    async fn get_advanced_playground(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<AdvancedPlaygroundRequestBody>,
    ) -> Result<Written<AdvancedPlaygroundResponseBody>, Fails<WriteRefusals>> {
        let input = body.read()?;
        let wanted = Wanted {
            environments: input.environments.clone(),
            at: "/body/environments",
            projects: input.projects.clone(),
            contexts: Contexts { context: subject::of_choices(&input.context)?, has_lists: true },
        };
        let (run, permit) = load(state, &caller, wanted).await?;
        let write = move |writer: &mut StreamWriter| writing::write_all(writer, &input, &run);
        Ok(Written::new(written(&state.playground.evaluating, permit, write).await?))
    }

    /// Evaluate the features of a change request as it would leave them
    ///
    /// Like `getAdvancedPlayground`, for the features of the project of the change request, in its environment, with its
    /// changes applied. 400 unless it is in review, approved or scheduled, 409 when its changes cannot be applied. Needs no
    /// permission but to see the project. Changes nothing.
    #[oai(
        path = "/api/admin/playground/change-request/:id",
        method = "post",
        operation_id = "getChangeRequestPlayground"
    )]
    async fn get_change_request_playground(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        id: Path<i64>,
        body: Body<ChangeRequestPlaygroundBody>,
    ) -> Result<Written<AdvancedPlaygroundResponseBody>, Fails<PreviewRefusals>> {
        let input = body.read()?;
        let contexts = Contexts { context: subject::of_choices(&input.context)?, has_lists: true };
        let found = store::change_requests::find_project(&state.db, *id).await?;
        let missing = || missing_request(*id);
        let project = caller.visible_project(&found.ok_or_else(missing)?).await.map_err(|error| match error {
            Error::NotFound(_) => missing(),
            other => other,
        })?;
        let permit = state.playground.acquire_run().await?;
        let admit = |features| contexts.check(1, features);
        let Preview { request, loaded } = author(&caller, state).preview_change_request(&project, *id, admit).await?;
        let input = AdvancedPlaygroundRequestBody {
            environments: vec![request.environment],
            projects: Some(Projects::Some(vec![request.project])),
            context: input.context,
        };
        let run = within_bounds(contexts.run(loaded, state.clock.now())?).await?;
        let write = move |writer: &mut StreamWriter| writing::write_all(writer, &input, &run);
        Ok(Written::new(written(&state.playground.evaluating, permit, write).await?))
    }
}

/// Evaluation to run.
struct Wanted {
    environments: Vec<String>,
    at: &'static str,
    projects: Option<Projects>,
    contexts: Contexts,
}

impl Wanted {
    fn selection<'a>(&'a self, visibility: &'a Visibility) -> Selection<'a> {
        let projects = match &self.projects {
            Some(Projects::Some(ids)) => Some(&**ids),
            Some(Projects::All) | None => None,
        };
        Selection { projects, visibility }
    }
}

/// Contexts to evaluate features for.
struct Contexts {
    context: Subject,
    /// Whether the values of the context are lists, whose combinations are evaluated and answered.
    has_lists: bool,
}

impl Contexts {
    /// Refuses more evaluations of so many features in so many environments than one request may ask for.
    fn check(&self, environments: usize, features: u64) -> Result<(), Error> {
        let choices = if self.has_lists { Some(choices(&self.context)?) } else { None };
        check_evaluations(environments, features, choices.as_ref())
    }

    /// The evaluation of what was loaded.
    fn run(&self, loaded: Loaded, now: Timestamp) -> Result<Run, Error> {
        let choices = if self.has_lists { Some(choices(&self.context)?) } else { None };
        let subjects = choices.map_or_else(|| vec![self.context.clone()], |choices| choices.subjects());
        Ok(Run { environments: loaded.environments, segments: loaded.segments, subjects, now })
    }
}

/// Data of an evaluation, read beforehand.
struct Run {
    environments: Vec<(String, Vec<ConfiguredFeature>)>,
    segments: Vec<KnownSegment>,
    subjects: Vec<Subject>,
    now: Timestamp,
}

/// Loads what is to be evaluated, if it is not too much. The second value bounds how much of that is in memory.
async fn load(state: &State, caller: &Caller, wanted: Wanted) -> Result<(Run, OwnedSemaphorePermit), Error> {
    let visibility = caller.visibility().await?;
    check_environments(state, &wanted).await?;
    let db = &state.db.heavy();
    let selection = wanted.selection(&visibility);
    wanted.contexts.check(wanted.environments.len(), store::playground::count(db, selection).await?)?;
    let permit = state.playground.acquire_run().await?;
    let loaded = store::playground::load(db, selection, &wanted.environments).await?;
    let run = wanted.contexts.run(loaded, state.clock.now())?;
    Ok((within_bounds(run).await?, permit))
}

/// Refuses what would make too large an answer.
async fn within_bounds(run: Run) -> Result<Run, Error> {
    let counting = tokio::task::spawn_blocking(move || (writing::answer_bytes(&run), run));
    let (bytes, run) = counting.await.map_err(Error::internal)?;
    if bytes > MOST_ANSWER_BYTES {
        let path = if run.subjects.len() > 1 { "/body/context" } else { "/body/projects" };
        let rule = format!(
            "asks for so much that the answer would have about {bytes} bytes, more than {MOST_ANSWER_BYTES}: ask for \
             fewer combinations of values, environments or projects"
        );
        return Err(Error::property(path, rule));
    }
    Ok(run)
}

fn choices(context: &Subject) -> Result<Choices<'_>, Error> {
    Choices::of(context, MOST_CONTEXTS).ok_or_else(|| {
        Error::property("/body/context", format!("has more than {MOST_CONTEXTS} combinations of values"))
    })
}

/// Refuses too many evaluations. Without choices there is one context, which the answer has once.
fn check_evaluations(environments: usize, features: u64, choices: Option<&Choices<'_>>) -> Result<(), Error> {
    let each = environments.saturating_mul(choices.map_or(1, Choices::count));
    if features.saturating_mul(u64::try_from(each).unwrap_or(u64::MAX)) > MOST_EVALUATIONS {
        let rule = format!(
            "selects {features} features, which with {each} combinations of environments \
             and contexts makes more than {MOST_EVALUATIONS} evaluations: ask for fewer"
        );
        return Err(Error::property("/body/projects", rule));
    }
    let times = usize::try_from(features.max(1)).unwrap_or(usize::MAX).saturating_mul(environments);
    let bytes = choices.map_or(0, Choices::bytes).saturating_mul(times);
    if bytes > MOST_CONTEXT_BYTES {
        let rule = format!(
            "comes to {bytes} bytes over all evaluations, more than {MOST_CONTEXT_BYTES}: \
             ask for fewer combinations of values, environments or projects, or send shorter values"
        );
        return Err(Error::property("/body/context", rule));
    }
    Ok(())
}

async fn check_environments(state: &State, wanted: &Wanted) -> Result<(), Error> {
    let known = store::environments::names(&state.db).await?;
    for (index, name) in wanted.environments.iter().enumerate() {
        let path = if wanted.at.ends_with('s') { format!("{}/{index}", wanted.at) } else { wanted.at.to_owned() };
        if !known.contains(name) {
            return Err(Error::property(path, format!("names \"{name}\", which is no environment")));
        }
        if wanted.environments[..index].contains(name) {
            return Err(Error::property(path, format!("names \"{name}\" once more")));
        }
    }
    Ok(())
}
