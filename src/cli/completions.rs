//! `flagstone completions`: what a shell needs to complete our commands and options.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::cli::{Cli, NAME, Outcome};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Shell that the completions are for.
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints them, to be kept where that shell looks.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), NAME, &mut text);
    super::write(&text)
}
