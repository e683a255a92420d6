//! `flagstone manual`: the help as manual pages.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _};
use clap_mangen::Man;

use crate::cli::{Cli, Outcome};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Command that the page is about, such as `import` or `token create`; the whole program when absent.
    command: Vec<String>,
    /// Write the pages of the program and of every command into this directory instead of printing one.
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "command")]
    write: Option<PathBuf>,
}

/// Prints a page for `man -l -`, or writes all of them.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut command = Cli::command().disable_help_subcommand(true);
    if let Some(directory) = &arguments.write {
        let written = std::fs::create_dir_all(directory).and_then(|()| clap_mangen::generate_to(command, directory));
        return Ok(written.map_err(|error| format!("cannot write into {}: {error}", directory.display()))?);
    }
    // Names the commands in full.
    command.build();
    let mut page = &command;
    for name in &arguments.command {
        page =
            page.find_subcommand(name).ok_or_else(|| format!("there is no command {}", arguments.command.join(" ")))?;
    }
    let mut text = Vec::new();
    Man::new(page.clone()).render(&mut text)?;
    super::write(&text)
}
