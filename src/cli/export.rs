//! `flagstone export`: writes features and what they need, in the form that an import takes; or everything, in the
//! forms that others read.

mod whole;

use std::path::{Path, PathBuf};

use clap::{Args, builder::PossibleValuesParser};
use serde::Serialize;

use crate::{
    cli::{
        Outcome,
        opening::{Opening, open},
    },
    clock::Clock,
    config::DatabaseChoice,
    domain::{actor::Actor, event::NewEvent, event_kind::EventKind, import::ImportData, visibility::Visibility},
    files,
    moving_out::Target,
    store::{self, StoreError, db::Db, export::Wanted},
};

/// Contents and target of the export.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Name of the environment whose strategies, variants and switches to export.
    #[arg(long, required_unless_present = "all", conflicts_with = "all", default_value = "")]
    environment: String,
    #[command(flatten)]
    choice: Choice,
    /// With `--all`: write only what this version of Unleash takes, and list what it would refuse or lose.
    #[arg(
        long = "for", value_name = "VERSION", requires = "all",
        value_parser = PossibleValuesParser::new(Target::ALL.map(Target::name))
    )]
    target: Option<String>,
    /// File to write; standard output when absent. With `--all` a directory, which is made when absent.
    #[arg(long, required_if_eq("all", "true"))]
    output: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseChoice,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Choice {
    /// Write all that the forms of others can say: `state.json` with every environment, `PROJECT.ENVIRONMENT.json` as
    /// Unleash takes it, and `ENVIRONMENT.flagd.json` for flagd. People, tokens and the log are in none of them.
    #[arg(long)]
    all: bool,
    /// Id of the project whose active features to export.
    #[arg(long)]
    project: Option<String>,
    /// Name of a feature to export, archived or not; may be repeated.
    #[arg(long = "feature")]
    features: Vec<String>,
    /// Value of a tag whose active features to export.
    #[arg(long)]
    tag: Option<String>,
}

/// Exports and records that it did.
pub(super) async fn run(arguments: &Arguments) -> Outcome {
    let db = open(&arguments.database, Opening::OnlyCurrent).await?;
    let outcome = match &arguments.output {
        Some(directory) if arguments.choice.all => {
            let target = arguments.target.as_deref().and_then(Target::parse);
            whole::write(&db, directory, target).await
        }
        output => one(&db, arguments, output.as_deref()).await,
    };
    db.close().await?;
    outcome
}

async fn one(db: &Db, arguments: &Arguments, output: Option<&Path>) -> Outcome {
    judge(db, arguments).await?;
    let data = export(db, arguments).await?;
    if let Some(path) = output {
        return write_file(path, &data);
    }
    let mut text = serde_json::to_vec_pretty(&data)?;
    text.push(b'\n');
    super::write(&text)
}

/// Refuses to export from where nothing can be.
async fn judge(db: &Db, arguments: &Arguments) -> Outcome {
    if !store::environments::exists(db, &arguments.environment).await? {
        return Err(format!("there is no environment {}", arguments.environment).into());
    }
    match &arguments.choice.project {
        Some(project) if !store::projects::exists(db, project).await? => {
            Err(format!("there is no project {project}").into())
        }
        _ => Ok(()),
    }
}

fn write_file(path: &Path, data: &impl Serialize) -> Outcome {
    let written = files::replace_private(path, |mut file| {
        serde_json::to_writer_pretty(&mut file, data)?;
        writeln!(file)
    });
    Ok(written.map_err(|error| format!("cannot write {}: {error}", path.display()))?)
}

async fn export(db: &Db, arguments: &Arguments) -> Result<ImportData, StoreError> {
    let choice = &arguments.choice;
    let wanted = Wanted { features: choice.features.clone(), project: choice.project.clone(), tag: choice.tag.clone() };
    let data = store::export::export(db, &wanted, &arguments.environment, &Visibility::everything()).await?;
    let event = NewEvent::new(EventKind::FeaturesExported, &Actor::system()).with_data(&data.names());
    db.begin().await?.commit(Clock::system().now(), [event]).await?;
    Ok(data)
}
