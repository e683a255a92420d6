//! The command line: which commands there are, and what each starts.

mod arguments;
mod backup;
mod check;
mod compare;
mod completions;
mod config;
mod copy;
mod doctor;
mod edge;
mod events;
mod export;
mod feature;
mod import;
mod manual;
mod migrate;
mod move_in;
mod openapi;
mod opening;
mod progress;
mod reason;
mod remote_server;
mod restore;
mod sections;
mod serve;
mod service;
mod settings;
mod token;
mod user;

use std::{
    collections::BTreeSet,
    ffi::OsString,
    io::{IsTerminal as _, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use clap::{
    ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, builder::Resettable, error::ErrorKind,
};

use crate::{
    config::{DatabaseChoice, EdgeOptions, Gathered, LogFormat, Options, Variables, gather, log_level},
    telemetry::Log,
};

/// A feature-flag management server: one binary with its database inside.
///
/// Without a command it serves: `flagstone --listen 127.0.0.1:4242` is `flagstone serve --listen 127.0.0.1:4242`, whose
/// help tells the options of the server.
#[derive(Debug, Parser)]
#[command(name = NAME, version, subcommand_required = false, arg_required_else_help = false)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Variables that are set and are no options.
    #[arg(skip)]
    variables: Variables,
    /// Files of settings in which secrets stand.
    #[arg(skip)]
    secret_files: BTreeSet<PathBuf>,
}

/// Name of the program.
const NAME: &str = "flagstone";

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API (the default).
    #[command(mut_args(sections::placed))]
    Serve(Box<Options>),
    /// Serve programs as a replica of another server, near to them and without a database.
    #[command(mut_args(sections::placed))]
    Edge(Box<EdgeOptions>),
    /// `edge --offline`, under the name that Unleash Edge gave it, and with its short options.
    #[command(
        hide = true,
        mut_arg("backup_folder", |option| option.short(Resettable::Reset)),
        mut_arg("offline", |option| option.short('b')),
        mut_arg("features_refresh_interval_seconds", |option| option.short(Resettable::Reset)),
        mut_arg("frontend_tokens", |option| option.short('f'))
    )]
    Offline(Box<EdgeOptions>),
    /// Show the settings in force, and whether they are valid.
    Config(config::Arguments),
    /// Ask whether a server or an edge runs (`health`), or can do its work (`ready`).
    Check(check::Arguments),
    /// `check health`, under the name that Unleash Edge gave it.
    #[command(hide = true)]
    Health(check::Whom),
    /// `check ready`, under the name that Unleash Edge gave it.
    #[command(hide = true)]
    Ready(check::Whom),
    /// Print the OpenAPI document; needs no database.
    Openapi(openapi::Arguments),
    /// Import the file of an export.
    Import(Box<import::Arguments>),
    /// Export features in the form that an import takes.
    Export(export::Arguments),
    /// Migrate the database to the schema of this version, and stop.
    Migrate(DatabaseChoice),
    /// List features, and switch them on and off.
    Feature(Box<feature::Arguments>),
    /// Manage the tokens of programs: make, list and revoke them.
    Token(token::Arguments),
    /// Manage users: make, list and deactivate them, and set their passwords.
    User(user::Arguments),
    /// Change the key of the login settings, or give them up when it is lost.
    Settings(settings::Arguments),
    /// Write the log of events into an archive, and prove that it was not changed.
    Events(events::Arguments),
    /// Copy the SQLite database, also while the server runs, once or by the hour; and prove that a copy is whole.
    Backup(Box<backup::Arguments>),
    /// Put a copy in the place of the SQLite database.
    Restore(restore::Arguments),
    /// Look at the machine, the configuration and the database, and say what is wrong with them. Changes nothing.
    Doctor(Box<doctor::Arguments>),
    /// Copy a SQLite database into an empty PostgreSQL database, also while the server runs.
    Copy(copy::Arguments),
    /// Move the whole database of an Unleash server (4.19 to 8.2) into an empty one, also while that server runs.
    MoveIn(move_in::Arguments),
    /// Compare what two servers answer to SDKs, and list every difference.
    Compare(compare::Arguments),
    /// Print a shell completion script.
    Completions(completions::Arguments),
    /// Print the manual page of this program or of one of its commands.
    Manual(manual::Arguments),
}

