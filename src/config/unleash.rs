//! Settings of an Unleash server under the names of its variables, so that an environment that was made for it starts
//! Flagstone, too: each is taken over, refused, or reported as without effect.

mod database;
mod table;

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
};

use table::{EXPERIMENTAL, Effect, VARIABLES, is_on};

/// Value that a variable sets, and the variable.
#[derive(Debug)]
pub(super) struct TakenOver {
    /// Long name of the option.
    pub(super) option: &'static str,
    pub(super) value: String,
    pub(super) variable: &'static str,
}

/// Outcome of reading the variables.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) taken_over: Vec<TakenOver>,
    /// Reasons to refuse the start. Neither these nor the next repeat a secret.
    pub(super) wrong: Vec<String>,
    /// Variables without an effect, with the reason.
    pub(super) without_effect: Vec<String>,
}

/// Variables that are read, of which those with a secret can also be in a file.
pub(super) fn names() -> impl Iterator<Item = (&'static str, bool)> {
    VARIABLES.iter().map(|(name, _)| (*name, *name == "DATABASE_PASSWORD"))
}

/// Context of the variables.
pub(super) struct Surroundings<'a> {
    /// Variables that are set, with their values.
    pub(super) set: &'a BTreeMap<&'static str, String>,
    /// Names of all variables.
    pub(super) names: Vec<String>,
    /// Returns the variable, and its value, by which an option of this long name is set already.
    pub(super) own: &'a dyn Fn(&str) -> Option<(String, String)>,
    /// Default of the address to listen on.
    pub(super) listen: SocketAddr,
    /// Whether the command is the server, or looks at its settings; of others the database counts, and where a server
    /// listens.
    pub(super) is_server: bool,
}

/// Reads the variables.
pub(super) fn read(surroundings: &Surroundings<'_>) -> Outcome {
    let Surroundings { set, names, own, listen, is_server } = surroundings;
    let mut outcome = Outcome::default();
    outcome.database(set, own("database-url").map(|(variable, _)| variable));
    let wrong = outcome.wrong.len();
    outcome.listening(set, own("listen"), *listen);
    if !is_server {
        outcome.wrong.truncate(wrong);
        return outcome;
    }
    for (variable, effect) in VARIABLES {
        if let Some(value) = set.get(variable) {
            outcome.note(variable, effect, value, own);
        }
    }
    let experimental = names.iter().filter(|name| name.starts_with(EXPERIMENTAL));
    outcome.without_effect.extend(
        experimental
            .map(|name| format!("{name} changes nothing here: it is a switch for what Unleash has not finished")),
    );
    outcome
}

impl Outcome {
    fn note(
        &mut self,
        variable: &'static str,
        effect: Effect,
        value: &str,
        own: &dyn Fn(&str) -> Option<(String, String)>,
    ) {
        match effect {
            Effect::Sets(option, form) => match (form(value), own(option)) {
                (Some(_), Some((own, _))) => self.yields(variable, &own),
                (Some(value), None) => self.taken_over.push(TakenOver { option, value, variable }),
                (None, _) => {}
            },
            Effect::Refused(reason) => self.refuse(variable, reason),
            Effect::RefusedWhenOn(reason) if is_on(value) => self.refuse(variable, reason),
            Effect::RefusedUnless(values, reason) if !values.contains(&value.trim()) => self.refuse(variable, reason),
            Effect::Level if log_level(value).is_none() => {
                self.without(variable, "it takes debug, info, warn, error or fatal");
            }
            Effect::Level => {
                if let Some((own, _)) = own("RUST_LOG") {
                    self.yields(variable, &own);
                }
            }
            Effect::Without(reason) => self.without(variable, reason),
            Effect::Database | Effect::Listening | Effect::RefusedWhenOn(_) | Effect::RefusedUnless(..) => {}
        }
    }

    fn without(&mut self, variable: &str, reason: &str) {
        self.without_effect.push(format!("{variable} changes nothing here: {reason}"));
    }

    fn refuse(&mut self, variable: &str, reason: &str) {
        self.wrong.push(format!("{variable}: {reason}"));
    }

    fn yields(&mut self, variable: &str, own: &str) {
        self.without(variable, &format!("{own} is set, too, and takes precedence"));
    }

    fn database(&mut self, set: &BTreeMap<&'static str, String>, own: Option<String>) {
        let parts = || VARIABLES.iter().filter(|(_, effect)| matches!(effect, Effect::Database)).map(|(name, _)| *name);
        let first = parts().find(|name| set.contains_key(name));
        match (own, database::url(set)) {
            (Some(own), _) => {
                for name in parts().filter(|name| set.contains_key(name)) {
                    self.yields(name, &own);
                }
            }
            (None, Err(reason)) => self.wrong.push(reason),
            (None, Ok(Some(value))) => {
                let variable = first.unwrap_or("DATABASE_HOST");
                self.taken_over.push(TakenOver { option: "database-url", value, variable });
            }
            (None, Ok(None)) => {
                let reason = "changes nothing here without DATABASE_HOST, which names a PostgreSQL database";
                self.without_effect.extend(first.map(|name| format!("{name} {reason}")));
            }
        }
    }

    /// Reads the address to listen on, of which the default fills in what is not given. `PORT` is also set for other
    /// programs, and yields to the option's own variable.
    fn listening(&mut self, set: &BTreeMap<&'static str, String>, own: Option<(String, String)>, default: SocketAddr) {
        let get = |name: &str| set.get(name).map(|value| value.trim());
        let host = match get("HTTP_HOST") {
            Some("localhost") => Some(IpAddr::from([127, 0, 0, 1])),
            Some(host) => match host.trim_matches(['[', ']']).parse() {
                Ok(address) => Some(address),
                Err(_) => return self.wrong.push("HTTP_HOST takes an IP address, or localhost".to_owned()),
            },
            None => None,
        };
        let variable = if set.contains_key("HTTP_PORT") { "HTTP_PORT" } else { "PORT" };
        let port = match get(variable) {
            Some(port) => match port.parse::<u16>() {
                Ok(port) => Some(port),
                Err(_) if variable == "PORT" && own.is_some() => None,
                Err(_) => return self.wrong.push(format!("{variable} takes a port, 0 to 65535")),
            },
            None => None,
        };
        if let Some((own, address)) = own {
            let address = address.parse::<SocketAddr>().ok();
            let differs = |part: Option<bool>| part.is_some_and(|is_same| !is_same);
            if differs(address.and_then(|address| host.map(|host| host == address.ip()))) {
                self.wrong
                    .push(format!("HTTP_HOST and {own} name different addresses to listen on: unset one of them"));
            }
            if differs(address.and_then(|address| port.map(|port| port == address.port()))) {
                if variable == "PORT" {
                    self.yields(variable, &own);
                } else {
                    self.wrong
                        .push(format!("HTTP_PORT and {own} name different ports to listen on: unset one of them"));
                }
            }
            return;
        }
        if host.is_none() && port.is_none() {
            return;
        }
        let value = SocketAddr::new(host.unwrap_or(default.ip()), port.unwrap_or(default.port())).to_string();
        let variable = if port.is_some() { variable } else { "HTTP_HOST" };
        self.taken_over.push(TakenOver { option: "listen", value, variable });
    }
}

/// Returns the directive of the log for a level of Unleash.
pub(super) fn log_level(level: &str) -> Option<&'static str> {
    let level = level.trim();
    let known = ["trace", "debug", "info", "warn", "error"].into_iter().find(|known| known.eq_ignore_ascii_case(level));
    known.or_else(|| level.eq_ignore_ascii_case("fatal").then_some("error"))
}
