//! `flagstone feature`: which features are on, and switching them, also while a server runs.

use clap::{Args, Subcommand};

use crate::{
    access::{Caller, Identity, project_of_operator},
    accounts::AccountError,
    changes::{Author, feature::Target, guard::Passage, if_match::IfMatch, switches::Switch},
    cli::{
        Outcome,
        opening::{Opening, open},
        reason::Reason,
        say,
    },
    clock::Clock,
    config::{DatabaseChoice, StrategyLimits},
    domain::{
        feature::Feature,
        ids::{EnvironmentName, FeatureName},
        visibility::Visibility,
    },
    error::Error,
    store::{self, db::Db, features::ListQuery},
};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    database: DatabaseChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the features in use: project, name, environment, and `on` or `off`, a line for each environment.
    List(List),
    /// Enable a feature in an environment, as the console does: one without an enabled strategy gets the default one.
    On(Switched),
    /// Disable a feature in an environment.
    Off(Switched),
}

#[derive(Debug, Args)]
struct List {
    /// Id of the project whose features to list. All of them when absent.
    #[arg(long)]
    project: Option<String>,
    /// Environment to show. All of them when absent.
    #[arg(long)]
    environment: Option<String>,
}

#[derive(Debug, Args)]
struct Switched {
    /// Name of the feature.
    name: String,
    /// Environment to switch it in.
    #[arg(long)]
    environment: String,
    #[command(flatten)]
    reason: Reason,
    /// Limits that hold when it gets a strategy.
    #[command(flatten)]
    limits: StrategyLimits,
}

pub(super) async fn run(arguments: Arguments) -> Outcome {
    let db = open(&arguments.database, Opening::OnlyCurrent).await?;
    let lines = match &arguments.command {
        Command::List(asked) => list(&db, asked).await,
        Command::On(asked) => switch(&db, asked, true).await,
        Command::Off(asked) => switch(&db, asked, false).await,
    };
    db.close().await?;
    for line in lines? {
        say(&line)?;
    }
    Ok(())
}

type Lines = Result<Vec<String>, Box<dyn std::error::Error + Send + Sync>>;

async fn list(db: &Db, asked: &List) -> Lines {
    if let Some(environment) = &asked.environment
        && !store::environments::exists(db, environment).await?
    {
        return Err(format!("there is no environment {environment}").into());
    }
    let projects = match &asked.project {
        Some(project) if !store::projects::is_active(db, project).await? => {
            return Err(format!("there is no project {project}").into());
        }
        Some(project) => vec![project.clone()],
        None => {
            let all = store::projects::list::list(db, false, &Visibility::everything()).await?;
            let mut ids: Vec<String> = all.into_iter().map(|project| project.id).collect();
            ids.sort();
            ids
        }
    };
    let mut lines = Vec::new();
    for project in projects {
        let features = store::features::list_as_json(&db.heavy(), &ListQuery::of_project(&project), None).await?;
        let features: Vec<Feature> = serde_json::from_str(features.text())?;
        for feature in features {
            for place in feature.environments.into_iter().flatten() {
                if asked.environment.as_ref().is_none_or(|wanted| *wanted == place.name) {
                    let state = if place.enabled { "on" } else { "off" };
                    lines.push(format!("{project}\t{}\t{}\t{state}", feature.name, place.name));
                }
            }
        }
    }
    Ok(lines)
}

async fn switch(db: &Db, asked: &Switched, on: bool) -> Lines {
    let Switched { name, environment, reason: Reason { reason }, limits: StrategyLimits(limits) } = asked;
    let caller = Caller::new(Identity::Operator, db.clone()).because(reason.clone());
    let clock = Clock::system();
    let author = Author { caller: &caller, db, clock: &clock, limits, passage: Passage::Direct };
    // Prints the cause, too, which callers of the API do not see.
    let (feature, place) = (FeatureName::new(name), EnvironmentName::new(environment));
    let is_changed = switch_feature(author, feature, place, on).await.map_err(AccountError::from)?;
    let (state, already) = (if on { "on" } else { "off" }, if is_changed { "" } else { " already" });
    Ok(vec![format!("The feature {name} is {state} in {environment}{already}.")])
}

/// Switches a feature, whatever its project. Returns whether anything changed.
async fn switch_feature(
    author: Author<'_>,
    feature: FeatureName<'_>,
    environment: EnvironmentName<'_>,
    on: bool,
) -> Result<bool, Error> {
    let (name, environment) = (feature.as_str(), environment.as_str());
    let owner = store::features::find_owner(author.db, name).await?;
    let owner = owner.ok_or_else(|| Error::not_found("feature", name))?;
    let (project, any) = (project_of_operator(&owner), IfMatch::default());
    let switch = Switch { environment, on, activate: false, named_at: None };
    author.change(Target::new(&project, name, &any), switch).await
}
