//! `flagstone config`: what is in force, whether it holds, and an example of a file.

use std::ffi::OsString;

use clap::{ArgMatches, Args, CommandFactory as _, Subcommand};

use super::{Cli, Command as Given, NAME, Outcome, edge, say, serve};
use crate::config::{self, Form, Gathered, Judgement};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print each setting that has a value, the value, and where it comes from. Secrets are not shown.
    Show(Show),
    /// List everything that is wrong with the settings, without starting anything: files that they name are read, too.
    Check(Whose),
    /// Print a file of settings with everything in it, commented out.
    Example(Role),
}

#[derive(Debug, Args)]
struct Show {
    /// Form of the answer. As TOML it is a file of settings, in which secrets are comments.
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
    #[command(flatten)]
    whose: Whose,
}

#[derive(Debug, Args)]
struct Whose {
    #[command(flatten)]
    role: Role,
    /// File with settings, as `--config` of the server and of the edge.
    #[arg(long = "config", env = "FLAGSTONE_CONFIG", value_name = "FILE")]
    file: Option<OsString>,
    /// Flags that the server, or the edge, would be started with; after `--`.
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<OsString>,
}

#[derive(Debug, Args)]
struct Role {
    /// Of an edge, in the place of the server.
    #[arg(long)]
    edge: bool,
}

impl Role {
    const fn name(&self) -> &'static str {
        if self.edge { "edge" } else { "serve" }
    }
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    match &arguments.command {
        Command::Show(Show { format, whose }) => show(*format, whose),
        Command::Check(whose) => check(whose),
        Command::Example(role) => super::write(config::example(&command(&Cli::command(), role)).as_bytes()),
    }
}

fn command(program: &clap::Command, role: &Role) -> clap::Command {
    program.find_subcommand(role.name()).expect("a command").clone()
}

/// The command that would be started.
fn given(whose: &Whose) -> Vec<OsString> {
    let file = whose.file.iter().flat_map(|file| [OsString::from("--config"), file.clone()]);
    [NAME, whose.role.name()].map(OsString::from).into_iter().chain(file).chain(whose.flags.iter().cloned()).collect()
}

/// Gathers the given settings, with everything that is wrong with them so far.
fn gathered(whose: &Whose) -> (Gathered, Option<(Cli, ArgMatches)>, Judgement) {
    let given = given(whose);
    let mut gathered = config::gather(Cli::command(), &given);
    let mut judgement = Judgement::default();
    judgement.wrong.append(&mut gathered.wrong);
    let of_variables = config::wrong_variables(&command(&Cli::command(), &whose.role));
    let parsed = Cli::parsed(&mut gathered, &given);
    // Of variables the reader of arguments reports the first one that is wrong.
    let is_told = !of_variables.is_empty();
    judgement.wrong.extend(of_variables);
    let read = match parsed {
        Ok(read) => Some(read),
        Err(error) => {
            if !is_told {
                let text = error.to_string();
                let reason = text.lines().next().unwrap_or_default();
                judgement.wrong.push(reason.strip_prefix("error: ").unwrap_or(reason).to_owned());
            }
            None
        }
    };
    (gathered, read, judgement)
}

fn show(format: Form, whose: &Whose) -> Outcome {
    let (gathered, read, judgement) = gathered(whose);
    if !judgement.wrong.is_empty() {
        return Err(judgement.wrong.join("\n").into());
    }
    let Some((_, matches)) = read else { return Ok(()) };
    let (name, of_command) = matches.subcommand().ok_or("no command")?;
    debug_assert_eq!(name, whose.role.name());
    let text = config::report(format, &command(&Cli::command(), &whose.role), of_command, &gathered);
    super::write(text.as_bytes())
}

fn check(whose: &Whose) -> Outcome {
    let (_, read, mut judgement) = gathered(whose);
    if let Some((cli, _)) = read {
        let options = match &cli.command {
            Given::Serve(options) => serve::judge(options, &cli.variables),
            Given::Edge(options) => edge::judge(options),
            _ => Judgement::default(),
        };
        judgement.wrong.extend(options.wrong);
        judgement.doubtful.extend(options.doubtful);
    }
    for doubt in &judgement.doubtful {
        say(&format!("warning: {doubt}"))?;
    }
    match &judgement.wrong[..] {
        [] => Ok(say("The settings hold.")?),
        [one] => Err(one.clone().into()),
        several => Err(format!("{} settings are wrong:\n  {}", several.len(), several.join("\n  ")).into()),
    }
}