/// Result of a command: nothing, or a sentence for the terminal.
pub type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Runs the command that the arguments of the process name, with a log where it writes one.
// Not in the program: what it waits for would be compiled there, by itself and after the library.
#[tokio::main]
pub async fn main() -> ExitCode {
    let cli = Cli::read();
    let log = cli.log().map(|(format, tells_requests)| Log::start(is_text(format), tells_requests, log_level()));
    let logs = log.is_some();
    match cli.run(log.unwrap_or_default()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if logs {
                tracing::error!(%error, "stopped");
            } else {
                complain(&format!("error: {error}"));
            }
            ExitCode::FAILURE
        }
    }
}

fn is_text(format: LogFormat) -> bool {
    match format {
        LogFormat::Auto => std::io::stderr().is_terminal(),
        LogFormat::Text => true,
        LogFormat::Json => false,
    }
}

impl Cli {
    /// Reads the arguments of the process, and the files that they and the environment name; what is wrong with them,
    /// and the help, ends it.
    fn read() -> Self {
        let given = arguments::command_first(&Self::command(), std::env::args_os().collect());
        let mut gathered = gather(Self::command(), &given);
        if !gathered.wrong.is_empty() {
            clap::Error::raw(ErrorKind::InvalidValue, gathered.wrong.join("\n") + "\n").exit();
        }
        match Self::parsed(&mut gathered, &given) {
            Ok((cli, _)) => cli,
            Err(error) => error.exit(),
        }
    }

    /// The command that is given, with what was gathered for it.
    fn parsed(gathered: &mut Gathered, given: &[OsString]) -> Result<(Self, ArgMatches), clap::Error> {
        let matches = gathered.program.try_get_matches_from_mut(given)?;
        let read = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut gathered.program))?;
        Ok((
            Self { variables: gathered.variables.clone(), secret_files: gathered.secret_files.clone(), ..read },
            matches,
        ))
    }

    /// Runs the command to its end, with the log where it writes one.
    async fn run(self, log: Log) -> Outcome {
        match self.command {
            Command::Serve(options) => serve::run(&options, &self.variables, log).await,
            Command::Edge(options) | Command::Offline(options) => edge::run(&options).await,
            Command::Config(arguments) => config::run(&arguments),
            Command::Check(arguments) => check::run(arguments).await,
            Command::Health(whom) => check::ask(check::Question::Health, whom).await,
            Command::Ready(whom) => check::ask(check::Question::Ready, whom).await,
            Command::Openapi(arguments) => openapi::run(&arguments),
            Command::Import(arguments) => import::run(&arguments).await,
            Command::Export(arguments) => export::run(&arguments).await,
            Command::Migrate(database) => migrate::run(&database).await,
            Command::Feature(arguments) => feature::run(*arguments).await,
            Command::Token(arguments) => token::run(arguments).await,
            Command::User(arguments) => user::run(arguments).await,
            Command::Settings(arguments) => settings::run(arguments).await,
            Command::Events(arguments) => events::run(arguments).await,
            Command::Backup(arguments) => backup::run(*arguments).await,
            Command::Restore(arguments) => restore::run(arguments).await,
            Command::Doctor(arguments) => doctor::run(&arguments, &self.variables, &self.secret_files).await,
            Command::Copy(arguments) => copy::run(&arguments).await,
            Command::MoveIn(arguments) => move_in::run(&arguments).await,
            Command::Compare(arguments) => compare::run(&arguments).await,
            Command::Completions(arguments) => completions::run(&arguments),
            Command::Manual(arguments) => manual::run(&arguments),
        }
    }

    /// The form of the log and whether it contains requests, if the command writes one. Other commands only print their
    /// errors, for a person.
    const fn log(&self) -> Option<(LogFormat, bool)> {
        match &self.command {
            Command::Serve(options) => Some((options.log_format, options.telemetry.access_log)),
            Command::Edge(options) | Command::Offline(options) => {
                Some((options.log_format(), options.telemetry.access_log))
            }
            _ => None,
        }
    }
}

/// Writes what a command was asked for to standard output. A reader that stops reading, as `head` does, is no failure.
fn write(text: &[u8]) -> Outcome {
    match std::io::stdout().lock().write_all(text) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes one line for the person at the terminal, or for the program that reads our output and may have enough of it.
pub(crate) fn say(line: &str) -> std::io::Result<()> {
    match writeln!(std::io::stdout().lock(), "{line}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}

/// Writes one line to standard error, for a command that goes on. Without a reader it is lost.
fn complain(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
