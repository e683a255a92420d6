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
    /// Write `flagstone.json` into this directory instead of printing.
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
        let path = directory.join("flagstone.json");
        return std::fs::write(&path, document::as_json())
            .map_err(|error| format!("cannot write {}: {error}", path.display()).into());
    }
    let text = match arguments.format {
        Format::Json => document::as_json(),
        Format::Yaml => document::as_yaml(),
    };
    super::write(text.as_bytes())
}
