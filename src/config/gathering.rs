//! Settings from wherever they stand. What files hold becomes the default of its option before the options are read, so
//! that a flag and its variable win, and each value is read like any other.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ffi::{OsStr, OsString},
    net::SocketAddr,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, Command, builder::Resettable};

use super::{
    file,
    setting::{self, Kind, Setting, Shown},
    unleash::{self, Surroundings},
    variables::{self, Variables},
};

/// Suffix of a variable that names a file with the value of another variable.
const IN_A_FILE: &str = "_FILE";
/// Minimum similarity of a key to the one that was meant.
const ALIKE: f64 = 0.7;

/// Origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Flag,
    /// A variable.
    Variable(String),
    /// A file that this variable names, which holds nothing else.
    FileOfVariable(String, PathBuf),
    /// A line of the file of settings.
    File(PathBuf, usize),
    /// Nowhere else.
    Default,
}

/// Settings from files, with what is wrong with them.
#[derive(Debug)]
pub struct Gathered {
    /// The program, whose options have these settings as defaults.
    pub program: Command,
    /// Faults of files. No secret is in it.
    pub wrong: Vec<String>,
    /// Settings by variables and files that are no options.
    pub variables: Variables,
    /// Files in which secrets stand.
    pub secret_files: BTreeSet<PathBuf>,
    /// Origins of the options that files set, by their keys.
    pub(super) origins: HashMap<String, Origin>,
}

/// Gathers what files set for the command that is given. A request for help reads no file.
pub fn gather(program: Command, given: &[OsString]) -> Gathered {
    let mut gathering = Gathering::default();
    let lenient = without_empty_variables(program.clone()).ignore_errors(true).try_get_matches_from(given);
    let Ok(matches) = lenient else { return gathering.into_gathered(without_empty_variables(program)) };
    let (path, leaf) = path(&matches);
    let commands = along(&program, &path);
    let of_program = match path.first().map(String::as_str) {
        Some("edge" | "offline") => "edge",
        _ => "serve",
    };
    // A question for whoever runs here, be it a server or an edge.
    let is_question = path.first().is_some_and(|name| matches!(&**name, "check" | "health" | "ready"));
    let has_variables = path.first().is_some_and(|name| matches!(&**name, "serve" | "doctor"));
    gathering.secrets(&commands, has_variables);
    if let Ok(Some(file)) = leaf.try_get_one::<PathBuf>("config") {
        if is_question {
            gathering.file_of_either(file, &program);
        } else {
            gathering.file(file, &program, of_program);
        }
    }
    if !has_variables {
        gathering.variables.clear();
    }
    if is_question || of_program == "serve" {
        gathering.unleash(&commands, has_variables);
    }
    let program = without_empty_variables(with_defaults(program, &path, &gathering.values));
    gathering.into_gathered(program)
}

/// The program and its commands, whose options do not read variables that are set to nothing.
fn without_empty_variables(program: Command) -> Command {
    let read = |option: Arg| {
        let is_empty = option.get_env().is_some_and(is_empty);
        if is_empty { option.env(Resettable::Reset) } else { option }
    };
    program.mut_args(read).mut_subcommands(without_empty_variables)
}

/// The names of the commands, and what was given to the last of them.
fn path(matches: &ArgMatches) -> (Vec<String>, &ArgMatches) {
    let (mut path, mut leaf) = (Vec::new(), matches);
    while let Some((name, below)) = leaf.subcommand() {
        path.push(name.to_owned());
        leaf = below;
    }
    (path, leaf)
}

fn along<'a>(program: &'a Command, path: &[String]) -> Vec<&'a Command> {
    let mut commands = vec![program];
    for name in path {
        commands.extend(commands.last().and_then(|command| command.find_subcommand(name)));
    }
    commands
}

/// Returns the value of a variable, unless it is empty.
#[expect(clippy::disallowed_methods, reason = "part of the configuration, which alone reads the environment")]
fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Names of the variables.
#[expect(clippy::disallowed_methods, reason = "part of the configuration, which alone reads the environment")]
fn names() -> Vec<String> {
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect()
}

/// Whether a variable is set, and to nothing.
#[expect(clippy::disallowed_methods, reason = "part of the configuration, which alone reads the environment")]
fn is_empty(name: &OsStr) -> bool {
    std::env::var_os(name).is_some_and(|value| value.is_empty())
}

/// A value for an option.
#[derive(Debug)]
struct Value {
    variable: Option<OsString>,
    text: String,
    is_shown: bool,
}

#[derive(Debug, Default)]
struct Gathering {
    /// Values by the keys of options.
    values: HashMap<String, Value>,
    origins: HashMap<String, Origin>,
    variables: BTreeMap<String, (String, Origin)>,
    secret_files: BTreeSet<PathBuf>,
    wrong: Vec<String>,
    without_effect: Vec<String>,
}

