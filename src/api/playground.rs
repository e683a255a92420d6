//! The playground: what somebody would be answered, and why.

mod outcome;

use std::collections::BTreeMap;

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use tokio::sync::Semaphore;

use self::outcome::{AdvancedResultBody, ResultBody};
use crate::{
    api::{
        Tag,
        answer::{Fails, Out, WriteRefusals},
        body::Body,
        caller::Caller,
        state::State,
    },
    domain::{
        evaluation::{self, ConfiguredFeature, KnownSegment, Subject},
        time::Timestamp,
    },
    error::Error,
    evaluation::playground::Playground,
    store::{self, playground::Selection},
    wire::{Projects, SdkContext},
};

/// Most combinations of the values of a context.
const MOST_CONTEXTS: usize = 100;
/// Most evaluations of one feature that a request may ask for, over all environments and contexts.
const MOST_EVALUATIONS: u64 = 20_000;
/// Judging thousands of features takes a processor: one request at a time does it.
static JUDGING: Semaphore = Semaphore::const_new(1);

/// The operations of the playground.
#[derive(Debug)]
pub struct PlaygroundApi;

/// Who asks for features, and where.
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
    /// Who asks.
    pub context: SdkContext,
}

/// Who asks for features, and where; each value of the context may be a list, separated by commas.
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
    /// Who asks. The features are evaluated for each combination of the listed values; there may be 100 of them.
    pub context: SdkContext,
}

/// What came out, and for what.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PlaygroundResponse")]
pub struct PlaygroundResponseBody {
    /// The request.
    pub input: PlaygroundRequestBody,
    /// The features whose project uses the environment, by name.
    pub features: Vec<ResultBody>,
}

/// What came out, and for what.
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
    /// What came out, by environment: one entry for each context.
    pub environments: BTreeMap<String, Vec<AdvancedResultBody>>,
}

#[OpenApi(tag = "Tag::Playground")]
impl PlaygroundApi {
    /// Evaluate features for one context
    ///
    /// What each feature comes to for somebody in an environment, and what each of its strategies, constraints and
    /// segments contributes. The engine is the one of the official SDKs. Any caller may ask; features of projects that
    /// the caller may not see are left out. Changes nothing and counts as no usage.
    #[oai(path = "/api/admin/playground", method = "post", operation_id = "getPlayground")]
    async fn get_playground(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        body: Body<PlaygroundRequestBody>,
    ) -> Result<Out<PlaygroundResponseBody>, Fails<WriteRefusals>> {
        let input = body.read()?;
        let wanted = Wanted {
            environments: vec![input.environment.clone()],
            at: "/body/environment",
            projects: input.projects.clone(),
            subjects: vec![Subject(input.context.flat())],
        };
        let features = evaluate(state, &caller, wanted, |run| judge_once(&run)).await?;
        Ok(Out(PlaygroundResponseBody { input, features }))
    }

    /// Evaluate features for many contexts in many environments
    ///
    /// The same for each combination of the listed values of the context, in each of the environments. One request may
    /// ask for 20000 evaluations of a feature: features times environments times combinations. Any caller may ask;
    /// features of projects that the caller may not see are left out. Changes nothing and counts as no usage.
    #[oai(path = "/api/admin/playground/advanced", method = "post", operation_id = "getAdvancedPlayground")]
    async fn get_advanced_playground(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        body: Body<AdvancedPlaygroundRequestBody>,
    ) -> Result<Out<AdvancedPlaygroundResponseBody>, Fails<WriteRefusals>> {
        let input = body.read()?;
        let subjects = evaluation::combinations(&Subject(input.context.flat()), MOST_CONTEXTS).ok_or_else(|| {
            let message = format!("The /body/context property has more than {MOST_CONTEXTS} combinations of values.");
            Error::invalid("/body/context", message)
        })?;
        let wanted = Wanted {
            environments: input.environments.clone(),
            at: "/body/environments",
            projects: input.projects.clone(),
            subjects,
        };
        let features = evaluate(state, &caller, wanted, |run| judge_all(&run)).await?;
        Ok(Out(AdvancedPlaygroundResponseBody { input, features }))
    }
}

