//! The command line: which commands there are, and what each starts.

mod backup;
mod copy;
mod export;
mod import;
mod openapi;
mod progress;
mod serve;
mod settings;
mod token;
mod user;

use clap::{Parser, Subcommand};

use crate::config::Options;

/// A feature-flag management server: one binary with its database inside.
///
/// Without a command it serves.
#[derive(Debug, Parser)]
#[command(name = "flagstone", version)]
pub struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API (the default).
    Serve,
    /// Print the OpenAPI document; needs no database.
    Openapi(openapi::Arguments),
    /// Import the file of an export.
    Import(import::Arguments),
    /// Export features in the form that an import takes.
    Export(export::Arguments),
    /// Bring the database to the schema of this version, and stop.
    Migrate,
    /// Make tokens of programs.
    Token(token::Arguments),
    /// Make and list people, and set their passwords.
    User(user::Arguments),
    /// Change the key of the login settings, or give them up when it is lost.
    Settings(settings::Arguments),
    /// Copy the SQLite database into a file, also while the server runs.
    Backup(backup::Arguments),
    /// Copy a SQLite database into an empty PostgreSQL database, also while the server runs.
    Copy(copy::Arguments),
}

/// What a command ends with: nothing, or a sentence for the terminal.
pub type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;

impl Cli {
    /// Runs the command to its end.
    pub async fn run(self) -> Outcome {
        let options = self.options;
        match self.command.unwrap_or(Command::Serve) {
            Command::Serve => serve::run(&options).await,
            Command::Openapi(arguments) => openapi::run(&arguments),
            Command::Import(arguments) => import::run(&options, &arguments).await,
            Command::Export(arguments) => export::run(&options, &arguments).await,
            Command::Migrate => serve::open(&options).await?.close().await.map_err(Into::into),
            Command::Token(arguments) => token::run(&options, arguments).await,
            Command::User(arguments) => user::run(&options, arguments).await,
            Command::Settings(arguments) => settings::run(&options, arguments).await,
            Command::Backup(arguments) => backup::run(&options, arguments).await,
            Command::Copy(arguments) => copy::run(&arguments).await,
        }
    }

    /// The options that every command shares.
    pub const fn options(&self) -> &Options {
        &self.options
    }
}

/// Writes one line for the person at the terminal, or for the program that reads our output.
pub(crate) fn say(line: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    writeln!(std::io::stdout().lock(), "{line}")
}
