//! Report of the settings in force, and where each value comes from. Secrets are not shown.

use std::fmt::Write as _;

use clap::{ArgMatches, Command, ValueEnum, parser::ValueSource};
use serde_json::json;
use url::Url;

use super::{
    gathering::{Gathered, Origin},
    setting::{self, Kind, Setting, Shown},
    variables,
};

/// Mark in the place of a secret.
const HIDDEN: &str = "(hidden)";

/// Form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A line for each setting: its name, its value, and where it comes from.
    Text,
    /// A list of objects.
    Json,
    /// A file of settings.
    Toml,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag => f.write_str("flag"),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::FileOfVariable(name, path) => write!(f, "variable {name}, {}", path.display()),
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

impl Origin {
    fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Flag => json!({ "kind": "flag" }),
            Self::Variable(name) => json!({ "kind": "variable", "variable": name }),
            Self::FileOfVariable(name, path) => json!({ "kind": "variable", "variable": name, "file": path }),
            Self::File(path, line) => json!({ "kind": "file", "file": path, "line": line }),
            Self::Default => json!({ "kind": "default" }),
        }
    }
}

/// A setting that has a value.
struct InForce {
    setting: Setting,
    /// `None` where it is not shown.
    value: Option<String>,
    origin: Origin,
}

/// Returns the settings in force when this command is given, in a form.
pub fn report(form: Form, command: &Command, matches: &ArgMatches, gathered: &Gathered) -> String {
    let variables = if command.get_name() == "serve" { variables::all() } else { Vec::new() };
    let settings = setting::of(command, &variables).into_iter().filter(|setting| !setting.is_hidden);
    let in_force: Vec<_> = settings.filter_map(|setting| found(setting, matches, gathered)).collect();
    match form {
        Form::Text => text(&in_force),
        Form::Json => {
            let row = |line: &InForce| {
                let is_hidden = line.value.is_none();
                let value =
                    line.value.as_deref().map_or(serde_json::Value::Null, |value| in_json(&line.setting, value));
                json!({ "name": line.setting.key, "value": value, "hidden": is_hidden, "from": line.origin.to_json() })
            };
            let rows: Vec<_> = in_force.iter().map(row).collect();
            format!("{:#}\n", serde_json::Value::from(rows))
        }
        Form::Toml => in_force.iter().fold(String::new(), |mut text, line| {
            let (mark, value) = match &line.value {
                Some(value) => ("", in_toml(&line.setting, value)),
                None => ("# ", quoted(HIDDEN)),
            };
            let _infallible = writeln!(text, "{mark}{} = {value} # {}", line.setting.key, line.origin);
            text
        }),
    }
}

fn found(setting: Setting, matches: &ArgMatches, gathered: &Gathered) -> Option<InForce> {
    let (value, origin) = match &setting.option {
        None => gathered.variables.set.get(&setting.key).cloned()?,
        Some(option) => {
            let id = option.get_id().as_str();
            let origin = match matches.value_source(id)? {
                ValueSource::CommandLine => Origin::Flag,
                ValueSource::EnvVariable => Origin::Variable(setting.variable()),
                _ => gathered.origins.get(&setting.key).cloned().unwrap_or(Origin::Default),
            };
            let value = if setting.kind == Kind::Truth {
                matches.get_flag(id).to_string()
            } else {
                let texts = matches.get_raw(id)?.map(|text| text.to_string_lossy());
                texts.collect::<Vec<_>>().join(",")
            };
            (value, origin)
        }
    };
    let value = match setting.shown {
        Shown::Whole => Some(value),
        Shown::Address => Some(without_secrets(&value)),
        Shown::Nothing => None,
    };
    Some(InForce { setting, value, origin })
}

/// An address without its password, and without what follows the question mark.
fn without_secrets(address: &str) -> String {
    if address.starts_with("sqlite:") {
        return address.to_owned();
    }
    let Ok(mut url) = Url::parse(address) else { return HIDDEN.to_owned() };
    if url.cannot_be_a_base() {
        return HIDDEN.to_owned();
    }
    let is_cut = url.query().is_some() || url.fragment().is_some();
    url.set_query(None);
    url.set_fragment(None);
    let has_password = url.password().is_some();
    // Only an address that cannot have a password refuses another one.
    if has_password && url.set_password(Some("hidden")).is_err() {
        return HIDDEN.to_owned();
    }
    let shown = url.as_str().replacen(":hidden@", ":(hidden)@", usize::from(has_password));
    if is_cut { format!("{shown}?…") } else { shown }
}

fn text(in_force: &[InForce]) -> String {
    // One line each, whatever the value holds.
    let shown = |line: &InForce| line.value.as_deref().unwrap_or(HIDDEN).replace(char::is_control, " ");
    let width = |length: &dyn Fn(&InForce) -> usize| in_force.iter().map(length).max().unwrap_or_default();
    let names = width(&|line| line.setting.key.chars().count());
    // A long value moves the rest of its own line alone.
    let values = width(&|line| shown(line).chars().count()).min(40);
    in_force.iter().fold(String::new(), |mut text, line| {
        let _infallible = writeln!(text, "{:names$}  {:values$}  {}", line.setting.key, shown(line), line.origin);
        text
    })
}

fn in_json(setting: &Setting, value: &str) -> serde_json::Value {
    match setting.kind {
        Kind::Truth => json!(value == "true"),
        Kind::Number => value.parse::<u64>().map_or_else(|_| json!(value), |number| json!(number)),
        Kind::List => json!(entries(value)),
        Kind::Text => json!(value),
    }
}

/// The value as a file of settings holds it.
pub(super) fn in_toml(setting: &Setting, value: &str) -> String {
    match setting.kind {
        Kind::Truth | Kind::Number => value.to_owned(),
        Kind::List => format!("[{}]", entries(value).into_iter().map(quoted).collect::<Vec<_>>().join(", ")),
        Kind::Text => quoted(value),
    }
}

fn entries(list: &str) -> Vec<&str> {
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).collect()
}

/// A text in quotation marks, which TOML escapes like JSON but for one sign.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_what_is_secret_in_them() {
        for (address, shown) in [
            ("sqlite://flagstone.db", "sqlite://flagstone.db"),
            ("postgres://db.internal/flags", "postgres://db.internal/flags"),
            ("postgres://me:hunter2@db/flags", "postgres://me:(hidden)@db/flags"),
            ("postgres://me:a%3Ahunter2@db:5432/flags?sslmode=require", "postgres://me:(hidden)@db:5432/flags?…"),
            ("postgres://db/flags?password=hunter2", "postgres://db/flags?…"),
            ("postgres:hunter2", "(hidden)"),
            ("hunter2", "(hidden)"),
        ] {
            assert_eq!(without_secrets(address), shown);
        }
    }

    #[test]
    fn texts_are_written_as_toml_reads_them() {
        for text in ["", "a\"b\\c", "line\nline\ttab", "\u{1}\u{7f}\u{e9}\u{1f600}", "'''"] {
            let read: std::collections::BTreeMap<String, String> =
                toml::from_str(&format!("a = {}", quoted(text))).expect("TOML");
            assert_eq!(read["a"], text);
        }
    }
}