/// What is to be evaluated.
struct Wanted {
    environments: Vec<String>,
    at: &'static str,
    projects: Option<Projects>,
    subjects: Vec<Subject>,
}

/// Everything that an evaluation needs, read beforehand.
struct Run {
    environments: Vec<(String, Vec<ConfiguredFeature>)>,
    segments: Vec<KnownSegment>,
    subjects: Vec<Subject>,
    now: Timestamp,
}

async fn evaluate<T: Send + 'static>(
    state: &State,
    caller: &Caller,
    wanted: Wanted,
    judge: impl FnOnce(Run) -> T + Send + 'static,
) -> Result<T, Error> {
    let visibility = caller.visibility().await?;
    let projects = match &wanted.projects {
        Some(Projects::Some(ids)) => Some(&**ids),
        Some(Projects::All) | None => None,
    };
    let selection = Selection { projects, visibility: &visibility };
    check_environments(state, &wanted).await?;
    let each = wanted.environments.len().saturating_mul(wanted.subjects.len());
    let db = &state.db.heavy();
    let features = store::playground::count(db, selection).await?;
    if features.saturating_mul(u64::try_from(each).unwrap_or(u64::MAX)) > MOST_EVALUATIONS {
        let message = format!(
            "The /body/projects property selects {features} features, which with {each} combinations of environments \
             and contexts makes more than {MOST_EVALUATIONS} evaluations: ask for fewer."
        );
        return Err(Error::invalid("/body/projects", message));
    }
    let _turn = JUDGING.acquire().await.map_err(Error::internal)?;
    let mut environments = Vec::with_capacity(wanted.environments.len());
    for name in wanted.environments {
        let features = store::playground::features(db, selection, &name).await?;
        environments.push((name, features));
    }
    let run = Run {
        environments,
        segments: store::playground::segments(db).await?,
        subjects: wanted.subjects,
        now: state.clock.now(),
    };
    tokio::task::spawn_blocking(move || judge(run)).await.map_err(Error::internal)
}

async fn check_environments(state: &State, wanted: &Wanted) -> Result<(), Error> {
    let known = store::environments::names(&state.db).await?;
    for (index, name) in wanted.environments.iter().enumerate() {
        let path = if wanted.at.ends_with('s') { format!("{}/{index}", wanted.at) } else { wanted.at.to_owned() };
        if !known.contains(name) {
            let message = format!("The {path} property names \"{name}\", which is no environment.");
            return Err(Error::invalid(path, message));
        }
        if wanted.environments[..index].contains(name) {
            return Err(Error::invalid(&*path, format!("The {path} property names \"{name}\" once more.")));
        }
    }
    Ok(())
}

fn judge_once(run: &Run) -> Vec<ResultBody> {
    let mut results = Vec::new();
    for (environment, features) in &run.environments {
        let playground = Playground::new(environment, features, &run.segments, run.now);
        for subject in &run.subjects {
            results.extend(playground.judge(subject).iter().map(|outcome| ResultBody::of(outcome, environment)));
        }
    }
    results
}

fn judge_all(run: &Run) -> Vec<AdvancedFeatureBody> {
    let mut results: BTreeMap<&str, AdvancedFeatureBody> = BTreeMap::new();
    for (environment, features) in &run.environments {
        let playground = Playground::new(environment, features, &run.segments, run.now);
        for subject in &run.subjects {
            for outcome in playground.judge(subject) {
                let feature = outcome.feature;
                let entry = results.entry(&feature.name).or_insert_with(|| AdvancedFeatureBody {
                    name: feature.name.clone(),
                    project_id: feature.project.clone(),
                    environments: BTreeMap::new(),
                });
                let result = AdvancedResultBody::of(&outcome, environment, subject);
                entry.environments.entry(environment.clone()).or_default().push(result);
            }
        }
    }
    results.into_values().collect()
}
