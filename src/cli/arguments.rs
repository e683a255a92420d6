//! Arguments of the command line, brought into the order in which they are read.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};

/// The command that is meant when none is named.
pub(super) const DEFAULT_COMMAND: &str = "serve";
/// Commands whose options may stand before them.
const SERVING: [&str; 2] = [DEFAULT_COMMAND, "edge"];

/// Puts the name of the command before its options, among which it may stand, and names the one that is meant when
/// there is none. Only what the server and the edge know is looked for: what else stands first is for the reader of
/// arguments to refuse.
pub(super) fn command_first(program: &Command, mut given: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    while let Some(length) = given.get(at).and_then(|text| length(program, text)) {
        at += length;
    }
    match given.get(at).map(|text| text.to_string_lossy()) {
        Some(text) if at == 1 && ["-h", "--help", "-V", "--version"].contains(&&*text) => {}
        Some(text) if !text.starts_with('-') => {
            let end = given.iter().position(|text| text == "--").unwrap_or(given.len());
            if text == "edge" {
                pretrusted_in_full(&mut given[at..end]);
            }
            given[1..end].rotate_left(at - 1);
        }
        _ => given.insert(1, DEFAULT_COMMAND.into()),
    }
    given
}

/// Returns the number of arguments that an option of the server or of the edge takes up, itself included.
fn length(program: &Command, text: &OsStr) -> Option<usize> {
    let text = text.to_str()?;
    let mut options = SERVING.iter().filter_map(|name| program.find_subcommand(name)).flat_map(Command::get_arguments);
    let takes_values = |option: &Arg| option.get_action().takes_values();
    if let Some(long) = text.strip_prefix("--") {
        let (name, is_whole) = long.split_once('=').map_or((long, false), |(name, _)| (name, true));
        let is_named = |option: &&Arg| {
            option.get_long() == Some(name) || option.get_all_aliases().unwrap_or_default().contains(&name)
        };
        return options.find(is_named).map(|option| if takes_values(option) && !is_whole { 2 } else { 1 });
    }
    let mut signs = text.strip_prefix('-')?.chars();
    let short = signs.next()?;
    let option = options.find(|option| option.get_short() == Some(short))?;
    Some(if takes_values(option) && signs.as_str().is_empty() { 2 } else { 1 })
}

/// Spells out `-p` where it stands for tokens, as it does after the name of the command at Unleash Edge. Before the name
/// it is the port; a number is that in either place.
fn pretrusted_in_full(given: &mut [OsString]) {
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    for at in 0..given.len() {
        let Some(value) = given[at].to_str().and_then(|text| text.strip_prefix("-p")) else { continue };
        if value.is_empty() {
            let next = given.get(at + 1).and_then(|text| text.to_str());
            if next.is_some_and(|next| !is_port(next)) {
                given[at] = "--pretrusted-tokens".into();
            }
        } else if let value = value.strip_prefix('=').unwrap_or(value)
            && !is_port(value)
        {
            given[at] = format!("--pretrusted-tokens={value}").into();
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn options_may_stand_before_the_command_as_at_the_fields_edge() {
        for (given, read) in [
            ("", "serve"),
            ("--help", "--help"),
            ("--listen 127.0.0.1:1", "serve --listen 127.0.0.1:1"),
            ("--listen=127.0.0.1:1 migrate", "migrate --listen=127.0.0.1:1"),
            ("-p 3063 edge -u http://x", "edge -u http://x -p 3063"),
            ("-p3063 --token-header X -l json edge", "edge -p3063 --token-header X -l json"),
            ("--sentry-debug -w 4 offline -b f -r 5", "offline -b f -r 5 --sentry-debug -w 4"),
            ("edge -p a:b.c,d:e.f", "edge --pretrusted-tokens a:b.c,d:e.f"),
            ("edge -pa:b.c -p 3063", "edge --pretrusted-tokens=a:b.c -p 3063"),
            ("--strict edge -- -p x", "edge --strict -- -p x"),
            ("-x edge", "serve -x edge"),
        ] {
            let words = |text: &str| -> Vec<OsString> {
                std::iter::once("flagstone")
                    .chain(text.split(' ').filter(|word| !word.is_empty()))
                    .map(Into::into)
                    .collect()
            };
            assert_eq!(command_first(&Cli::command(), words(given)), words(read), "{given}");
        }
    }

    #[test]
    fn an_option_takes_as_many_values_for_the_server_as_for_the_edge() {
        let program = Cli::command();
        let [server, edge] = SERVING.map(|name| program.find_subcommand(name).expect("a command"));
        for option in server.get_arguments().filter(|option| option.get_long().is_some()) {
            let same = edge.get_arguments().find(|other| other.get_long() == option.get_long());
            let takes = |option: &Arg| option.get_action().takes_values();
            assert!(same.is_none_or(|same| takes(same) == takes(option)), "{option}");
        }
    }
}
