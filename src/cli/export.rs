//! `flagstone export`: writes features and what they need, in the form that an import takes; or everything, in the
//! forms that others read.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use clap::Args;
use serde::Serialize;

use crate::{
    cli::{
        Outcome,
        opening::{Opening, open},
        say,
    },
    clock::Clock,
    config::DatabaseChoice,
    domain::{actor::Actor, event::NewEvent, event_kind::EventKind, import::ImportData, visibility::Visibility},
    files,
    moving_out::{self, State},
    store::{self, StoreError, db::Db, export::Wanted},
};

/// What the file of the whole instance is called.
const STATE: &str = "state.json";

/// What to export, and where to.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Name of the environment whose strategies, variants and switches to export.
    #[arg(long, required_unless_present = "all", conflicts_with = "all", default_value = "")]
    environment: String,
    #[command(flatten)]
    choice: Choice,
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
        Some(directory) if arguments.choice.all => everything(&db, directory).await,
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

/// Everything, as it is at one moment; nothing is written before all of it is read.
async fn everything(db: &Db, directory: &Path) -> Outcome {
    let tx = db.begin().await?;
    let everybody = Visibility::everything();
    let environments = store::environments::list(&tx, &everybody).await?;
    let environments: Vec<_> = environments.into_iter().map(|counted| counted.environment).collect();
    let projects = store::projects::list::list(&tx, false, &everybody).await?;
    let (mut exports, mut of_projects) = (BTreeMap::new(), BTreeMap::new());
    for environment in &environments {
        let all = store::export::export(&tx, &Wanted::default(), &environment.name, &everybody).await?;
        exports.insert(environment.name.clone(), all);
        for project in &projects {
            let wanted = Wanted { project: Some(project.id.clone()), ..Wanted::default() };
            let data = store::export::export(&tx, &wanted, &environment.name, &everybody).await?;
            if !data.features.is_empty() {
                of_projects.insert((project.id.clone(), environment.name.clone()), data);
            }
        }
    }
    let segments = store::segments::list(&tx, &everybody).await?;
    let state = moving_out::state(&State {
        projects: projects.into_iter().map(|project| (project.id, project.name, project.description)).collect(),
        strategy_types: store::strategies::types::list(&tx).await?,
        segments: segments.clone(),
        exports: &exports,
        environments,
    });
    // Each environment has all the features.
    let names = exports.values().next().map(ImportData::names).unwrap_or_default();
    let event = NewEvent::new(EventKind::FeaturesExported, &Actor::system()).with_data(&names);
    tx.commit(Clock::system().now(), [event]).await?;

    std::fs::create_dir_all(directory).map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
    write_file(&directory.join(STATE), &state)?;
    let mut names = Names::default();
    for ((project, environment), data) in &of_projects {
        write_file(&directory.join(names.next(&format!("{project}.{environment}"), ".json")), data)?;
    }
    let constraints = segments.into_iter().map(|segment| (segment.id, segment.constraints)).collect();
    for (environment, data) in &exports {
        let (document, told) = moving_out::flagd(data, environment, &constraints);
        write_file(&directory.join(names.next(environment, ".flagd.json")), &document)?;
        for line in told {
            say(&format!("{environment}, flagd: {line}"))?;
        }
    }
    let count = 1 + of_projects.len() + exports.len();
    say(&format!("wrote {count} files into {}", directory.display()))?;
    Ok(())
}

/// Names of files in one directory, no two of them alike.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// A name that tells of this text, and that no other file has, also where letters in upper case are none.
    fn next(&mut self, text: &str, ending: &str) -> String {
        let name = files::name_of(text);
        let numbered = |number: usize| if number == 1 { name.clone() } else { format!("{name}~{number}") };
        let free = (1..usize::MAX).map(|number| numbered(number) + ending).find(|name| {
            let folded = name.to_lowercase();
            folded != STATE && self.0.insert(folded)
        });
        free.expect("there are more numbers than files")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_directory_and_no_two_are_alike() {
        let mut names = Names::default();
        for (text, ending, expected) in [
            ("shop.production", ".json", "shop.production.json"),
            ("a.b.c", ".json", "a.b.c.json"),
            ("a.b.c", ".json", "a.b.c~2.json"),
            ("A.B.C", ".json", "A.B.C~3.json"),
            ("production.flagd", ".json", "production.flagd.json"),
            ("production", ".flagd.json", "production~2.flagd.json"),
            ("../up.production", ".json", "%2E.%2Fup.production.json"),
            ("state", ".json", "state~2.json"),
        ] {
            assert_eq!(names.next(text, ending), expected, "{text}");
        }
    }
}