impl Gathering {
    /// Reads variables that are no options, and files that a variable names for one secret.
    fn secrets(&mut self, commands: &[&Command], has_variables: bool) {
        for option in commands.iter().flat_map(|command| command.get_arguments()) {
            if let Some(setting) = Setting::of_option(option).filter(|setting| setting.shown != Shown::Whole)
                && let Some((text, origin)) = self.secret(&setting.variable())
            {
                match setting.judge(&text) {
                    Ok(()) => self.set(&setting, text, origin),
                    Err(reason) => self.wrong.push(format!("{}{IN_A_FILE}: {reason}", setting.variable())),
                }
            }
        }
        for variable in has_variables.then(variables::all).into_iter().flatten() {
            let in_file = if variable.is_secret { self.secret(&variable.name) } else { None };
            let given = environment(&variable.name).and_then(|value| value.into_string().ok());
            let given = given.filter(|value| !value.trim().is_empty());
            let given = given.map(|value| (value, Origin::Variable(variable.name.clone())));
            if let Some(value) = given.or(in_file) {
                self.variables.insert(variable.name, value);
            }
        }
    }

    /// Reads the file that `…_FILE` names, without its last line break.
    fn secret(&mut self, variable: &str) -> Option<(String, Origin)> {
        let named = format!("{variable}{IN_A_FILE}");
        let path = PathBuf::from(environment(&named)?);
        if environment(variable).is_some() {
            self.wrong.push(format!("{variable} and {named} are both set: one of them says what counts"));
            return None;
        }
        let text = file::text(&path).map_err(|reason| self.wrong.push(format!("{named}: {reason}"))).ok()?;
        let text = text.strip_suffix('\n').map_or(&*text, |text| text.strip_suffix('\r').unwrap_or(text)).to_owned();
        if text.is_empty() {
            self.wrong.push(format!("{named}: {} is empty", path.display()));
            return None;
        }
        Some((text, Origin::FileOfVariable(named, path)))
    }

    /// Reads the file of settings. All of it is judged, whatever the command has use for.
    fn file(&mut self, path: &Path, program: &Command, name: &str) {
        let settings = |name: &str| {
            let variables = if name == "serve" { variables::all() } else { Vec::new() };
            program.find_subcommand(name).map(|command| setting::of(command, &variables)).unwrap_or_default()
        };
        let (known, other) = (settings(name), settings(if name == "serve" { "edge" } else { "serve" }));
        let entries = match file::read(path) {
            Ok(entries) => entries,
            Err(reason) => return self.wrong.push(reason),
        };
        for entry in entries {
            let wrong = |reason: String| format!("{}:{}: {}: {reason}", path.display(), entry.line, entry.key);
            let Some(setting) = known.iter().find(|setting| setting.key == entry.key) else {
                let is_table = matches!(entry.value, file::Written::Table);
                self.wrong.push(wrong(unknown(&entry.key, is_table, &known, &other, name)));
                continue;
            };
            match setting.read(&entry.value) {
                Ok(text) => self.set(setting, text, Origin::File(path.to_owned(), entry.line)),
                Err(reason) => self.wrong.push(wrong(reason)),
            }
        }
    }

    /// Reads the file of settings of the server, or of an edge where only that would take it. The server listens
    /// somewhere also where the file does not say so.
    fn file_of_either(&mut self, path: &Path, program: &Command) {
        let is_of = |name: &str| {
            let mut tried = Self::default();
            tried.file(path, program, name);
            tried.wrong.is_empty()
        };
        if !is_of("serve") && is_of("edge") {
            return self.file(path, program, "edge");
        }
        self.file(path, program, "serve");
        let server = program.find_subcommand("serve").into_iter().flat_map(Command::get_arguments);
        for setting in server.filter(|option| option.get_long() == Some("listen")).filter_map(Setting::of_option) {
            let default = setting.option.as_ref().and_then(|option| option.get_default_values().first()?.to_str());
            if let Some(text) = default.map(str::to_owned) {
                self.set(&setting, text, Origin::Default);
            }
        }
    }

