//! `flagstone openapi`: prints the published document.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::{api::document, cli::Outcome};

/// How to print it.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Form of the document.
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
    /// Write `flagstone.json` and `flagstone.yaml` into this directory instead of printing.
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "format")]
    write: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Json,
    Yaml,
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    if let Some(directory) = &arguments.write {
        std::fs::create_dir_all(directory).map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
        for (name, text) in [("flagstone.json", document::as_json()), ("flagstone.yaml", document::as_yaml())] {
            let path = directory.join(name);
            std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        return Ok(());
    }
    let text = match arguments.format {
        Format::Json => document::as_json(),
        Format::Yaml => document::as_yaml(),
    };
    super::write(text.as_bytes())
}
