//! `flagstone export`: writes features and what they need, in the form that an import takes.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::PathBuf,
};

use clap::Args;

use crate::{
    cli::{Outcome, serve},
    clock::Clock,
    config::DatabaseChoice,
    domain::{actor::Actor, event::NewEvent, event_kind::EventKind, import::ImportData, visibility::Visibility},
    store::{self, db::Db, export::Wanted},
};

/// What to export, and where to.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Name of the environment whose strategies, variants and switches to export.
    #[arg(long)]
    environment: String,
    #[command(flatten)]
    choice: Choice,
    /// File to write; standard output when absent.
    #[arg(long)]
    output: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseChoice,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Choice {
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
    let db = serve::open(&arguments.database).await?;
    let outcome = export(&db, arguments).await;
    db.close().await?;
    let data = outcome?;
    match &arguments.output {
        Some(path) => {
            let file = File::create(path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            write(&data, file)
        }
        None => write(&data, io::stdout().lock()),
    }
}

async fn export(db: &Db, arguments: &Arguments) -> Result<ImportData, store::StoreError> {
    let choice = &arguments.choice;
    let wanted = Wanted { features: choice.features.clone(), project: choice.project.clone(), tag: choice.tag.clone() };
    let data = store::export::export(db, &wanted, &arguments.environment, &Visibility::everything()).await?;
    let event = NewEvent::new(EventKind::FeaturesExported, &Actor::system()).with_data(&data.names());
    db.begin().await?.commit(Clock::system().now(), [event]).await?;
    Ok(data)
}

fn write(data: &ImportData, target: impl Write) -> Outcome {
    let mut target = BufWriter::new(target);
    serde_json::to_writer_pretty(&mut target, data)?;
    writeln!(target)?;
    target.flush()?;
    Ok(())
}
