//! A call, and what of its answer can be compared with that of another instance.

use std::{
    collections::BTreeSet,
    fmt::{self, Write as _},
    sync::LazyLock,
};

use poem::http::Method;
use regex::Regex;
use serde_json::{Map, Value};

use super::world::Secrets;
use crate::{
    authorization::row::{Row, Step, call},
    harness::{Answer, Client},
};

/// An operation, ready to be called.
#[derive(Debug, Clone)]
pub struct Call {
    pub operation: &'static str,
    pub method: Method,
    pub path: String,
    pub body: Option<Value>,
    /// List in which `{id}` is found.
    listed_at: Option<&'static str>,
    /// Steps that an administrator takes before.
    pub given: Vec<Step>,
    /// Steps that the caller takes before.
    pub own: Vec<Step>,
    /// Whether it asks for a name that only one thing in the instance can have: who asks for one that is taken learns
    /// that it is, and no more.
    pub is_for_a_name: bool,
    /// Whether it looks at what changes and removals left.
    pub is_late: bool,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Call {
    /// The call of a row, which points at the project `shop`.
    pub fn of(row: &Row) -> Self {
        let Step { method, path, body, listed_at } = row.call.clone();
        let path = path.to_owned();
        let (operation, given, own) = (row.operation, row.given.clone(), row.own.clone());
        Self { operation, method, path, body, listed_at, given, own, is_for_a_name: false, is_late: false }
    }

    /// A question that points at what is hidden.
    pub fn elsewhere(operation: &'static str, method: Method, path: String, body: Option<Value>) -> Self {
        let (listed_at, given, own) = (None, Vec::new(), Vec::new());
        Self { operation, method, path, body, listed_at, given, own, is_for_a_name: false, is_late: false }
    }

    /// A call for a name that is taken by what is hidden.
    pub fn for_a_name(self) -> Self {
        Self { is_for_a_name: true, ..self }
    }

    /// Returns the call, to be made after all changes.
    pub fn late(self) -> Self {
        Self { is_late: true, ..self }
    }

    /// Returns the call on what is hidden, unless it names nothing that could be.
    pub fn pointed_at(&self, secrets: &Secrets) -> Option<Self> {
        let mut there = Self { given: Vec::new(), own: Vec::new(), listed_at: None, ..self.clone() };
        there.path = secrets.path(&self.path);
        there.body = self.body.as_ref().map(|body| pointed(body, secrets));
        (there.path != self.path || there.body != self.body).then_some(there)
    }

    /// Returns the call without its query, if it has one.
    pub fn bare(&self) -> Option<Self> {
        let (path, _) = self.path.split_once('?')?;
        Some(Self { path: path.to_owned(), given: Vec::new(), own: Vec::new(), ..self.clone() })
    }

    /// Everything that is sent.
    pub fn text(&self) -> String {
        let body = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        format!("{} {} {body}", self.method, self.path)
    }

    pub async fn take(&self, client: &Client) -> Answer {
        call(client, &self.method, &self.path, self.body.as_ref(), self.listed_at).await
    }
}

fn pointed(value: &Value, secrets: &Secrets) -> Value {
    match value {
        Value::String(text) => Value::String(secrets.word(text)),
        Value::Array(list) => list.iter().map(|value| pointed(value, secrets)).collect(),
        Value::Object(object) => {
            let member = |(name, value): (&String, &Value)| {
                let value = if name == "segmentIds" { secrets.segment.into() } else { pointed(value, secrets) };
                let value = if name == "segmentIds" { Value::Array(vec![value]) } else { value };
                (if name == "f" { secrets.word(name) } else { name.clone() }, value)
            };
            Value::Object(object.iter().map(member).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Status and body without what is drawn at random, and without numbers that only tell how many came before.
pub fn told(answer: &Answer) -> (u16, Value) {
    let body = match &answer.body {
        Value::Null => Value::String(plain(&answer.text)),
        body => without_chance(body),
    };
    (answer.status, body)
}

/// Differences of two answers, each place in a line.
pub fn differences(one: &(u16, Value), other: &(u16, Value)) -> String {
    let mut found = String::new();
    if one.0 == other.0 {
        compare(&one.1, &other.1, "", &mut found);
    } else {
        let _ = writeln!(found, "    status: {} {} where it is, {} {} elsewhere", one.0, one.1, other.0, other.1);
    }
    found
}

fn compare(one: &Value, other: &Value, path: &str, found: &mut String) {
    match (one, other) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let names: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
            for name in names {
                let (ours, theirs) = (ours.get(name), theirs.get(name));
                let absent = Value::Null;
                compare(ours.unwrap_or(&absent), theirs.unwrap_or(&absent), &format!("{path}/{name}"), found);
            }
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            for (index, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                compare(ours, theirs, &format!("{path}/{index}"), found);
            }
        }
        _ if one == other => {}
        _ => {
            let _ = writeln!(found, "    {path}: {one} where it is, {other} elsewhere");
        }
    }
}

fn without_chance(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(plain(text)),
        Value::Array(list) => list.iter().map(without_chance).collect(),
        Value::Object(object) => {
            let member = |(name, value): (&String, &Value)| {
                let counted = matches!(&**name, "id" | "eventId" | "changeId") && value.is_number();
                (name.clone(), if counted { Value::Null } else { without_chance(value) })
            };
            Value::Object(object.iter().map(member).collect())
        }
        other => other.clone(),
    }
}

fn plain(text: &str) -> String {
    static CHANCE: LazyLock<Regex> = LazyLock::new(|| {
        let patterns = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32,64}|\.id-\d+|eventId.:\d+|id: ?\d+";
        Regex::new(patterns).expect("a pattern")
    });
    CHANCE.replace_all(text, "…").into_owned()
}
