//! `flagstone manual`: the help as manual pages.

use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory as _};
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
    // Names the commands in full.
    command.build();
    if let Some(directory) = &arguments.write {
        let written = std::fs::create_dir_all(directory).and_then(|()| write_all(&command, directory));
        return Ok(written.map_err(|error| format!("cannot write into {}: {error}", directory.display()))?);
    }
    let mut shown = &command;
    for name in &arguments.command {
        shown = shown
            .find_subcommand(name)
            .ok_or_else(|| format!("there is no command {}", arguments.command.join(" ")))?;
    }
    let mut text = Vec::new();
    page(shown).render(&mut text)?;
    super::write(&text)
}

/// Returns the page of a command, with the program, its version and the name of the manual in its footer.
fn page(command: &Command) -> Man {
    Man::new(command.clone()).source(concat!("Flagstone ", env!("CARGO_PKG_VERSION"))).manual("Flagstone Manual")
}

fn write_all(command: &Command, directory: &Path) -> std::io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_all(below, directory)?;
    }
    page(command).generate_to(directory).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_names_the_program_and_its_version_in_its_footer() {
        fn check(command: &Command) {
            let mut text = Vec::new();
            page(command).render(&mut text).expect("a page");
            let text = String::from_utf8(text).expect("text");
            let footer = format!("\"Flagstone {}\" \"Flagstone Manual\"", env!("CARGO_PKG_VERSION"));
            assert!(text.lines().any(|line| line.starts_with(".TH") && line.contains(&footer)), "{text}");
            command.get_subcommands().for_each(check);
        }
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        check(&command);
    }
}
