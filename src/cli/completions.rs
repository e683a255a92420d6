//! `flagstone completions`: what a shell needs to complete our commands and options.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::cli::{Cli, NAME, Outcome, arguments::DEFAULT_COMMAND};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Shell that the completions are for.
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints them, to be kept where that shell looks.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut text = Vec::new();
    let program = Cli::command();
    // Without a command it serves, with the options of that, which other commands do not take.
    let server = program.find_subcommand(DEFAULT_COMMAND).expect("a command").clone();
    let mut program = program.args(server.get_arguments().map(|option| option.clone().global(false)));
    clap_complete::generate(arguments.shell, &mut program, NAME, &mut text);
    super::write(&text)
}