    /// Takes over the variables of an Unleash server, which take precedence over the file as the options' own do.
    fn unleash(&mut self, commands: &[&Command], is_server: bool) {
        let options = commands.iter().flat_map(|command| command.get_arguments());
        let settings: Vec<_> = options.filter_map(Setting::of_option).collect();
        if !settings.iter().any(|setting| ["database-url", "listen"].contains(&&*setting.key)) {
            return;
        }
        let mut set = BTreeMap::new();
        for (name, is_secret) in unleash::names() {
            let of_file = if is_secret { self.secret(name) } else { None };
            let given = environment(name).map(|value| value.into_string().map_err(|_| format!("{name} is no UTF-8")));
            match given.or(of_file.map(|(text, _)| Ok(text))) {
                Some(Ok(value)) if !value.trim().is_empty() => {
                    set.insert(name, value);
                }
                Some(Err(reason)) if is_server => self.wrong.push(reason),
                _ => {}
            }
        }
        let own = |key: &str| {
            let variable = settings.iter().find(|setting| setting.key == key).map_or(key.to_owned(), Setting::variable);
            match (environment(&variable), self.origins.get(key)) {
                (Some(value), _) => Some((variable, value.to_string_lossy().into_owned())),
                (None, Some(Origin::FileOfVariable(variable, _))) => Some((variable.clone(), String::new())),
                _ => None,
            }
        };
        let default = |setting: &Setting| {
            let default = setting.option.as_ref().and_then(|option| option.get_default_values().first()?.to_str());
            self.values.get(&setting.key).map(|value| &*value.text).or(default)?.parse().ok()
        };
        let listen = settings.iter().find(|setting| setting.key == "listen").and_then(default);
        let outcome = unleash::read(&Surroundings {
            set: &set,
            names: names(),
            own: &own,
            listen: listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 4242))),
            is_server,
        });
        self.wrong.extend(outcome.wrong);
        self.without_effect.extend(outcome.without_effect);
        for unleash::TakenOver { option, value, variable } in outcome.taken_over {
            let Some(setting) = settings.iter().find(|setting| setting.key == option) else { continue };
            if let Err(reason) = setting.judge(&value) {
                self.wrong.push(format!("{variable}: {reason}"));
                continue;
            }
            let own = setting.option.as_ref().and_then(Arg::get_env).map(OsStr::to_owned);
            let is_shown = setting.shown == Shown::Whole;
            self.values.insert(setting.key.clone(), Value { variable: own, text: value, is_shown });
            self.origins.insert(setting.key.clone(), Origin::Variable(variable.to_owned()));
        }
    }

    /// Sets what is not set yet.
    fn set(&mut self, setting: &Setting, text: String, origin: Origin) {
        if let Origin::FileOfVariable(_, path) | Origin::File(path, _) = &origin
            && setting.shown != Shown::Whole
            && !text.trim().is_empty()
        {
            self.secret_files.insert(path.clone());
        }
        let Some(option) = &setting.option else {
            if !text.trim().is_empty() {
                self.variables.entry(setting.key.clone()).or_insert((text, origin));
            }
            return;
        };
        if !self.values.contains_key(&setting.key) {
            let variable = option.get_env().map(OsStr::to_owned);
            let is_shown = setting.shown == Shown::Whole;
            self.values.insert(setting.key.clone(), Value { variable, text, is_shown });
            self.origins.insert(setting.key.clone(), origin);
        }
    }

    fn into_gathered(self, program: Command) -> Gathered {
        let Self { values: _, origins, variables, secret_files, wrong, without_effect } = self;
        Gathered { program, wrong, variables: Variables { set: variables, without_effect }, secret_files, origins }
    }
}

/// Returns why a key is none, and what may have been meant.
fn unknown(key: &str, is_table: bool, known: &[Setting], other: &[Setting], name: &str) -> String {
    if is_table {
        return "there are no tables here: every key stands at the top".to_owned();
    }
    if other.iter().any(|setting| setting.key == key && !setting.is_hidden) {
        let (this, that) = if name == "serve" { ("the server", "an edge") } else { ("an edge", "the server") };
        return format!("this is a setting of {that}, and the file is read for {this}");
    }
    let spelled = key.to_ascii_lowercase().replace('_', "-");
    let likeness = |setting: &Setting| {
        let aliases = setting.option.as_ref().and_then(Arg::get_all_aliases).unwrap_or_default();
        if setting.variable() == key || aliases.contains(&key) {
            return 1.0;
        }
        strsim::jaro_winkler(&spelled, &setting.key.to_ascii_lowercase().replace('_', "-"))
    };
    let nearest = known.iter().filter(|setting| !setting.is_hidden).map(|setting| (likeness(setting), &setting.key));
    match nearest.max_by(|one, other| one.0.total_cmp(&other.0)).filter(|(likeness, _)| *likeness > ALIKE) {
        Some((_, nearest)) => format!("there is no such setting; the nearest is {nearest}"),
        None => "there is no such setting; `flagstone config example` lists all".to_owned(),
    }
}

/// The command with these values as defaults of its options, and of those of the commands below that are on the path.
fn with_defaults(mut command: Command, path: &[String], values: &HashMap<String, Value>) -> Command {
    let of = |option: &Arg| {
        let value = values.get(option.get_long()?)?;
        // Commands have options of their own that are called alike.
        (option.get_env() == value.variable.as_deref()).then(|| (option.get_id().clone(), value))
    };
    let found: Vec<_> = command.get_arguments().filter_map(of).collect();
    for (id, value) in found {
        command = command.mut_arg(id, |option| {
            let is_set = option.get_env().and_then(OsStr::to_str).is_some_and(|name| environment(name).is_some());
            let option = if is_set { option } else { option.env(Resettable::Reset) };
            option.default_value(value.text.clone()).hide_default_value(!value.is_shown)
        });
    }
    match path.split_first() {
        Some((first, rest)) => command.mut_subcommand(first, |below| with_defaults(below, rest, values)),
        None => command,
    }
}

/// Returns the fault of each variable of a command's options, for when there may be more than one.
pub fn wrong_variables(command: &Command) -> Vec<String> {
    let judge = |option: &Arg| {
        let setting = Setting::of_option(option).filter(|setting| setting.kind != Kind::Truth)?;
        let value = environment(&setting.variable())?.into_string().ok()?;
        setting.judge(&value).err().map(|reason| format!("{}: {reason}", setting.variable()))
    };
    command.get_arguments().filter_map(judge).collect()
}
