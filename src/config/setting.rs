//! Settings of a file and of the command line: read from the options themselves, so that there is no second list.

use std::{any::TypeId, ffi::OsString};

use clap::{
    Arg, ArgAction, Command,
    builder::Resettable,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{
    file::Written,
    variables::{Holds, Variable},
};

/// Options whose one value is a list, and which take it apart themselves.
const LISTS: [&str; 4] = ["trusted-proxies", "proxy-trusted-servers", "outgoing-addresses", "no-proxy"];
/// Options whose value is shown but for what is secret in it.
const ADDRESSES: [&str; 3] = ["database-url", "database-read-url", "https-proxy"];

/// Form of a value in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Truth,
    List,
}

/// Part of a value that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Whole,
    /// An address, without what is secret in it.
    Address,
    Nothing,
}

/// One thing that can be set.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    /// Its name in a file.
    pub(super) key: String,
    pub(super) kind: Kind,
    pub(super) shown: Shown,
    /// Whether it is refused, with what to do instead, and so not offered.
    pub(super) is_hidden: bool,
    /// The option, if it is one: others are variables alone.
    pub(super) option: Option<Arg>,
}

/// Returns the settings of the server or of an edge, whose options a command has.
pub(super) fn of(command: &Command, variables: &[Variable]) -> Vec<Setting> {
    let options = command.get_arguments().filter_map(Setting::of_option);
    options.chain(variables.iter().map(Setting::of_variable)).collect()
}

impl Setting {
    pub(super) fn of_option(option: &Arg) -> Option<Self> {
        let key = option.get_long().filter(|long| *long != "config" && option.get_env().is_some())?;
        let holds = option.get_value_parser().type_id();
        let is_number = [TypeId::of::<u64>(), TypeId::of::<i64>(), TypeId::of::<u32>(), TypeId::of::<u16>()];
        let kind = match option.get_action() {
            ArgAction::SetTrue => Kind::Truth,
            _ if option.get_value_delimiter().is_some() || LISTS.contains(&key) => Kind::List,
            _ if is_number.iter().any(|number| holds == *number) => Kind::Number,
            _ => Kind::Text,
        };
        let shown = match option.is_hide_env_values_set() {
            true if ADDRESSES.contains(&key) => Shown::Address,
            true => Shown::Nothing,
            false => Shown::Whole,
        };
        Some(Self { key: key.to_owned(), kind, shown, is_hidden: option.is_hide_set(), option: Some(option.clone()) })
    }

    fn of_variable(variable: &Variable) -> Self {
        let kind = match variable.holds {
            Holds::Text => Kind::Text,
            Holds::Truth => Kind::Truth,
            Holds::List => Kind::List,
        };
        let shown = if variable.is_secret { Shown::Nothing } else { Shown::Whole };
        Self { key: variable.name.clone(), kind, shown, is_hidden: false, option: None }
    }

    /// The variable that sets it, too.
    pub(super) fn variable(&self) -> String {
        let of_option = self.option.as_ref().and_then(|option| option.get_env()).and_then(|name| name.to_str());
        of_option.unwrap_or(&self.key).to_owned()
    }

    /// The value as it would stand in the variable, or why it is none. The reason holds no secret.
    pub(super) fn read(&self, written: &Written) -> Result<String, String> {
        let wanted = match self.kind {
            Kind::Text => "text in quotation marks",
            Kind::Number => "a number",
            Kind::Truth => "true or false, without quotation marks",
            Kind::List => "a list of texts, or one text with commas",
        };
        let text = match (self.kind, written) {
            (Kind::Truth, Written::Truth(truth)) => return Ok(truth.to_string()),
            (Kind::Text | Kind::Number | Kind::List, Written::Text(text)) => text.clone(),
            (Kind::Number, Written::Number(number)) => number.clone(),
            (Kind::List, Written::List(texts)) if texts.iter().any(|text| text.contains(',')) => {
                return Err("an entry of the list holds a comma, which would take it apart".to_owned());
            }
            (Kind::List, Written::List(texts)) => texts.join(","),
            _ => return Err(format!("takes {wanted}")),
        };
        self.judge(&text)?;
        Ok(text)
    }

    /// Whether the option takes this value.
    pub(super) fn judge(&self, text: &str) -> Result<(), String> {
        if text.contains('\0') {
            return Err("contains a NUL character".to_owned());
        }
        let Some(option) = self.option.as_ref().filter(|_| self.kind != Kind::Truth) else { return Ok(()) };
        let alone = option.clone().env(Resettable::Reset).default_value(Resettable::Reset).global(false);
        let program = Command::new("setting").no_binary_name(true).disable_help_flag(true).arg(alone);
        let given = [OsString::from(format!("--{}={text}", self.key))];
        let Err(error) = program.try_get_matches_from(given) else { return Ok(()) };
        if self.shown != Shown::Whole {
            return Err("has no value that it may have".to_owned());
        }
        if error.kind() == ErrorKind::InvalidValue {
            return Err(match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(words)) if !words.is_empty() => format!("takes {}", words.join(", ")),
                _ => "may not be empty".to_owned(),
            });
        }
        let reason = std::error::Error::source(&error).map(ToString::to_string);
        Err(reason.unwrap_or_else(|| "has no value that it may have".to_owned()))
    }
}
